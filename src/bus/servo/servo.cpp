// SPDX-License-Identifier: Apache-2.0
#include "bus/servo/servo.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace servosim::bus {
namespace {

using Role = RegisterRole;

// The firmware from which broadcasts of the whole factory reset are ignored.
constexpr int kIgnoresBroadcastReset = 42;

constexpr std::uint8_t kClearTurns[] = {0x01, 0x44, 0x58, 0x4C, 0x22};
constexpr std::uint8_t kClearErrors[] = {0x02, 0x45, 0x52, 0x43, 0x4C};
constexpr std::uint8_t kStoreCopy[] = {0x01, 0x43, 0x54, 0x52, 0x4C};
constexpr std::uint8_t kRestoreCopy[] = {0x02, 0x43, 0x54, 0x52, 0x4C};

bool is_same(const Octets& bytes, std::span<const std::uint8_t> other) {
  return std::equal(bytes.begin(), bytes.end(), other.begin(), other.end());
}

// Whether the instruction Backup copies a register.
bool is_backed_up(const RegisterRow& row) {
  switch (row.role) {
    case Role::VelocityI:
    case Role::VelocityP:
    case Role::PositionD:
    case Role::PositionI:
    case Role::PositionP:
    case Role::Feedforward1:
    case Role::Feedforward2:
    case Role::ProfileAcceleration:
    case Role::ProfileVelocity:
      return true;
    default:
      return row.area == RegisterArea::Eeprom && row.is_writable;
  }
}

}  // namespace

BusServo::BusServo(RegisterTable table, ServoPlant& plant, const BusChoices& choices)
    : memory_(std::move(table)),
      choices_(choices),
      firmware_(make_firmware(memory_, plant, choices)) {
  kept_ = memory_.kept();
  firmware_->start();
}

bool BusServo::is_feetech() const {
  return table().protocol == &kFeetechSts || table().protocol == &kFeetechScs;
}

std::uint8_t BusServo::id() const { return static_cast<std::uint8_t>(memory_.value(Role::Id)); }

double BusServo::return_delay() const { return memory_.quantity(Role::ReturnDelay); }

bool BusServo::obeys(std::uint8_t asked) const {
  return asked == id() ||
         (asked <= table().protocol->max_id && asked == memory_.value(Role::SecondaryId, 255));
}

bool BusServo::has_fast_reads() const { return table().has(Role::BackupReady); }

std::uint8_t BusServo::error_byte(ServoFault fault) const {
  const std::uint8_t bits = firmware_->status_bits();
  if (is_feetech()) {
    return bits;
  }
  if (table().protocol->has_alert_bit) {
    switch (fault) {
      case ServoFault::None:
        return bits;
      case ServoFault::ResultFail:
        return bits | 1;
      case ServoFault::Instruction:
        return bits | 2;
      case ServoFault::Checksum:
        return bits | 3;
      case ServoFault::DataRange:
        return bits | 4;
      case ServoFault::DataLength:
        return bits | 5;
      case ServoFault::DataLimit:
        return bits | 6;
      case ServoFault::Access:
        return bits | 7;
    }
  }
  switch (fault) {
    case ServoFault::None:
      return bits;
    case ServoFault::DataLimit:
      return bits | 0x02;
    case ServoFault::Checksum:
      return bits | 0x10;
    case ServoFault::Instruction:
    case ServoFault::ResultFail:
      return bits | 0x40;
    default:
      return bits | 0x08;
  }
}

// Level 0 answers a ping alone, level 1 reads as well; of Feetech 0 answers both, 1 everything.
std::optional<ServoAnswer> BusServo::answer(ServoFault fault, bool reads, Octets data) {
  const std::int64_t level = memory_.value(Role::StatusReturnLevel, 2) + (is_feetech() ? 1 : 0);
  if (level < (reads ? 1 : 2)) {
    return std::nullopt;
  }
  return ServoAnswer{error_byte(fault), std::move(data)};
}

std::optional<ServoAnswer> BusServo::answer_fault(ServoFault fault) {
  if (is_feetech() || (fault == ServoFault::Checksum && !choices_.answers_bad_checksum)) {
    return std::nullopt;
  }
  return answer(fault);
}

std::optional<ServoAnswer> BusServo::ping() {
  ServoAnswer answer{error_byte(ServoFault::None), {}};
  if (table().protocol->is_wide) {
    const auto number = static_cast<std::uint16_t>(memory_.value(Role::ModelNumber));
    answer.parameters = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8),
                         static_cast<std::uint8_t>(memory_.value(Role::FirmwareVersion))};
  }
  return answer;
}

std::optional<ServoAnswer> BusServo::read(std::uint16_t address, std::uint16_t count) {
  firmware_->refresh();
  auto data = memory_.read(address, count);
  if (!data || count == 0) {
    return is_feetech() ? std::nullopt
                        : answer(table().protocol->has_alert_bit ? ServoFault::Access
                                                                 : ServoFault::DataRange,
                                 true);
  }
  return answer(ServoFault::None, true, std::move(*data));
}

void BusServo::write(std::uint16_t address, std::span<const std::uint8_t> data) {
  write_registers(address, data);
  firmware_->order();
}

std::optional<ServoAnswer> BusServo::obey(const BusRequest& request) {
  const bool is_for_all = request.id == kBroadcast;
  // A secondary ID gets no answers, and no access to EEPROM.
  const bool is_secondary = !is_for_all && request.id != id();
  ServoFault fault = ServoFault::None;
  switch (request.instruction) {
    case Instruction::Ping:
      return is_secondary ? std::nullopt : ping();
    case Instruction::Read:
      if (is_for_all || is_secondary) {
        return std::nullopt;
      }
      return read(request.accesses[0].address, request.accesses[0].count);
    case Instruction::Write:
      fault = write_registers(request.accesses[0].address, request.accesses[0].data, is_secondary);
      break;
    case Instruction::RegWrite:
      registered_ = request.accesses[0];
      memory_.set(Role::RegisteredInstruction, 1);
      break;
    case Instruction::Action:
      fault = act();
      break;
    case Instruction::FactoryReset:
      fault = factory_reset(request);
      break;
    case Instruction::Reboot:
      if (!table().protocol->is_wide) {
        fault = ServoFault::Instruction;
        break;
      } else {
        const auto result = answer(ServoFault::None);
        restart();
        return is_for_all || is_secondary ? std::nullopt : result;
      }
    case Instruction::Clear:
      fault = clear(request.parameters);
      break;
    case Instruction::Backup:
      fault = back_up(request.parameters);
      break;
    case Instruction::ResetTurns:
      fault = firmware_->clear_turns() ? ServoFault::None : ServoFault::ResultFail;
      break;
    case Instruction::Calibrate:
      fault = calibrate(request.parameters);
      break;
    default:
      return std::nullopt;  // those for several servos
  }
  firmware_->order();
  return is_for_all || is_secondary ? std::nullopt : answer(fault);
}

ServoFault BusServo::act() {
  if (!registered_) {
    return ServoFault::Instruction;
  }
  const RegisterAccess access = *std::exchange(registered_, std::nullopt);
  memory_.set(Role::RegisteredInstruction, 0);
  return write_registers(access.address, access.data);
}

// The bytes of a write, each with the register that it is for: indirect addresses scatter them.
ServoFault BusServo::write_registers(std::size_t address, std::span<const std::uint8_t> data,
                                     bool only_ram) {
  const std::size_t end = address + data.size();
  if (end > table().size()) {
    return table().protocol->has_alert_bit ? ServoFault::Access : ServoFault::DataRange;
  }
  std::vector<std::size_t> targets(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    targets[i] = memory_.target_of(address + i);
  }
  const auto write_all = [&](bool only_checks) {
    ServoFault fault = ServoFault::None;
    bool is_any_whole = false;
    bool is_any_part = false;
    for (std::size_t i = 0; i < data.size();) {
      const std::size_t target = targets[i];
      std::size_t size = 1;
      const auto is_whole = [&](std::size_t wanted) {
        for (std::size_t k = 1; k < wanted; ++k) {
          if (i + k >= targets.size() || targets[i + k] != target + k) {
            return false;
          }
        }
        return true;
      };
      ServoFault of_item = ServoFault::None;
      const auto& rows = memory_.rows();
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const RegisterRow& each) {
        return target >= each.address && target < each.end();
      });
      if (const IndirectBlock* const block = memory_.entry_at(target)) {
        if ((target - block->address) % 2 == 0 && is_whole(2)) {
          size = 2;
          const auto value = static_cast<std::uint16_t>(data[i] + 256U * data[i + 1]);
          of_item = write_entry(*block, target, value, only_checks);
          is_any_whole = true;
        } else {
          is_any_part = true;
        }
      } else if (row == rows.end()) {
        of_item = choices_.undefined_write_is_access ? ServoFault::Access : ServoFault::DataRange;
        is_any_whole = true;
      } else if (target == row->address && is_whole(row->size)) {
        size = row->size;
        const std::int64_t value = row->decode(memory_.number(data.subspan(i, size)));
        of_item = only_ram && row->area == RegisterArea::Eeprom
                      ? ServoFault::Access
                      : write_register(*row, value, only_checks);
        is_any_whole = true;
      } else if (!row->is_writable) {
        of_item = ServoFault::Access;
        is_any_whole = true;
      } else {
        is_any_part = true;
      }
      if (of_item != ServoFault::None) {
        fault = of_item;
      }
      i += size;
    }
    return !is_any_whole && is_any_part ? ServoFault::DataLength : fault;
  };
  if (choices_.writes_all_or_nothing) {
    if (const ServoFault fault = write_all(true); fault != ServoFault::None) {
      return fault;
    }
  }
  return write_all(false);
}

ServoFault BusServo::write_register(const RegisterRow& row, std::int64_t value, bool only_checks) {
  const ServoFault fault = firmware_->check(row, value);
  if (fault != ServoFault::None || only_checks) {
    return fault;
  }
  const std::int64_t before = memory_.value(row);
  memory_.set(row, value);
  firmware_->written(row, before);
  if (firmware_->keeps_writes()) {
    store(row);
  }
  return ServoFault::None;
}

ServoFault BusServo::write_entry(const IndirectBlock& block, std::size_t address,
                                 std::uint16_t target, bool only_checks) {
  if (block.area == RegisterArea::Eeprom && firmware_->is_on()) {
    return ServoFault::Access;
  }
  if (target < block.first || target > block.last) {
    return ServoFault::DataRange;
  }
  if (!only_checks) {
    memory_.set_entry(address, target);
    if (block.area == RegisterArea::Eeprom) {
      kept_ = memory_.kept();
    }
  }
  return ServoFault::None;
}

// What an instruction such as a calibration has changed besides is stored with it.
void BusServo::store(const RegisterRow& row) {
  if (row.area != RegisterArea::Ram) {
    kept_ = memory_.kept_with(kept_, row);
  } else if (is_feetech() && row.role == Role::TorqueEnable) {
    if (const RegisterRow* const offset = table().find(Role::HomingOffset)) {
      kept_ = memory_.kept_with(kept_, *offset);
    }
  }
}

ServoFault BusServo::factory_reset(const BusRequest& request) {
  const std::int64_t old_id = memory_.value(Role::Id);
  const std::int64_t old_baud = memory_.value(Role::BaudRate);
  bool keeps_id = is_feetech();
  bool keeps_baud = false;
  if (table().protocol->is_wide) {
    const std::uint8_t option = request.parameters.size() == 1 ? request.parameters[0] : 0;
    if (option != 0xFF && option != 0x01 && option != 0x02) {
      return ServoFault::DataRange;
    }
    if (option == 0xFF && request.id == kBroadcast &&
        memory_.value(Role::FirmwareVersion) >= kIgnoresBroadcastReset) {
      return ServoFault::None;
    }
    keeps_id = option != 0xFF;
    keeps_baud = option == 0x02;
  }
  memory_.reset(true);
  if (keeps_id) {
    memory_.set(Role::Id, old_id);
  }
  if (keeps_baud) {
    memory_.set(Role::BaudRate, old_baud);
  }
  kept_ = memory_.kept();
  restart();
  return ServoFault::None;
}

ServoFault BusServo::clear(const Octets& parameters) {
  if (is_same(parameters, kClearTurns)) {
    return firmware_->clear_turns() ? ServoFault::None : ServoFault::ResultFail;
  }
  if (is_same(parameters, kClearErrors) && choices_.clears_errors) {
    firmware_->clear_errors();
    return ServoFault::None;
  }
  return ServoFault::ResultFail;
}

ServoFault BusServo::back_up(const Octets& parameters) {
  if (!table().has(Role::BackupReady)) {
    return ServoFault::Instruction;
  }
  if (firmware_->is_on()) {
    return ServoFault::ResultFail;
  }
  if (is_same(parameters, kStoreCopy)) {
    Octets bytes;
    for (const RegisterRow& row : memory_.rows()) {
      if (is_backed_up(row)) {
        const Octets part = *memory_.read(row.address, row.size);
        bytes.insert(bytes.end(), part.begin(), part.end());
      }
    }
    copy_ = std::move(bytes);
    memory_.set(Role::BackupReady, 1);
    return ServoFault::None;
  }
  if (!is_same(parameters, kRestoreCopy) || !copy_) {
    return ServoFault::ResultFail;
  }
  const auto restore = [&] {
    std::size_t at = 0;
    for (const RegisterRow& row : memory_.rows()) {
      if (is_backed_up(row)) {
        memory_.set(row, row.decode(memory_.number(std::span(*copy_).subspan(at, row.size))));
        at += row.size;
      }
    }
  };
  restore();
  kept_ = memory_.kept();
  restart();
  restore();  // those of RAM, too
  return ServoFault::None;
}

ServoFault BusServo::calibrate(const Octets& parameters) {
  const std::int64_t count = parameters.size() == 2
                                 ? static_cast<std::int64_t>(memory_.number(parameters))
                                 : static_cast<std::int64_t>(table().zero);
  if (parameters.size() == 1 || !firmware_->calibrate(count)) {
    return ServoFault::ResultFail;
  }
  if (const RegisterRow* const offset = table().find(Role::HomingOffset)) {
    store(*offset);
  }
  return ServoFault::None;
}

void BusServo::step(double h) {
  silent_for_ -= silent_for_ > 0.0 ? h : 0.0;
  firmware_->step(h);
}

void BusServo::restart() {
  memory_.keep(kept_);
  memory_.reset(false);
  if (copy_) {
    memory_.set(Role::BackupReady, 1);
  }
  registered_.reset();
  silent_for_ = choices_.restart_time;
  firmware_->start();
}

void BusServo::keep(const Octets& bytes) {
  kept_ = bytes;
  restart();
}

std::int64_t BusServo::value(const RegisterRow& row) {
  firmware_->refresh();
  return memory_.value(row);
}

void BusServo::set(const RegisterRow& row, std::int64_t value) {
  const std::int64_t before = memory_.value(row);
  memory_.set(row, value);
  firmware_->written(row, before);
  if (row.area != RegisterArea::Ram) {
    kept_ = memory_.kept_with(kept_, row);
  }
  firmware_->order();
}

}  // namespace servosim::bus
