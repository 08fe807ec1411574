// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/protocol/request.h"
#include "bus/registers/register_table.h"
#include "bus/servo/bench_plant.h"
#include "bus/servo/servo_bus.h"
#include "servo_models/catalogue.h"

namespace servosim::bus::test {

/// Servos on benches at a bus, and a client that asks them. Time passes only by step().
class BusRig {
 public:
  explicit BusRig(const std::string& model, int count = 1, const std::string& servo = "",
                  std::optional<int> firmware = std::nullopt, BusChoices chosen = {})
      : choices(chosen),
        table(register_table(model, firmware)),
        bus(*table.protocol, choices),
        answers_(*table.protocol, BusSide::Client) {
    const auto numbers = ServoCatalogue().model(servo.empty() ? model : servo);
    for (int i = 0; i < count; ++i) {
      benches.push_back(std::make_unique<BenchPlant>(numbers, bench_load_for(*numbers)));
      bus.add(std::make_unique<BusServo>(table, *benches.back(), choices));
      at(i).set(*table.find(RegisterRole::Id), i + 1);
    }
  }

  BusServo& at(int index) { return *bus.servos()[static_cast<std::size_t>(index)]; }
  BenchPlant& bench(int index = 0) { return *benches[static_cast<std::size_t>(index)]; }

  /// Sends a request, and returns all statuses.
  std::vector<BusPacket> ask(const BusRequest& request) {
    return send(encode(*table.protocol, to_packet(*table.protocol, request)));
  }
  std::vector<BusPacket> send(const Octets& bytes) {
    replies.clear();
    bus.receive(bytes, now, baud, replies);
    std::vector<BusPacket> packets;
    for (const BusReply& reply : replies) {
      answers_.feed(reply.bytes);
      while (const auto packet = answers_.next()) {
        EXPECT_TRUE(packet->is_intact);
        packets.push_back(packet->packet);
      }
    }
    now = std::max(now, bus.free_at());
    return packets;
  }
  std::optional<BusPacket> ask_one(const BusRequest& request) {
    const auto packets = ask(request);
    return packets.size() == 1 ? std::optional(packets[0]) : std::nullopt;
  }
  std::optional<BusPacket> ping(std::uint8_t id) {
    return ask_one({Instruction::Ping, id, {}, {}});
  }
  std::optional<BusPacket> read(std::uint16_t address, std::uint16_t count, std::uint8_t id = 1) {
    return ask_one({Instruction::Read, id, {{id, address, count, {}}}, {}});
  }
  /// Returns the error byte; -1 for silence.
  int write(std::uint16_t address, const Octets& data, std::uint8_t id = 1,
            Instruction how = Instruction::Write) {
    const auto count = static_cast<std::uint16_t>(data.size());
    const auto answer = ask_one({how, id, {{id, address, count, data}}, {}});
    return answer ? answer->code : -1;
  }

  const RegisterRow& row(const std::string& name) const {
    const RegisterRow* const found = table.find(name);
    EXPECT_NE(found, nullptr) << name;
    return *found;
  }
  Octets bytes_of(const RegisterRow& row, std::int64_t value) const {
    return row.encode(value, *table.protocol);
  }
  std::int64_t value_of(const RegisterRow& row, const Octets& bytes) const {
    return row.decode(bytes, *table.protocol);
  }
  int set(const std::string& name, std::int64_t value, std::uint8_t id = 1) {
    return write(row(name).address, bytes_of(row(name), value), id);
  }
  std::int64_t get(const RegisterRow& asked, std::uint8_t id = 1) {
    const auto answer = read(asked.address, asked.size, id);
    EXPECT_TRUE(answer.has_value()) << asked.name;
    return answer && answer->parameters.size() == asked.size ? value_of(asked, answer->parameters)
                                                             : -999999;
  }
  std::int64_t get(const std::string& name, std::uint8_t id = 1) { return get(row(name), id); }

  void step(double seconds, double h = 0.001) {
    for (int i = 0; i < std::lround(seconds / h); ++i) {
      for (const auto& each : benches) {
        each->step(h);
      }
      bus.step(h);
      now += h;
    }
  }

  BusChoices choices;
  RegisterTable table;
  ServoBus bus;
  std::vector<std::unique_ptr<BenchPlant>> benches;
  std::vector<BusReply> replies;
  double now = 10.0;
  double baud = 0.0;  // of the client; 0: not known

 private:
  PacketReader answers_;
};

}  // namespace servosim::bus::test
