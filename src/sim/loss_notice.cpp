// SPDX-License-Identifier: Apache-2.0
#include "sim/loss_notice.h"

#include <fmt/format.h>

#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

std::string loss_notice(const StepLoss& loss, const Scene& scene, const PhysicsOptions& physics) {
  const bool can_choose_joint =
      loss.joint_helps && physics.solver == Solver::Tree && !physics.explicit_gyroscopic;
  return fmt::format(
      "joint \"{}\" lost {:.2g} % of its {} per step to the step of {:g} ms: {}a step "
      "of {:g} ms{}",
      scene.joints[loss.joint].name, 100.0 * loss.per_step,
      loss.of == StepLoss::Of::Energy ? "energy" : "way", scene.world.basic_time_step_ms,
      can_choose_joint ? "--integrator joint, or " : "", loss.enough_ms,
      loss.is_last ? " (no further joints are reported)" : "");
}

}  // namespace servosim
