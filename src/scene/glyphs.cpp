// SPDX-License-Identifier: Apache-2.0
#include "scene/glyphs.h"

#include <cstddef>

#include "base/bytes.h"

namespace servosim {

namespace {

constexpr std::uint8_t kGlyphsFollow = 1;

}  // namespace

std::string encode_glyphs(const ReadGlyphs& glyphs) {
  Writer writer;
  if (const auto* const reason = std::get_if<std::string>(&glyphs)) {
    writer.u8(0);
    writer.text(*reason);
    return std::string(as_text(writer.bytes()));
  }
  const GlyphSet& set = std::get<GlyphSet>(glyphs);
  writer.u8(kGlyphsFollow);
  writer.i32(set.line_height);
  for (const auto& [letter, glyph] : set.glyphs) {
    writer.u32(letter);
    for (const std::int32_t number : {glyph.left, glyph.top, glyph.advance, glyph.width}) {
      writer.i32(number);
    }
    writer.u32(static_cast<std::uint32_t>(glyph.coverage.size()));
    writer.numbers<std::uint8_t>(glyph.coverage);
  }
  return std::string(as_text(writer.bytes()));
}

std::optional<ReadGlyphs> decode_glyphs(std::string_view bytes) {
  Reader reader(as_bytes(bytes));
  if (reader.u8() != kGlyphsFollow) {
    const std::string_view reason = reader.text();
    return reader.ok() ? std::optional<ReadGlyphs>(std::string(reason)) : std::nullopt;
  }
  GlyphSet set;
  set.line_height = reader.i32();
  while (reader.ok() && reader.left() > 0) {
    const char32_t letter = reader.u32();
    Glyph glyph;
    for (std::int32_t* const number : {&glyph.left, &glyph.top, &glyph.advance, &glyph.width}) {
      *number = reader.i32();
    }
    const std::string_view coverage = reader.text();
    glyph.coverage.assign(coverage.begin(), coverage.end());
    const bool is_whole =
        coverage.empty() ||
        (glyph.width > 0 && coverage.size() % static_cast<std::size_t>(glyph.width) == 0);
    if (!is_whole) {
      return std::nullopt;
    }
    set.glyphs.emplace_back(letter, std::move(glyph));
  }
  return reader.ok() ? std::optional<ReadGlyphs>(std::move(set)) : std::nullopt;
}

}  // namespace servosim
