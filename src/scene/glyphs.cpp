// SPDX-License-Identifier: Apache-2.0
#include "scene/glyphs.h"

#include <algorithm>
#include <array>
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

std::vector<char32_t> letters_of(std::string_view text) {
  constexpr char32_t kReplacement = 0xfffd;
  std::vector<char32_t> letters;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    char32_t letter = length < 2 ? first : first & (0x7fu >> length);
    bool is_good = length > 0 && at + length <= text.size();
    for (std::size_t i = 1; is_good && i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      is_good = (next & 0xc0u) == 0x80u;
      letter = letter << 6 | (next & 0x3fu);
    }
    letters.push_back(is_good ? letter : kReplacement);
    at += is_good ? length : 1;
  }
  return letters;
}

}  // namespace servosim
