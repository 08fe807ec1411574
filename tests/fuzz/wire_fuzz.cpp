// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: messages for the ports of a control board. The input is a sequence of messages,
// each after two bytes: its length, and flags for the port, for text, and for a step before it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "servosim/yarp/control_board.h"
#include "yarp/server/dispatcher.h"

namespace {

using namespace servosim;
using yarp::Bottle;
using yarp::Generation;

constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 gravity 0 physicsDisableTime 0 }
Robot {
  name "r"
  children [
    HingeJoint {
      device RotationalMotor { name "a" maxTorque 20 }
      endPoint Solid {
        name "x"
        boundingObject Box { size 0.6 0.2 0.1 }
        physics Physics { }
      }
    }
    SliderJoint {
      device LinearMotor { name "b" maxVelocity 3 }
      endPoint Solid { name "y" }
    }
  ]
}
)";

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

// Checks that every request has a reply that can be encoded, and that a refusal has an error text.
void check(const yarp::server::Dispatcher::Outcome& outcome, Generation generation) {
  const auto* const reply = std::get_if<Bottle>(&outcome.reply);
  if (reply == nullptr) {
    must(generation == Generation::V4);
    return;
  }
  must(!reply->empty());
  const auto* const list = yarp::as_list(reply->items[0]);
  const yarp::BottleValue& word = list ? list->items.at(0) : reply->items[0];
  must(outcome.warning.empty() || word == yarp::BottleValue(yarp::Vocab("fail")) ||
       yarp::vocab_text(yarp::as_vocab(word).value_or(0)).starts_with("err"));
  Writer writer;
  encode_bottle(writer, *reply, generation);
  must(std::holds_alternative<Bottle>(decode_bottle(writer.bytes(), generation)));
}

void step(Simulation& simulation, yarp::ControlBoard& board) {
  board.before_step();
  simulation.step();
  yarp::BoardReadings readings;
  board.read(readings);
  must(readings.encoders.size() == 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  static Simulation simulation = Simulation::from_text(kWorld);
  simulation.reset();
  yarp::BoardConfig config;
  config.notice = [](std::string_view) {};
  yarp::ControlBoard board(simulation, "r", config);
  const Generation generation = data[0] & 1 ? Generation::V4 : Generation::V3;
  const yarp::server::Timeline timeline(simulation);
  yarp::server::Dispatcher dispatcher(timeline, board, generation);
  Bytes bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  while (bytes.size() >= 2) {
    const auto how = std::to_integer<unsigned>(bytes[0]);
    const auto length = std::to_integer<std::size_t>(bytes[1]);
    bytes = bytes.subspan(2);
    const Bytes message = bytes.first(std::min(length, bytes.size()));
    bytes = bytes.subspan(message.size());
    if (how & 4) {
      step(simulation, board);
    }
    const auto decoded =
        how & 1 ? decode_bottle(message, generation) : yarp::parse_bottle(as_text(message));
    if (const auto* bottle = std::get_if<Bottle>(&decoded)) {
      check(how & 2 ? dispatcher.streamed(*bottle) : dispatcher.request(*bottle), generation);
    }
  }
  step(simulation, board);
  return 0;
}
