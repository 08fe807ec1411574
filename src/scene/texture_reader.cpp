// SPDX-License-Identifier: Apache-2.0
#include "scene/texture_reader.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <variant>

#include "assets/address.h"

namespace servosim {
Texture TextureReader::texture(const wbt::Node& appearance, std::string_view field) {
  const wbt::NodePtr& node = appearance.node(field);
  if (!is_of_type(node, "ImageTexture")) {
    return {};
  }
  return {image(*node, "url"), node->boolean("repeatS"), node->boolean("repeatT"),
          node->integer("filtering") > 0, true};
}

std::shared_ptr<const Image> TextureReader::image(const wbt::Node& node, std::string_view field) {
  const std::vector<std::string>& urls = node.strings(field);
  return urls.empty() || urls[0].empty()
             ? nullptr
             : image(files_.name_of(node, urls[0]), urls[0], node.where_of(field));
}

std::shared_ptr<const Image> TextureReader::image(const std::string& name, const std::string& url,
                                                  const SourceLocation& where) {
  return read(name, url, where, false);
}

std::shared_ptr<const Image> TextureReader::light(const wbt::Node& node, std::string_view field) {
  const std::vector<std::string>& urls = node.strings(field);
  return urls.empty() || urls[0].empty()
             ? nullptr
             : read(files_.name_of(node, urls[0]), urls[0], node.where_of(field), true);
}

// The warning says that something is missing, because a picture affects what robots measure.
std::shared_ptr<const Image> TextureReader::read(const std::string& name, const std::string& url,
                                                 const SourceLocation& where, bool is_light) {
  const ReadImage image = files_.image(name, is_light);
  if (const auto* found = std::get_if<std::shared_ptr<const Image>>(&image)) {
    return *found;
  }
  const std::string& fault = std::get<std::string>(image);
  const std::string subject = fmt::format("picture '{}'", url);
  findings_.warning(
      where, fmt::format("{} {}: {}", subject, fault, lost_),
      MissingPart{Missing::Pictures, subject,
                  assets::is_address(url) ? "'servosim fetch --textures WORLD' downloads it"
                                          : fmt::format("it {}; {}", fault, lost_)});
  return nullptr;
}

TextureTransform TextureReader::transform(const wbt::Node& appearance) {
  const wbt::NodePtr& node = appearance.node("textureTransform");
  if (!is_of_type(node, "TextureTransform")) {
    return {};
  }
  const auto pair = [&node](std::string_view field) {
    const auto& v = std::get<wbt::Vec2>(node->value(field));
    return std::array{v.x, v.y};
  };
  const TextureTransform read{pair("scale"), node->number("rotation"), pair("center"),
                              pair("translation")};
  return read.is_finite() ? read : TextureTransform{};
}

}  // namespace servosim
