// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "recording/recording_reader.h"
#include "view/still/marks.h"

namespace servosim {

class Simulation;

namespace still {

enum class Theme : std::uint8_t { Light, Dark };

/// What a still shows, and from where.
struct StillView {
  std::optional<double> time;  ///< [s]; nothing is the beginning
  /// Position and target [m]; or an axis from which it looks, such as "-x", or "start"; or nothing,
  /// for the Viewpoint of a world, and the start of the page without one.
  std::variant<std::monostate, std::string, std::array<double, 6>> camera;
  MarkNames shown{"grid"};     ///< "background", the sky, too
  std::string follow;          ///< the body to which a named camera looks, or an empty text
  std::optional<Theme> theme;  ///< nothing is light, and shows the sky of a world
  int width = 1280;            ///< [pixels]
  int height = 720;
};

/// The names of StillView::camera and StillView::shown.
inline constexpr std::array<std::string_view, 7> kCameras{"x", "-x", "y", "-y", "z", "-z", "start"};
inline constexpr std::array<std::string_view, 8> kShown{
    "axes", "limits", "contacts", "masses", "frames", "bounding", "grid", "background"};

/// What a still is of.
struct StillSource {
  const Recording* recording = nullptr;  ///< not null
  /// The world, in the only state of the recording; null for a recording. It is seen as its Cameras
  /// see it. Without lights it is drawn as its recording is.
  Simulation* world = nullptr;
  const Recording* second = nullptr;  ///< what is drawn over it; may be null
  /// Is called now and then while it is drawn, unless it is empty; what it throws ends the drawing.
  std::function<void()> check = nullptr;
};

struct Still {
  std::string png;              ///< the file
  bool is_lit_by_view = false;  ///< the world has no light, so that the view lights it
};

/// Draws a picture with the renderer of Cameras.
/// @throws std::invalid_argument for a body to follow that is not there, RecordingError for a wrong
///   scene, std::runtime_error if the renderer cannot be loaded
Still draw_still(const StillSource& source, const StillView& view);

}  // namespace still
}  // namespace servosim
