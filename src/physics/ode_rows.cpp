// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_rows.h"

#include "physics/ode_library.h"
#include "scene/scene.h"
#include "servosim/spring_damper.h"

namespace servosim {

Stops stops_of(const JointSpec& spec) {
  if (spec.min_stop == spec.max_stop) {
    return {};
  }
  return {std::min(spec.min_stop, spec.max_stop), std::max(spec.min_stop, spec.max_stop)};
}

dJointID create_angular_rows(dWorldID world, dBodyID parent, dBodyID child, int count) {
  const dJointID rows = dJointCreateAMotor(world, nullptr);
  dJointAttach(rows, parent, child);
  dJointSetAMotorMode(rows, dAMotorUser);
  dJointSetAMotorNumAxes(rows, count);
  return rows;
}

void set_row_stops(dJointID rows, int row, const Stops& stops, double origin) {
  dJointSetAMotorParam(rows, of_row(dParamLoStop, row), origin - stops.high);
  dJointSetAMotorParam(rows, of_row(dParamHiStop, row), origin - stops.low);
}

void set_row_softness(dJointID rows, int row, const JointSpec& spec) {
  if (spec.stop_erp >= 0.0) {
    dJointSetAMotorParam(rows, of_row(dParamStopERP, row), spec.stop_erp);
  }
  if (spec.stop_cfm > 0.0) {
    dJointSetAMotorParam(rows, of_row(dParamStopCFM, row), spec.stop_cfm);
  }
}

void set_soft_row(dJointID rows, int row, const SoftRow& soft) {
  const double free = soft.active ? 0.0 : dInfinity;
  dJointSetAMotorParam(rows, of_row(dParamLoStop, row), -free);
  dJointSetAMotorParam(rows, of_row(dParamHiStop, row), free);
  if (soft.active) {
    dJointSetAMotorParam(rows, of_row(dParamStopERP, row), soft.erp);
    dJointSetAMotorParam(rows, of_row(dParamStopCFM, row), soft.cfm);
  }
}

Mat3 last_turn(dBodyID body, double h) {
  const Vec3 spin = to_vec3(dBodyGetAngularVel(body));
  return rotation_matrix({spin, 2.0 * std::atan(0.5 * h * norm(spin))});
}

double push_against(const Stops& stops, const JointState& state) {
  const bool at_low = state.position <= stops.low;
  if (!at_low && !(state.position >= stops.high)) {
    return 0.0;
  }
  const double v = state.drive.velocity;
  const double direction = v != 0.0 ? v : at_low ? -1.0 : 1.0;
  return std::copysign(bounded_max_force(state.drive.max_force), direction);
}

}  // namespace servosim
