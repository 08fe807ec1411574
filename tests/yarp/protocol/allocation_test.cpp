// SPDX-License-Identifier: Apache-2.0
// Sizes that a message announces take no memory. Only bytes that have arrived do.
#include <fmt/format.h>

#include "support/counted_malloc.h"
#include "yarp/ports/input_connection.h"
#include "yarp/ports/output_connection.h"
#include "yarp/ports/test_support.h"
#include "yarp/protocol/message.h"
#include "yarp/protocol/streaming.h"

namespace servosim::yarp {
namespace {

// The largest amount is a BottleValue for each byte (a list of int8), and the queue, which has a
// copy and may double. The rest is for error texts.
constexpr std::size_t kPerByte = sizeof(BottleValue) + 16;
constexpr std::size_t kApart = 2048;

std::size_t allocated_by(const auto& work) {
  const std::size_t before = test::allocated_bytes;
  work();
  return test::allocated_bytes - before;
}

void decode_all(const std::string& bytes) {
  for (const Generation generation : {Generation::V3, Generation::V4}) {
    decode_bottle(as_bytes(bytes), generation);
  }
}

template <typename Ear>
void hear_all(Ear&& ear, const std::string& bytes) {
  ear.feed(as_bytes(bytes));
  for (auto event = ear.next(); event.index() != 0 && !is_error(event); event = ear.next()) {
  }
}

TEST(YarpAllocations, AreCounted) {
  EXPECT_GE(allocated_by([] { decode_all(golden::kSetMode); }), 5 * sizeof(BottleValue));
}

TEST(YarpAllocations, DamagedMessagesTakeNoMoreThanTheirBytes) {
  Writer udp;
  encode_datagram(udp, as_bytes(golden::kSetModeMessage), 0);
  const std::string opened = golden::kHandshake + golden::kSetModeMessage;
  std::size_t most = 0;
  const auto check = [&](const std::string& whole, const auto& hear) {
    with_every_damage(whole, [&](const std::string& bytes) {
      const std::size_t allocated = allocated_by([&] { hear(bytes); });
      EXPECT_LE(allocated, 2 * kPerByte * bytes.size() + kApart) << bytes;
      most = std::max(most, allocated);
    });
  };
  check(golden::kSetMode, decode_all);
  check(golden::kProtocolVersionV4, decode_all);
  check(opened, [](const std::string& bytes) { hear_all(Incoming(), bytes); });
  check(text_of(udp), [](const std::string& bytes) { hear_all(DatagramReader(), bytes); });
  check(golden::kSetMode, [](const std::string& bytes) {
    Outgoing outgoing(Carrier::FastTcp, Generation::V3);
    hear_all(outgoing, golden::kAnswer);
    outgoing.sent({PortCommand::Data, true, {}});
    hear_all(outgoing, bytes);
  });
  EXPECT_GT(most, 100u);
}

TEST(YarpAllocations, HugeClaimsTakeNothing) {
  for (const char* const dump :
       {"20 01 00 00 00 ff 00 00", "01 01 00 00 00 ff 00 00 01 00 00 00",
        "00 01 00 00 00 ff 00 00 00 01 00 00 00 ff 00 00", "0c 01 00 00 01 00 00 00 00 00 10 00"}) {
    EXPECT_LE(allocated_by([&] { decode_all(hex(dump)); }), kApart) << dump;
  }
}

// The state of 32 joints is published every few milliseconds, into memory that exists already.
TEST(YarpAllocations, AStateIsWrittenWithoutAny) {
  const std::vector<double> numbers(32, 12.5);
  const std::vector<std::int32_t> modes(32, vocab("pos"));
  JointStates states;
  for (auto* quantity :
       {&states.positions, &states.velocities, &states.accelerations, &states.motor_positions,
        &states.motor_velocities, &states.motor_accelerations, &states.torques, &states.duty_cycles,
        &states.currents, &states.temperatures}) {
    *quantity = {numbers, true};
  }
  states.control_modes = states.interaction_modes = {modes, true};
  Writer writer;
  const auto write = [&] {
    writer.clear();
    const MessageMark mark = begin_message(writer, Carrier::Tcp, {PortCommand::Data, false, {}});
    encode_joint_states(writer, states, Generation::V3);
    end_message(writer, Carrier::Tcp, mark);
  };
  write();
  EXPECT_EQ(allocated_by(write), 0u);
}

}  // namespace
}  // namespace servosim::yarp
