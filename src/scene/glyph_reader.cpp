// SPDX-License-Identifier: Apache-2.0
#include "scene/glyph_reader.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <memory>
#include <type_traits>

namespace servosim {

namespace {

struct EndFont {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
template <typename Handle>
using Font = std::unique_ptr<std::remove_pointer_t<Handle>, EndFont>;

Glyph glyph_of(const FT_GlyphSlot& slot) {
  const FT_Bitmap& bitmap = slot->bitmap;
  Glyph glyph;
  glyph.left = slot->bitmap_left;
  glyph.top = slot->bitmap_top;
  glyph.advance = static_cast<std::int32_t>(slot->advance.x >> 6);
  glyph.width = static_cast<std::int32_t>(bitmap.width);
  for (unsigned y = 0; y < bitmap.rows; ++y) {
    const unsigned char* const row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    for (unsigned x = 0; x < bitmap.width; ++x) {
      const bool is_bits = bitmap.pixel_mode == FT_PIXEL_MODE_MONO;
      const bool is_set = is_bits && (row[x / 8] >> (7 - x % 8) & 1) != 0;
      glyph.coverage.push_back(is_bits ? (is_set ? 255 : 0) : row[x]);
    }
  }
  return glyph;
}

}  // namespace

ReadGlyphs draw_glyphs(std::string_view bytes, int size, bool is_smooth,
                       std::span<const char32_t> letters) {
  FT_Library made_library = nullptr;
  if (FT_Init_FreeType(&made_library) != 0) {
    return "cannot be read, since FreeType does not begin";
  }
  const Font<FT_Library> library(made_library);
  FT_Face made_face = nullptr;
  if (FT_New_Memory_Face(library.get(), reinterpret_cast<const FT_Byte*>(bytes.data()),
                         static_cast<FT_Long>(bytes.size()), 0, &made_face) != 0) {
    return "is no font that FreeType reads";
  }
  const Font<FT_Face> face(made_face);
  if (FT_Set_Pixel_Sizes(face.get(), 0, static_cast<FT_UInt>(size)) != 0) {
    return "has no letters of this size";
  }
  GlyphSet set;
  set.line_height = static_cast<std::int32_t>(face->size->metrics.height >> 6);
  const FT_Int32 how = FT_LOAD_RENDER | (is_smooth ? FT_LOAD_TARGET_NORMAL : FT_LOAD_TARGET_MONO);
  for (const char32_t letter : letters) {
    if (FT_Load_Char(face.get(), letter, how) == 0) {
      set.glyphs.emplace_back(letter, glyph_of(face->glyph));
    }
  }
  return set;
}

}  // namespace servosim
