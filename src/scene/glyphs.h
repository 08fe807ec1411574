// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Letters as pixels, as the program mesh_reader draws them. Both programs contain this code.

namespace servosim {

/// A letter as pixels. Lengths are in pixels.
struct Glyph {
  std::int32_t left = 0;               ///< its first column, from where the pen is
  std::int32_t top = 0;                ///< its first row above the baseline
  std::int32_t advance = 0;            ///< how far the pen goes on
  std::int32_t width = 0;              ///< > 0 if it has pixels
  std::vector<std::uint8_t> coverage;  ///< of each pixel from 0 to 255, rows from the top
};

/// Some letters of a font.
struct GlyphSet {
  std::int32_t line_height = 0;                    ///< [pixels]
  std::vector<std::pair<char32_t, Glyph>> glyphs;  ///< by their numbers in Unicode
};
using ReadGlyphs = std::variant<GlyphSet, std::string>;

/// The first argument of the program mesh_reader for a font.
inline constexpr std::string_view kFont = "font";
/// The largest size of a font [pixels].
inline constexpr int kMaxFontSize = 512;
/// The most letters of one call.
inline constexpr std::size_t kMaxGlyphs = 4096;

/// Convert glyphs to and from the bytes that the program writes. Decoding returns nothing if they
/// are incomplete.
std::string encode_glyphs(const ReadGlyphs& glyphs);
std::optional<ReadGlyphs> decode_glyphs(std::string_view bytes);

/// Returns letters of a font file in a separate process, since a file may crash the library that
/// reads it. Returns a clause with the reason where that fails.
/// @param size  [pixels], from 1 to kMaxFontSize
/// @param is_smooth  false if coverage is 0 or 255
/// @param letters  at most kMaxGlyphs
ReadGlyphs read_glyphs(const std::string& file, int size, bool is_smooth,
                       std::span<const char32_t> letters);

}  // namespace servosim
