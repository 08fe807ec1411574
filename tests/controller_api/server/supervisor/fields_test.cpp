// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "servosim/simulation.h"

namespace servosim {
namespace {

class FieldsTest : public testing::Test {
 protected:
  static Simulation load(std::vector<std::string>& notices) {
    LoadOptions options;
    options.notice = [&notices](std::string_view text) { notices.emplace_back(text); };
    return Simulation::from_text(R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 contactProperties [ ContactProperties { coulombFriction [ 0.75 ] } ] }
DEF ARM Robot {
  name "arm"
  children [
    DEF HINGE HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 }
      device [ RotationalMotor { name "lift" maxTorque 25 } ]
      endPoint DEF LINK Solid {
        translation 0 0 -0.5
        name "link"
        physics Physics { density -1 mass 2.5 }
      }
    }
  ]
}
)",
                                 options);
  }

  double number(std::string_view path) { return std::get<double>(fields.get(fields.find(path))); }
  std::string refusal(std::string_view path, wbt::Value value) {
    try {
      fields.set(fields.find(path), std::move(value));
    } catch (const SupervisorRequestError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::vector<std::string> notices;
  Simulation simulation = load(notices);
  Fields fields{simulation};
};

TEST_F(FieldsTest, PathsLeadByNamesFieldsAndItems) {
  EXPECT_EQ(number("LINK.physics.mass"), 2.5);
  EXPECT_EQ(number("ARM.HINGE.LINK.physics.mass"), 2.5);
  EXPECT_EQ(number("arm.children[0].endPoint.physics.mass"), 2.5);
  EXPECT_EQ(number("WorldInfo.contactProperties[-1].coulombFriction[0]"), 0.75);
  EXPECT_EQ(number("arm/lift.maxTorque"), 25.0);
  EXPECT_EQ(number("lift.maxTorque"), 25.0);
  EXPECT_EQ(number("link.mass"), 2.5) << "of its Physics";
  EXPECT_EQ(number("HINGE.axis.y"), 1.0) << "of its parameters";
  EXPECT_EQ(number("LINK.translation.z"), -0.5);
}

TEST_F(FieldsTest, AnEditActsAtOnceAndKeepsTheMotion) {
  simulation.step(3);
  const double position = simulation.joint(0).position();
  fields.set(fields.find("LINK.physics.mass"), 1.5);
  EXPECT_EQ(number("LINK.physics.mass"), 1.5);
  EXPECT_EQ(simulation.joint(0).position(), position);
  EXPECT_EQ(simulation.step_count(), 3);
}

TEST_F(FieldsTest, ANumberOfAVectorIsSetAlone) {
  fields.set(fields.find("arm.translation.y"), 0.25);
  EXPECT_EQ(std::get<Vec3>(fields.get(fields.find("ARM.translation"))), (Vec3{0.0, 0.25, 0.0}));
}

TEST_F(FieldsTest, ARefusedEditChangesNothing) {
  simulation.step(3);
  const std::uint64_t hash = simulation.state_hash();
  EXPECT_NE(refusal("LINK.physics.mass", -3.0).find("not accepted"), std::string::npos);
  EXPECT_NE(refusal("HINGE.device[0].maxTorque", -3.0).find("maxTorque"), std::string::npos);
  EXPECT_NE(refusal("LINK.physics.mass", std::string("a")).find("wrong field type"),
            std::string::npos);
  EXPECT_NE(refusal("LINK.physics", wbt::NodePtr{}).find("holds nodes"), std::string::npos);
  EXPECT_NE(refusal("ARM.rotation", AxisAngle{{}, 0.5}).find("invalid axis"), std::string::npos);
  EXPECT_EQ(number("LINK.physics.mass"), 2.5);
  EXPECT_EQ(simulation.state_hash(), hash);
  EXPECT_TRUE(notices.empty()) << notices.front();
}

TEST_F(FieldsTest, AnUnknownNameComesWithThoseThereAre) {
  try {
    fields.find("LINK.physics.mas");
    FAIL();
  } catch (const wbt::FieldPathError& unknown) {
    EXPECT_EQ(unknown.name, "mas");
    EXPECT_EQ(unknown.reason, "Physics has no field 'mas'");
    EXPECT_NE(std::find(unknown.names.begin(), unknown.names.end(), "mass"), unknown.names.end());
  }
  try {
    fields.find("LNK.physics");
    FAIL();
  } catch (const wbt::FieldPathError& unknown) {
    for (const char* name : {"ARM", "HINGE", "LINK", "WorldInfo", "arm", "arm/lift", "arm/link"}) {
      EXPECT_NE(std::find(unknown.names.begin(), unknown.names.end(), name), unknown.names.end())
          << name;
    }
    EXPECT_STREQ(unknown.what(),
                 "'LNK' is no robot, joint, device, DEF or type of this world; did you mean "
                 "'LINK'?");
  }
}

}  // namespace
}  // namespace servosim
