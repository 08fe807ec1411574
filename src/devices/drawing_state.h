// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "devices/canvas.h"
#include "scene/glyphs.h"
#include "scene/surface_look.h"

namespace servosim {

/// The letters of a font that a Display has drawn.
struct FontLetters {
  int line_height = 0;  ///< [pixels]
  std::map<char32_t, Glyph> glyphs;
};

/// What a Display has drawn and been told.
///
/// Threads: one at a time, with the whole Simulation.
struct DrawingState {
  std::shared_ptr<Image> picture;  ///< not null; somebody who shows it may hold it, too
  bool is_drawn = false;           ///< false while the picture is opaque and black
  Brush brush;
  std::string font = "Lucida Console";
  int font_size = 8;  ///< [pixels]
  bool is_smooth = true;
  std::uint32_t camera = 0;  ///< wbt::Node::id of the attached Camera; 0: none
  std::map<std::int32_t, std::shared_ptr<const Image>> images;  ///< not null, by their numbers
  bool is_full = false;           ///< whether a notice says that images are not kept
  std::vector<std::byte> stream;  ///< the beginning of a call whose rest is to come
  /// By file, size and whether they are smooth. They are no part of the state.
  std::map<std::tuple<std::string, int, bool>, FontLetters> fonts;
};

}  // namespace servosim
