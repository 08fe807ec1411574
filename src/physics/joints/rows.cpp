// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/rows.h"

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
  const dJointID rows = made(dJointCreateAMotor(world, nullptr), "the rows of a joint");
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

// The turn by 2·atan(|a|) about a = h/2·spin, as 1 + 2/(1 + a²)·([a] + [a]²) without the angle.
Mat3 last_turn(dBodyID body, double h) {
  const Vec3 a = 0.5 * h * to_vec3(dBodyGetAngularVel(body));
  const double square = dot(a, a);
  const double s = 2.0 / (1.0 + square);
  Mat3 turn;
  turn.m = {1.0 + s * (a.x * a.x - square), s * (a.x * a.y - a.z),
            s * (a.x * a.z + a.y),          s * (a.x * a.y + a.z),
            1.0 + s * (a.y * a.y - square), s * (a.y * a.z - a.x),
            s * (a.x * a.z - a.y),          s * (a.y * a.z + a.x),
            1.0 + s * (a.z * a.z - square)};
  return turn;
}

double row_cfm(dBodyID body, double softness) {
  return row_cfm(dWorldGetCFM(dBodyGetWorld(body)), softness);
}

double push_against(const Stops& stops, const JointState& state) {
  const bool at_low = state.position <= stops.low;
  if (!at_low && !(state.position >= stops.high)) {
    return 0.0;
  }
  const MotorRow row = motor_row(state.drive, stops, state.position);
  const double v = row.velocity;
  const double direction = v != 0.0 ? v : at_low ? -1.0 : 1.0;
  return std::copysign(bounded_max_force(row.max_force), direction);
}

}  // namespace servosim
