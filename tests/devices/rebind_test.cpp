// SPDX-License-Identifier: Apache-2.0
// Each type of device when its node leaves the tree and comes back, and when a supervisor resets
// the world.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "servosim/picture_sensor.h"
#include "servosim/radar.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "support/device_state.h"
#include "wbt/world_file.h"

namespace servosim::test {
namespace devices_rebind_test {

struct Kind {
  const char* name;
  const char* node;  // a child of the robot
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

constexpr const char* kHinge =
    "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device [ RotationalMotor { "
    "name \"m\" } PositionSensor { noise 0.1 } Brake { } ] endPoint Solid { translation 0.2 0 0 "
    "boundingObject Box { size 0.2 0.1 0.1 } physics Physics { } } }";
constexpr const char* kSlider =
    "SliderJoint { jointParameters JointParameters { axis 0 1 0 } device [ LinearMotor { } "
    "PositionSensor { name \"s\" } Brake { name \"b\" } ] endPoint Solid { translation 0.2 0 0 "
    "boundingObject Box { size 0.2 0.1 0.1 } physics Physics { } } }";

const Kind kKinds[] = {
    {"RotationalMotor", kHinge},
    {"LinearMotor", kSlider},
    {"Accelerometer", "Accelerometer { }"},
    {"Gyro", "Gyro { lookupTable [ -9 -9 0.1 9 9 0.1 ] }"},
    {"Compass", "Compass { }"},
    {"GPS", "GPS { accuracy 0.1 }"},
    {"InertialUnit", "InertialUnit { noise 0.01 }"},
    {"Altimeter", "Altimeter { }"},
    {"Bumper", "TouchSensor { boundingObject Sphere { radius 0.1 } }"},
    {"Force",
     "TouchSensor { type \"force\" boundingObject Sphere { radius 0.1 } physics Physics { } }"},
    {"Force3d",
     "TouchSensor { type \"force-3d\" boundingObject Sphere { radius 0.1 } physics Physics { } }"},
    {"DistanceSensor", "DistanceSensor { }"},
    {"InfraRed", "DistanceSensor { type \"infra-red\" }"},
    {"Sonar", "DistanceSensor { type \"sonar\" }"},
    {"LightSensor", "LightSensor { }"},
    {"RangeFinder", "RangeFinder { width 7 height 5 noise 0.1 }"},
    {"Lidar", "Lidar { numberOfLayers 2 horizontalResolution 9 }"},
    {"RotatingLidar", "Lidar { type \"rotating\" numberOfLayers 2 horizontalResolution 90 }"},
    {"Camera", "Camera { width 7 height 5 noise 0.1 recognition Recognition { } }"},
    {"Radar", "Radar { rangeNoise 0.1 }"},
    {"Emitter", "Emitter { }"},
    {"Receiver", "Receiver { }"},
    {"Connector", "Connector { isLocked TRUE autoLock TRUE }"},
    {"PassiveConnector", "Connector { type \"passive\" }"},
    {"VacuumGripper", "VacuumGripper { isOn TRUE boundingObject Sphere { radius 0.1 } }"},
    {"LED", "LED { children [ PointLight { } ] color [ 1 0 0 ] }"},
};

// The robot is last, so that all other nodes have the same numbers without it.
std::string world(const Kind& kind, bool with_robot) {
  const std::string others = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
PointLight { location 1 1 1 }
Solid { boundingObject Plane { size 9 9 } }
Robot { name "other" translation 0 2 1 children [ Emitter { } Receiver { } Connector { } ] }
)";
  const std::string robot = std::string("Robot { name \"r\" translation 0 0 0.5 children [ ") +
                            kind.node +
                            " ] boundingObject Box { size 0.3 0.3 0.1 } physics Physics { } }\n";
  return with_robot ? others + robot : others;
}

std::shared_ptr<const wbt::WorldFile> tree(const Kind& kind, bool with_robot) {
  Diagnostics diagnostics;
  return std::make_shared<const wbt::WorldFile>(
      wbt::read_world_text(world(kind, with_robot), "world", ".", {}, diagnostics));
}

std::vector<StateBlock> memory_of(const DeviceNode& node) {
  std::vector<StateBlock> blocks;
  for (const auto& device : node.devices) {
    blocks.push_back(test::state_of(*device));
  }
  return blocks;
}

// These send everything that a controller may ask of a device.
void command(Motor& motor) {
  motor.set_position(0.1);
  motor.set_velocity(0.5);
  motor.set_acceleration(3.0);
  motor.set_available_force(2.0);
  motor.set_force(1.0);
  motor.drive({0.5, 1.0, 0.0, 0.0});
  motor.set_control_pid({9.0, 0.0, 0.0});
  motor.enable(8, 0.0);
}
void command(PositionSensor& sensor) { sensor.enable(8, 0.0); }
void command(Brake& brake) { brake.set_damping_constant(0.5); }
void command(BodySensor& sensor) { sensor.enable(8, 0.0); }
void command(PictureSensor& sensor) { sensor.enable(8, 0.0); }
void command(Radar& sensor) { sensor.enable(8, 0.0); }
void command(Emitter& emitter) {
  const std::byte data{};
  EXPECT_TRUE(emitter.send({&data, 1}, 0, -1.0, 0.0));
  emitter.set_channel(3);
  emitter.set_range(2.0);
}
void command(Receiver& receiver) {
  receiver.enable(8, 0.0);
  receiver.set_channel(3);
}
void command(Connector& connector) {
  connector.enable_presence(8, 0.0);
  connector.unlock();
  connector.lock();
}
void command(Led& led) { led.set(1); }

template <typename... Types>
void command_any_of(Device& device) {
  const auto try_one = [&device]<typename T>(T* /*type*/) {
    T* const found = dynamic_cast<T*>(&device);
    if (found != nullptr) {
      command(*found);
    }
    return found != nullptr;
  };
  EXPECT_TRUE((try_one(static_cast<Types*>(nullptr)) || ...));
}

void command(const DeviceNode& node) {
  for (const auto& device : node.devices) {
    command_any_of<Motor, PositionSensor, Brake, BodySensor, PictureSensor, Radar, Emitter,
                   Receiver, Connector, Led>(*device);
    device->set_power(false);
    device->set_power(true);
  }
}

// Steps of a device that has no node change nothing.
void expect_no_step(Device& device) {
  const StateBlock before = test::state_of(device);
  device.before_step(0.008);
  device.after_step(1e6);
  EXPECT_EQ(test::state_of(device), before);
}

class Rebind : public testing::TestWithParam<Kind> {};

TEST_P(Rebind, ADeviceWhoseNodeIsGoneDoesNothingAndComesBackWithItsState) {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  Simulation simulation = Simulation::from_text(world(GetParam(), true), options);
  const std::shared_ptr<const wbt::WorldFile> whole = WorldInspector(simulation).world_file();
  Robot& robot = simulation.robot("r");
  for (const DeviceNode& device : robot.devices()) {
    command(device);
  }
  simulation.step(10);
  std::vector<std::vector<StateBlock>> memory;
  for (const DeviceNode& device : robot.devices()) {
    memory.push_back(memory_of(device));
  }

  WorldControl(simulation).rebuild(tree(GetParam(), false));
  EXPECT_EQ(robot.index(), -1);
  simulation.step(3);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const DeviceNode& device = robot.devices()[i];
    EXPECT_TRUE(device.detached);
    ASSERT_NE(device.spec, nullptr);
    EXPECT_EQ(device.spec->joint, -1);
    if (device.get<Connector>() == nullptr) {  // a connector has lost its partner
      EXPECT_EQ(memory_of(device), memory[i]);
    }
    command(device);
    for (const auto& one : device.devices) {
      expect_no_step(*one);
    }
    memory[i] = memory_of(device);
  }
  simulation.step(3);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    EXPECT_EQ(memory_of(robot.devices()[i]), memory[i]);
  }

  const DeviceNode* first = robot.devices().data();
  WorldControl(simulation).rebuild(whole);
  EXPECT_EQ(&simulation.robot("r"), &robot);
  EXPECT_EQ(robot.devices().data(), first);
  for (const DeviceNode& device : robot.devices()) {
    EXPECT_FALSE(device.detached);
    command(device);
  }
  simulation.step(10);
  for (const DeviceNode& device : robot.devices()) {
    if (const BodySensor* sensor = device.get<BodySensor>()) {
      EXPECT_GT(sensor->sampler().count(), 0u);
    }
  }
}

// Every value that a device measures, with a period much longer than a step.
std::vector<const Sampler*> enable_all(Robot& robot) {
  constexpr int kPeriodMs = 800;
  std::vector<const Sampler*> samplers;
  for (const DeviceNode& node : robot.devices()) {
    for (const auto& device : node.devices) {
      if (device->turn() != Turn::Brake && device->turn() != Turn::Emitter &&
          device->turn() != Turn::Led) {
        device->enable(kPeriodMs, 0.0);
        samplers.push_back(&device->sampler());
      }
    }
  }
  return samplers;
}

// The robot is driven, thrown and turned.
void move(Simulation& simulation, Robot& robot) {
  for (const DeviceNode& device : robot.devices()) {
    if (Motor* const motor = device.get<Motor>()) {
      motor->set_position(std::numeric_limits<double>::infinity());
      motor->set_velocity(3.0);
    }
  }
  simulation.solid(robot.solid()).set_velocity({{0.5, 0.25, 2.0}, {1.0, 2.0, 3.0}});
}

TEST_P(Rebind, AResetMeasuresAtOnceHoweverLongThePeriod) {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  Simulation simulation = Simulation::from_text(world(GetParam(), true), options);
  Robot& robot = simulation.robot("r");
  const std::vector<const Sampler*> samplers = enable_all(robot);
  std::vector<std::vector<double>> values;
  for (const int steps : {0, 3, 150}) {
    move(simulation, robot);
    simulation.step(steps);
    WorldControl(simulation).restart();
    EXPECT_EQ(simulation.step_count(), 1);
    values.emplace_back();
    for (const Sampler* const sampler : samplers) {
      EXPECT_EQ(sampler->count(), 1u);
      EXPECT_EQ(sampler->last_ms(), 8.0);
      values.back().push_back(sampler->value());
      EXPECT_FALSE(std::isnan(values.back().back()));
    }
    for (const DeviceNode& device : robot.devices()) {
      if (const BodySensor* sensor = device.get<BodySensor>()) {
        for (const double value : sensor->values()) {
          values.back().push_back(value);
          EXPECT_FALSE(std::isnan(value));
        }
      }
    }
    EXPECT_EQ(values.back(), values.front()) << "after " << steps << " steps";
  }
}

TEST(Reset, ATouchSensorFeelsWhatTouchesItAtTheStart) {
  for (const double height : {0.06, 3.0}) {
    Simulation simulation = Simulation::from_text(
        "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"
        "Solid { boundingObject Plane { size 9 9 } }\n"
        "Robot { translation 0 0 " +
        std::to_string(height) +
        " children TouchSensor { boundingObject Box { size 0.3 0.3 0.125 } } "
        "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }\n");
    Robot& robot = simulation.robot(0);
    BodySensor& sensor = *robot.devices().front().get<BodySensor>();
    sensor.enable(800, 0.0);
    simulation.step(300);
    WorldControl(simulation).restart();
    EXPECT_EQ(sensor.values()[0], height < 1.0 ? 1.0 : 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(EachType, Rebind, testing::ValuesIn(kKinds),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace devices_rebind_test
}  // namespace servosim::test
