// SPDX-License-Identifier: Apache-2.0
#include "bus/protocol/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace servosim::bus {
namespace {

// Reads parameters from the front; after a read beyond their end ok() is false.
class ParameterReader {
 public:
  ParameterReader(const Protocol& protocol, std::span<const std::uint8_t> bytes)
      : is_wide_(protocol.is_wide), bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size(); }
  std::uint8_t id() { return static_cast<std::uint8_t>(octet()); }
  /// An address or a count: a byte or a word.
  std::uint16_t number() {
    const unsigned low = octet();
    return static_cast<std::uint16_t>(is_wide_ ? low + 256U * octet() : low);
  }
  Octets take(std::size_t count) {
    if (count > bytes_.size()) {
      ok_ = false;
      return {};
    }
    const Octets taken(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
    bytes_ = bytes_.subspan(count);
    return taken;
  }

 private:
  unsigned octet() {
    if (bytes_.empty()) {
      ok_ = false;
      return 0;
    }
    const unsigned value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }

  bool is_wide_;
  std::span<const std::uint8_t> bytes_;
  bool ok_ = true;
};

class ParameterWriter {
 public:
  ParameterWriter(const Protocol& protocol, Octets& bytes)
      : is_wide_(protocol.is_wide), bytes_(bytes) {}

  void id(std::uint8_t value) { bytes_.push_back(value); }
  void number(std::uint16_t value) {
    if (!is_wide_ && value > 0xFF) {
      throw std::invalid_argument(
          fmt::format("an address or a count of this protocol is at most 255, not {}", value));
    }
    bytes_.push_back(static_cast<std::uint8_t>(value));
    if (is_wide_) {
      bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
    }
  }
  void data(const Octets& values) { bytes_.insert(bytes_.end(), values.begin(), values.end()); }

 private:
  bool is_wide_;
  Octets& bytes_;
};

void read_sync(ParameterReader& reader, bool writes, std::vector<RegisterAccess>& accesses) {
  const std::uint16_t address = reader.number();
  const std::uint16_t count = reader.number();
  while (reader.ok() && reader.left() > 0) {
    RegisterAccess access{reader.id(), address, count, {}};
    if (writes) {
      access.data = reader.take(count);
    }
    accesses.push_back(std::move(access));
  }
}

void read_bulk(const Protocol& protocol, ParameterReader& reader, bool writes,
               std::vector<RegisterAccess>& accesses) {
  if (!protocol.is_wide) {
    reader.id();  // 0
  }
  while (reader.ok() && reader.left() > 0) {
    RegisterAccess access;
    if (protocol.is_wide) {
      access.id = reader.id();
      access.address = reader.number();
      access.count = reader.number();
    } else {
      access.count = reader.number();
      access.id = reader.id();
      access.address = reader.number();
    }
    if (writes) {
      access.data = reader.take(access.count);
    }
    accesses.push_back(std::move(access));
  }
}

void write_bulk(const Protocol& protocol, ParameterWriter& writer, const BusRequest& request) {
  if (!protocol.is_wide) {
    writer.id(0);
  }
  for (const RegisterAccess& access : request.accesses) {
    if (protocol.is_wide) {
      writer.id(access.id);
      writer.number(access.address);
      writer.number(access.count);
    } else {
      writer.number(access.count);
      writer.id(access.id);
      writer.number(access.address);
    }
    writer.data(access.data);
  }
}

}  // namespace

std::optional<BusRequest> read_request(const Protocol& protocol, const BusPacket& packet) {
  const InstructionCode* const code = protocol.find_code(packet.code);
  if (code == nullptr || packet.is_status) {
    return std::nullopt;
  }
  BusRequest request;
  request.instruction = code->instruction;
  request.id = packet.id;
  ParameterReader reader(protocol, packet.parameters);
  switch (code->shape) {
    case ParameterShape::Free:
      request.parameters = packet.parameters;
      return request;
    case ParameterShape::Read: {
      const std::uint16_t address = reader.number();
      request.accesses.push_back({packet.id, address, reader.number(), {}});
      break;
    }
    case ParameterShape::Write: {
      const std::uint16_t address = reader.number();
      Octets data = reader.take(reader.left());
      const auto count = static_cast<std::uint16_t>(data.size());
      request.accesses.push_back({packet.id, address, count, std::move(data)});
      if (count == 0) {
        return std::nullopt;
      }
      break;
    }
    case ParameterShape::SyncRead:
    case ParameterShape::SyncWrite:
      read_sync(reader, code->shape == ParameterShape::SyncWrite, request.accesses);
      break;
    case ParameterShape::BulkRead:
    case ParameterShape::BulkWrite:
      read_bulk(protocol, reader, code->shape == ParameterShape::BulkWrite, request.accesses);
      break;
  }
  return reader.ok() && reader.left() == 0 && !request.accesses.empty()
             ? std::optional(std::move(request))
             : std::nullopt;
}

BusPacket to_packet(const Protocol& protocol, const BusRequest& request) {
  const InstructionCode* const code = protocol.find(request.instruction);
  if (code == nullptr) {
    throw std::invalid_argument(fmt::format("{} has no such instruction", protocol.title));
  }
  BusPacket packet{false, request.id, code->code, {}};
  ParameterWriter writer(protocol, packet.parameters);
  if (code->shape == ParameterShape::Free) {
    packet.parameters = request.parameters;
    return packet;
  }
  if (request.accesses.empty()) {
    throw std::invalid_argument("this instruction needs registers");
  }
  const RegisterAccess& first = request.accesses.front();
  switch (code->shape) {
    case ParameterShape::Free:
      break;
    case ParameterShape::Read:
      writer.number(first.address);
      writer.number(first.count);
      break;
    case ParameterShape::Write:
      writer.number(first.address);
      writer.data(first.data);
      break;
    case ParameterShape::SyncRead:
    case ParameterShape::SyncWrite:
      writer.number(first.address);
      writer.number(first.count);
      for (const RegisterAccess& access : request.accesses) {
        if (access.address != first.address || access.count != first.count) {
          throw std::invalid_argument("all servos of a sync instruction have the same registers");
        }
        writer.id(access.id);
        writer.data(access.data);
      }
      break;
    case ParameterShape::BulkRead:
    case ParameterShape::BulkWrite:
      write_bulk(protocol, writer, request);
      break;
  }
  return packet;
}

}  // namespace servosim::bus
