// SPDX-License-Identifier: Apache-2.0
// Worlds as files of others' robots. python.peers.exported_robots compares them with MuJoCo and
// Pinocchio.
#include "robots/export/robot_export.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/roll_pitch_yaw.h"
#include "base/xml.h"
#include "robots/mjcf_reader.h"
#include "robots/robot_files.h"
#include "robots/urdf_reader.h"
#include "wbt/world_file.h"

namespace servosim::robots::robot_export_test {
namespace {

struct Exported {
  ExportedRobot robot;
  std::vector<std::string> warnings;  ///< such as `3: …`, by line
};

Exported exported(const std::string& nodes, const std::string& name) {
  Diagnostics diagnostics;
  const wbt::WorldFile world = wbt::read_world_text("#VRML_SIM R2025a utf8\n" + nodes, "world.wbt",
                                                    "/nowhere/at/all", {}, diagnostics);
  Exported result;
  result.robot = export_robot(world, "/nowhere/at/all/" + name, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    result.warnings.push_back(fmt::format("{}: {}", diagnostic.line, diagnostic.message));
  }
  return result;
}

pugi::xml_document document_of(const std::string& text) {
  pugi::xml_document document;
  const auto fault = read_xml(text, document);
  EXPECT_FALSE(fault.has_value()) << (fault ? fault->reason : "") << '\n' << text;
  return document;
}

// Reads the text again.
RobotModel model_of(const std::string& text, bool is_urdf) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.sources().add("robot", text);
  RobotFiles files("/nowhere/at/all");
  std::vector<Loss> losses;
  std::optional<RobotModel> model = is_urdf ? read_urdf(file, files, diagnostics, losses)
                                            : read_mjcf(file, files, diagnostics, losses);
  EXPECT_TRUE(model.has_value()) << text;
  for (const Loss& loss : losses) {
    ADD_FAILURE() << loss.what;
  }
  return model.value_or(RobotModel{});
}

// An arm of two axes that are in no simple place, one of which is moved at the start.
constexpr const char* kArm = R"(WorldInfo { basicTimeStep 4 }
Robot { name "arm" translation 1 2 3 rotation 0 0 1 0.3 children [
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 1 anchor 0.1 0.2 0.3 position 0.4 minStop -1 maxStop 2
      springConstant 3 dampingConstant 0.5 staticFriction 0.25
      #servosim armature 0.02
      #servosim springReference 0.1
    }
    device [ RotationalMotor { name "shoulder" maxTorque 7 maxVelocity 5 minPosition -0.5 maxPosition 1.5 }
             PositionSensor { name "shoulder angle" } ]
    endPoint Solid { name "upper" translation 0.2 0.3 0.5 rotation 1 0 0 0.7
      physics Physics { density -1 mass 2 centerOfMass [ 0.1 0.02 0.03 ] inertiaMatrix [ 0.02 0.03 0.04 0.001 0.002 0.003 ] }
      boundingObject Capsule { radius 0.02 height 0.3 }
      children [
        Accelerometer { name "knock" translation 0.1 0 0 }
        SliderJoint {
          jointParameters JointParameters { axis 1 0 0 minStop 0 maxStop 0.2 }
          device LinearMotor { name "reach" maxForce 30
            #servosim servo "PD firmware.p=50 firmware.d=2 drive.travel=1"
          }
          endPoint Solid { name "hand" translation 0.3 0 0
            boundingObject Box { size 0.1 0.2 0.3 }
            physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.01 0 0 0 ] } }
        } ] }
  } ] }
)";

void expect_near(const Vec3& found, const Vec3& expected, double most = 1e-12) {
  EXPECT_NEAR(found.x, expected.x, most);
  EXPECT_NEAR(found.y, expected.y, most);
  EXPECT_NEAR(found.z, expected.z, most);
}

void expect_arm(const RobotModel& model, std::size_t upper) {
  ASSERT_GT(model.links.size(), upper + 1);
  const RobotLink& link = model.links[upper];
  EXPECT_EQ(link.name, "upper");
  ASSERT_TRUE(link.inertial.has_value());
  EXPECT_DOUBLE_EQ(link.inertial->mass, 2.0);
  EXPECT_NEAR(link.inertial->inertia(0, 1), 0.001, 1e-15);
  EXPECT_NEAR(link.inertial->inertia(1, 2), 0.003, 1e-15);
  ASSERT_EQ(link.joints.size(), 1u);
  const RobotJoint& shoulder = link.joints[0];
  EXPECT_EQ(shoulder.motion, JointMotion::Turn);
  EXPECT_DOUBLE_EQ(shoulder.range.value_or(Range{}).lower, -1.0);
  EXPECT_DOUBLE_EQ(shoulder.range.value_or(Range{}).upper, 2.0);
  EXPECT_DOUBLE_EQ(shoulder.effort, 7.0);
  EXPECT_DOUBLE_EQ(shoulder.damping, 0.5);
  EXPECT_DOUBLE_EQ(shoulder.friction, 0.25);
  EXPECT_DOUBLE_EQ(shoulder.stiffness, 3.0);
  EXPECT_DOUBLE_EQ(shoulder.rest, 0.1);
  EXPECT_DOUBLE_EQ(shoulder.target_range.value_or(Range{}).lower, -0.5);
  // The axis and a point on it in the frame of the Solid above, which is where the robot is.
  const double root = std::sqrt(0.5);
  expect_near(link.pose.rotation * shoulder.axis, {0.0, root, root});
  expect_near(link.pose * shoulder.anchor, {0.1, 0.2, 0.3});
  const RobotLink& hand = model.links[upper + 1];
  ASSERT_EQ(hand.joints.size(), 1u);
  EXPECT_EQ(hand.joints[0].motion, JointMotion::Slide);
  ASSERT_EQ(hand.collisions.size(), 1u);
  EXPECT_EQ(hand.collisions[0].geometry.size, (Vec3{0.1, 0.2, 0.3}));
}

TEST(RobotExport, WritesAnArmAsMjcfThatReadsBack) {
  const Exported result = exported(kArm, "arm.xml");
  EXPECT_EQ(result.robot.fault, "");
  EXPECT_EQ(result.robot.links, 3u);
  const RobotModel model = model_of(result.robot.text, false);
  EXPECT_EQ(model.name, "arm");
  EXPECT_DOUBLE_EQ(model.time_step.value_or(0.0), 0.004);
  EXPECT_EQ(model.gravity.value_or(Vec3{}), (Vec3{0.0, 0.0, -9.81}));
  ASSERT_EQ(model.links.size(), 3u);
  EXPECT_TRUE(model.fixed_base);
  EXPECT_FALSE(model.touches_itself);
  expect_near(model.links[0].pose.translation, {1.0, 2.0, 3.0});
  expect_arm(model, 1);
  const RobotJoint& shoulder = model.links[1].joints[0];
  EXPECT_DOUBLE_EQ(shoulder.armature, 0.02);
  EXPECT_DOUBLE_EQ(shoulder.start, 0.4);
  ASSERT_EQ(shoulder.actuators.size(), 1u);
  EXPECT_EQ(shoulder.actuators[0].name, "shoulder");
  const RobotJoint& reach = model.links[2].joints[0];
  ASSERT_EQ(reach.actuators.size(), 1u);
  EXPECT_DOUBLE_EQ(reach.actuators[0].by_position, -50.0);
  EXPECT_DOUBLE_EQ(reach.actuators[0].by_velocity, -2.0);
  EXPECT_DOUBLE_EQ(reach.effort, 30.0);
  ASSERT_EQ(model.sensors.size(), 1u);
  EXPECT_EQ(model.sensors[0].name, "knock");
  EXPECT_EQ(model.sensors[0].link, 1);
  expect_near(model.sensors[0].pose.translation, {0.1, 0.0, 0.0});
}

TEST(RobotExport, WritesAnArmAsUrdfWithFramesOnTheAxes) {
  const Exported result = exported(kArm, "arm.urdf");
  EXPECT_EQ(result.robot.fault, "");
  const RobotModel model = model_of(result.robot.text, true);
  ASSERT_EQ(model.links.size(), 4u);
  EXPECT_TRUE(model.fixed_base);
  expect_arm(model, 2);
  EXPECT_EQ(model.links[2].joints[0].anchor, Vec3{});
  EXPECT_DOUBLE_EQ(model.links[2].joints[0].velocity, 5.0);
  EXPECT_EQ(model.links[2].collisions.size(), 3u);  // a cylinder and two spheres
  EXPECT_EQ(result.warnings,
            (std::vector<std::string>{"4: armature is left out: 'shoulder'",
                                      "4: positions at the start are left out: 'shoulder'",
                                      "20: laws of torque are left out: 'reach'"}));
}

TEST(RobotExport, ListsWhatMjcfCannotSay) {
  const Exported result = exported(R"(Robot { name "r" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 suspensionSpringConstant 5 stopERP 0.3 minStop -1 maxStop 1 }
    device RotationalMotor { name "m" acceleration 2 controlPID 10 1 0 }
    endPoint Solid { physics Physics { mass 1 density -1 } boundingObject Sphere { radius 0.1 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    device RotationalMotor { name "n" acceleration 2 }
    endPoint Solid { name "still" } }
  Camera { }
] }
)",
                                   "r.xml");
  EXPECT_EQ(result.robot.lost, 6u);
  const std::string text = fmt::format("{}", fmt::join(result.warnings, "\n"));
  for (const char* const part :
       {"3: stopERP and stopCFM are left out: 'm'", "the acceleration of motors has no limit: 'm'",
        "I and D of controlPID are left out: 'm'", "maxVelocity of motors is left out: 'm'",
        "8: joints whose endPoint has no Physics are fixed where they start: 'n'",
        "9: devices of the type Camera are left out: 'camera'"}) {
    EXPECT_NE(text.find(part), text.npos) << part << "\nin\n" << text;
  }
  EXPECT_NE(result.robot.text.find("stopERP and stopCFM are left out: 'm'"), std::string::npos);
  EXPECT_EQ(result.robot.moving, result.robot.lost - 1);  // all but the Camera
}

TEST(RobotExport, WritesCouplingsAsEqualities) {
  const std::string joint = R"(HingeJoint {{
    jointParameters HingeJointParameters {{ axis 0 0 1 anchor {0} 0 0
      {1}
    }}
    device PositionSensor {{ name "{2}" }}
    endPoint Solid {{ name "{2}" translation {0} 0 0 physics Physics {{ }} boundingObject Sphere {{ radius 0.1 }} }} }}
)";
  const std::string text =
      exported(
          "Robot { name \"r\" children [\n" + fmt::format(fmt::runtime(joint), 1, "", "a") +
              fmt::format(fmt::runtime(joint), 2, "#servosim coupling \"-2 a + 0.5\"", "b") +
              fmt::format(fmt::runtime(joint), 3, "#servosim coupling \"0.5 a + 0.25 b\"", "c") +
              "] }\n",
          "r.xml")
          .robot.text;
  const pugi::xml_document document = document_of(text);
  const pugi::xml_node joints = document.child("mujoco").child("equality").child("joint");
  EXPECT_STREQ(joints.attribute("joint1").value(), "b");
  EXPECT_STREQ(joints.attribute("joint2").value(), "a");
  EXPECT_STREQ(joints.attribute("polycoef").value(), "0.5 -2 0 0 0");
  const pugi::xml_node fixed = document.child("mujoco").child("tendon").child("fixed");
  std::string terms;
  for (const pugi::xml_node term : fixed.children("joint")) {
    terms += fmt::format("{} {},", term.attribute("joint").value(), term.attribute("coef").value());
  }
  EXPECT_EQ(terms, "c 1,a -0.5,b -0.25,");
}

TEST(RobotExport, GivesEachRobotABitAndEachLinkAName) {
  const std::string robot = R"(Robot { name "r" children [
  HingeJoint { jointParameters HingeJointParameters { }
    endPoint Solid { name "part" physics Physics { } boundingObject Sphere { radius 0.1 } } } ] }
)";
  const std::string text =
      exported(robot + robot + "Solid { boundingObject Plane { } }\n", "r.xml").robot.text;
  const pugi::xml_document document = document_of(text);
  std::string bodies;
  for (const pugi::xml_node body : document.child("mujoco").child("worldbody").children("body")) {
    const pugi::xml_node part = body.child("body");
    bodies +=
        fmt::format("{} {} {} {},", body.attribute("name").value(), part.attribute("name").value(),
                    part.child("geom").attribute("contype").value(),
                    part.child("geom").attribute("conaffinity").value());
  }
  EXPECT_EQ(bodies, "r part 2 2147483645,r_2 part_2 4 2147483643,");
  const pugi::xml_node floor = document.child("mujoco").child("worldbody").child("geom");
  EXPECT_STREQ(floor.attribute("type").value(), "plane");
}

TEST(RobotExport, KeepsAFreeBaseAndTwoAxesOfOneJoint) {
  const Exported result = exported(R"(Robot { name "cart" translation 0 0 1
  physics Physics { } boundingObject Box { size 1 1 1 } children [
  Hinge2Joint {
    jointParameters HingeJointParameters { axis 0 0 1 anchor 1 0 0 suspensionAxis 0 0 1 suspensionSpringConstant 100 }
    jointParameters2 JointParameters { axis 0 1 0 }
    device RotationalMotor { name "steer" } device2 RotationalMotor { name "wheel" }
    endPoint Solid { name "tire" translation 1 0 0 physics Physics { } boundingObject Cylinder { radius 0.3 height 0.1 } } }
] }
)",
                                   "cart.xml");
  const pugi::xml_document document = document_of(result.robot.text);
  const pugi::xml_node body = document.child("mujoco").child("worldbody").child("body");
  EXPECT_TRUE(body.child("freejoint"));
  std::string joints;
  for (const pugi::xml_node joint : body.child("body").children("joint")) {
    joints += fmt::format("{} {} {},", joint.attribute("name").value(),
                          joint.attribute("type").value(), joint.attribute("axis").value());
  }
  EXPECT_EQ(joints, "steer suspension slide 0 0 1,steer  0 0 1,wheel  0 1 0,");
}

// A body with a mass that a hinge moves.
std::string hinge(const std::string& motor, const std::string& solid,
                  const std::string& more = "") {
  return fmt::format(R"(HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 }}
    device RotationalMotor {{ name "{}" {} }}
    endPoint Solid {{ name "{}" physics Physics {{ density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 1 1 0 0 0 ] }} }} }}
)",
                     motor, more, solid);
}

TEST(RobotExport, GivesMadeJointsNamesThatNoOtherHas) {
  const std::string text =
      exported("Robot { name \"r\" children [ Solid { name \"part\" }\n" +
                   hinge("part_joint", "a") + hinge("world_joint", "b") + "] }\n",
               "r.urdf")
          .robot.text;
  EXPECT_EQ(model_of(text, true).links.size(), 5u);
  for (const char* const name : {"\"part_joint_2\"", "\"world_joint_2\""}) {
    EXPECT_NE(text.find(name), text.npos) << name << " in\n" << text;
  }
}

TEST(RobotExport, GivesNamesThatXmlHolds) {
  const std::string text = exported("Robot { name \"r\" children [\n" + hinge("m\x01", "a\xff") +
                                        hinge("m\x02", "a?") + "] }\n",
                                    "r.xml")
                               .robot.text;
  const RobotModel model = model_of(text, false);
  ASSERT_EQ(model.links.size(), 3u);
  EXPECT_EQ(model.links[1].name, "a?");
  EXPECT_EQ(model.links[2].name, "a?_2");
  EXPECT_EQ(model.links[1].joints.at(0).name, "m ");
  EXPECT_EQ(model.links[2].joints.at(0).name, "m _2");
  EXPECT_EQ(text.find('\x01'), text.npos);
  EXPECT_EQ(text.find('\xff'), text.npos);
}

bool has(const std::vector<std::string>& warnings, const std::string& part) {
  return std::ranges::any_of(
      warnings, [&](const std::string& warning) { return warning.find(part) != part.npos; });
}

TEST(RobotExport, BeginsAUrdfAtWhatCarriesTheRobotOnAHinge) {
  const Exported result = exported(R"(Solid { name "tower" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    endPoint Robot { name "r" children [ HingeJoint { device RotationalMotor { name "m" }
        endPoint Solid { name "tip" physics Physics { mass 1 density -1 } boundingObject Sphere { radius 0.1 } } } ]
      physics Physics { mass 1 density -1 } boundingObject Sphere { radius 0.1 } } } ] }
)",
                                   "r.urdf");
  EXPECT_EQ(result.robot.links, 3u);
  const pugi::xml_document document = document_of(result.robot.text);
  std::string joints;
  for (const pugi::xml_node joint : document.child("robot").children("joint")) {
    joints += fmt::format("{} {} {},", joint.attribute("type").value(),
                          joint.child("parent").attribute("link").value(),
                          joint.child("child").attribute("link").value());
  }
  EXPECT_EQ(joints, "fixed world tower,continuous tower r,continuous r tip,");
}

TEST(RobotExport, HasThePOfMotors) {
  const std::string robot = "WorldInfo { basicTimeStep 4 }\nRobot { name \"r\" children [\n" +
                            hinge("m", "a", "controlPID 3 0 0") + "] }\n";
  const std::string text = exported(robot, "r.xml").robot.text;
  const pugi::xml_document document = document_of(text);
  const pugi::xml_node servo = document.child("mujoco").child("actuator").child("position");
  EXPECT_NEAR(servo.attribute("kp").as_double(), 3.0 * servo.attribute("kv").as_double(), 1e-9);
  EXPECT_GT(servo.attribute("kv").as_double(), 0.0);
  EXPECT_TRUE(has(exported(robot, "r.urdf").warnings, "P of controlPID is left out: 'm'"));
}

TEST(RobotExport, TellsOfMotorsOfCoupledJointsInUrdf) {
  std::string follower = hinge("n", "b");
  follower.replace(follower.find("axis"), 4, "\n      #servosim coupling \"2 m\"\n      axis");
  const std::string robot =
      "Robot { name \"r\" children [\n" + hinge("m", "a") + follower + "] }\n";
  EXPECT_TRUE(has(exported(robot, "r.urdf").warnings, "motors of coupled joints drive nothing"));
  EXPECT_FALSE(has(exported(robot, "r.xml").warnings, "motors of coupled joints drive nothing"));
}

TEST(RobotExport, TellsOfDampingAndOfReadingsOfSensors) {
  const Exported result = exported(R"(WorldInfo { defaultDamping Damping { } }
Robot { name "r" physics Physics { mass 1 density -1 } boundingObject Sphere { radius 0.1 }
  children [ Gyro { name "g" resolution 0.1 } GPS { name "p" } Compass { name "c" xAxis FALSE } ] }
)",
                                   "r.xml");
  EXPECT_TRUE(has(result.warnings, "defaultDamping is left out: 'WorldInfo'"));
  EXPECT_TRUE(
      has(result.warnings, "noise, resolution, lookupTable and switched-off axes: 'g', 'c'"));
  EXPECT_EQ(result.robot.moving, 1u);
}

// The sign of a force in MuJoCo is that of what the parent puts on the child.
TEST(RobotExport, MeasuresForceAndTorque) {
  const std::string robot =
      R"(Robot { name "r" selfCollision TRUE boundingObject Sphere { radius 0.1 } children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    #servosim forceTorqueSensor "wrist"
    endPoint Solid { name "hand" physics Physics { mass 1 density -1 } boundingObject Sphere { radius 0.1 } } } ] }
)";
  const pugi::xml_document mjcf = document_of(exported(robot, "r.xml").robot.text);
  const pugi::xml_node sensors = mjcf.child("mujoco").child("sensor");
  for (const char* const part : {"force", "torque"}) {
    EXPECT_STREQ(sensors.child(part).attribute("site").value(), "wrist");
  }
  const pugi::xml_node site =
      mjcf.child("mujoco").child("worldbody").child("body").child("body").child("site");
  EXPECT_STREQ(site.attribute("name").value(), "wrist");
  const pugi::xml_document urdf = document_of(exported(robot, "r.urdf").robot.text);
  std::string gazebo;
  for (const pugi::xml_node part : urdf.child("robot").children("gazebo")) {
    gazebo += fmt::format("{} {} {} {} {},", part.attribute("reference").value(),
                          part.child("selfCollide").text().get(),
                          part.child("sensor").attribute("type").value(),
                          part.child("sensor").attribute("name").value(),
                          part.child("sensor").child("force_torque").child_value("frame"));
  }
  const std::string joint = urdf.child("robot")
                                .find_child_by_attribute("joint", "type", "continuous")
                                .attribute("name")
                                .value();
  EXPECT_EQ(gazebo, "r true   ,hand true   ," + joint + "  force_torque wrist child,");
}

std::string ground(const std::string& material, const std::string& pairs) {
  return "WorldInfo { contactProperties [ " + pairs + " ] }\nSolid { contactMaterial \"" +
         material + R"(" boundingObject Plane { } }
Solid { name "box" physics Physics { } boundingObject Box { } }
Solid { name "ball" contactMaterial "rubber" physics Physics { } boundingObject Sphere { } }
)";
}

TEST(RobotExport, LetsMaterialsWinWhereTheLargerFrictionIsAnother) {
  const auto frictions = [](const Exported& result) {
    const pugi::xml_document document = document_of(result.robot.text);
    const pugi::xml_node world = document.child("mujoco").child("worldbody");
    std::string text;
    const auto add = [&](const pugi::xml_node geom) {
      text += fmt::format("{} {},", geom.attribute("friction").value(),
                          geom.attribute("priority").value());
    };
    add(world.child("geom"));
    for (const pugi::xml_node body : world.children("body")) {
      add(body.child("geom"));
    }
    return text;
  };
  const std::string rubber = R"(ContactProperties { material2 "rubber" coulombFriction 4 })";
  EXPECT_EQ(frictions(exported(ground("default", rubber), "w.xml")),
            "0 0.005 0.0001 ,1 0.005 0.0001 ,4 0.005 0.0001 ,");
  const Exported ice = exported(
      ground("ice", rubber + R"( ContactProperties { material2 "ice" coulombFriction 0.1 })"),
      "w.xml");
  EXPECT_EQ(frictions(ice), "0.1 0.005 0.0001 1,1 0.005 0.0001 ,4 0.005 0.0001 1,");
  EXPECT_TRUE(has(ice.warnings, "against the default material: 'ice and rubber: 4 instead of 1'"));
}

TEST(RobotExport, SaysWhyThereIsNoFile) {
  EXPECT_EQ(exported("Solid { }\n", "r.urdf").robot.fault,
            "it has no Robot, which alone has a URDF");
  EXPECT_EQ(fault_of_export("a.sdf"), "SDF is not written: name a file .urdf, or .xml for MJCF");
  EXPECT_EQ(fault_of_export("a.xml"), "");
  EXPECT_FALSE(is_export("a.wbt"));
}

TEST(RollPitchYaw, ReadsBackAtAllPitches) {
  for (const double pitch : {-1.5707963267948966, -1.2, 0.0, 0.7, 1.5707963267948966}) {
    const Mat3 rotation = rotation_of_rpy({0.3, pitch, -2.0});
    const Mat3 again = rotation_of_rpy(rpy_of_rotation(rotation));
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_NEAR(again.m[i], rotation.m[i], 1e-15) << pitch;
    }
  }
}

}  // namespace
}  // namespace servosim::robots::robot_export_test
