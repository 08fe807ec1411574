// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace servosim {

struct PhysicsOptions;
struct Scene;
struct StepLoss;

/// Returns what a person should know of a joint that loses energy, or a part of its way, to the
/// length of the step.
/// @param loss  what the physics has found
/// @param scene  that of the joint
/// @param physics  whether Integrator::Joint can be chosen
std::string loss_notice(const StepLoss& loss, const Scene& scene, const PhysicsOptions& physics);

}  // namespace servosim
