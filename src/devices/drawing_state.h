// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
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

/// The images of a Display by their numbers. Those that were used longest ago make room for new
/// ones, since a controller that deletes none would fill the memory.
///
/// Threads: one at a time.
class KeptImages {
 public:
  explicit KeptImages(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Keeps an image, also if it alone is larger than the limit.
  /// @returns false if others have made room for it
  bool keep(std::int32_t number, std::shared_ptr<const Image> image) {
    remove(number);
    bytes_ += bytes_of(*image);
    order_[++uses_] = number;
    images_[number] = {std::move(image), uses_};
    const std::size_t before = images_.size();
    while (bytes_ > most_bytes_ && images_.size() > 1) {
      remove(order_.begin()->second);
    }
    return images_.size() == before;
  }
  /// Returns an image, which is then the one used last; null if there is none of this number.
  std::shared_ptr<const Image> use(std::int32_t number) {
    const auto found = images_.find(number);
    if (found == images_.end()) {
      return nullptr;
    }
    order_.erase(std::exchange(found->second.last_use, ++uses_));
    order_[uses_] = number;
    return found->second.image;
  }
  void remove(std::int32_t number) {
    if (const auto found = images_.find(number); found != images_.end()) {
      bytes_ -= bytes_of(*found->second.image);
      order_.erase(found->second.last_use);
      images_.erase(found);
    }
  }
  void clear() {
    images_.clear();
    order_.clear();
    bytes_ = 0;
  }
  /// The numbers of the images, that of the one used last at the end.
  std::vector<std::int32_t> numbers() const {
    std::vector<std::int32_t> numbers;
    for (const auto& [use, number] : order_) {
      numbers.push_back(number);
    }
    return numbers;
  }

 private:
  struct Entry {
    std::shared_ptr<const Image> image;  // not null
    std::uint64_t last_use = 0;
  };
  // An image without pixels takes memory, too.
  static std::size_t bytes_of(const Image& image) { return 256 + image.pixels.size(); }

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t uses_ = 0;
  std::map<std::int32_t, Entry> images_;
  std::map<std::uint64_t, std::int32_t> order_;  // numbers by their last use
};

/// The most bytes of all images of a Display.
inline constexpr std::size_t kMostImageBytes = std::size_t{256} << 20;

/// What a controller has told a Display, and a reset keeps.
///
/// Threads: one at a time, with the whole Simulation.
struct DrawingSettings {
  Brush brush;
  std::string font = "Lucida Console";
  int font_size = 8;  ///< [pixels]
  bool is_smooth = true;
  std::uint32_t camera = 0;  ///< wbt::Node::id of the attached Camera; 0: none
  KeptImages images{kMostImageBytes};
  bool is_full = false;           ///< whether a notice says that images are dropped
  std::vector<std::byte> stream;  ///< the beginning of a call whose rest is to come
};

/// All that changes in a Display.
///
/// Threads: one at a time, with the whole Simulation.
struct DrawingState : DrawingSettings {
  /// Null until something is drawn. Somebody who shows it may hold it, too.
  std::shared_ptr<Image> picture;
  // What follows is no part of a saved state.
  /// The picture that is seen before something is drawn; null until somebody reads it.
  std::shared_ptr<const Image> undrawn;
  std::map<std::string, std::string> font_files;  ///< by the name of the font
  /// By file, size and whether they are smooth.
  std::map<std::tuple<std::string, int, bool>, FontLetters> fonts;
};

}  // namespace servosim
