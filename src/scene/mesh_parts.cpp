// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/helper_program.h"
#include "scene/mesh_file.h"

namespace servosim {
namespace {

constexpr char kGood = 'M';
constexpr char kBad = 'E';

// A list consists of its length and its items as they are in memory, because both programs come
// from one build.
template <typename List>
void put(std::string& bytes, const List& list) {
  static_assert(std::is_trivially_copyable_v<typename List::value_type>);
  const std::uint64_t length = list.size();
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes.append(reinterpret_cast<const char*>(list.data()),
               length * sizeof(typename List::value_type));
}

template <typename List>
bool take(std::string_view& bytes, List& list) {
  constexpr std::size_t kItem = sizeof(typename List::value_type);
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) {
    return false;
  }
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  if (length > bytes.size() / kItem) {
    return false;
  }
  list.resize(length);
  if (length > 0) {
    std::memcpy(list.data(), bytes.data(), length * kItem);
  }
  bytes.remove_prefix(length * kItem);
  return true;
}

bool take(std::string_view& bytes, MeshPart& part) {
  std::vector<std::int32_t> material;
  if (!take(bytes, part.name) || !take(bytes, material) || material.size() != 1 ||
      !take(bytes, part.mesh.vertices) || !take(bytes, part.mesh.triangles) ||
      !take(bytes, part.normals) || !take(bytes, part.uvs) || !take(bytes, part.color) ||
      !take(bytes, part.emission) || !take(bytes, part.shininess) || !take(bytes, part.picture)) {
    return false;
  }
  part.material = material[0];
  const std::size_t vertices = part.mesh.vertices.size();
  if ((!part.normals.empty() && part.normals.size() != vertices) ||
      (!part.uvs.empty() && part.uvs.size() != vertices) ||
      (!part.color.empty() && part.color.size() != 4) ||
      (!part.emission.empty() && part.emission.size() != 3) || part.shininess.size() > 1) {
    return false;
  }
  return std::all_of(
      part.mesh.triangles.begin(), part.mesh.triangles.end(), [&](const auto& triangle) {
        return std::all_of(triangle.begin(), triangle.end(),
                           [&](std::uint32_t i) { return i < part.mesh.vertices.size(); });
      });
}

}  // namespace

unsigned max_read_seconds() { return available_processor_seconds(30); }

std::string encode(const MeshParts& parts) {
  if (const auto* reason = std::get_if<std::string>(&parts)) {
    return kBad + *reason;
  }
  std::string bytes(1, kGood);
  for (const MeshPart& part : std::get<std::vector<MeshPart>>(parts)) {
    put(bytes, part.name);
    put(bytes, std::vector<std::int32_t>{part.material});
    put(bytes, part.mesh.vertices);
    put(bytes, part.mesh.triangles);
    put(bytes, part.normals);
    put(bytes, part.uvs);
    put(bytes, part.color);
    put(bytes, part.emission);
    put(bytes, part.shininess);
    put(bytes, part.picture);
  }
  return bytes;
}

std::optional<MeshParts> decode_mesh_parts(std::string_view bytes) {
  if (bytes.empty() || (bytes[0] != kGood && bytes[0] != kBad)) {
    return std::nullopt;
  }
  const bool good = bytes[0] == kGood;
  bytes.remove_prefix(1);
  if (!good) {
    return std::string(bytes);
  }
  std::vector<MeshPart> parts;
  while (!bytes.empty()) {
    if (!take(bytes, parts.emplace_back())) {
      return std::nullopt;
    }
  }
  return parts;
}

std::string encode_picture(const std::variant<Image, std::string>& picture) {
  if (const auto* reason = std::get_if<std::string>(&picture)) {
    return kBad + *reason;
  }
  const Image& image = std::get<Image>(picture);
  std::string bytes(1, kGood);
  put(bytes, std::vector<std::int32_t>{image.width, image.height});
  put(bytes, image.pixels);
  return bytes;
}

std::optional<std::variant<Image, std::string>> decode_picture(std::string_view bytes) {
  if (bytes.empty() || (bytes[0] != kGood && bytes[0] != kBad)) {
    return std::nullopt;
  }
  const bool good = bytes[0] == kGood;
  bytes.remove_prefix(1);
  if (!good) {
    return std::string(bytes);
  }
  std::vector<std::int32_t> size;
  Image image;
  if (!take(bytes, size) || size.size() != 2 || size[0] <= 0 || size[1] <= 0 ||
      !take(bytes, image.pixels) ||
      image.pixels.size() != std::uint64_t{4} * static_cast<std::uint64_t>(size[0]) *
                                 static_cast<std::uint64_t>(size[1])) {
    return std::nullopt;
  }
  image.width = size[0];
  image.height = size[1];
  return image;
}

}  // namespace servosim
