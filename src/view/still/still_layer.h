// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "devices/sight.h"
#include "recording/scene_parts.h"
#include "rendering/renderer.h"
#include "scene/looks.h"
#include "view/still/stage.h"

namespace servosim::still {

/// Shapes that a still shows, where they are and what they look like.
struct StillLayer {
  std::shared_ptr<const Renderer> renderer;  ///< null for a layer of a Sight
  Sight* sight = nullptr;                    ///< not null without a renderer
  std::vector<Pose> poses;
  std::vector<std::shared_ptr<const Finish>> finishes;
  std::vector<LightSpec> lights;
  std::optional<Sky> sky;
  std::optional<Fog> fog;
  double exposure = 1.0;  ///< by which its light is multiplied before the tone map
  double opacity = 1.0;   ///< less than 1 for one that is drawn over those before

  std::unique_ptr<Eye> open(const RayPattern& pattern) const {
    return renderer != nullptr ? renderer->open(pattern) : sight->open(pattern);
  }
  /// The result is valid as long as this object stays where it is.
  Looks looks() const { return {finishes, lights, sky, fog}; }
};

/// Lights recorded shapes as the page does: by a sun that casts shadows, fainter lights from other
/// sides, and a grey sky.
void light_by_view(const Stage& stage, StillLayer& layer);

/// Returns what the Cameras of a world see now. `sight` outlives the layer.
/// @throws StepFailed if the renderer cannot be loaded
StillLayer layer_of_sight(Sight& sight);

/// How a layer of recorded shapes differs from the world.
enum class PartsUse : std::uint8_t {
  World,   ///< all shapes that show the bodies
  Forms,   ///< boundingObjects of the bodies that have nothing else
  Overlay  ///< all that move, in one colour and translucent
};

/// Returns the shapes of a recording at a moment, without lights. Recordings have colours and
/// pictures; the page's colours are for shapes without.
/// @throws std::runtime_error if the renderer cannot be loaded
StillLayer layer_of_parts(const SceneParts& parts, const RecordedMoment& moment, PartsUse use);

/// Returns the shapes that never move, for rays without looks.
StillLayer layer_of_fixed(const SceneParts& parts, const RecordedMoment& moment);

/// Looks along lines of sight at the shapes of a layer, which outlives it.
class LineOfSight {
 public:
  explicit LineOfSight(const StillLayer& layer)
      : layer_(layer), eye_(layer.open({.width = 1, .height = 1, .field_of_view = 0.1})) {}

  /// Returns whether no front face is on the way from a place along a direction, up to `reach` [m].
  bool is_free(const Vec3& place, const Vec3& direction, double reach);

 private:
  const StillLayer& layer_;
  std::unique_ptr<Eye> eye_;
};

}  // namespace servosim::still
