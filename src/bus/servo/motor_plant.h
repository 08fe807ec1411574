// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bus/servo/servo_plant.h"
#include "servosim/motor.h"

namespace servosim::bus {

/// How the shaft of a servo moves a joint.
///
/// Threads: a plain value.
struct ServoMounting {
  double direction = 1.0;  ///< 1, or -1: the joint grows where the servo falls
  double zero = 0.0;    ///< the position of the joint at which the servo is in its middle [rad|m]
  double travel = 1.0;  ///< of the joint per radian of the shaft [1|m/rad]; > 0
};

/// The motor of a joint of a world as the servo on a bus. It takes the motor over until it is
/// destroyed.
///
/// Threads: one at a time, with the whole Simulation.
class MotorPlant final : public ServoPlant {
 public:
  /// @param motor  has a servo model and a joint; it must outlive this object
  MotorPlant(Motor& motor, const ServoMounting& mounting);
  ~MotorPlant() override;

  void obey(const ServoOrder& order) override;
  void suffer(const ServoTrouble& trouble) override;
  ServoSense sense() const override;
  PidGains own_gains() const override;
  double max_duty() const override;
  /// Gives the last order and trouble to the motor again, whose servo another world may have.
  void renew();

 private:
  Motor& motor_;
  ServoMounting mounting_;
  ServoOrder order_;
  ServoTrouble trouble_;
};

}  // namespace servosim::bus
