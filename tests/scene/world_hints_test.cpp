// SPDX-License-Identifier: Apache-2.0
#include "scene/world_hints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim::hints_test {
namespace {

Simulation load(const std::string& nodes, const std::string& info = "") {
  LoadOptions options;
  options.notice = [](std::string_view) {};
  return Simulation::from_text(
      "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 " + info + " }\n" + nodes, options);
}

std::string text_of(const std::vector<Hint>& hints) {
  std::string text;
  for (const Hint& hint : hints) {
    text += hint.message + '\n';
  }
  return text;
}

std::string contacts(const std::string& properties, const std::string& material) {
  Simulation simulation = load(
      "Solid { name \"floor\" boundingObject Plane { } }\n"
      "Solid { name \"ball\" contactMaterial \"" +
          material + "\" boundingObject Sphere { } physics Physics { } }\n",
      "contactProperties [ " + properties + " ]");
  const WorldInspector inspector(simulation);
  return text_of(contact_hints(*inspector.world_file(), inspector.scene()));
}

TEST(Hints, OfContactProperties) {
  EXPECT_EQ(contacts("ContactProperties { material1 \"rubber\" }", "rubber"), "");
  EXPECT_EQ(contacts("", "default"), "");
  const std::string wrong = contacts("ContactProperties { material1 \"ruber\" }", "rubber");
  EXPECT_NE(
      wrong.find("contactMaterial \"ruber\", so that these ContactProperties do nothing; there "
                 "are 'rubber', 'default'"),
      std::string::npos)
      << wrong;
  EXPECT_NE(
      wrong.find("no ContactProperties name the contactMaterial \"rubber\" of Solid \"ball\""),
      std::string::npos)
      << wrong;
}

std::string arm(const std::string& endpoint) {
  return "Robot { name \"r\" controller \"<none>\" physics Physics { } boundingObject Box { } "
         "children [ HingeJoint { device RotationalMotor { name \"m\" } endPoint " +
         endpoint + " } ] }\n";
}

TEST(Hints, OfMotorsWithoutPhysics) {
  Simulation none = load(arm("Solid { boundingObject Box { } }"));
  EXPECT_NE(
      text_of(motor_hints(WorldInspector(none).scene())).find("motor \"m\" of robot \"r\" has no"),
      std::string::npos);
  Simulation with = load(arm("Solid { boundingObject Box { } physics Physics { } }"));
  EXPECT_EQ(text_of(motor_hints(WorldInspector(with).scene())), "");
}

bool warns_of(const std::string& endpoint, const std::string& what) {
  const Simulation simulation = load(arm(endpoint));
  const auto& list = simulation.diagnostics();
  return std::any_of(list.begin(), list.end(), [&](const Diagnostic& d) {
    return d.severity == Severity::Warning && d.message.find(what) != std::string::npos;
  });
}

TEST(Hints, OfForceSensorsThatNothingHolds) {
  const std::string sensor =
      "TouchSensor { name \"t\" boundingObject Box { } physics Physics { } type ";
  EXPECT_TRUE(warns_of(sensor + "\"force\" }", "TouchSensor \"t\" is the endPoint of a joint"));
  EXPECT_TRUE(warns_of(sensor + "\"force-3d\" }", "TouchSensor \"t\" is the endPoint of a joint"));
  EXPECT_FALSE(warns_of(sensor + "\"bumper\" }", "TouchSensor"));
  EXPECT_FALSE(warns_of(
      "Solid { boundingObject Box { } physics Physics { } children [ " + sensor + "\"force\" } ] }",
      "TouchSensor"));
}

}  // namespace
}  // namespace servosim::hints_test
