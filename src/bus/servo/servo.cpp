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
// A bit of the register Startup Configuration.
constexpr std::int64_t kRestoresRam = 2;

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

// The bytes that it copies. Of indirect addresses they are those in RAM.
struct BackedUp {
  std::size_t address;
  std::size_t size;
  RegisterArea area;
};
std::vector<BackedUp> backed_up_places(const RegisterTable& table) {
  std::vector<BackedUp> places;
  for (const RegisterRow& row : table.rows) {
    if (is_backed_up(row)) {
      places.push_back({row.address, row.size, row.area});
    }
  }
  for (const IndirectBlock& block : table.indirect) {
    if (block.area == RegisterArea::Ram) {
      places.push_back({block.address, std::size_t{2} * block.count, block.area});
    }
  }
  return places;
}

RegisterTable with_choices(RegisterTable table, const BusChoices& choices) {
  for (RegisterRow& row : table.rows) {
    if (row.role == Role::GoalTime && row.sign == RegisterSign::Bit &&
        choices.registers.pwm_sign_is_bit_11) {
      row.sign_bit = 11;
    }
  }
  return table;
}

}  // namespace

BusServo::BusServo(RegisterTable table, ServoPlant& plant, const BusChoices& choices)
    : memory_(with_choices(std::move(table), choices)),
      choices_(choices),
      firmware_(make_firmware(memory_, plant, choices)) {
  kept_ = memory_.kept();
  firmware_->start();
}

bool BusServo::is_feetech() const { return table().protocol->is_feetech(); }

std::uint8_t BusServo::id() const { return static_cast<std::uint8_t>(memory_.value(Role::Id)); }

double BusServo::return_delay() const {
  return std::max(choices_.packets.least_delay, memory_.quantity(Role::ReturnDelay));
}

bool BusServo::obeys(std::uint8_t asked) const {
  return asked == id() ||
         (asked <= table().protocol->max_id && asked == memory_.value(Role::SecondaryId, 255));
}

bool BusServo::has_reads_of_several(Instruction instruction) const {
  switch (instruction) {
    case Instruction::BulkRead:
      return table().has_bulk_read;
    case Instruction::FastSyncRead:
    case Instruction::FastBulkRead:
      return table().fast_reads_since && table().firmware >= *table().fast_reads_since;
    default:
      return true;
  }
}

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
std::int64_t BusServo::return_level() const {
  return memory_.value(Role::StatusReturnLevel, 2) + (is_feetech() ? 1 : 0);
}

std::optional<ServoAnswer> BusServo::answer(ServoFault fault, std::int64_t level, bool reads,
                                            Octets data) {
  if (level < (reads ? 1 : 2)) {
    return std::nullopt;
  }
  return ServoAnswer{error_byte(fault), std::move(data)};
}

std::optional<ServoAnswer> BusServo::answer_fault(ServoFault fault) {
  const bool answers_checksum = table().protocol->is_wide ? choices_.packets.answers_bad_checksum
                                                          : choices_.packets.answers_bad_checksum_1;
  if (is_feetech() || (fault == ServoFault::Checksum && !answers_checksum)) {
    return std::nullopt;
  }
  return answer(fault, return_level());
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
  bool is_defined = data && count != 0;
  for (std::size_t i = 0; is_defined && choices_.registers.undefined_read_is_error && i < count;
       ++i) {
    const std::size_t target = memory_.target_of(address + i);
    is_defined = memory_.row_at(target) != nullptr || memory_.entry_at(target) != nullptr ||
                 memory_.is_mirror(target);
  }
  if (is_defined) {
    return answer(ServoFault::None, return_level(), true, std::move(*data));
  }
  const ServoFault fault =
      table().protocol->has_alert_bit ? ServoFault::Access : ServoFault::DataRange;
  return is_feetech() ? std::nullopt : answer(fault, return_level(), true);
}

void BusServo::write(std::uint8_t asked, std::uint16_t address,
                     std::span<const std::uint8_t> data) {
  write_registers(address, data, asked != id());
  firmware_->order();
}

std::optional<ServoAnswer> BusServo::obey(const BusRequest& request) {
  const bool is_for_all = request.id == kBroadcast;
  // A secondary ID gets no answers, and no access to EEPROM.
  const bool is_secondary = !is_for_all && request.id != id();
  const bool is_silent = is_for_all || is_secondary;
  switch (request.instruction) {
    case Instruction::Ping:
      return is_secondary ? std::nullopt : ping();
    case Instruction::Read:
      return is_silent ? std::nullopt
                       : read(request.accesses[0].address, request.accesses[0].count);
    case Instruction::SyncRead:
    case Instruction::SyncWrite:
    case Instruction::BulkRead:
    case Instruction::BulkWrite:
    case Instruction::FastSyncRead:
    case Instruction::FastBulkRead:
      return std::nullopt;
    default:
      break;
  }
  const std::int64_t level = return_level();
  auto before = answer(ServoFault::None, level);
  const ServoFault fault = execute(request, is_secondary);
  firmware_->order();
  if (is_silent) {
    return std::nullopt;
  }
  // A servo that restarts has answered before.
  const bool restarts = request.instruction == Instruction::Reboot ||
                        request.instruction == Instruction::FactoryReset ||
                        request.instruction == Instruction::Backup;
  return restarts && fault == ServoFault::None
             ? before
             : answer(fault, choices_.registers.answers_by_old_level ? level : return_level());
}

ServoFault BusServo::execute(const BusRequest& request, bool is_secondary) {
  switch (request.instruction) {
    case Instruction::Write:
      return write_registers(request.accesses[0].address, request.accesses[0].data, is_secondary);
    case Instruction::RegWrite:
      registered_ = request.accesses[0];
      is_registered_secondary_ = is_secondary;
      memory_.set(Role::RegisteredInstruction, 1);
      return ServoFault::None;
    case Instruction::Action:
      return act();
    case Instruction::FactoryReset:
      return is_secondary ? ServoFault::Access : factory_reset(request);
    case Instruction::Reboot:
      if (!table().protocol->is_wide) {
        return ServoFault::Instruction;
      }
      restart();
      return ServoFault::None;
    case Instruction::Clear:
      return clear(request.parameters);
    case Instruction::Backup:
      return is_secondary ? ServoFault::Access : back_up(request.parameters);
    case Instruction::ResetTurns:
      if (choices_.registers.turn_reset_is_factory_reset) {
        return factory_reset(request);
      }
      return firmware_->clear_turns() ? ServoFault::None : ServoFault::ResultFail;
    case Instruction::Calibrate:
      return calibrate(request.parameters);
    default:
      return ServoFault::Instruction;
  }
}

ServoFault BusServo::act() {
  if (!registered_) {
    return ServoFault::Instruction;
  }
  const RegisterAccess access = *std::exchange(registered_, std::nullopt);
  memory_.set(Role::RegisteredInstruction, 0);
  return write_registers(access.address, access.data, is_registered_secondary_);
}

ServoFault BusServo::write_registers(std::size_t address, std::span<const std::uint8_t> data,
                                     bool only_ram) {
  if (address + data.size() > table().size()) {
    return table().protocol->has_alert_bit ? ServoFault::Access : ServoFault::DataRange;
  }
  if (choices_.registers.writes_all_or_nothing) {
    const ServoFault fault = write_all(address, data, {only_ram, true});
    if (fault != ServoFault::None) {
      return fault;
    }
  }
  return write_all(address, data, {only_ram, false});
}

// Each byte is for the register at its address, or at the one that an indirect address says.
bool BusServo::is_whole(std::size_t address, std::size_t end, std::size_t size) const {
  const std::size_t target = memory_.target_of(address);
  for (std::size_t k = 1; k < size; ++k) {
    if (address + k >= end || memory_.target_of(address + k) != target + k) {
      return false;
    }
  }
  return true;
}

// Bytes of no register, and of registers that a write has in part, do no harm to those that it has
// whole.
ServoFault BusServo::write_all(std::size_t address, std::span<const std::uint8_t> data,
                               WriteMode mode) {
  const std::size_t end = address + data.size();
  ServoFault fault = ServoFault::None;
  bool is_any_whole = false;
  bool is_any_part = false;
  for (std::size_t at = address; at < end;) {
    const std::size_t target = memory_.target_of(at);
    const IndirectBlock* const block = memory_.entry_at(target);
    const RegisterRow* const row = memory_.row_at(target);
    const std::size_t size = block != nullptr ? 2 : row != nullptr ? row->size : 0;
    const bool is_first = block != nullptr ? (target - block->address) % 2 == 0
                                           : row != nullptr && target == row->address;
    if (!is_first || !is_whole(at, end, size)) {
      is_any_part = is_any_part || size != 0;
      if (row != nullptr && !row->is_writable) {  // also a part of it
        fault = ServoFault::Access;
        is_any_whole = true;
      }
      ++at;
      continue;
    }
    const auto bytes = data.subspan(at - address, size);
    const ServoFault of_item = block != nullptr ? write_entry(*block, target, bytes, mode)
                                                : write_register(*row, bytes, mode);
    fault = of_item != ServoFault::None ? of_item : fault;
    is_any_whole = true;
    at += size;
  }
  if (is_any_whole || data.empty()) {
    return fault;
  }
  return is_any_part                                    ? ServoFault::DataLength
         : choices_.registers.undefined_write_is_access ? ServoFault::Access
                                                        : ServoFault::DataRange;
}

ServoFault BusServo::write_register(const RegisterRow& row, std::span<const std::uint8_t> bytes,
                                    WriteMode mode) {
  if (mode.only_ram && row.area == RegisterArea::Eeprom) {
    return ServoFault::Access;
  }
  const std::uint32_t raw = memory_.number(bytes);
  const std::int64_t value = row.decode(raw);
  ServoFault fault = firmware_->check(row, value);
  if (fault != ServoFault::Access && !row.holds(raw)) {
    fault = ServoFault::DataRange;
  }
  if (fault != ServoFault::None || mode.only_checks) {
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
                                 std::span<const std::uint8_t> bytes, WriteMode mode) {
  if (block.area == RegisterArea::Eeprom && (mode.only_ram || firmware_->is_on())) {
    return ServoFault::Access;
  }
  const auto target = static_cast<std::uint16_t>(memory_.number(bytes));
  if (target < block.first || target > block.last) {
    return ServoFault::DataRange;
  }
  if (!mode.only_checks) {
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
  bool keeps_id = is_feetech() && choices_.registers.feetech_reset_keeps_id;
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
  if (is_same(parameters, kClearErrors) && choices_.registers.clears_errors) {
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
    copy_ = backed_up();
    memory_.set(Role::BackupReady, 1);
    return ServoFault::None;
  }
  if (!is_same(parameters, kRestoreCopy) || !copy_) {
    return ServoFault::ResultFail;
  }
  restore(false);
  kept_ = memory_.kept();
  begin(true);
  return ServoFault::None;
}

Octets BusServo::backed_up() const {
  Octets bytes;
  for (const BackedUp& each : backed_up_places(table())) {
    const Octets part = *memory_.read(each.address, each.size);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

void BusServo::restore(bool only_ram) {
  std::size_t at = 0;
  for (const BackedUp& each : backed_up_places(table())) {
    if (!only_ram || each.area == RegisterArea::Ram) {
      memory_.put(each.address, std::span(*copy_).subspan(at, each.size));
    }
    at += each.size;
  }
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
  const bool had_power = has_power_;
  has_power_ = firmware_->supply() >= choices_.firmware.restart_voltage;
  if (!has_power_) {
    firmware_->release();
    return;
  }
  if (!had_power) {
    restart();
  }
  silent_for_ -= silent_for_ > 0.0 ? h : 0.0;
  firmware_->step(h);
}

void BusServo::restart() { begin(false); }

void BusServo::begin(bool restores_ram) {
  memory_.keep(kept_);
  memory_.reset(false);
  if (copy_) {
    memory_.set(Role::BackupReady, 1);
    if (restores_ram || (memory_.value(Role::StartupConfiguration) & kRestoresRam) != 0) {
      restore(true);
    }
  }
  registered_.reset();
  silent_for_ = choices_.firmware.restart_time;
  firmware_->start();
}

// After the registers: whether there is a copy by the instruction Backup, and the copy.
Octets BusServo::kept() const {
  Octets bytes = kept_;
  if (table().has(Role::BackupReady)) {
    bytes.push_back(copy_ ? 1 : 0);
    const Octets copy = copy_.value_or(Octets(backed_up().size()));
    bytes.insert(bytes.end(), copy.begin(), copy.end());
  }
  return bytes;
}

void BusServo::keep(const Octets& bytes) {
  const auto end =
      bytes.begin() + static_cast<std::ptrdiff_t>(std::min(kept_.size(), bytes.size()));
  copy_.reset();
  if (bytes.size() == kept().size() && end != bytes.end() && *end == 1) {
    copy_ = Octets(end + 1, bytes.end());
  }
  std::copy(bytes.begin(), end, kept_.begin());
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
