// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

namespace servosim::test {
namespace {

// Both joints are 0.4 m off the world's origin, so that a wrong frame has an effect.
constexpr const char* kServoWorld = R"(#VRML_SIM V7.2.5 utf8
WorldInfo {{ basicTimeStep 8 gravity 0 0 -{gravity} physicsDisableTime 0 CFM {cfm} }}
Robot {{
  translation 0.4 0 0
  name "r"
  children [
    Solid {{
      name "base"
      children [
        Servo {{
          name "m"
          type "{type}"
          rotation {rotation}
          {motor}
          {joint}
          boundingObject Transform {{
            translation {arm} 0 0
            children [ Shape {{ geometry Box {{ size 0.6 0.2 0.1 }} }} ]
          }}
          physics {physics}
        }}
      ]
      boundingObject {base_shape}
      physics {base_physics}
    }}
  ]
}}
)";

constexpr const char* kMotorWorld = R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity {gravity} physicsDisableTime 0 CFM {cfm} }}
Robot {{
  translation 0.4 0 0
  name "r"
  children [
    Solid {{
      name "base"
      children [
        {joint_type} {{
          jointParameters {parameters} {{ axis {axis} {joint} }}
          device [ {motor_type} {{ name "m" {motor} }} PositionSensor {{ name "s" }} ]
          endPoint Solid {{
            name "end"
            {start}
            boundingObject Pose {{
              translation {arm} 0 0
              children [ Box {{ size 0.6 0.2 0.1 }} ]
            }}
            physics {physics}
          }}
        }}
      ]
      boundingObject {base_shape}
      physics {base_physics}
    }}
  ]
}}
)";

// A Servo's own fields leave out the position; the fields of an endPoint include it.
std::string start_pose(const Bench& bench) {
  std::smatch match;
  if (!std::regex_search(bench.joint, match, std::regex("position ([-+.e0-9]+)"))) {
    return "";
  }
  const double position = std::stod(match[1]);
  return bench.linear ? fmt::format("translation 0 0 {}", -position)
                      : fmt::format("rotation 0 1 0 {}", position);
}

// Writes the fields of a Servo as those of a RotationalMotor or LinearMotor.
std::string modern(const Bench& bench) {
  std::string fields =
      std::regex_replace(bench.motor, std::regex("controlP ([-+.e0-9]+)"), "controlPID $1 0 0");
  return bench.linear ? fields : std::regex_replace(fields, std::regex("maxForce"), "maxTorque");
}

}  // namespace

std::string world_text(const Bench& b) {
  using namespace fmt::literals;
  const bool servo = b.kind == Kind::Servo;
  return fmt::format(
      fmt::runtime(servo ? kServoWorld : kMotorWorld), "gravity"_a = b.weighed ? kGravity : 0.0,
      "cfm"_a = b.cfm, "type"_a = b.linear ? "linear" : "rotational",
      "rotation"_a = b.linear ? "1 0 0 3.141592653589793" : "0 1 0 0",
      "motor"_a = servo ? b.motor : modern(b), "joint"_a = b.joint, "arm"_a = b.arm ? kArm : 0.0,
      "physics"_a = b.physics ? fmt::format("Physics {{ density -1 mass {} }}", kMass) : "NULL",
      "base_shape"_a = b.body_above ? "Sphere { radius 0.01 }" : "NULL",
      "base_physics"_a = b.body_above ? "Physics { density -1 mass 7 }" : "NULL",
      "joint_type"_a = b.linear ? "SliderJoint" : "HingeJoint",
      "parameters"_a = b.linear ? "JointParameters" : "HingeJointParameters",
      "axis"_a = b.linear ? "0 0 -1" : "0 1 0",
      "motor_type"_a = b.linear ? "LinearMotor" : "RotationalMotor", "start"_a = start_pose(b));
}

namespace {

LoadOptions collecting(std::string& said) {
  LoadOptions options;
  options.notice = [&said](std::string_view message) { said += std::string(message) + "\n"; };
  options.remark = [](std::string_view /*message*/) {};
  return options;
}

}  // namespace

Rig::Rig(const Bench& b, const std::string& text)
    : bench(b),
      simulation(Simulation::from_text(text, collecting(said_))),
      motor(simulation.robot("r").motor("m")),
      sensor(simulation.robot("r").position_sensor(
          simulation.robot("r").find("s") != nullptr ? "s" : "m")) {
  for (const Diagnostic& d : simulation.diagnostics()) {
    said_ += to_string(d) + "\n";
  }
  if (bench.kind == Kind::Board) {
    yarp::BoardConfig config;
    config.joints.emplace_back().motor = "m";
    config.joints[0].profile = yarp::Profile::Trapezoid;
    config.notice = [this](std::string_view message) { said_ += std::string(message) + "\n"; };
    board.emplace(simulation, "r", config);
    // The other kinds have these bounds until they get a command.
    bound_velocity(motor.limits().max_velocity);
    bound_acceleration(INFINITY);
  }
}

Rig::~Rig() { EXPECT_EQ(take_messages(), ""); }

std::string Rig::take_messages() { return std::exchange(said_, {}); }

void Rig::run(double seconds) {
  for (std::int64_t n = std::llround(seconds / kStep); n > 0; --n) {
    if (board) {
      board->before_step();
    }
    simulation.step();
  }
}

void Rig::go_to(double position) {
  if (board) {
    board->view<yarp::IControlMode>().setControlMode(0, yarp::VOCAB_CM_POSITION_DIRECT);
    board->view<yarp::IPositionDirect>().setPosition(0, position / board_unit());
  } else {
    motor.set_position(position);
  }
}

void Rig::endless(double speed) {
  if (board) {
    board->view<yarp::IControlMode>().setControlMode(0, yarp::VOCAB_CM_VELOCITY);
    board->view<yarp::IVelocityControl>().velocityMove(0, speed / board_unit());
  } else {
    motor.set_position(INFINITY);
    motor.set_velocity(speed);
  }
}

void Rig::push(double force) {
  if (board) {
    board->view<yarp::IControlMode>().setControlMode(0, yarp::VOCAB_CM_TORQUE);
    board->view<yarp::ITorqueControl>().setRefTorque(0, force);
  } else {
    motor.set_force(force);
  }
}

void Rig::track(double position) {
  if (board) {
    board->view<yarp::IControlMode>().setControlMode(0, yarp::VOCAB_CM_POSITION);
    board->view<yarp::IPositionControl>().positionMove(0, position / board_unit());
  } else {
    motor.set_position(position);
  }
}

void Rig::bound_velocity(double velocity) {
  if (board) {
    board->view<yarp::IPositionControl>().setRefSpeed(0, velocity / board_unit());
  } else {
    motor.set_velocity(velocity);
  }
}

void Rig::bound_acceleration(double acceleration) {
  if (board) {
    board->view<yarp::IPositionControl>().setRefAcceleration(
        0, std::min(acceleration / board_unit(), 1e6));
  } else {
    motor.set_acceleration(std::isinf(acceleration) ? -1.0 : acceleration);
  }
}

void Rig::bound_force(double force) {
  if (board) {
    yarp::Pid pid = board_pid();
    pid.max_output = force;
    board->view<yarp::IPidControl>().setPid(yarp::VOCAB_PIDTYPE_POSITION, 0, pid);
  } else {
    motor.set_available_force(force);
  }
}

double Rig::target() const {
  if (!board) {
    return motor.targets().position;
  }
  yarp::vocab32_t mode = 0;
  board->view<yarp::IControlMode>().getControlMode(0, &mode);
  return board_unit() * (mode == yarp::VOCAB_CM_POSITION_DIRECT
                             ? of_board(&yarp::IPositionDirect::getRefPosition)
                             : of_board(&yarp::IPositionControl::getTargetPosition));
}

Rig::Range Rig::limits() const {
  if (!board) {
    return {motor.limits().min_position, motor.limits().max_position};
  }
  Range range{};
  board->view<yarp::IControlLimits>().getLimits(0, &range.min, &range.max);
  return {range.min * board_unit(), range.max * board_unit()};
}

Rig::Bounds Rig::bounds() const {
  return board ? Bounds{board_unit() * of_board(&yarp::IPositionControl::getRefSpeed),
                        board_unit() * of_board(&yarp::IPositionControl::getRefAcceleration),
                        board_pid().max_output}
               : Bounds{motor.targets().velocity, motor.targets().acceleration,
                        motor.targets().available_force};
}

double Rig::held() const {
  return kHeld + (board && bench.weighed ? weight() / (board_pid().kp / board_unit()) : 0.0);
}

yarp::Pid Rig::board_pid() const {
  yarp::Pid pid;
  board->view<yarp::IPidControl>().getPid(yarp::VOCAB_PIDTYPE_POSITION, 0, &pid);
  return pid;
}

double Rig::moved() const {
  const Pose moved = inverse(simulation.solid("base").pose()) *
                     simulation.solid(bench.kind == Kind::Servo ? "m" : "end").pose();
  return bench.linear ? -moved.translation.z
                      : std::atan2(moved.rotation(0, 2), moved.rotation(0, 0));
}

double Rig::inertia() const {
  const double own = kMass * (0.6 * 0.6 + 0.1 * 0.1) / 12.0;
  return bench.linear ? kMass : own + (bench.arm ? kMass * kArm * kArm : 0.0);
}

std::vector<Bench> both_types(const Bench& bench) {
  std::vector<Bench> both{bench, bench};
  both[1].linear = true;
  return both;
}

std::vector<Bench> servos(const std::string& motor, const std::string& joint) {
  return both_types({.kind = Kind::Servo, .motor = motor, .joint = joint});
}

void expect_at(const Vec3& point, const Vec3& expected) {
  EXPECT_NEAR(point.x, expected.x, kHeld);
  EXPECT_NEAR(point.y, expected.y, kHeld);
  EXPECT_NEAR(point.z, expected.z, kHeld);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace servosim::test
