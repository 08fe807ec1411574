// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "support/case_names.h"
#include "wbt/convert/convert.h"
#include "wbt/convert/support.h"
#include "wbt/values.h"

namespace servosim {
namespace {

using test::convert_body;
using test::Converted;
using test::Messages;
using wbt::FieldType;
using wbt::kNewestVersion;
using wbt::NodeType;
using wbt::Version;

// Returns the first version of each era. No row of the table begins or ends between two of them.
std::set<Version> eras() {
  std::set<Version> versions{{5, 0, 0}, {6, 0, 0}};
  for (const NodeType& type : wbt::all_node_types()) {
    for (const FieldType* row : type.fields) {
      versions.insert(row->since);
      if (row->until != kNewestVersion) {
        versions.insert(row->until);
        versions.insert({row->until.major, row->until.minor + 1, 0});
      }
    }
  }
  versions.erase(Version{});
  return versions;
}

// These nodes become other nodes in present files: see servos_test.cpp and nodes_test.cpp.
bool becomes_another(const NodeType& type) {
  return type.name == "Servo" || type.name == "DifferentialWheels" || type.name == "Cubemap";
}

struct Spelling {
  std::string_view field;
  std::string_view then;
  std::string_view now;
};

// Spellings with the same meaning. docs/how-to/convert.md has this list.
constexpr std::array<Spelling, 10> kSpellings{{
    {"Robot.controller", "void", "<none>"},
    {"Robot.window", "", "<generic>"},
    {"Robot.remoteControl", "", "<none>"},
    {"WorldInfo.physics", "", "<none>"},
    {"WorldInfo.window", "", "<none>"},
    {"ContactProperties.bumpSound", "sounds/bump.wav",
     "webots://projects/default/worlds/sounds/bump.wav"},
    {"ContactProperties.rollSound", "sounds/roll.wav",
     "webots://projects/default/worlds/sounds/roll.wav"},
    {"ContactProperties.slideSound", "sounds/slide.wav",
     "webots://projects/default/worlds/sounds/slide.wav"},
    {"RotationalMotor.sound", "sounds/rotational_motor.wav",
     "webots://projects/default/worlds/sounds/rotational_motor.wav"},
    {"LinearMotor.sound", "sounds/linear_motor.wav",
     "webots://projects/default/worlds/sounds/linear_motor.wav"},
}};

bool same_meaning(const std::string& field, const wbt::Value& then, const wbt::Value& now) {
  if (is_equivalent(then, now)) {
    return true;
  }
  if (const auto* flag = std::get_if<bool>(&then)) {
    return wbt::Value(std::int32_t{*flag ? 1 : 0}) == now;  // Recognition.occlusion
  }
  return std::any_of(kSpellings.begin(), kSpellings.end(), [&](const Spelling& s) {
    return s.field == field && then == wbt::Value(std::string(s.then)) &&
           now == wbt::Value(std::string(s.now));
  });
}

// use_modern_axes() converts these two.
bool is_about_axes(const std::string& field) {
  return field == "WorldInfo.gravity" || field == "WorldInfo.northDirection";
}

Converted convert_node(wbt::Node node) {
  wbt::WorldFile world;
  world.version = node.version;
  world.nodes = {std::make_shared<const wbt::Node>(std::move(node))};
  return test::convert_nodes_and_fields(std::move(world));
}

wbt::Node empty_node(const NodeType& type, const Version& version) {
  wbt::Node node;
  node.type = &type;
  node.version = version;
  return node;
}

// Returns the value that a present Webots reads, which knows one version of the table only.
const wbt::Value& present_value(const wbt::Node& node, const FieldType& row) {
  const wbt::Field* field = node.find(row.name);
  return field != nullptr ? field->value : wbt::default_value(row);
}

class ConvertFieldsOf : public testing::TestWithParam<std::string_view> {
 protected:
  const NodeType& type = *wbt::find_node_type(GetParam());
};

TEST_P(ConvertFieldsOf, WhatIsLeftOutKeepsItsValue) {
  for (const Version& era : eras()) {
    const wbt::Node before = empty_node(type, era);
    const Converted world = convert_node(before);
    EXPECT_EQ(world.said, Messages());
    const wbt::Node& after = *world.after.nodes.at(0);
    ASSERT_EQ(after.type, &type);
    for (const FieldType* row : type.fields) {
      const std::string name = std::string(type.name) + '.' + std::string(row->name);
      if (row->removed_by(kNewestVersion) || is_about_axes(name)) {
        continue;
      }
      EXPECT_TRUE(same_meaning(name, before.value(row->name), present_value(after, *row)))
          << name << " of " << to_string(era);
    }
  }
}

struct Change {
  void operator()(bool& v) const { v = !v; }
  void operator()(std::int32_t& v) const { v += 3; }
  void operator()(double& v) const { v += 1.375; }
  void operator()(std::string& v) const { v += "other"; }
  void operator()(wbt::Vec2& v) const { v.x += 0.375; }
  void operator()(Vec3& v) const { v.x += 0.375; }
  void operator()(AxisAngle& v) const { v.angle += 0.375; }
  void operator()(wbt::NodePtr& v) const {
    v = std::make_shared<const wbt::Node>(empty_node(*wbt::find_node_type("Group"), {}));
  }
  void operator()(std::vector<wbt::NodePtr>& v) const { (*this)(v.emplace_back()); }
  template <class T>
  void operator()(std::vector<T>& v) const {
    v.push_back({});
  }
};

// Returns a value that differs from the default.
wbt::Value other_value(const FieldType& row) {
  wbt::Value value = wbt::default_value(row);
  std::visit(Change(), value);
  return value;
}

wbt::Node node_with(const NodeType& type, const FieldType& row, wbt::Value value) {
  const Version version = row.removed_by(kNewestVersion) ? row.until : row.since;
  wbt::Node node = empty_node(type, std::max(version, Version{6, 0, 0}));
  node.fields.push_back({&row, {}, std::move(value)});
  return node;
}

bool has_same_fields(const wbt::Node& a, const wbt::Node& b) {
  return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    [](const wbt::Field& f, const wbt::Field& g) {
                      return f.type == g.type && f.value == g.value;
                    });
}

// Returns the text of docs/how-to/convert.md.
const std::string& documentation() {
  static const std::string text = [] {
    std::ifstream file(SERVOSIM_TEST_DIR "/../docs/how-to/convert.md");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return text;
}

bool is_documented(std::string_view field) {
  const std::string start = '`' + std::string(field);
  return documentation().find(start + '`') != std::string::npos ||
         documentation().find(start + ' ') != std::string::npos;
}

// The field has no effect alone: see InertiaOfNineValuesBecomesSix.
bool means_nothing_alone(const std::string& field) { return field == "Physics.orientation"; }

// A value in a file is kept, converted to other fields, or reported. It is never lost silently.
TEST_P(ConvertFieldsOf, NothingIsLostInSilence) {
  for (const FieldType* row : type.fields) {
    const std::string name = std::string(type.name) + '.' + std::string(row->name);
    const wbt::Node before = node_with(type, *row, other_value(*row));
    const Converted plain = convert_node(empty_node(type, before.version));
    const Converted world = convert_node(before);
    const wbt::Node& after = *world.after.nodes.at(0);
    for (const wbt::Field& field : after.fields) {
      if (!is_about_axes(name)) {
        EXPECT_FALSE(field.type->removed_by(kNewestVersion))
            << name << " leaves " << field.type->name;
        EXPECT_EQ(field.type, type.field(field.type->name)) << name;
      }
    }
    EXPECT_TRUE(world.said.empty() || is_documented(row->name)) << name;
    if (!means_nothing_alone(name)) {
      EXPECT_EQ(has_same_fields(after, *plain.after.nodes.at(0)), !world.said.empty()) << name;
    }
  }
}

// A field with the default value needs no message.
TEST_P(ConvertFieldsOf, DefaultsAreLeftOutInSilence) {
  for (const FieldType* row : type.fields) {
    EXPECT_EQ(convert_node(node_with(type, *row, wbt::default_value(*row))).said, Messages())
        << type.name << '.' << row->name;
  }
}

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  for (const NodeType& type : wbt::all_node_types()) {
    if (!becomes_another(type)) {
      names.push_back(type.name);
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Table, ConvertFieldsOf, testing::ValuesIn(type_names()), test::by_text);

const wbt::Node& converted_node(const Converted& world) { return *world.after.nodes.at(0); }

TEST(ConvertFields, SuccessorsSayTheSame) {
  const Converted motor =
      convert_body("HingeJoint { device RotationalMotor { controlP 7 } }", "V7.2.5");
  EXPECT_EQ(converted_node(motor).nodes("device").at(0)->vec3("controlPID"), (Vec3{7.0, 0.0, 0.0}));

  const Converted lidar = convert_body("Lidar { spherical FALSE }", "R2021a");
  EXPECT_EQ(converted_node(lidar).string("projection"), "planar");
  const Converted camera = convert_body("Camera { spherical TRUE colorNoise 0.25 }", "R2021a");
  EXPECT_EQ(converted_node(camera).string("projection"), "cylindrical");
  EXPECT_EQ(converted_node(camera).number("noise"), 0.25);

  const Converted view = convert_body("Viewpoint { followOrientation TRUE }", "R2019a");
  EXPECT_EQ(converted_node(view).string("followType"), "Mounted Shot");

  const Converted robot = convert_body("Robot { data \"text\" robotWindow \"w\" }", "V8.0.0");
  EXPECT_EQ(converted_node(robot).string("customData"), "text");
  EXPECT_EQ(converted_node(robot).string("window"), "w");

  const Converted recognition =
      convert_body("Camera { recognition Recognition { occlusion FALSE } }", "R2021a");
  EXPECT_EQ(converted_node(recognition).node("recognition")->integer("occlusion"), 0);

  const Converted world_info = convert_body("WorldInfo { displayRefresh 4 basicTimeStep 10 }");
  EXPECT_EQ(converted_node(world_info).number("FPS"), 25.0);

  for (const Converted* world :
       {&motor, &lidar, &camera, &view, &robot, &recognition, &world_info}) {
    EXPECT_EQ(world->said, Messages());
  }
}

TEST(ConvertFields, ResolutionOfAnOldGpsIsItsAccuracy) {
  const Converted old = convert_body("GPS { resolution 0.5 }", "V6.0");
  EXPECT_EQ(converted_node(old).number("accuracy"), 0.5);
  EXPECT_EQ(converted_node(old).number("resolution"), -1.0);
  const Converted later = convert_body("GPS { resolution 0.5 }", "V7.4.0");
  EXPECT_EQ(converted_node(later).number("accuracy"), 0.0);
  EXPECT_EQ(converted_node(later).number("resolution"), 0.5);
}

// A quarter turn about z exchanges x and y.
TEST(ConvertFields, InertiaOfNineValuesBecomesSix) {
  const Converted world = convert_body(R"(Solid { physics Physics {
    mass 2 density -1 orientation 0 0 1 1.5707963267948966
    inertiaMatrix [ 0.5 0.25 0.125, 3 5 7, 0.1 0.2 0.3 ] } })",
                                       "V6.0");
  const auto& rows = converted_node(world).node("physics")->vec3s("inertiaMatrix");
  ASSERT_EQ(rows.size(), 2u);
  // Two products of sines and cosines have an error of a few ulps of 7.
  const double rounding = 1e-14;
  EXPECT_NEAR(rows[0].x, 5.0, rounding);
  EXPECT_NEAR(rows[0].y, 3.0, rounding);
  EXPECT_NEAR(rows[0].z, 7.0, rounding);
  EXPECT_NEAR(rows[1].x, -0.1, rounding);
  EXPECT_NEAR(rows[1].y, -0.3, rounding);
  EXPECT_NEAR(rows[1].z, 0.2, rounding);
  EXPECT_EQ(world.said, Messages());
  const Vec3& center = converted_node(world).node("physics")->vec3s("centerOfMass").at(0);
  EXPECT_LT(norm(center - Vec3{-0.25, 0.5, 0.125}), 1e-15);
  const auto before = test::build(world.before).scene.solids.at(0).physics;
  const auto after = test::build(world.after).scene.solids.at(0).physics;
  ASSERT_TRUE(before->inertia && after->inertia);
  EXPECT_EQ(*before->inertia, *after->inertia);
  EXPECT_EQ(before->center_of_mass, after->center_of_mass);
}

TEST(ConvertFields, WhatHasNoSuccessorIsSaidOnce) {
  const Converted world = convert_body(
      "Solid { physics Physics { bounce 0.1 } } Solid { physics Physics { bounce 0.2 } }");
  EXPECT_EQ(world.said,
            (Messages{"Webots has no field 'bounce' of Physics any more; it is left out. It was: "
                      "Bounce of the body before ContactProperties existed."}));
}

TEST(ConvertFields, PresentNodesStayAsTheyAre) {
  const Converted world = convert_body(
      "Robot { controller \"void\" window \"\" children [ Cylinder { subdivision 12 } ] }",
      "R2025a");
  EXPECT_EQ(converted_node(world).fields.size(), 3u);
  EXPECT_EQ(converted_node(world).string("controller"), "void");
}

}  // namespace
}  // namespace servosim
