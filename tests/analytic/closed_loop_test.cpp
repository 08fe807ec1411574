// SPDX-License-Identifier: Apache-2.0
// Loops that a SolidReference closes move as their geometry demands. Joints that end in the world
// have the signs of all others.
#include <gtest/gtest.h>

#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace closed_loop_test {

// A four-bar linkage in the x-y plane has its crank at the origin and its rocker at (kGround, 0)
// [m].
constexpr double kCrank = 0.2;
constexpr double kCoupler = 0.45;
constexpr double kRocker = 0.4;
constexpr double kGround = 0.5;
constexpr double kStart = 1.1;  // crank angle [rad]

struct Linkage {
  double coupler;  // angles to the x axis [rad]
  double rocker;
};

// The rocker's end is the upper of the two points where the circles about crank end and rocker
// pivot meet.
Linkage linkage_at(double crank) {
  const double px = kCrank * std::cos(crank);
  const double py = kCrank * std::sin(crank);
  const double gap = std::hypot(kGround - px, -py);
  const double bearing = std::atan2(-py, kGround - px);
  const double c = (kCoupler * kCoupler + gap * gap - kRocker * kRocker) / (2.0 * kCoupler * gap);
  const double coupler = bearing + std::acos(c);
  const double qx = px + kCoupler * std::cos(coupler);
  const double qy = py + kCoupler * std::sin(coupler);
  return {coupler, std::atan2(qy, qx - kGround)};
}

std::string bar(const std::string& name, double x, double angle, double length,
                const std::string& children = "") {
  return fmt::format(R"(Solid {{
  name "{}" translation {:.17g} 0 0 rotation 0 0 1 {:.17g}
  children [ {} ]
  boundingObject Pose {{ translation {} 0 0 children [ Box {{ size {} 0.03 0.02 }} ] }}
  physics Physics {{ density -1 mass 0.7 }}
}})",
                     name, x, angle, children, length / 2, length);
}

std::string hinge(const std::string& name, double anchor, const std::string& endpoint,
                  const std::string& motor = "") {
  return fmt::format(R"(DEF {} HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 0 1 anchor {} 0 0 }}
  device [ PositionSensor {{ name "{}" }} {} ]
  endPoint {}
}})",
                     name, anchor, name, motor, endpoint);
}

std::string four_bar(bool to_world) {
  const Linkage at = linkage_at(kStart);
  const std::string motor = "RotationalMotor { name \"crank\" maxVelocity 4 maxTorque 30 }";
  const std::string last =
      to_world ? hinge("LAST", 0.4, "SolidReference { solidName \"<static environment>\" }")
               : hinge("LAST", kCoupler, "SolidReference { solidName \"rocker\" }");
  const std::string coupler =
      to_world ? bar("coupler", kCrank, at.coupler - kStart, kCoupler,
                     hinge("Q", kCoupler,
                           bar("rocker", kCoupler, at.rocker + M_PI - at.coupler, kRocker, last)))
               : bar("coupler", kCrank, at.coupler - kStart, kCoupler, last);
  const std::string crank = bar("crank", 0.0, kStart, kCrank, hinge("P", kCrank, coupler));
  return "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 4 gravity 0 physicsDisableTime 0 }\n"
         "Robot { name \"r\" children [" +
         hinge("O", 0.0, crank, motor) +
         (to_world ? "" : hinge("B", kGround, bar("rocker", kGround, at.rocker, kRocker))) + "] }";
}

double change(double now, double before) { return std::remainder(now - before, 2.0 * M_PI); }

// ODE corrects 20 % of a joint's error per step, so the bars are apart by a few 1e-5 m at 2 rad/s.
constexpr double kPlay = 3e-4;

TEST(ClosedLoop, AFourBarLinkageMovesAsItsGeometrySays) {
  Simulation simulation = load(four_bar(false));
  Motor& motor = simulation.robot("r").motor("crank");
  motor.set_position(INFINITY);
  motor.set_velocity(2.0);
  const Linkage start = linkage_at(kStart);
  double swing = 0.0;
  for (int n = 0; n < 1000; ++n) {
    simulation.step();
    const double crank = simulation.joint("crank").position();
    const Linkage now = linkage_at(kStart + crank);
    const double rocker = simulation.joint("B").position();
    const double last = simulation.joint("LAST").position();
    ASSERT_NEAR(rocker, change(now.rocker, start.rocker), kPlay) << n;
    ASSERT_NEAR(last, change(now.rocker - now.coupler, start.rocker - start.coupler), kPlay) << n;
    swing = std::max(swing, std::abs(rocker));
  }
  EXPECT_GT(simulation.joint("crank").position(), 2.0 * M_PI);
  EXPECT_GT(swing, 0.5);
}

TEST(ClosedLoop, AFourBarLinkageThatEndsInTheWorldMovesAlike) {
  Simulation simulation = load(four_bar(true));
  Motor& motor = simulation.robot("r").motor("crank");
  motor.set_position(INFINITY);
  motor.set_velocity(-2.0);
  const Linkage start = linkage_at(kStart);
  double swing = 0.0;
  for (int n = 0; n < 1000; ++n) {
    simulation.step();
    const double crank = simulation.joint("crank").position();
    const Linkage now = linkage_at(kStart + crank);
    // The endpoint is the world. Seen from the rocker it turns the other way.
    const double last = simulation.joint("LAST").position();
    ASSERT_NEAR(last, -change(now.rocker, start.rocker), kPlay) << n;
    swing = std::max(swing, std::abs(last));
  }
  EXPECT_GT(swing, 0.5);
}

// The same linkage is upright and has its motor between coupler and rocker. This joint closes the
// loop, or it is one of the tree while another joint closes the loop.
std::string driven_at_the_rocker(bool closing) {
  const Linkage at = linkage_at(kStart);
  const std::string motor = "RotationalMotor { name \"motor\" maxVelocity 4 maxTorque 30 }";
  const std::string coupler =
      closing ? bar("coupler", kCrank, at.coupler - kStart, kCoupler,
                    hinge("LAST", kCoupler, "SolidReference { solidName \"rocker\" }", motor))
              // Seen from its end at the rocker, the coupler extends back to the crank.
              : fmt::format(R"(Solid {{ name "coupler" translation {} 0 0 rotation 0 0 1 {:.17g}
  boundingObject Pose {{ translation {} 0 0 children [ Box {{ size {} 0.03 0.02 }} ] }}
  physics Physics {{ density -1 mass 0.7 }} }})",
                            kRocker, at.coupler - at.rocker, -kCoupler / 2, kCoupler);
  const std::string crank =
      bar("crank", 0.0, kStart, kCrank,
          hinge("P", kCrank, closing ? coupler : "SolidReference { solidName \"coupler\" }"));
  const std::string rocker = bar("rocker", kGround, at.rocker, kRocker,
                                 closing ? "" : hinge("LAST", kRocker, coupler, motor));
  return "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 4 coordinateSystem \"NUE\" gravity 9.81 "
         "physicsDisableTime 0 }\nRobot { name \"r\" children [" +
         hinge("O", 0.0, crank) + hinge("B", kGround, rocker) + "] }";
}

TEST(ClosedLoop, ItsClosingJointHasMotorSensorAndFeedbackLikeAnyOther) {
  Simulation closing = load(driven_at_the_rocker(true));
  Simulation tree = load(driven_at_the_rocker(false));
  Motor& a = closing.robot("r").motor("motor");
  Motor& b = tree.robot("r").motor("motor");
  a.enable(4, 0.0);
  b.enable(4, 0.0);
  // The endpoint is the rocker in one world and the coupler in the other, so positions have
  // opposite signs.
  a.set_position(0.3);
  b.set_position(-0.3);
  const int p = closing.joint("motor").index();
  const int q = tree.joint("motor").index();
  const int o = closing.joint("O").index();
  const int o2 = tree.joint("O").index();
  double strongest = 0.0;
  for (int n = 0; n < 400; ++n) {
    closing.step();
    tree.step();
    // Both worlds solve the same equations, but round and correct the bodies' anchors in a
    // different order.
    ASSERT_NEAR(closing.joint(p).position(), -tree.joint(q).position(), 1e-8) << n;
    ASSERT_NEAR(closing.joint(o).position(), tree.joint(o2).position(), 1e-8) << n;
    ASSERT_NEAR(closing.joint(p).effort(), -tree.joint(q).effort(), 1e-4) << n;
    // Webots' feedback projects the old force on the new axis. The error is the turn of one step,
    // which differs between the two endpoints.
    ASSERT_NEAR(a.sampler().value(), -b.sampler().value(), 0.1) << n;
    strongest = std::max(strongest, std::abs(a.sampler().value()));
  }
  EXPECT_NEAR(closing.joint(p).position(), 0.3, 1e-3);
  EXPECT_GT(strongest, 0.5);
  // At rest the virtual works cancel: the motor's torque times its turn lifts the three bars.
  const auto height = [](double crank) {
    const Linkage at = linkage_at(crank);
    const double crank_end = kCrank * std::sin(crank);
    return 0.7 * (crank_end / 2 + crank_end + kCoupler / 2 * std::sin(at.coupler) +
                  kRocker / 2 * std::sin(at.rocker));
  };
  const auto turn = [](double crank) {
    return linkage_at(crank).rocker - linkage_at(crank).coupler;
  };
  const double crank = kStart + closing.joint(o).position();
  const double d = 1e-5;  // the error of this central difference is of the order of d²
  const double torque =
      9.81 * (height(crank + d) - height(crank - d)) / (turn(crank + d) - turn(crank - d));
  EXPECT_NEAR(closing.joint(p).effort(), torque, 2e-3 * std::abs(torque));
}

// Motors on both sides of a four-bar linkage, far stronger than ODE's rows, pull it apart.
TEST(ClosedLoop, ThatCannotCloseIsReportedOnce) {
  std::string text = four_bar(false);
  const std::string sensor = "PositionSensor { name \"B\" }";
  text.replace(text.find(sensor), sensor.size(),
               "RotationalMotor { name \"B\" maxVelocity 4 maxTorque 1e9 }");
  text.replace(text.find("maxTorque 30"), 12, "maxTorque 1e9");
  std::vector<std::string> said;
  LoadOptions options;
  options.notice = [&said](std::string_view message) { said.emplace_back(message); };
  Simulation simulation = Simulation::from_text(text, std::move(options));
  simulation.step(400);
  EXPECT_TRUE(said.empty()) << "as long as the motors stand still";
  simulation.robot("r").motor("crank").set_position(-1.0);
  simulation.robot("r").motor("B").set_position(-0.5);
  simulation.step(800);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].find("joint \"r/LAST\" closes a loop that cannot close: its ends are 0."), 0u)
      << said[0];
}

struct Case {
  const char* name;
  const char* parameters;
  void (*command)(Motor&);
};

void hold(Motor& motor) { motor.set_position(0.25); }
void run(Motor& motor) {
  motor.set_position(INFINITY);
  motor.set_velocity(1.5);
}
void push(Motor& motor) { motor.set_force(0.75); }

const Case kCases[] = {
    {"position control", "", hold},
    {"velocity control", "", run},
    {"force control", "", push},
    {"against a spring", "springConstant 3 dampingConstant 0.4", push},
    {"spring from elsewhere", "position 0.2 springConstant 5 dampingConstant 0.3", push},
    {"into a stop", "minStop -0.1 maxStop 0.15", run},
    {"into a stop from elsewhere", "position 0.1 minStop -0.1 maxStop 0.15", run},
    {"friction", "staticFriction 0.3", push},
    {"far stops", "minStop -2.5 maxStop 0.2", run},
};

// A body hangs on the world by its own joint.
std::string hung_on_the_world(bool slider, const Case& c) {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 8 gravity 9.81 physicsDisableTime 0 }}
Robot {{
  name "r" translation 0.3 0 0
  children [ {} {{
    jointParameters {} {{ axis {} {} }}
    device [ {} {{ name "m" maxVelocity 3 {} 40 }} PositionSensor {{ name "s" }} ]
    endPoint SolidReference {{ solidName "<static environment>" }}
  }} ]
  boundingObject Box {{ size 0.6 0.2 0.1 }}
  physics Physics {{ density -1 mass 2 }}
}})",
                     slider ? "SliderJoint" : "HingeJoint",
                     slider ? "JointParameters" : "HingeJointParameters",
                     slider ? "0 0 1" : "0 1 0 anchor -0.3 0 0", c.parameters,
                     slider ? "LinearMotor" : "RotationalMotor", slider ? "maxForce" : "maxTorque");
}

// The world carries the same joint, about the opposite axis.
OneJoint carried_by_the_world(bool slider, const Case& c) {
  OneJoint w;
  w.slider = slider;
  w.gravity = "9.81";
  w.endpoint = "0.3 0 0";
  w.axis = slider ? "0 0 -1" : "0 -1 0";
  w.parameters = c.parameters;
  w.motor = slider ? "maxVelocity 3 maxForce 40" : "maxVelocity 3 maxTorque 40";
  return w;
}

TEST(ClosedLoop, AJointThatEndsInTheWorldIsTheSameJointFromTheOtherSide) {
  for (const bool slider : {false, true}) {
    for (const Case& c : kCases) {
      SCOPED_TRACE(fmt::format("{}: {}", slider ? "slider" : "hinge", c.name));
      Simulation hung = load(hung_on_the_world(slider, c));
      Simulation carried = load(carried_by_the_world(slider, c));
      c.command(hung.robot("r").motor("m"));
      c.command(carried.robot("r").motor("m"));
      const double start = carried.joint(0).position();
      double moved = 0.0;
      for (int n = 0; n < 60; ++n) {
        hung.step();
        carried.step();
        const JointReading a = hung.joint(0).reading();
        const JointReading b = carried.joint(0).reading();
        // Both worlds solve the same equations in a different order of the bodies. Efforts are up
        // to 40.
        ASSERT_NEAR(a.position, b.position, 1e-10) << n;
        ASSERT_NEAR(a.velocity, b.velocity, 1e-9) << n;
        ASSERT_NEAR(a.effort, b.effort, 1e-7) << n;
        ASSERT_NEAR(a.commanded_velocity, b.commanded_velocity, 1e-9) << n;
        moved = std::max(moved, std::abs(b.position - start));
      }
      EXPECT_GT(moved, 0.03);
      EXPECT_NE(hung.joint(0).effort(), 0.0);
    }
  }
}

// A wheel hangs on a passive slider. The suspended hinge that closes the loop carries its weight.
TEST(ClosedLoop, AnAxleThatGivesWayIsNotTorn) {
  Simulation simulation = load(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 9.81 physicsDisableTime 0 }
Robot {
  name "r"
  rotation 1 2 3 0.4
  children [
    SliderJoint {
      jointParameters JointParameters { axis 0 0 1 }
      endPoint Solid { name "wheel" translation 0.5 0 0
        boundingObject Sphere { radius 0.3 } physics Physics { density -1 mass 2 } }
    }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0.5 0 0 suspensionAxis 0 0 1
        suspensionSpringConstant 400 suspensionDampingConstant 30 }
      endPoint SolidReference { solidName "wheel" }
    }
  ]
  boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1000 }
})");
  simulation.solid(simulation.robot(0).solid()).pin(true);
  simulation.step(500);  // load() turns a notice into an exception
  const Vec3 at =
      (inverse(simulation.solid("r").pose()) * simulation.solid("wheel").pose()).translation;
  EXPECT_LT(at.z, -0.03) << "three times the gap that is torn";
}

}  // namespace closed_loop_test
}  // namespace servosim::test
