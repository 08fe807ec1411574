// SPDX-License-Identifier: Apache-2.0
// Simulation::save_bytes() and restore_bytes().
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "servosim/simulation.h"

namespace servosim {
namespace {

const std::string kArm = std::string(SERVOSIM_WORLDS_DIR) + "/arm.wbt";

std::string refusal_of(Simulation& simulation, std::span<const std::byte> bytes) {
  try {
    simulation.restore_bytes(bytes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StateBytes, GoOnToTheBitAlsoInAClone) {
  Simulation simulation(kArm);
  simulation.robot("arm").motor("shoulder").set_position(0.6);
  simulation.step(40);
  simulation.solid("arm").set_pose({{}, {0.25, 0.5, 0.75}});  // part of a state, too
  const std::vector<std::byte> bytes = simulation.save_bytes();
  simulation.step(60);
  const std::uint64_t after = simulation.state_hash();
  simulation.restore_bytes(bytes);
  EXPECT_EQ(simulation.step_count(), 40);
  simulation.step(60);
  EXPECT_EQ(simulation.state_hash(), after);
  Simulation twin = simulation.clone();
  twin.restore_bytes(bytes);
  twin.step(60);
  EXPECT_EQ(twin.state_hash(), after);
  EXPECT_EQ(twin.save_bytes().size(), bytes.size());
}

TEST(StateBytes, MayStandAnywhere) {
  Simulation simulation(kArm);
  simulation.step(20);
  const std::vector<std::byte> bytes = simulation.save_bytes();
  const std::uint64_t hash = simulation.state_hash();
  std::vector<std::byte> moved(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), moved.begin() + 1);
  simulation.step(20);
  ASSERT_NE(simulation.state_hash(), hash);
  simulation.restore_bytes(std::span(moved).subspan(1));
  EXPECT_EQ(simulation.state_hash(), hash);
}

TEST(StateBytes, EveryChangedOrMissingByteIsNoticed) {
  Simulation simulation(kArm);
  simulation.step(5);
  const std::vector<std::byte> bytes = simulation.save_bytes();
  const std::uint64_t hash = simulation.state_hash();
  for (std::size_t i = 0; i < bytes.size(); i += i < 40 ? 1 : 7) {
    std::vector<std::byte> changed = bytes;
    changed[i] ^= std::byte{0x21};
    EXPECT_NE(refusal_of(simulation, changed), "accepted") << i;
    EXPECT_NE(refusal_of(simulation, std::span(bytes).first(i)), "accepted") << i;
  }
  EXPECT_EQ(simulation.state_hash(), hash);
  EXPECT_EQ(refusal_of(simulation, bytes), "accepted");
}

TEST(StateBytes, AnotherSimulationRefuses) {
  Simulation simulation(kArm);
  Simulation other(kArm);
  EXPECT_NE(refusal_of(other, simulation.save_bytes()).find("another simulation"),
            std::string::npos);
}

}  // namespace
}  // namespace servosim
