// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "assets/address.h"

namespace servosim::assets {
namespace {

// Where PROTOs that come with Webots stand in its tree, by name.
constexpr std::pair<std::string_view, std::string_view> kStandardProtos[] = {
    {"Apple", "projects/objects/fruits/protos/Apple.proto"},
    {"BB-8", "projects/robots/sphero/bb8/protos/BB-8.proto"},
    {"Ball", "projects/objects/balls/protos/Ball.proto"},
    {"Can", "projects/objects/drinks/protos/Can.proto"},
    {"CardboardBox", "projects/objects/factory/containers/protos/CardboardBox.proto"},
    {"ConveyorBelt", "projects/objects/factory/conveyors/protos/ConveyorBelt.proto"},
    {"CurvedRoadSegment", "projects/objects/road/protos/CurvedRoadSegment.proto"},
    {"DARwInOP", "projects/robots/darwin-op/protos/DARwInOP.proto"},
    {"Darwin-op", "projects/robots/robotis/darwin-op/protos/Darwin-op.proto"},
    {"Door", "projects/objects/apartment_structure/protos/Door.proto"},
    {"E-puck", "projects/robots/gctronic/e-puck/protos/E-puck.proto"},
    {"E-puckDistanceSensor", "projects/robots/gctronic/e-puck/protos/E-puckDistanceSensor.proto"},
    {"E-puckGroundSensors", "projects/robots/gctronic/e-puck/protos/E-puckGroundSensors.proto"},
    {"FruitBowl", "projects/objects/fruits/protos/FruitBowl.proto"},
    {"Irb4600-40", "projects/robots/abb/irb/protos/Irb4600-40.proto"},
    {"Khepera4", "projects/robots/k-team/khepera4/protos/Khepera4.proto"},
    {"Khr3hv", "projects/robots/kondo/khr-3hv/protos/Khr3hv.proto"},
    {"Mavic2Pro", "projects/robots/dji/mavic/protos/Mavic2Pro.proto"},
    {"Moose", "projects/robots/clearpath/moose/protos/Moose.proto"},
    {"MooseWheel", "projects/robots/clearpath/moose/protos/MooseWheel.proto"},
    {"Nao", "projects/robots/softbank/nao/protos/Nao.proto"},
    {"OilBarrel", "projects/objects/obstacles/protos/OilBarrel.proto"},
    {"Orange", "projects/objects/fruits/protos/Orange.proto"},
    {"Panda", "projects/robots/franka_emika/panda/protos/Panda.proto"},
    {"PandaHand", "projects/robots/franka_emika/panda/protos/PandaHand.proto"},
    {"Pioneer3DistanceSensor",
     "projects/robots/adept/pioneer3/protos/Pioneer3DistanceSensor.proto"},
    {"Pioneer3at", "projects/robots/adept/pioneer3/protos/Pioneer3at.proto"},
    {"Pioneer3dx", "projects/robots/adept/pioneer3/protos/Pioneer3dx.proto"},
    {"PipeSection", "projects/objects/factory/pipes/protos/PipeSection.proto"},
    {"Pit", "projects/samples/robotbenchmark/pit_escape/protos/Pit.proto"},
    {"PlasticCrate", "projects/objects/factory/containers/protos/PlasticCrate.proto"},
    {"Puma560", "projects/robots/unimation/puma/protos/Puma560.proto"},
    {"Ramp30deg", "projects/objects/obstacles/protos/Ramp30deg.proto"},
    {"RectangleArena", "projects/objects/floors/protos/RectangleArena.proto"},
    {"Road", "projects/objects/road/protos/Road.proto"},
    {"RoadIntersection", "projects/objects/road/protos/RoadIntersection.proto"},
    {"RobocupGoal", "projects/samples/contests/robocup/protos/RobocupGoal.proto"},
    {"RobocupSoccerBall", "projects/objects/balls/protos/RobocupSoccerBall.proto"},
    {"RobocupSoccerField", "projects/samples/contests/robocup/protos/RobocupSoccerField.proto"},
    {"Robotiq3fGripper", "projects/devices/robotiq/protos/Robotiq3fGripper.proto"},
    {"RobotisLds01", "projects/devices/robotis/protos/RobotisLds01.proto"},
    {"RobotisOp2", "projects/robots/robotis/darwin-op/protos/RobotisOp2.proto"},
    {"RobotstadiumSoccerField",
     "projects/objects/robotstadium/protos/RobotstadiumSoccerField.proto"},
    {"Rock", "projects/objects/rocks/protos/Rock.proto"},
    {"Rock10cm", "projects/objects/rocks/protos/Rock10cm.proto"},
    {"Rock17cm", "projects/objects/rocks/protos/Rock17cm.proto"},
    {"SickLms291", "projects/devices/sick/protos/SickLms291.proto"},
    {"SoccerBall", "projects/objects/balls/protos/SoccerBall.proto"},
    {"SolidBox", "projects/objects/solids/protos/SolidBox.proto"},
    {"SolidPipe", "projects/objects/solids/protos/SolidPipe.proto"},
    {"SolidRoundedBox", "projects/objects/solids/protos/SolidRoundedBox.proto"},
    {"StraightRoadSegment", "projects/objects/road/protos/StraightRoadSegment.proto"},
    {"StraightStairs", "projects/objects/stairs/protos/StraightStairs.proto"},
    {"StraightStairsLanding", "projects/objects/stairs/protos/StraightStairsLanding.proto"},
    {"Table", "projects/objects/tables/protos/Table.proto"},
    {"Thymio2", "projects/robots/mobsya/thymio/protos/Thymio2.proto"},
    {"TrafficCone", "projects/objects/traffic/protos/TrafficCone.proto"},
    {"TurtleBot3Burger", "projects/robots/robotis/turtlebot/protos/TurtleBot3Burger.proto"},
    {"UR10e", "projects/robots/universal_robots/protos/UR10e.proto"},
    {"UR3e", "projects/robots/universal_robots/protos/UR3e.proto"},
    {"UR5e", "projects/robots/universal_robots/protos/UR5e.proto"},
    {"VelodynePuck", "projects/devices/velodyne/protos/VelodynePuck.proto"},
    {"VelodyneVLP-16", "projects/devices/velodyne/protos/VelodyneVLP-16.proto"},
    {"Wall", "projects/objects/apartment_structure/protos/Wall.proto"},
    {"Window", "projects/objects/apartment_structure/protos/Window.proto"},
    {"WoodenBox", "projects/objects/factory/containers/protos/WoodenBox.proto"},
    {"WoodenChair", "projects/objects/chairs/protos/WoodenChair.proto"},
    {"Youbot", "projects/robots/kuka/youbot/protos/Youbot.proto"},
};

}  // namespace

std::string_view standard_proto(std::string_view name) {
  const auto* found =
      std::lower_bound(std::begin(kStandardProtos), std::end(kStandardProtos), name,
                       [](const auto& row, std::string_view wanted) { return row.first < wanted; });
  return found != std::end(kStandardProtos) && found->first == name ? found->second
                                                                    : std::string_view();
}

}  // namespace servosim::assets
