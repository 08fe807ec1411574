// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads arbitrary bytes as a picture. What the reader writes for the library must
// say the same there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "scene/mesh_file.h"
#include "scene/picture_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Result = std::variant<servosim::Image, std::string>;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result read =
      bytes.starts_with("#?") ? servosim::read_light(bytes) : servosim::read_picture(bytes);
  const std::optional<Result> known = servosim::decode_picture(servosim::encode_picture(read));
  if (!known || known->index() != read.index()) {
    std::abort();
  }
  if (const auto* const image = std::get_if<servosim::Image>(&read)) {
    const auto& other = std::get<servosim::Image>(*known);
    if (image->width < 1 || image->height < 1 || other.width != image->width ||
        image->pixels.size() != std::size_t{4} * image->width * image->height ||
        other.pixels != image->pixels) {
      std::abort();
    }
  }
  // Nobody's bytes are a picture, whatever they are.
  static_cast<void>(servosim::decode_picture(bytes));
  return 0;
}
