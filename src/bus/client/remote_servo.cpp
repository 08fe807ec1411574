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

// Bits of the register Hardware Error Status. The second one is of P.
constexpr std::string_view kHardwareErrors[] = {"input voltage", "hall sensor",      "overheating",
                                                "motor encoder", "electrical shock", "overload"};
constexpr std::string_view kXl320Errors[] = {"overload", "overheating", "input voltage"};

std::string spoken(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

// The number of bytes at an address of an unknown servo; nothing if it does not tell them.
std::optional<int> number_at(BusClient& client, std::uint8_t id, std::uint16_t address,
                             std::uint16_t size) {
  try {
    return static_cast<int>(number_of(client.read(id, address, size), client.protocol()));
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

// A servo may refuse bytes between registers.
std::vector<RegisterValue> RemoteServo::read_together(std::span<const RegisterRow* const> rows,
                                                      std::uint16_t begin, std::uint16_t count) {
  const Protocol& protocol = client_->protocol();
  std::vector<RegisterValue> values;
  try {
    const Octets bytes = client_->read(id_, begin, count);
    for (const RegisterRow* const row : rows) {
      const std::size_t at = std::size_t{row->address} - begin;
      values.push_back({row, row->decode(std::span(bytes).subspan(at, row->size), protocol)});
    }
  } catch (const BusRefusal&) {
    if (rows.size() < 2) {
      throw;
    }
    for (const RegisterRow* const row : rows) {
      const Octets bytes = client_->read(id_, row->address, row->size);
      values.push_back({row, row->decode(bytes, protocol)});
    }
  }
  return values;
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
    const std::span<const RegisterRow* const> together(by_address.data() + i, next - i);
    for (const RegisterValue& each :
         read_together(together, begin, static_cast<std::uint16_t>(end - begin))) {
      found.emplace_back(each.row, each.value);
    }
    i = next;
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

// At level 0 a Dynamixel servo answers no read either; at level 0 of Feetech and at level 1 it
// does.
bool RemoteServo::reads_that_writes_are_answered() {
  const RegisterRow* const row = table_.find(RegisterRole::StatusReturnLevel);
  if (row == nullptr) {
    return true;
  }
  const bool is_feetech = table_.protocol->is_feetech();
  try {
    const std::int64_t level = read(*row);
    answers_reads_ = true;
    return level >= (is_feetech ? 1 : 2);
  } catch (const BusError&) {
    if (is_feetech || !client_->ping(id_)) {
      throw;
    }
    answers_reads_ = false;
    return false;
  }
}

void RemoteServo::write(const RegisterRow& row, std::int64_t value) {
  const auto [least, most] = row.room();
  if (!row.is_writable) {
    throw std::invalid_argument(fmt::format("'{}' can only be read", row.name));
  }
  if (value < least || value > most) {
    throw std::invalid_argument(
        fmt::format("'{}' has room for {} to {}, not for {}", row.name, least, most, value));
  }
  if (!answers_writes_) {
    answers_writes_ = reads_that_writes_are_answered();
  }
  // Which of both levels a write of the level is answered by is not known.
  const bool is_level = row.role == RegisterRole::StatusReturnLevel;
  client_->write(id_, row.address, row.encode(value, client_->protocol()),
                 *answers_writes_ && !is_level);
  if (is_level) {
    answers_writes_.reset();
    answers_reads_ = table_.protocol->is_feetech() || value > 0;
  }
  if (row.role == RegisterRole::Id) {
    id_ = static_cast<std::uint8_t>(value);
  }
}

// Alarms of a servo do not depend on what it is asked.
std::string RemoteServo::alarm() {
  const std::uint8_t bits = client_->alarms(id_);
  if (bits == 0) {
    return {};
  }
  if (!client_->protocol().is_wide) {
    constexpr std::uint8_t kOverload = 0x20;
    const char* const end = (bits & kOverload) == 0 ? ""
                            : client_->protocol().is_feetech()
                                ? "; switch its power off and on"
                                : "; write its Torque Limit, or switch its power off and on";
    return fmt::format("servo {} has an alarm: {}{}", id_, client_->error_text(bits), end);
  }
  std::string text;
  if (const RegisterRow* const row = table_.find(RegisterRole::HardwareError)) {
    try {
      const std::int64_t errors = read(*row);
      const std::span<const std::string_view> names =
          table_.has(RegisterRole::GoalPwm) ? std::span<const std::string_view>(kHardwareErrors)
                                            : std::span<const std::string_view>(kXl320Errors);
      for (std::size_t bit = 0; bit < names.size(); ++bit) {
        if ((errors >> bit & 1) != 0) {
          text += fmt::format("{}{}", text.empty() ? ": " : ", ", names[bit]);
        }
      }
    } catch (const BusError&) {  // the status has told that there is one
    }
  }
  return fmt::format("servo {} has a hardware error{}; reboot it", id_, text);
}

std::optional<MakersQuantity> makers_quantity(const RegisterRow& row, std::int64_t value) {
  const std::size_t blank = row.unit.find(' ');
  if (blank == std::string::npos) {
    return std::nullopt;
  }
  // The product has as many decimals as its factor.
  const std::string factor = row.unit.substr(0, blank);
  const std::size_t point = factor.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : factor.size() - point - 1;
  std::string number = fmt::format(
      "{:.{}f}", static_cast<double>(value) * std::strtod(factor.c_str(), nullptr), decimals);
  if (decimals > 0) {
    number.erase(number.find_last_not_of('0') + 1);
    number.erase(number.find_last_not_of('.') + 1);
  }
  return MakersQuantity{number, row.unit.substr(blank + 1)};
}

IdentifiedServo identify(SerialPort& port, const FoundServo& found, const Protocol& protocol,
                         const std::vector<const Protocol*>& protocols,
                         const RegisterTables& tables) {
  IdentifiedServo servo{.protocol = &protocol, .found = found, .model = {}};
  if (protocol.is_wide) {
    servo.model = tables.model_with(found.model.value_or(0), protocol);
    return servo;
  }
  for (const Protocol* const each : protocols) {
    if (each->is_wide) {
      continue;
    }
    BusClient client(port, *each);
    const bool is_dynamixel = each == &kDynamixel1;
    const auto number = number_at(client, found.id, is_dynamixel ? 0 : 3, 2);
    const std::string model = number ? tables.model_with(*number, *each) : std::string();
    if (!model.empty() || protocols.size() == 1) {
      servo.protocol = each;
      servo.found.model = number;
      servo.found.firmware = number_at(client, found.id, is_dynamixel ? 2 : 0, 1);
      if (!is_dynamixel && servo.found.firmware) {
        const auto minor = number_at(client, found.id, 1, 1);
        servo.found.firmware =
            minor ? std::optional(256 * *servo.found.firmware + *minor) : std::nullopt;
      }
      servo.model = model;
      break;
    }
  }
  return servo;
}

std::optional<IdentifiedServo> identify(SerialPort& port, std::uint8_t id,
                                        const std::vector<const Protocol*>& protocols,
                                        const RegisterTables& tables) {
  bool has_asked = false;  // narrow protocols have one ping
  for (const Protocol* const each : protocols) {
    if (!each->is_wide && std::exchange(has_asked, true)) {
      continue;
    }
    if (const auto found = BusClient(port, *each).ping(id)) {
      return identify(port, *found, *each, protocols, tables);
    }
  }
  return std::nullopt;
}

}  // namespace servosim::bus
