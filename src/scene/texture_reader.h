// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "scene/checks.h"
#include "scene/mesh_file.h"
#include "scene/surface_look.h"
#include "wbt/node.h"

namespace servosim {

/// Reads the pictures of appearances, and where they are.
class TextureReader {
 public:
  /// @param lost  the end of the message about a picture that cannot be used: what sensors see
  TextureReader(MeshFiles& files, Findings& findings, std::string lost)
      : files_(files), findings_(findings), lost_(std::move(lost)) {}

  /// Returns the ImageTexture in a field of an appearance. Without one it returns a texture without
  /// an image, and with a warning if the image cannot be used.
  Texture texture(const wbt::Node& appearance, std::string_view field);
  /// Returns a picture to which the first url in a field of a node leads, or null: without a url,
  /// or with a warning.
  std::shared_ptr<const Image> image(const wbt::Node& node, std::string_view field);
  /// Returns the pixels of a file, or null with a warning.
  /// @param name  for the library
  /// @param url  for the message
  std::shared_ptr<const Image> image(const std::string& name, const std::string& url,
                                     const SourceLocation& where);
  /// Returns a picture of light, a Radiance file, to which the first url in a field of a node
  /// leads, or null: without a url, or with a warning. See read_light() for its pixels.
  std::shared_ptr<const Image> light(const wbt::Node& node, std::string_view field);
  /// Returns the textureTransform of an appearance, or that without effect.
  static TextureTransform transform(const wbt::Node& appearance);

 private:
  std::shared_ptr<const Image> read(const std::string& name, const std::string& url,
                                    const SourceLocation& where, bool is_light);

  MeshFiles& files_;
  Findings& findings_;
  std::string lost_;
};

}  // namespace servosim
