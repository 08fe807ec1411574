// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: servos of each model on a bus that get any bytes, and move in between. The
// first byte of the input selects the model; each byte FE of the rest is a step instead.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bus/protocol/packet.h"
#include "bus/servo/bench_plant.h"
#include "bus/servo/servo_bus.h"
#include "servo_models/catalogue.h"

namespace {

using namespace servosim;
using namespace servosim::bus;

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

// Adds the checksum that a packet needs, so that most inputs reach the servos.
Octets framed(const Protocol& protocol, const std::uint8_t* data, std::size_t size) {
  return encode(protocol, BusPacket{false, static_cast<std::uint8_t>(data[0] % 4), data[1],
                                    Octets(data + 2, data + size)});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) {
    return 0;
  }
  static const std::vector<RegisterTable> tables = [] {
    std::vector<RegisterTable> all;
    for (const std::string& each : register_models()) {
      all.push_back(register_table(each));
    }
    return all;
  }();
  const RegisterTable& table = tables[data[0] % tables.size()];
  const std::string& model = table.model;
  const bool is_small = model.starts_with("XL330");
  static const ServoCatalogue catalogue;
  static std::map<std::string, std::shared_ptr<const ServoModel>> known;
  auto& numbers = known[model];
  if (numbers == nullptr) {
    numbers = catalogue.model(is_small ? model + "-T" : model);
  }
  const BusChoices choices;
  BenchPlant plant(numbers, bench_load_for(*numbers));
  ServoBus bus(*table.protocol, choices);
  bus.add(std::make_unique<BusServo>(table, plant, choices));
  std::vector<BusReply> replies;
  double now = 0.0;
  ++data;
  --size;
  while (size > 2) {
    // The length of a packet, then the packet; an odd length sends the bytes as they are.
    const std::size_t length = std::min<std::size_t>(2U + data[0] / 4, size - 1);
    ++data;
    --size;
    if (length < 2) {
      break;
    }
    replies.clear();
    if (length % 7 == 3) {
      bus.receive({data, length}, now, 0.0, replies);
    } else {
      bus.receive(framed(*table.protocol, data, length), now, 0.0, replies);
    }
    for (const BusReply& reply : replies) {
      must(std::isfinite(reply.at) && reply.at >= now && !reply.bytes.empty());
    }
    for (int i = 0; i < 3; ++i) {
      plant.step(0.002);
      bus.step(0.002);
    }
    const ServoSense sense = plant.sense();
    must(std::isfinite(sense.position) && std::isfinite(sense.velocity) &&
         std::isfinite(sense.reading.current));
    now = std::max(now, bus.free_at()) + 0.006;
    data += length;
    size -= length;
  }
  return 0;
}
