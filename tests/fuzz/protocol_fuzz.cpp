// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a controller that sends arbitrary bytes. The input is a sequence of messages,
// each with a length of two bytes. A valid hello precedes them, so that not all of them are
// refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "controller_api/protocol/protocol.h"
#include "controller_api/server/session.h"
#include "fuzz/fuzz_world.h"

namespace {

using namespace servosim;

constexpr int kMaxStep = 50;  // in basic steps

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

// Checks that the reply to a well-formed request is well-formed.
void check_reply(Bytes bytes) {
  Reader readings({});
  const SimulationReply reply = decode_reply(bytes, readings);
  must(!std::holds_alternative<ProtocolError>(reply));
  Reading reading;
  while (readings.left() > 0) {
    must(next_reading(readings, reading));
    must(reading.tag <= 9);
    WelcomeDevice setup;
    must(reading.kind != ReadingKind::Setup || decode_setup(reading.text, setup));
  }
}

// Returns whether the request would write files.
bool saves_the_world(Bytes message) {
  std::vector<DeviceCommand> commands;
  const Request request = decode_request(message, commands);
  const SupervisorRequest* asked = std::get_if<SupervisorRequest>(&request);
  return asked != nullptr && asked->kind == SupervisorRequestKind::SaveWorld;
}

bool serve(Simulation& simulation, Session& session, Bytes message) {
  if (saves_the_world(message)) {
    return true;
  }
  switch (session.receive(message)) {
    case Session::Outcome::Pending:
      for (int i = 0; i < kMaxStep && session.pending(); ++i) {
        simulation.step();
        session.after_step();
      }
      if (session.pending()) {
        session.ending_answer();
      }
      check_reply(session.reply());
      return true;
    case Session::Outcome::Answered:
    case Session::Outcome::Quit:
      check_reply(session.reply());
      return true;
    case Session::Outcome::Garbage:
      must(!session.error().empty());
      check_reply(session.reply());
      return false;
    case Session::Outcome::Bye:
      return false;
  }
  return false;
}

// A client reads arbitrary bytes as a response, too.
void read_as_reply(Bytes bytes) {
  Reader readings({});
  decode_reply(bytes, readings);
  Reading reading;
  while (readings.left() > 0 && next_reading(readings, reading)) {
    WelcomeDevice setup;
    decode_setup(reading.text, setup);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes input(reinterpret_cast<const std::byte*>(data), size);
  read_as_reply(input);
  try {
    Simulation simulation = fuzz::load_world();
    Session session(simulation, 0);
    Writer hello;
    encode_hello(hello, Hello{});
    bool alive = serve(simulation, session, hello.bytes());
    while (alive && input.size() >= 2) {
      const std::size_t asked =
          std::to_integer<std::size_t>(input[0]) | std::to_integer<std::size_t>(input[1]) << 8;
      const std::size_t length = std::min(asked, input.size() - 2);
      alive = serve(simulation, session, input.subspan(2, length));
      input = input.subspan(2 + length);
    }
  } catch (const StepFailed&) {
    // A controller may make its simulation diverge. That is an answer, not a crash.
  }
  return 0;
}
