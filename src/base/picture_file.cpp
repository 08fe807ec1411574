// SPDX-License-Identifier: Apache-2.0
#include "base/picture_file.h"

// Not base/assert.h, since libController links no fmt.
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace servosim {
namespace {

// stb_image_write uses some of its memory without a check. It is C code, which frees nothing when
// an exception passes: what it holds then is lost, but the process goes on.
void* checked_memory(void* memory) {
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace
}  // namespace servosim

// With STBI_WRITE_NO_STDIO it would not write HDR files.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBIW_MALLOC(size) servosim::checked_memory(std::malloc(size))
#define STBIW_REALLOC(memory, size) servosim::checked_memory(std::realloc(memory, size))
#define STBIW_FREE(memory) std::free(memory)
#include <stb/stb_image_write.h>

namespace servosim {
namespace {

struct WrittenFile {
  std::string bytes;
  bool is_short_of_memory = false;
};

// Throws nothing, so that stb_image_write comes to its end and frees its memory.
void append_to(void* context, void* data, int size) noexcept {
  auto& file = *static_cast<WrittenFile*>(context);
  try {
    file.bytes.append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    file.is_short_of_memory = true;
  }
}

// Returns the file that `write(append, file)` of stb_image_write makes.
template <typename Write>
std::string file_of(const Write& write) {
  WrittenFile file;
  // Nothing but memory can be missing.
  if (write(&append_to, &file) == 0 || file.is_short_of_memory) {
    throw std::bad_alloc();
  }
  return std::move(file.bytes);
}

[[maybe_unused]] std::size_t size_of(int width, int height, PixelBytes bytes) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
         static_cast<std::size_t>(bytes);
}

}  // namespace

std::string colors_of(std::span<const unsigned char> pixels, PixelBytes bytes) {
  std::string colors;
  colors.reserve(pixels.size());
  for (std::size_t pixel = 0; pixel + 3 < pixels.size(); pixel += 4) {
    for (const std::size_t part : {2, 1, 0}) {
      colors += static_cast<char>(pixels[pixel + part]);
    }
    if (bytes == PixelBytes::ColorAlpha) {
      colors += static_cast<char>(pixels[pixel + 3]);
    }
  }
  return colors;
}

std::string png_file(int width, int height, PixelBytes bytes, std::string_view pixels) {
  assert(width > 0 && height > 0 && pixels.size() == size_of(width, height, bytes));
  return file_of([&](stbi_write_func* append, void* file) {
    const int each = static_cast<int>(bytes);
    return stbi_write_png_to_func(append, file, width, height, each, pixels.data(), each * width);
  });
}

std::string jpeg_file(int width, int height, PixelBytes bytes, std::string_view pixels,
                      int quality) {
  assert(width > 0 && height > 0 && pixels.size() == size_of(width, height, bytes));
  return file_of([&](stbi_write_func* append, void* file) {
    return stbi_write_jpg_to_func(append, file, width, height, static_cast<int>(bytes),
                                  pixels.data(), quality);
  });
}

std::string grey_hdr_file(int width, int height, std::span<const float> pixels) {
  assert(width > 0 && height > 0 && pixels.size() == size_of(width, height, PixelBytes::Grey));
  return file_of([&](stbi_write_func* append, void* file) {
    return stbi_write_hdr_to_func(append, file, width, height, 1, pixels.data());
  });
}

}  // namespace servosim
