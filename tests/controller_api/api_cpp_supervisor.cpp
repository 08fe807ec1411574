// SPDX-License-Identifier: Apache-2.0
// A Supervisor in C++ reads nodes and fields and changes them.
#include <webots/Field.hpp>
#include <webots/GPS.hpp>
#include <webots/Node.hpp>
#include <webots/Supervisor.hpp>

#include "api.h"

using namespace webots;

namespace {

void finds_nodes(Supervisor &robot) {
  Node *ball = robot.getFromDef("BALL");
  EXPECT(ball != nullptr && robot.getFromDef("BALL") == ball);
  EXPECT(robot.getFromId(ball->getId()) == ball);
  EXPECT(ball->getType() == Node::SOLID && ball->getTypeName() == "Solid");
  EXPECT(ball->getParentNode() == robot.getRoot());
  EXPECT(robot.getSelf()->getType() == Node::ROBOT);
  EXPECT(robot.getFromDevice(robot.getGPS("place"))->getType() == Node::GPS);
  EXPECT(robot.getFromDef("NOBODY") == nullptr);
  EXPECT(Supervisor::getSupervisorInstance() == &robot);
}

void reads_fields(Supervisor &robot) {
  Node *ball = robot.getFromDef("BALL");
  Field *radius = ball->getField("boundingObject")->getSFNode()->getField("radius");
  EXPECT(radius->getType() == Field::SF_FLOAT && radius->getTypeName() == "SFFloat");
  EXPECT_IS(radius->getSFFloat(), 0.25);
  EXPECT(ball->getField("name")->getSFString() == "ball");
  EXPECT_IS(ball->getField("rotation")->getSFRotation()[3], 0.5);
}

void changes_fields(Supervisor &robot) {
  Field *info = robot.getRoot()->getField("children")->getMFNode(0)->getField("info");
  info->insertMFString(1, "between");
  info->setMFString(-1, "last");
  EXPECT(info->getCount() == 3 && info->getMFString(1) == "between");
  EXPECT(info->getMFString(2) == "last");
  info->removeMF(0);
  EXPECT(info->getCount() == 2 && info->getMFString(0) == "between");
  robot.getFromDef("BALL")->getField("name")->setSFString("Kugel");
  EXPECT(robot.getFromDef("BALL")->getField("name")->getSFString() == "Kugel");
}

void moves_a_body(Supervisor &robot) {
  Node *ball = robot.getFromDef("BALL");
  const double place[3] = {4, 5, 6};
  const double velocity[6] = {0.5, 0, 0, 0, 0, 0};
  ball->getField("translation")->setSFVec3f(place);
  ball->setVelocity(velocity);
  for (int i = 0; i < 10; ++i) {
    robot.step(16);
  }
  EXPECT_NEAR(ball->getPosition()[0], 4.08, 1e-9);
  EXPECT_NEAR(ball->getVelocity()[0], 0.5, 1e-9);
  EXPECT_NEAR(ball->getOrientation()[0], cos(0.5), 1e-9);
  EXPECT_NEAR(ball->getPose()[3], 4.08, 1e-9);
  EXPECT_NEAR(ball->getPose(robot.getSelf())[3], 4.08, 1e-9);
}

void imports_and_removes_nodes(Supervisor &robot) {
  Field *children = robot.getRoot()->getField("children");
  const int count = children->getCount();
  children->importMFNodeFromString(-1, "DEF LATE Solid { translation 7 8 9 }");
  EXPECT(children->getCount() == count + 1);
  EXPECT_IS(robot.getFromDef("LATE")->getPosition()[2], 9.0);
  robot.getFromDef("LATE")->remove();
  EXPECT(robot.getFromDef("LATE") == nullptr && children->getCount() == count);
}

}  // namespace

int main() {
  api_begin();
  Supervisor robot;
  finds_nodes(robot);
  reads_fields(robot);
  changes_fields(robot);
  moves_a_body(robot);
  imports_and_removes_nodes(robot);
  robot.setLabel(0, "seen by nobody", 0.1, 0.1, 0.05, 0xff0000);
  take_messages(); /* what nobody sees is said once */
  const int result = api_end();
  robot.simulationQuit(result);
  robot.step(16);
  return result;
}
