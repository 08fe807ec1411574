// SPDX-License-Identifier: Apache-2.0
#include "wbt/values.h"

#include <gtest/gtest.h>

namespace servosim::wbt {
namespace {

struct Read {
  std::optional<Value> value;
  std::string problem;
  std::string next;  // the token after the value
};

Read read(std::string_view text, ValueType type) {
  Lexer lexer(text);
  std::size_t room = 100;
  ValueReader reader(lexer, room);
  auto value = reader.read(type);
  return {std::move(value), reader.problem(), std::string(lexer.peek().text)};
}

template <class T>
T value_of(std::string_view text, ValueType type) {
  const Read r = read(text, type);
  EXPECT_EQ(r.next, "next") << text;
  return std::get<T>(r.value.value());
}

TEST(Values, SingleOnes) {
  EXPECT_EQ(value_of<bool>("TRUE next", ValueType::SFBool), true);
  EXPECT_EQ(value_of<std::int32_t>("-25 next", ValueType::SFInt32), -25);
  EXPECT_EQ(value_of<double>("2.5 next", ValueType::SFFloat), 2.5);
  EXPECT_EQ(value_of<std::string>("\"a b\" next", ValueType::SFString), "a b");
  EXPECT_EQ(value_of<Vec2>("2 3 next", ValueType::SFVec2f), (Vec2{2, 3}));
  EXPECT_EQ(value_of<Vec3>("2, 3, 4 next", ValueType::SFVec3f), (Vec3{2, 3, 4}));
  EXPECT_EQ(value_of<Vec3>(".2 .3 .4 next", ValueType::SFColor), (Vec3{0.2, 0.3, 0.4}));
  EXPECT_EQ(value_of<AxisAngle>("2 3 4 5 next", ValueType::SFRotation), (AxisAngle{{2, 3, 4}, 5}));
}

TEST(Values, ListsWithAndWithoutBrackets) {
  EXPECT_EQ(value_of<std::vector<double>>("[2 3, 4.5] next", ValueType::MFFloat),
            (std::vector<double>{2, 3, 4.5}));
  EXPECT_EQ(value_of<std::vector<double>>("2.5 next", ValueType::MFFloat),
            (std::vector<double>{2.5}));
  EXPECT_EQ(value_of<std::vector<double>>("[ ] next", ValueType::MFFloat), (std::vector<double>{}));
  EXPECT_EQ(value_of<std::vector<Vec3>>("2 3 4 next", ValueType::MFVec3f),
            (std::vector<Vec3>{{2, 3, 4}}));
  EXPECT_EQ(value_of<std::vector<std::string>>("[\"a\" \"b\"] next", ValueType::MFString),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(value_of<std::vector<bool>>("[TRUE FALSE] next", ValueType::MFBool),
            (std::vector<bool>{true, false}));
}

// An inertia matrix of an old file has six or nine numbers without brackets.
TEST(Values, BareNumbersMayFillSeveralVectors) {
  EXPECT_EQ(value_of<std::vector<Vec3>>("2 3 4 5 6 7 next", ValueType::MFVec3f),
            (std::vector<Vec3>{{2, 3, 4}, {5, 6, 7}}));
}

TEST(Values, GravityIsANumberOrAVector) {
  EXPECT_EQ(value_of<double>("9.5 next", ValueType::SFFloatOrVec3f), 9.5);
  EXPECT_EQ(value_of<Vec3>("2 -9.5 3 next", ValueType::SFFloatOrVec3f), (Vec3{2, -9.5, 3}));
}

TEST(Values, ReportWhatIsWrongAndSkipIt) {
  struct Case {
    const char* text;
    ValueType type;
    const char* problem;
    const char* next;
  };
  const Case cases[] = {
      {"2 3 next", ValueType::SFVec3f, "expected three numbers, found 'next'", "next"},
      {"\"2\" 3 next", ValueType::SFFloat, "expected a number, found \"2\"", "next"},
      {"2.5 next", ValueType::SFInt32, "expected an integer, found '2.5'", "next"},
      {"3000000000 next", ValueType::SFInt32, "expected an integer, found '3000000000'", "next"},
      {"5 next", ValueType::SFBool, "expected TRUE or FALSE, found '5'", "next"},
      {"NULL next", ValueType::SFString, "expected a string, found 'NULL'", "next"},
      {"[2 3 4] next", ValueType::SFVec3f, "expected three numbers, found '['", "next"},
      {"[2 3 4 5] next", ValueType::MFVec3f, "expected three numbers, found ']'", "next"},
      {"[2 x [3] 4] next", ValueType::MFFloat, "expected a number, found 'x'", "next"},
      {"-inf next", ValueType::SFFloat, "expected a number, found '-inf'", "-inf"},
      {"", ValueType::SFFloat, "expected a number, found the end of the file", ""},
  };
  for (const Case& c : cases) {
    const Read r = read(c.text, c.type);
    EXPECT_FALSE(r.value.has_value()) << c.text;
    EXPECT_EQ(r.problem, c.problem) << c.text;
    EXPECT_EQ(r.next, c.next) << c.text;
  }
}

TEST(Values, StopWhenThereIsNoRoom) {
  Lexer lexer("[2 3 4 5 6] next");
  std::size_t room = 4;
  EXPECT_FALSE(ValueReader(lexer, room).read(ValueType::MFFloat).has_value());
  EXPECT_EQ(room, 0u);
  EXPECT_EQ(lexer.peek().text, "next");
}

TEST(Values, ConvertToTheTypeOfAField) {
  EXPECT_EQ(converted(Value(2.5), ValueType::SFFloat, ValueType::MFFloat),
            Value(std::vector<double>{2.5}));
  EXPECT_EQ(converted(Value(std::int32_t{7}), ValueType::SFInt32, ValueType::SFFloat), Value(7.0));
  EXPECT_EQ(converted(Value(Vec3{2, 3, 4}), ValueType::SFVec3f, ValueType::SFColor),
            Value(Vec3{2, 3, 4}));
  EXPECT_EQ(converted(Value(Vec3{2, 3, 4}), ValueType::SFVec3f, ValueType::SFFloatOrVec3f),
            Value(Vec3{2, 3, 4}));
  EXPECT_EQ(converted(Value(Vec3{2, 3, 4}), ValueType::SFColor, ValueType::MFVec3f),
            Value(std::vector<Vec3>{{2, 3, 4}}));
  EXPECT_EQ(converted(Value(2.5), ValueType::SFFloat, ValueType::SFString), std::nullopt);
  EXPECT_EQ(converted(Value(std::vector<double>{2.5}), ValueType::MFFloat, ValueType::SFFloat),
            std::nullopt);
}

TEST(Values, TypeNamesOfInterfaces) {
  EXPECT_EQ(parse_value_type("SFBool"), ValueType::SFBool);
  EXPECT_EQ(parse_value_type("SFNode"), ValueType::SFNode);
  EXPECT_EQ(parse_value_type("MFRotation"), ValueType::MFRotation);
  EXPECT_EQ(parse_value_type("MFNode"), ValueType::MFNode);
  EXPECT_EQ(parse_value_type("SFTime"), std::nullopt);
}

}  // namespace
}  // namespace servosim::wbt
