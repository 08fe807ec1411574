// SPDX-License-Identifier: Apache-2.0
// Emitters and receivers from C++, and what the C API cannot show: old axes, saved states, noise.
#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

// A robot that sends and one that receives, both at the origin.
std::string world(const std::string& emitters, const std::string& receivers,
                  const std::string& version = "R2023b") {
  return "#VRML_SIM " + version + " utf8\nWorldInfo { basicTimeStep 10 }\n" +
         "Robot { name \"mouth\" children [ " + emitters + " ] }\n" +
         "Robot { name \"ear\" children [ " + receivers + " ] }\n";
}

double now_ms(const Simulation& simulation) { return 1000.0 * simulation.time(); }

bool say(Simulation& simulation, const std::string& text, int channel = 0, double range = -1.0) {
  return simulation.robot(0).emitter("emitter").send(as_bytes(text), channel, range,
                                                     now_ms(simulation));
}

Receiver& listen(Simulation& simulation, const char* name = "receiver") {
  Receiver& receiver = simulation.robot(1).receiver(name);
  receiver.enable(10, now_ms(simulation));
  return receiver;
}

std::string text_of(const Packet& packet) { return std::string(as_text(packet.data)); }

TEST(Radio, ConesPointAlongTheAxisOfTheirTime) {
  const std::string emitter = "Emitter { type \"infra-red\" aperture 0.2 }";
  const std::string receivers =
      "Receiver { name \"x\" type \"infra-red\" translation 3 0 0 } "
      "Receiver { name \"z\" type \"infra-red\" translation 0 0 3 }";
  for (const auto& [version, hears_x] : {std::pair("R2023b", true), std::pair("R2021b", false)}) {
    Simulation simulation = Simulation::from_text(world(emitter, receivers, version));
    const Receiver& x = listen(simulation, "x");
    const Receiver& z = listen(simulation, "z");
    ASSERT_TRUE(say(simulation, "light"));
    simulation.step();
    EXPECT_EQ(x.queue().size(), hears_x ? 1u : 0u) << version;
    EXPECT_EQ(z.queue().size(), hears_x ? 0u : 1u) << version;
  }
}

// The lamp shines along +x, half a radian to each side.
TEST(Radio, InfraRedNeedsBothConesAndAFreeWay) {
  const std::string kind = " type \"infra-red\" ";
  Simulation simulation = Simulation::from_text(
      world("Emitter { aperture 1" + kind + "}",
            "Receiver { name \"front\" translation 2 0.5 0" + kind +
                "} Receiver { name \"side\" translation 2 2 0" + kind +
                "} Receiver { name \"turned\" translation 2 -0.5 0 aperture 1" + kind +
                "} Receiver { name \"hidden\" translation 4 -1 0" + kind +
                "} Receiver { name \"facing\" translation 1 0 0 rotation 0 0 1 "
                "3.141592653589793 aperture 0.1" +
                kind + "} Receiver { name \"waves\" translation 1 0 0 }") +
      "Solid { translation 3 -0.75 0 boundingObject Box { size 0.3 0.3 0.3 } }");
  const auto heard = [&](const char* name) { return listen(simulation, name).queue().size(); };
  for (const char* name : {"front", "side", "turned", "hidden", "facing", "waves"}) {
    listen(simulation, name);
  }
  ASSERT_TRUE(say(simulation, "light"));
  simulation.step();
  EXPECT_EQ(heard("front"), 1u);
  EXPECT_EQ(heard("facing"), 1u);
  EXPECT_EQ(heard("side"), 0u);
  EXPECT_EQ(heard("turned"), 0u) << "it looks away";
  EXPECT_EQ(heard("hidden"), 0u) << "a box stands before it";
  EXPECT_EQ(heard("waves"), 0u) << "another medium";
}

TEST(Radio, APacketKeepsItsChannelAndItsRange) {
  Simulation simulation = Simulation::from_text(
      world("Emitter { maxRange 5 }",
            "Receiver { name \"near\" translation 0 2 0 channel 1 } Receiver { name \"far\" "
            "translation 0 4 0 channel 1 } Receiver { name \"all\" translation 0 1 0 channel -1 "
            "} Receiver { name \"other\" translation 0 1 0 channel 2 }"));
  const std::vector<const char*> names{"near", "far", "all", "other"};
  for (const char* name : names) {
    listen(simulation, name);
  }
  const auto heard = [&](int channel, double range) {
    EXPECT_TRUE(say(simulation, "x", channel, range));
    simulation.step();
    std::string who;
    for (const char* name : names) {
      Receiver& receiver = simulation.robot(1).receiver(name);
      for (; !receiver.queue().empty(); receiver.take()) {
        who += std::string(name) + " ";
      }
    }
    return who;
  };
  EXPECT_EQ(heard(1, 3.0), "near all ");
  EXPECT_EQ(heard(1, 9.0), "near far all ");
  EXPECT_EQ(heard(1, 1.0), "all ");
  EXPECT_EQ(heard(2, -1.0), "all other ");
  EXPECT_EQ(heard(-1, -1.0), "near far all other ");
  EXPECT_EQ(heard(3, -1.0), "all ");
}

TEST(Radio, StrengthAndDirectionAreThoseAtTheReceiver) {
  Simulation simulation = Simulation::from_text(
      world("Emitter { }",
            "Receiver { translation 2 0 0 rotation 0 0 1 1.5707963267948966 } "
            "Receiver { name \"same\" }"));
  const Receiver& turned = listen(simulation);
  const Receiver& same = listen(simulation, "same");
  ASSERT_TRUE(say(simulation, "x"));
  simulation.step();
  ASSERT_EQ(turned.queue().size(), 1u);
  EXPECT_NEAR(turned.queue().front().signal_strength, 0.25, 1e-12);
  // The emitter is at -x of it, which is +y in a frame turned by a quarter.
  EXPECT_NEAR(norm(turned.queue().front().direction - Vec3{0.0, 1.0, 0.0}), 0.0, 1e-12);
  ASSERT_EQ(same.queue().size(), 1u);
  EXPECT_NEAR(same.queue().front().signal_strength, 1e12, 1.0) << "as from a micrometre";
  EXPECT_EQ(same.queue().front().direction, Vec3{});
}

// The ear turns by 5 rad/s and the mouth flies by 2 m/s while the packet is on its way.
TEST(Radio, TheDirectionIsThatAfterTheStep) {
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 10 gravity 0 }\n"
      "Robot { name \"mouth\" translation 3 0 0 linearVelocity 0 2 0 children [ Emitter { } ] }\n"
      "Robot { name \"ear\" angularVelocity 0 0 5 children [ Receiver { } ] }\n");
  Receiver& receiver = listen(simulation);
  ASSERT_TRUE(say(simulation, "x"));
  ASSERT_TRUE(say(simulation, "y"));
  simulation.step();
  for (int packets = 0; packets < 2; ++packets) {
    ASSERT_FALSE(receiver.queue().empty());
    const Packet packet = receiver.take();
    const double angle = std::atan2(0.02, 3.0) - 0.05;
    EXPECT_NEAR(norm(packet.direction - Vec3{std::cos(angle), std::sin(angle), 0.0}), 0.0, 1e-12);
    EXPECT_NEAR(packet.signal_strength, 1.0 / 9.0, 1e-12) << "that of the beginning";
  }
}

// The mouth flies at 20 m/s: it leaves the cones of one ear and the range of the other, and comes
// into those of two more.
TEST(Radio, ConesAndRangesAreThoseAfterTheStep) {
  const auto ear = [](const char* name, const char* type, double x, double y) {
    return std::string("Robot { name \"") + name + "\" translation " + std::to_string(x) + ' ' +
           std::to_string(y) + " 0 children [ Receiver { type \"" + type + "\" } ] }\n";
  };
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 10 gravity 0 }\n"
      "Robot { name \"mouth\" linearVelocity 0 20 0 children [ Emitter { type \"infra-red\" "
      "aperture 0.1 range 3.5 } Emitter { name \"radio\" range 3.001 } ] }\n" +
      ear("lit", "infra-red", 3.0, 0.25) + ear("dark", "infra-red", 3.0, 0.0) +
      ear("near", "radio", 0.0, 3.1) + ear("far", "radio", 0.0, -2.9));
  for (int robot = 1; robot <= 4; ++robot) {
    simulation.robot(robot).receiver("receiver").enable(10, 0.0);
  }
  for (const char* name : {"emitter", "radio"}) {
    Emitter& emitter = simulation.robot(0).emitter(name);
    ASSERT_TRUE(emitter.send(as_bytes("x"), 0, emitter.range(), 0.0));
  }
  simulation.step();
  const auto heard = [&](int robot) {
    return simulation.robot(robot).receiver("receiver").queue().size();
  };
  EXPECT_EQ(heard(1), 1u) << "in the cone now";
  EXPECT_EQ(heard(2), 0u) << "in the cone before";
  EXPECT_EQ(heard(3), 1u) << "within the range now";
  EXPECT_EQ(heard(4), 0u) << "within the range before";
}

// 5 bytes of 10 bits at 1000 bit/s take 50 ms: they are there at the end of the fifth step.
TEST(Radio, ABaudRateTakesTime) {
  Simulation simulation = Simulation::from_text(
      world("Emitter { baudRate 1000 byteSize 10 bufferSize 8 }", "Receiver { bufferSize 6 }"));
  Receiver& receiver = listen(simulation);
  ASSERT_TRUE(say(simulation, "12345"));
  for (int steps = 1; steps <= 5; ++steps) {
    EXPECT_FALSE(say(simulation, "1234")) << "5 of 8 bytes wait";
    EXPECT_TRUE(receiver.queue().empty()) << steps;
    simulation.step();
  }
  EXPECT_EQ(receiver.queue().size(), 1u);
  EXPECT_TRUE(say(simulation, "12"));
  simulation.step(2);
  EXPECT_EQ(receiver.queue().size(), 1u) << "there is no room for two bytes more";
  receiver.take();
  EXPECT_TRUE(say(simulation, "12"));
  simulation.step(2);
  EXPECT_EQ(receiver.queue().size(), 1u);
}

TEST(Radio, ARobotDoesNotHearItself) {
  Simulation simulation = Simulation::from_text(
      world("Emitter { } Receiver { translation 1 0 0 } Robot { translation 0 1 0 children "
            "Receiver { } }",
            "Receiver { translation 1 0 0 }"));
  Receiver& own = simulation.robot(0).receiver("receiver");
  own.enable(10, 0.0);
  const Receiver& other = listen(simulation);
  ASSERT_TRUE(say(simulation, "x"));
  simulation.step();
  EXPECT_TRUE(own.queue().empty());
  EXPECT_EQ(other.queue().size(), 1u);
}

TEST(Radio, AnEmitterRemembersItsChannelAndRange) {
  Simulation simulation = Simulation::from_text(world("Emitter { channel 3 maxRange 5 }", ""));
  Emitter& emitter = simulation.robot(0).emitter("emitter");
  EXPECT_EQ(emitter.channel(), 3);
  EXPECT_EQ(emitter.range(), 5.0);
  const SimulationState state = simulation.save();
  const std::uint64_t hash = simulation.state_hash();
  emitter.set_channel(-1);
  EXPECT_NE(simulation.state_hash(), hash);
  emitter.set_range(2.5);
  EXPECT_THROW(emitter.set_channel(-2), std::invalid_argument);
  EXPECT_THROW(emitter.set_range(-2.0), std::invalid_argument);
  EXPECT_THROW(emitter.set_range(std::nan("")), std::invalid_argument);
  EXPECT_EQ(emitter.channel(), -1);
  EXPECT_EQ(emitter.range(), 2.5);
  emitter.set_range(7.5);
  EXPECT_EQ(emitter.range(), 5.0);
  simulation.restore(state);
  EXPECT_EQ(emitter.channel(), 3);
  EXPECT_EQ(simulation.state_hash(), hash);
}

TEST(Radio, WhatItsControllerSetStaysUntilTheTreeChangesIt) {
  const auto text = [](const std::string& emitter, const std::string& receiver) {
    return world("Emitter { " + emitter + " }", "Receiver { " + receiver + " }");
  };
  Simulation simulation = Simulation::from_text(text("", "channel 2"));
  const auto change = [&](const std::string& to) {
    Diagnostics diagnostics;
    WorldControl(simulation)
        .rebuild(std::make_shared<const wbt::WorldFile>(
            wbt::read_world_text(to, "world", ".", {}, diagnostics)));
  };
  Emitter& emitter = simulation.robot(0).emitter("emitter");
  Receiver& receiver = simulation.robot(1).receiver("receiver");
  emitter.set_channel(4);
  emitter.set_range(6.0);
  receiver.set_channel(5);
  change(text("maxRange 9", "channel 2 bufferSize 64"));
  EXPECT_EQ(emitter.channel(), 4);
  EXPECT_EQ(emitter.range(), 6.0);
  EXPECT_EQ(receiver.channel(), 5);
  change(text("maxRange 3", "channel 2"));
  EXPECT_EQ(emitter.range(), 3.0) << "as far as it may";
  change(text("channel 7 range 1.5 maxRange 3", "channel 8"));
  EXPECT_EQ(emitter.channel(), 7);
  EXPECT_EQ(emitter.range(), 1.5);
  EXPECT_EQ(receiver.channel(), 8);
}

TEST(Radio, GoesOnFromASavedState) {
  Simulation simulation =
      Simulation::from_text(world("Emitter { baudRate 1000 }",
                                  "Receiver { translation 0 5 0 signalStrengthNoise 0.3 "
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
    Receiver& there = each->robot(1).receiver("receiver");
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

// It is delivered in the step, whose physics then fails. The first one waits for its sample.
TEST(Radio, APacketOfAStepThatFailedLeavesNothing) {
  const std::string text = world("Emitter { }",
                                 "Receiver { translation 0 5 0 directionNoise 0.1 "
                                 "signalStrengthNoise 0.3 }") +
                           "Solid { boundingObject Sphere { } physics Physics { } }";
  const auto begin = [](Simulation& simulation) {
    simulation.robot(1).receiver("receiver").enable(30, 0.0);
    ASSERT_TRUE(say(simulation, "first"));
    simulation.step();
  };
  const auto received = [](Simulation& simulation) {
    simulation.step(2);
    return simulation.robot(1).receiver("receiver").queue();
  };
  Simulation undisturbed = Simulation::from_text(text);
  begin(undisturbed);
  const std::list<Packet> expected = received(undisturbed);
  ASSERT_EQ(expected.size(), 1u);
  Simulation simulation = Simulation::from_text(text);
  begin(simulation);
  const SimulationState state = simulation.save();
  for (int packets = 1; packets < 4; ++packets) {              // at last more than are saved
    simulation.solid(2).set_velocity({{2e10, 0.0, 0.0}, {}});  // more than can be simulated
    for (int k = 0; k < packets; ++k) {
      ASSERT_TRUE(say(simulation, "lost"));
    }
    EXPECT_THROW(simulation.step(), Diverged);
    simulation.restore(state);
    const std::list<Packet> packet = received(simulation);
    ASSERT_EQ(packet.size(), 1u);
    EXPECT_EQ(text_of(packet.front()), "first");
    EXPECT_EQ(packet.front().direction, expected.front().direction);
    EXPECT_EQ(simulation.state_hash(), undisturbed.state_hash());
    simulation.restore(state);
  }
}

TEST(Radio, BuffersAreBoundedAndPowerIsNeeded) {
  Simulation simulation = Simulation::from_text(
      world("Emitter { maxRange 2 }",
            "Receiver { translation 0 1 0 } Receiver { name \"far\" translation 0 3 0 }"));
  const Receiver& receiver = listen(simulation);
  const Receiver& far = listen(simulation, "far");
  EXPECT_FALSE(say(simulation, ""));
  EXPECT_FALSE(say(simulation, std::string(kMaxRadioBytes + 1, 'x')));
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
  EXPECT_THROW(simulation.robot(1).receiver("far").set_channel(-2), std::invalid_argument);
  EXPECT_THROW(simulation.robot(1).receiver("none"), std::out_of_range);
}

TEST(Radio, BadFieldsAreReplaced) {
  const Simulation simulation = Simulation::from_text(
      world("Emitter { type \"laser\" range 9 maxRange 4 baudRate 0 channel -4 aperture 7 }",
            "Receiver { bufferSize -7 directionNoise -1 }"));
  EXPECT_EQ(simulation.diagnostics().size(), 7u);
}

TEST(Radio, WhatIsOnItsWayIsInTheHash) {
  Simulation simulation =
      Simulation::from_text(world("Emitter { baudRate 1000 }", "Receiver { translation 0 5 0 }"));
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
