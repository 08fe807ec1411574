// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

// The calls with which a controller draws on a Display. They are a stream of bytes, which the
// commands Draw carry in pieces. The folder controller_api/ writes them and devices/ reads them.

namespace servosim {

/// What a call does. The comments name its numbers and bytes; images have numbers from 1 on.
enum class DrawingKind : std::uint8_t {
  Color,         ///< 0xRRGGBB
  Alpha,         ///< 0 to 255
  Opacity,       ///< 0 to 255
  Font,          ///< size [pixels], whether it is anti-aliased; bytes: its name
  AttachCamera,  ///< bytes: the name of the Camera
  DetachCamera,
  Pixel,      ///< x, y
  Line,       ///< x1, y1, x2, y2
  Rectangle,  ///< x, y, width, height, as the next one
  FillRectangle,
  Oval,  ///< x and y of its middle, its radii, as the next one
  FillOval,
  Polygon,  ///< bytes: x and y of each corner, as the next one
  FillPolygon,
  Text,         ///< x, y; bytes: the text
  NewImage,     ///< image, width, height; bytes: red, green, blue and alpha of each pixel
  CopyImage,    ///< image, x, y, width, height
  LoadImage,    ///< image; bytes: those of a PNG or JPEG file; it is answered
  DeleteImage,  ///< image
  PasteImage,   ///< image, x, y, whether it is blended
  GetImage,     ///< image, or 0 for the whole Display; first byte; it is answered
};
inline constexpr DrawingKind kLastDrawingKind = DrawingKind::GetImage;

/// One call. Only what its kind names has a meaning.
struct DrawingCall {
  DrawingKind kind = DrawingKind::Color;
  std::array<std::int32_t, 5> numbers{};
  std::string_view bytes = {};  ///< points into the stream
};

/// The answer to LoadImage and GetImage.
struct DrawingAnswer {
  bool done = false;       ///< false if a file cannot be read, or there is no such image
  std::int32_t width = 0;  ///< of the image [pixels]
  std::int32_t height = 0;
  std::string_view bytes = {};  ///< of GetImage: a part of its pixels, like those of NewImage
};

/// The most pixels of an image [pixels].
inline constexpr std::size_t kMaxImagePixels = std::size_t{1} << 24;
/// The most bytes of a call: those of such an image, or of a file.
inline constexpr std::size_t kMaxCallBytes = 4 * kMaxImagePixels;
/// The largest radius of an oval [pixels].
inline constexpr int kMaxRadius = 1 << 16;
/// The most bytes of pixels in one answer, so that it fits into a message.
inline constexpr std::size_t kMaxAnsweredBytes = std::size_t{4} << 20;

/// Adds a call to a stream.
inline void write_drawing_call(Writer& stream, const DrawingCall& call) {
  stream.u8(static_cast<std::uint8_t>(call.kind));
  for (const std::int32_t number : call.numbers) {
    stream.i32(number);
  }
  stream.text(call.bytes);
}

/// The bytes of a call without its own ones.
inline constexpr std::size_t kDrawingCallHead =
    1 + 5 * sizeof(std::int32_t) + sizeof(std::uint32_t);

/// Whether no call has such a beginning: its kind does not exist, or it is longer than any image.
inline bool is_malformed_drawing_call(Bytes stream) {
  if (stream.empty()) {
    return false;
  }
  Reader reader(stream);
  const std::uint8_t kind = reader.u8();
  reader.take(5 * sizeof(std::int32_t));
  const std::uint32_t size = reader.u32();
  return kind > static_cast<std::uint8_t>(kLastDrawingKind) ||
         (reader.ok() && size > kMaxCallBytes);
}

/// Reads the first call of a stream, and removes it there. Returns nothing, and leaves the stream,
/// if the call is not complete.
inline std::optional<DrawingCall> read_drawing_call(Bytes& stream) {
  Reader reader(stream);
  DrawingCall call;
  call.kind = static_cast<DrawingKind>(reader.u8());
  for (std::int32_t& number : call.numbers) {
    number = reader.i32();
  }
  call.bytes = reader.text();
  if (!reader.ok()) {
    return std::nullopt;
  }
  stream = stream.last(reader.left());
  return call;
}

}  // namespace servosim
