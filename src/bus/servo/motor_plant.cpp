// SPDX-License-Identifier: Apache-2.0
#include "bus/servo/motor_plant.h"

#include "physics/state.h"

namespace servosim::bus {

MotorPlant::MotorPlant(Motor& motor, const ServoMounting& mounting)
    : motor_(motor), mounting_(mounting) {
  order_.share = 0.0;
}

MotorPlant::~MotorPlant() {
  if (ServoElectronics* const servo = motor_.servo().electronics()) {
    servo->take_over(std::nullopt);
    servo->suffer({});
  }
}

void MotorPlant::renew() {
  if (ServoElectronics* const servo = motor_.servo().electronics()) {
    servo->take_over(order_);
    servo->suffer(trouble_);
  }
}

void MotorPlant::suffer(const ServoTrouble& trouble) {
  trouble_ = trouble;
  renew();
}

void MotorPlant::obey(const ServoOrder& order) {
  order_ = order;
  const double scale = mounting_.direction * mounting_.travel;
  switch (order.mode) {
    case ServoOrder::Mode::Position:
      order_.value = mounting_.zero + scale * order.value;
      break;
    case ServoOrder::Mode::Velocity:
      order_.value = scale * order.value;
      break;
    default:
      order_.value = mounting_.direction * order.value;
  }
  order_.speed *= mounting_.travel;
  order_.acceleration *= mounting_.travel;
  const bool is_reverse = mounting_.direction < 0.0;
  for (int side = 0; side < 2; ++side) {
    const int other = is_reverse ? 1 - side : side;
    order_.shape.dead_zone[side] = mounting_.travel * order.shape.dead_zone[other];
    order_.shape.compliance_slope[side] = mounting_.travel * order.shape.compliance_slope[other];
  }
  if (order_.velocity_gains) {
    order_.velocity_gains->p /= mounting_.travel;
    order_.velocity_gains->i /= mounting_.travel;
  }
  renew();
}

ServoSense MotorPlant::sense() const {
  ServoSense sense;
  const JointState* const joint = motor_.joint();
  const ServoElectronics* const servo = motor_.servo().electronics();
  if (joint == nullptr || servo == nullptr) {
    return sense;  // an edit of the world has removed it
  }
  const double direction = mounting_.direction;
  const double scale = direction / mounting_.travel;
  sense.position =
      scale * (encoder_reading(servo->model().encoder, joint->position, 0.0) - mounting_.zero);
  sense.velocity = scale * servo->rate();
  sense.target_rate = scale * servo->target_rate();
  sense.reading = servo->reading();
  sense.reading.current *= direction;
  sense.reading.duty *= direction;
  sense.reading.target = scale * (sense.reading.target - mounting_.zero);
  return sense;
}

PidGains MotorPlant::own_gains() const {
  const ServoModel* const model = motor_.servo().model();
  return model != nullptr ? PidGains{model->firmware.p, model->firmware.i, model->firmware.d}
                          : PidGains{};
}

double MotorPlant::max_duty() const {
  const ServoModel* const model = motor_.servo().model();
  return model != nullptr ? model->firmware.max_duty : 1.0;
}

}  // namespace servosim::bus
