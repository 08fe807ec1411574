// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "scene/looks.h"
#include "scene/mesh_file.h"
#include "scene/texture_reader.h"
#include "wbt/world_file.h"

namespace servosim {

/// Reads what Cameras see of a world, but for the forms of its Shapes.
class FinishReader {
 public:
  FinishReader(MeshFiles& files, Findings& findings)
      : textures_(files, findings, "Cameras see the world without it"), findings_(findings) {}

  /// Returns how a Shape node looks.
  std::shared_ptr<const Finish> read(const wbt::Node& shape);
  /// Returns how a part of a CadShape looks: by the material in its file.
  /// @param picture  the name, for the library, of the picture that the material names, or an empty
  ///   text
  std::shared_ptr<const Finish> read(const wbt::Node& cad_shape, const MeshPart& part,
                                     const std::string& picture);
  /// Returns the first Background of a world, or nothing.
  /// @param y_is_up  whether the y axis of the world points upwards
  std::optional<Sky> read_sky(const wbt::WorldFile& file, bool y_is_up);
  /// Returns the first Fog of a world, or nothing without one that is seen.
  static std::optional<Fog> read_fog(const wbt::WorldFile& file);

 private:
  void read_appearance(const wbt::Node& appearance, Finish& finish);
  void read_physical(const wbt::Node& appearance, Finish& finish);
  Sky::Faces faces_of(const wbt::Node& background, bool is_light);

  TextureReader textures_;
  Findings& findings_;
};

}  // namespace servosim
