// SPDX-License-Identifier: Apache-2.0
// Emitters and receivers from C++, and what the C API cannot show: old axes, saved states, noise.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "servosim/simulation.h"

namespace servosim {
namespace {

std::string world(const std::string& devices, const std::string& version = "R2023b") {
  return "#VRML_SIM " + version + " utf8\nWorldInfo { basicTimeStep 10 }\n" +
         "Robot { name \"r\" children [ " + devices + " ] }\n";
}

double now_ms(const Simulation& simulation) { return 1000.0 * simulation.time(); }

bool say(Simulation& simulation, const std::string& text, int channel = 0, double range = -1.0) {
  return simulation.robot(0).emitter("emitter").send(as_bytes(text), channel, range,
                                                     now_ms(simulation));
}

Receiver& listen(Simulation& simulation, const char* name = "receiver") {
  Receiver& receiver = simulation.robot(0).receiver(name);
  receiver.enable(10, now_ms(simulation));
  return receiver;
}

std::string text_of(const Packet& packet) { return std::string(as_text(packet.data)); }

TEST(Radio, ConesPointAlongTheAxisOfTheirTime) {
  const std::string devices =
      "Emitter { type \"infra-red\" aperture 0.2 } "
      "Receiver { name \"x\" type \"infra-red\" translation 3 0 0 } "
      "Receiver { name \"z\" type \"infra-red\" translation 0 0 3 }";
  for (const auto& [version, hears_x] : {std::pair("R2023b", true), std::pair("R2021b", false)}) {
    Simulation simulation = Simulation::from_text(world(devices, version));
    const Receiver& x = listen(simulation, "x");
    const Receiver& z = listen(simulation, "z");
    ASSERT_TRUE(say(simulation, "light"));
    simulation.step();
    EXPECT_EQ(x.queue().size(), hears_x ? 1u : 0u) << version;
    EXPECT_EQ(z.queue().size(), hears_x ? 0u : 1u) << version;
  }
}

TEST(Radio, GoesOnFromASavedState) {
  Simulation simulation = Simulation::from_text(
      world("Emitter { baudRate 1000 } Receiver { translation 0 5 0 signalStrengthNoise 0.3 "
            "directionNoise 0.1 }"));
  Receiver& receiver = listen(simulation);
  ASSERT_TRUE(say(simulation, "1"));   // 8 ms
  ASSERT_TRUE(say(simulation, "23"));  // 24 ms
  simulation.step();
  const SimulationState state = simulation.save();
  simulation.step(2);
  ASSERT_EQ(receiver.queue().size(), 2u);
  const Packet first = receiver.queue().back();
  EXPECT_EQ(simulation.robot(0).emitter("emitter").waiting_bytes(), 0u);
  simulation.restore(state);
  ASSERT_EQ(receiver.queue().size(), 1u);
  EXPECT_EQ(text_of(receiver.queue().front()), "1");
  EXPECT_EQ(simulation.robot(0).emitter("emitter").waiting_bytes(), 2u);
  Simulation twin = simulation.clone();
  for (Simulation* each : {&simulation, &twin}) {
    each->step(2);
    Receiver& there = each->robot(0).receiver("receiver");
    ASSERT_EQ(there.queue().size(), 2u);
    EXPECT_EQ(text_of(there.queue().back()), "23");
    EXPECT_EQ(there.queue().back().signal_strength, first.signal_strength);
    EXPECT_EQ(there.queue().back().direction, first.direction);
  }
  EXPECT_NE(first.signal_strength, 1.0 / 25.0);
  EXPECT_NEAR(norm(first.direction), 1.0, 1e-12);
  EXPECT_EQ(text_of(receiver.take()), "1");
  simulation.reset();
  EXPECT_TRUE(receiver.queue().empty());
}

TEST(Radio, BuffersAreBoundedAndPowerIsNeeded) {
  Simulation simulation =
      Simulation::from_text(world("Emitter { maxRange 2 } Receiver { translation 0 1 0 } Receiver "
                                  "{ name \"far\" translation 0 3 0 }"));
  const Receiver& receiver = listen(simulation);
  const Receiver& far = listen(simulation, "far");
  EXPECT_FALSE(say(simulation, ""));
  EXPECT_FALSE(say(simulation, std::string(kMostRadioBytes + 1, 'x')));
  ASSERT_TRUE(say(simulation, "near", 0, -1.0));
  simulation.step();
  EXPECT_EQ(receiver.queue().size(), 1u);
  EXPECT_TRUE(far.queue().empty());
  simulation.robot(0).set_power(false);
  ASSERT_TRUE(say(simulation, "lost"));
  simulation.step();
  simulation.robot(0).set_power(true);
  simulation.step();
  EXPECT_EQ(receiver.queue().size(), 1u);
  EXPECT_THROW(simulation.robot(0).receiver("far").set_channel(-2), std::invalid_argument);
  EXPECT_THROW(simulation.robot(0).receiver("none"), std::out_of_range);
}

TEST(Radio, BadFieldsAreReplaced) {
  const Simulation simulation = Simulation::from_text(
      world("Emitter { type \"laser\" range 9 maxRange 4 baudRate 0 channel -4 aperture 7 } "
            "Receiver { bufferSize -7 directionNoise -1 }"));
  EXPECT_EQ(simulation.diagnostics().size(), 7u);
}

TEST(Radio, WhatIsOnItsWayIsInTheHash) {
  const std::string devices = "Emitter { baudRate 1000 } Receiver { translation 0 5 0 }";
  Simulation simulation = Simulation::from_text(world(devices));
  Receiver& receiver = listen(simulation);
  const SimulationState silent = simulation.save();
  const auto hashes = [&](const std::string& text, int channel) {
    simulation.restore(silent);
    EXPECT_TRUE(say(simulation, text, channel));
    std::vector<std::uint64_t> found{simulation.state_hash()};
    simulation.step(2);
    found.push_back(simulation.state_hash());
    return found;
  };
  const std::vector<std::uint64_t> a = hashes("a", 0);
  EXPECT_EQ(receiver.queue().size(), 1u);
  EXPECT_EQ(hashes("a", 0), a);
  const std::vector<std::uint64_t> b = hashes("b", 0);
  EXPECT_NE(a[0], b[0]);
  EXPECT_NE(a[1], b[1]);
  EXPECT_NE(hashes("a", 1)[0], a[0]);
  hashes("a", 0);
  receiver.take();
  EXPECT_NE(simulation.state_hash(), a[1]);
  const std::uint64_t before = simulation.state_hash();
  receiver.set_channel(3);
  EXPECT_NE(simulation.state_hash(), before);
}

}  // namespace
}  // namespace servosim
