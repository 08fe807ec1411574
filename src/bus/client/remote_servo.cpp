// SPDX-License-Identifier: Apache-2.0
#include "bus/client/remote_servo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "base/text.h"

namespace servosim::bus {

namespace {

// The most bytes of one read, which packets of all protocols have room for.
constexpr std::size_t kMostPerRead = 128;
// Registers that are nearer to each other than that are read at once.
constexpr std::size_t kMostBetween = 16;

std::string spoken(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

std::uint32_t raw_of(const Octets& bytes, std::size_t at, std::size_t size, bool is_big_endian) {
  std::uint32_t raw = 0;
  for (std::size_t i = 0; i < size; ++i) {
    raw |= std::uint32_t{bytes[at + i]} << (8 * (is_big_endian ? size - 1 - i : i));
  }
  return raw;
}

Octets bytes_of(std::uint32_t raw, std::size_t size, bool is_big_endian) {
  Octets bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>(raw >> (8 * (is_big_endian ? size - 1 - i : i)));
  }
  return bytes;
}

// The name of the model with a number in a protocol; empty for none.
std::string model_with(int number, const Protocol& protocol) {
  for (const std::string& model : register_models()) {
    const RegisterTable table = register_table(model);
    if (table.protocol == &protocol && table.number == number && number != 0) {
      return model;
    }
  }
  return {};
}

// The number of bytes at an address of an unknown servo; nothing if it does not tell them.
std::optional<int> number_at(BusClient& client, std::uint8_t id, std::uint16_t address,
                             std::uint16_t size) {
  try {
    return static_cast<int>(
        raw_of(client.read(id, address, size), 0, size, client.protocol().is_big_endian));
  } catch (const BusError&) {
    return std::nullopt;
  }
}

}  // namespace

RemoteServo::RemoteServo(BusClient& client, std::uint8_t id, RegisterTable table)
    : client_(&client), id_(id), table_(std::move(table)) {}

const RegisterRow& RemoteServo::row(std::string_view name) const {
  const std::string wanted = spoken(name);
  std::vector<std::string_view> names;
  for (const RegisterRow& each : table_.rows) {
    if (spoken(each.name) == wanted) {
      return each;
    }
    names.push_back(each.name);
  }
  throw std::invalid_argument(fmt::format("{} has no register '{}'{}", table_.model,
                                          printable(name), did_you_mean(name, names)));
}

std::vector<RegisterValue> RemoteServo::read(const std::vector<const RegisterRow*>& rows) {
  std::vector<const RegisterRow*> by_address = rows;
  std::sort(by_address.begin(), by_address.end(),
            [](const RegisterRow* a, const RegisterRow* b) { return a->address < b->address; });
  std::vector<std::pair<const RegisterRow*, std::int64_t>> found;
  for (std::size_t i = 0; i < by_address.size();) {
    const std::uint16_t begin = by_address[i]->address;
    std::uint16_t end = by_address[i]->end();
    std::size_t next = i + 1;
    while (next < by_address.size() && by_address[next]->address <= end + kMostBetween &&
           by_address[next]->end() - begin <= static_cast<int>(kMostPerRead)) {
      end = std::max(end, by_address[next]->end());
      ++next;
    }
    const Octets bytes = client_->read(id_, begin, static_cast<std::uint16_t>(end - begin));
    for (; i < next; ++i) {
      const RegisterRow& row = *by_address[i];
      found.emplace_back(&row, row.decode(raw_of(bytes, row.address - begin, row.size,
                                                 client_->protocol().is_big_endian)));
    }
  }
  std::vector<RegisterValue> values;
  for (const RegisterRow* const row : rows) {
    const auto at = std::find_if(found.begin(), found.end(),
                                 [row](const auto& each) { return each.first == row; });
    values.push_back({row, at->second});
  }
  return values;
}

std::int64_t RemoteServo::read(const RegisterRow& row) { return read(std::vector{&row})[0].value; }

void RemoteServo::write(const RegisterRow& row, std::int64_t value) {
  const auto [least, most] = row.room();
  if (!row.is_writable) {
    throw std::invalid_argument(fmt::format("'{}' can only be read", row.name));
  }
  if (value < least || value > most) {
    throw std::invalid_argument(
        fmt::format("'{}' has room for {} to {}, not for {}", row.name, least, most, value));
  }
  client_->write(id_, row.address,
                 bytes_of(row.encode(value), row.size, client_->protocol().is_big_endian));
}

std::string quantity_text(const RegisterRow& row, std::int64_t value) {
  char* end = nullptr;
  const double factor = std::strtod(row.unit.c_str(), &end);
  if (end == row.unit.c_str() || row.unit.empty()) {
    return {};
  }
  return fmt::format("{:.4g}{}", static_cast<double>(value - row.zero) * factor, end);
}

IdentifiedServo identify(SerialPort& port, const FoundServo& found, const Protocol& protocol,
                         const std::vector<const Protocol*>& protocols) {
  IdentifiedServo servo{.protocol = &protocol, .found = found, .model = {}};
  if (protocol.is_wide) {
    servo.model = model_with(found.model.value_or(0), protocol);
    return servo;
  }
  for (const Protocol* const each : protocols) {
    if (each->is_wide) {
      continue;
    }
    BusClient client(port, *each);
    const bool is_dynamixel = each == &kDynamixel1;
    const auto number = number_at(client, found.id, is_dynamixel ? 0 : 3, 2);
    const std::string model = number ? model_with(*number, *each) : std::string();
    if (!model.empty() || protocols.size() == 1) {
      servo.protocol = each;
      servo.found.model = number;
      servo.found.firmware = is_dynamixel ? number_at(client, found.id, 2, 1) : std::nullopt;
      servo.model = model;
      break;
    }
  }
  return servo;
}

std::optional<IdentifiedServo> identify(SerialPort& port, std::uint8_t id,
                                        const std::vector<const Protocol*>& protocols) {
  bool has_asked = false;  // narrow protocols have one ping
  for (const Protocol* const each : protocols) {
    if (!each->is_wide && std::exchange(has_asked, true)) {
      continue;
    }
    if (const auto found = BusClient(port, *each).ping(id)) {
      return identify(port, *found, *each, protocols);
    }
  }
  return std::nullopt;
}

}  // namespace servosim::bus
