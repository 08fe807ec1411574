// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/streaming.h"

#include "yarp/ports/test_support.h"

namespace servosim::yarp {
namespace {

std::string vector_of(std::span<const double> values, Generation generation) {
  Writer writer;
  encode_vector(writer, values, generation);
  return text_of(writer);
}

TEST(YarpStreaming, AVectorIsTheBottleOfItsNumbers) {
  const std::vector<double> values{12.5, -0.25, 1e9};
  for (const Generation generation : {Generation::V3, Generation::V4}) {
    EXPECT_EQ(vector_of(values, generation),
              encoded(Bottle{{values.begin(), values.end()}}, generation));
  }
  EXPECT_EQ(vector_of({}, Generation::V3), hex("0a 01 00 00 00 00 00 00"));
  const std::vector<std::int32_t> modes{vocab("pos"), -5};
  Writer writer;
  encode_vector(writer, modes);
  EXPECT_EQ(text_of(writer), encoded(Bottle{{modes.begin(), modes.end()}}));
}

// All numbers are different, so that an exchange of two places is detected.
class YarpJointStates : public testing::Test {
 protected:
  YarpJointStates() {
    for (int i = 0; i < 10; ++i) {
      numbers_.push_back({100.0 + i, -200.5 - i, 0.25 * i});
    }
    states_.positions = {numbers_[0], true};
    states_.velocities = {numbers_[1], true};
    states_.accelerations = {numbers_[2], false};
    states_.motor_positions = {numbers_[3], true};
    states_.motor_velocities = {numbers_[4], false};
    states_.motor_accelerations = {numbers_[5], true};
    states_.torques = {numbers_[6], true};
    states_.duty_cycles = {numbers_[7], false};
    states_.currents = {numbers_[8], true};
    states_.control_modes = {control_, true};
    states_.interaction_modes = {interaction_, false};
    states_.temperatures = {numbers_[9], true};
  }

  std::string encode(Generation generation) {
    Writer writer;
    encode_joint_states(writer, states_, generation);
    return text_of(writer);
  }

  // Expects the same message, item by item.
  template <typename T>
  static void expect(Bottle& bottle, const std::vector<T>& values, bool valid) {
    bottle.add(Bottle{{values.begin(), values.end()}});
    bottle.add(Vocab(valid ? "ok" : "fail"));
  }

  std::vector<std::vector<double>> numbers_;
  std::vector<std::int32_t> control_{vocab("pos"), vocab("torq"), vocab("idl")};
  std::vector<std::int32_t> interaction_{vocab("stif"), vocab("comp"), vocab("stif")};
  JointStates states_;
};

TEST_F(YarpJointStates, AreElevenPairsInOrder) {
  Bottle expected;
  const bool valid[] = {true, true, false, true, false, true, true, false, true};
  for (int i = 0; i < 9; ++i) {
    expect(expected, numbers_[i], valid[i]);
  }
  expect(expected, control_, true);
  expect(expected, interaction_, false);
  const std::string bytes = encode(Generation::V3);
  EXPECT_EQ(bytes.size(), 424u);  // measured for three joints
  EXPECT_TRUE(bytes.starts_with(hex("00 01 00 00 16 00 00 00 0a 01 00 00 03 00 00 00")));
  EXPECT_EQ(bytes, encoded(expected));
}

TEST_F(YarpJointStates, HaveTemperaturesAndFloatDutyCyclesInV4) {
  const BottleOrError result = decoded(encode(Generation::V4), Generation::V4);
  ASSERT_FALSE(is_error(result)) << error_text(result);
  const Bottle& bottle = std::get<Bottle>(result);
  ASSERT_EQ(bottle.size(), 24u);
  EXPECT_EQ(bottle.items[14], BottleValue(Bottle{{107.0f, -207.5f, 1.75f}}));
  EXPECT_EQ(bottle.items[15], BottleValue(Vocab("fail")));
  EXPECT_EQ(bottle.items[16], BottleValue(Bottle{{108.0, -208.5, 2.0}}));
  EXPECT_EQ(bottle.items[22], BottleValue(Bottle{{109.0f, -209.5f, 2.25f}}));
  EXPECT_EQ(bottle.items[23], BottleValue(Vocab("ok")));
}

TEST(YarpStreaming, GoldenCommandsInBothDirections) {
  const std::string list = hex("00 01 00 00 02 00 00 00");
  const std::string vector =
      hex("0a 01 00 00 02 00 00 00") + hex("00 00 00 00 00 00 29 40 00 00 00 00 00 00 d0 bf");
  const std::vector<double> values{12.5, -0.25};
  for (const auto& [head, bytes] : {std::pair(Bottle{{Vocab("vmos")}}, golden::kVmos),
                                    std::pair(Bottle{{Vocab("vmo"), 0}}, golden::kVmo0)}) {
    Writer writer;
    encode_streamed(writer, head, values, Generation::V3);
    EXPECT_EQ(text_of(writer), list + bytes + vector);
    const auto result = to_streamed(decoded(list + bytes + vector));
    ASSERT_FALSE(is_error(result)) << error_text(result);
    EXPECT_EQ(std::get<StreamedCommand>(result).head, head);
    EXPECT_EQ(std::get<StreamedCommand>(result).values, values);
  }
}

TEST(YarpStreaming, ACommandMayBeTyped) {
  const auto result = to_streamed(parse_bottle("(vmog 2 (0 3)) (10 -2.5)"));
  ASSERT_FALSE(is_error(result)) << error_text(result);
  EXPECT_EQ(std::get<StreamedCommand>(result).values, (std::vector<double>{10.0, -2.5}));
  EXPECT_EQ(as_vocab(std::get<StreamedCommand>(result).head.items[0]), vocab("vmog"));
}

TEST(YarpStreaming, WhatIsNoCommandSaysSo) {
  for (const char* const line : {"", "([vmo] 0)", "[vmo] (1.5)", "([vmo] 0) 1.5", "(a) (b)",
                                 "(a) (1.5) (2.5)", "(a) ((1.5))"}) {
    EXPECT_TRUE(is_error(to_streamed(parse_bottle(line)))) << line;
  }
  EXPECT_EQ(error_text(to_streamed(ProtocolError{"not even a Bottle"})), "not even a Bottle");
}

TEST(YarpStreaming, TheProtocolVersionOfV4IsGolden) {
  Writer writer;
  encode_protocol_version_v4(writer);
  EXPECT_EQ(text_of(writer), golden::kProtocolVersionV4);
}

}  // namespace
}  // namespace servosim::yarp
