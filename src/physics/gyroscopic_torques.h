// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/math.h"

namespace servosim {

class Bodies;

/// Adds Webots' explicit gyroscopic torques −ω × (I·ω), in the world's axes, where ODE's implicit
/// ones are not wanted: see PhysicsOptions::explicit_gyroscopic.
///
/// Threads: one at a time for each object.
class GyroscopicTorques {
 public:
  /// Turns off ODE's own torque of these bodies, which must outlive this object.
  explicit GyroscopicTorques(const Bodies& bodies);
  /// Adds the torques of the next step. This must be called after all other torques were added.
  void add() const;

 private:
  const Bodies& bodies_;
  // This is the inertia about the centre of mass of each body, in its own axes [kg·m²].
  std::vector<Mat3> inertias_;
};

}  // namespace servosim
