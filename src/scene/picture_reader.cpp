// SPDX-License-Identifier: Apache-2.0
#include "scene/picture_reader.h"

// jpeglib.h needs size_t and FILE to be declared before it.
#include <jpeglib.h>
#include <png.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_HDR
#include <stb/stb_image.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "scene/mesh_file.h"

namespace servosim {
namespace {

using Result = std::variant<Image, std::string>;

constexpr std::size_t kMaxLightFile = std::size_t{1} << 30;  // [bytes]

// Returns the message of a library as a clause, which may quote the file.
std::string clause_of(std::string_view message) {
  std::string text = "cannot be read (";
  for (const char c : message.substr(0, 200)) {
    text += c < ' ' || c > '~' ? ' ' : c;
  }
  return text + "): export it again";
}

// Returns a picture with memory for its pixels, or a clause that it is too large.
Result image_of(std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0 || width > kMaxPixels || height > kMaxPixels ||
      width * height > kMaxPixels) {
    return "has more than " + std::to_string(kMaxPixels >> 20) +
           " million pixels, or none: use another one";
  }
  Image image{static_cast<int>(width), static_cast<int>(height), {}};
  image.pixels.resize(4 * width * height);
  return image;
}

// Returns a PNG file without its gAMA chunks, by which libpng would change the bytes of its pixels.
// Webots takes them as they are.
std::string without_gamma(std::string_view bytes) {
  constexpr std::size_t kSignature = 8;
  constexpr std::size_t kFrame = 12;  // the length, the kind and the checksum of a chunk
  std::string kept(bytes.substr(0, kSignature));
  std::string_view rest = bytes.substr(std::min(kSignature, bytes.size()));
  while (rest.size() >= kFrame) {
    std::size_t length = 0;
    for (const char c : rest.substr(0, 4)) {
      length = length << 8u | static_cast<std::uint8_t>(c);
    }
    const std::string_view chunk = rest.substr(0, kFrame + length);
    const std::string_view kind = chunk.substr(4, 4);
    if (kind == "IDAT") {
      break;  // a gAMA chunk comes before the pixels
    }
    if (kind != "gAMA") {
      kept += chunk;
    }
    rest.remove_prefix(chunk.size());
  }
  return kept.append(rest);
}

Result read_png(std::string_view file) {
  const std::string bytes = without_gamma(file);
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    return clause_of(png.message);
  }
  png.format = PNG_FORMAT_RGBA;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // else those of 16 bits count as linear light
  Result result = image_of(png.width, png.height);
  if (Image* const image = std::get_if<Image>(&result);
      image != nullptr &&
      png_image_finish_read(&png, nullptr, image->pixels.data(), 0, nullptr) == 0) {
    result = clause_of(png.message);
  }
  png_image_free(&png);
  return result;
}

struct JpegErrors {
  jpeg_error_mgr manager;  // must be first, because libjpeg knows only this part
  std::jmp_buf leave;
  char message[JMSG_LENGTH_MAX];
};

// The functions that this leaves have no objects with destructors.
[[noreturn]] void leave_jpeg(j_common_ptr reader) {
  auto* const errors = reinterpret_cast<JpegErrors*>(reader->err);
  reader->err->format_message(reader, errors->message);
  std::longjmp(errors->leave, 1);
}

bool begin_jpeg(jpeg_decompress_struct& reader, JpegErrors& errors, std::string_view bytes) {
  if (setjmp(errors.leave) != 0) {
    return false;
  }
  jpeg_create_decompress(&reader);
  jpeg_mem_src(&reader, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&reader, TRUE);
  reader.out_color_space = JCS_EXT_RGBA;
  return true;
}

bool read_rows(jpeg_decompress_struct& reader, JpegErrors& errors, std::uint8_t* pixels) {
  if (setjmp(errors.leave) != 0) {
    return false;
  }
  jpeg_start_decompress(&reader);
  while (reader.output_scanline < reader.output_height) {
    JSAMPROW row = pixels + std::size_t{4} * reader.output_scanline * reader.output_width;
    jpeg_read_scanlines(&reader, &row, 1);
  }
  return true;
}

Result read_jpeg(std::string_view bytes) {
  jpeg_decompress_struct reader{};
  JpegErrors errors{};
  reader.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = leave_jpeg;
  errors.manager.output_message = [](j_common_ptr) {};  // warnings
  const bool begun = begin_jpeg(reader, errors, bytes);
  Result result =
      begun ? image_of(reader.image_width, reader.image_height) : Result(clause_of(errors.message));
  if (Image* const image = std::get_if<Image>(&result);
      image != nullptr && !read_rows(reader, errors, image->pixels.data())) {
    result = clause_of(errors.message);
  }
  jpeg_destroy_decompress(&reader);
  return result;
}

void put_light(const float* light, std::uint8_t* pixel) {
  const float most = std::max({light[0], light[1], light[2]});
  int exponent = 0;
  const double share = std::frexp(static_cast<double>(most), &exponent);
  if (!(share > 0.0) || !std::isfinite(most) || exponent < -127 || exponent > 127) {
    return;  // it stays black
  }
  for (int part = 0; part < 3; ++part) {
    const double scaled = std::ldexp(std::max(0.0f, light[part]), 8 - exponent);
    pixel[part] = static_cast<std::uint8_t>(std::clamp(scaled, 0.0, 255.0));
  }
  pixel[3] = static_cast<std::uint8_t>(exponent + 128);
}

}  // namespace

Result read_light(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int size = static_cast<int>(std::min<std::size_t>(bytes.size(), kMaxLightFile));
  int width = 0;
  int height = 0;
  int parts = 0;
  if (stbi_is_hdr_from_memory(data, size) == 0) {
    return "is no Radiance file (.hdr): convert it";
  }
  if (stbi_info_from_memory(data, size, &width, &height, &parts) == 0) {
    return clause_of(stbi_failure_reason());
  }
  Result result = image_of(static_cast<std::uint64_t>(std::max(0, width)),
                           static_cast<std::uint64_t>(std::max(0, height)));
  Image* const image = std::get_if<Image>(&result);
  if (image == nullptr) {
    return result;
  }
  struct Free {
    void operator()(float* pixels) const { stbi_image_free(pixels); }
  };
  const std::unique_ptr<float, Free> light(
      stbi_loadf_from_memory(data, size, &width, &height, &parts, 3));
  if (light == nullptr) {
    return clause_of(stbi_failure_reason());
  }
  for (std::size_t i = 0; i < image->pixels.size() / 4; ++i) {
    put_light(light.get() + 3 * i, &image->pixels[4 * i]);
  }
  return result;
}

Result read_picture(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG")) {
    return read_png(bytes);
  }
  if (bytes.starts_with("\xff\xd8\xff")) {
    return read_jpeg(bytes);
  }
  return std::string(kNoPicture);
}

}  // namespace servosim
