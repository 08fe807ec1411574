// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/protocol/protocol.h"

// The registers of servos as data: servos/registers/ has a file for each family.
// docs/reference/bus.md describes the keys.

namespace servosim::bus {

/// What a register means to the firmware, whatever its maker calls it: name, text of the key
/// `role`.
#define SERVOSIM_REGISTER_ROLES(X)                   \
  X(ModelNumber, "Model Number")                     \
  X(FirmwareVersion, "Firmware Version")             \
  X(FirmwareMinor, "Firmware Minor Version")         \
  X(Id, "ID")                                        \
  X(SecondaryId, "Secondary ID")                     \
  X(BaudRate, "Baud Rate")                           \
  X(ReturnDelay, "Return Delay Time")                \
  X(StatusReturnLevel, "Status Return Level")        \
  X(DriveMode, "Drive Mode")                         \
  X(OperatingMode, "Operating Mode")                 \
  X(HomingOffset, "Homing Offset")                   \
  X(MovingThreshold, "Moving Threshold")             \
  X(TemperatureLimit, "Temperature Limit")           \
  X(MaxVoltage, "Max Voltage Limit")                 \
  X(MinVoltage, "Min Voltage Limit")                 \
  X(PwmLimit, "PWM Limit")                           \
  X(CurrentLimit, "Current Limit")                   \
  X(AccelerationLimit, "Acceleration Limit")         \
  X(VelocityLimit, "Velocity Limit")                 \
  X(MaxPosition, "Max Position Limit")               \
  X(MinPosition, "Min Position Limit")               \
  X(StartupConfiguration, "Startup Configuration")   \
  X(Shutdown, "Shutdown")                            \
  X(MaxTorque, "Max Torque")                         \
  X(TorqueLimit, "Torque Limit")                     \
  X(ResolutionDivider, "Resolution Divider")         \
  X(AngularResolution, "Angular Resolution")         \
  X(Phase, "Phase")                                  \
  X(ProtectionCurrent, "Protection Current")         \
  X(ProtectiveTorque, "Protective Torque")           \
  X(ProtectionTime, "Protection Time")               \
  X(OverloadTorque, "Overload Torque")               \
  X(OverCurrentTime, "Over Current Protection Time") \
  X(TorqueEnable, "Torque Enable")                   \
  X(TorqueControl, "Torque Control Mode Enable")     \
  X(RegisteredInstruction, "Registered Instruction") \
  X(HardwareError, "Hardware Error Status")          \
  X(VelocityI, "Velocity I Gain")                    \
  X(VelocityP, "Velocity P Gain")                    \
  X(PositionD, "Position D Gain")                    \
  X(PositionI, "Position I Gain")                    \
  X(PositionP, "Position P Gain")                    \
  X(Feedforward1, "Feedforward 1st Gain")            \
  X(Feedforward2, "Feedforward 2nd Gain")            \
  X(BusWatchdog, "Bus Watchdog")                     \
  X(GoalPwm, "Goal PWM")                             \
  X(GoalCurrent, "Goal Current")                     \
  X(GoalVelocity, "Goal Velocity")                   \
  X(GoalTime, "Goal Time")                           \
  X(GoalPosition, "Goal Position")                   \
  X(GoalEcho, "Goal Echo")                           \
  X(ProfileAcceleration, "Profile Acceleration")     \
  X(ProfileVelocity, "Profile Velocity")             \
  X(Lock, "Lock")                                    \
  X(RealtimeTick, "Realtime Tick")                   \
  X(Moving, "Moving")                                \
  X(MovingStatus, "Moving Status")                   \
  X(PresentPwm, "Present PWM")                       \
  X(PresentLoad, "Present Load")                     \
  X(PresentCurrent, "Present Current")               \
  X(PresentVelocity, "Present Velocity")             \
  X(PresentPosition, "Present Position")             \
  X(VelocityTrajectory, "Velocity Trajectory")       \
  X(PositionTrajectory, "Position Trajectory")       \
  X(PresentVoltage, "Present Voltage")               \
  X(PresentTemperature, "Present Temperature")       \
  X(BackupReady, "Backup Ready")                     \
  X(Punch, "Punch")                                  \
  X(DeadZoneCw, "CW Dead Zone")                      \
  X(DeadZoneCcw, "CCW Dead Zone")                    \
  X(ComplianceSlopeCw, "CW Compliance Slope")        \
  X(ComplianceSlopeCcw, "CCW Compliance Slope")

/// The meaning of a register.
///
/// Threads: a plain value.
enum class RegisterRole : std::uint8_t {
#define SERVOSIM_ROLE(role, text) role,
  SERVOSIM_REGISTER_ROLES(SERVOSIM_ROLE)
#undef SERVOSIM_ROLE
      None,  ///< it only keeps its value
};

/// Where a register is: what is in EEPROM outlives a reboot. Those of the factory do, too, and may
/// be written at any time.
///
/// Threads: a plain value.
enum class RegisterArea : std::uint8_t { Eeprom, Ram, Factory };

/// How a register has negative numbers.
///
/// Threads: a plain value.
enum class RegisterSign : std::uint8_t {
  None,        ///< it has none
  Complement,  ///< two's complement
  Bit,         ///< the magnitude, and a bit for the sign
};

/// One register. Values are numbers in counts: those of the maker, with their sign.
///
/// Threads: a plain value.
struct RegisterRow {
  std::uint16_t address = 0;
  std::uint8_t size = 1;  ///< 1, 2 or 4 bytes
  std::string name;       ///< of its maker
  RegisterRole role = RegisterRole::None;
  bool is_writable = false;
  RegisterArea area = RegisterArea::Ram;
  double scale = 0.0;  ///< of one count, in SI units and °C; duties are from 0 to 1; 0: no quantity
  std::string unit;    ///< such as "0.229 rpm"; may be empty
  RegisterSign sign = RegisterSign::None;
  std::uint8_t sign_bit = 0;
  std::int64_t zero = 0;  ///< the count that means 0
  std::optional<std::int64_t> initial;
  std::string initial_of;  ///< it begins with the value of this register
  /// The least and the greatest value.
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  RegisterRole limit = RegisterRole::None;  ///< values are within ± the value of this register
  std::vector<std::int64_t> values;         ///< the only ones, unless empty
  std::string note;                         ///< what is not certain about it

  std::uint16_t end() const { return static_cast<std::uint16_t>(address + size); }
  /// Returns the least and the greatest value that its bytes have room for.
  std::pair<std::int64_t, std::int64_t> room() const;
  /// Returns whether a number has no bits beyond the one of the sign.
  bool holds(std::uint32_t raw) const;
  /// Returns the value of its bytes as one number, and the reverse. A value without room is the
  /// nearest one.
  std::int64_t decode(std::uint32_t raw) const;
  std::uint32_t encode(std::int64_t value) const;
  /// Returns the value of its bytes as they are on the wire, and the reverse.
  std::int64_t decode(std::span<const std::uint8_t> bytes, const Protocol& protocol) const;
  std::vector<std::uint8_t> encode(std::int64_t value, const Protocol& protocol) const;
};

/// A block of addresses that clients choose, and the bytes that mirror what is there.
///
/// Threads: a plain value.
struct IndirectBlock {
  std::uint16_t address = 0;  ///< of the first entry; each has 2 bytes
  std::uint16_t count = 0;
  std::uint16_t data = 0;   ///< address of the byte of the first entry
  std::uint16_t first = 0;  ///< the addresses that an entry may have
  std::uint16_t last = 0;
  RegisterArea area = RegisterArea::Ram;
};

/// The registers of one model with one firmware, by address.
///
/// Threads: any number at once; it never changes.
struct RegisterTable {
  std::string model;
  std::string family;
  /// The model of ours that says what a file of others does not say; empty for a table of ours.
  std::string like = {};
  const Protocol* protocol = nullptr;
  int number = 0;                        ///< of the model; 0: not known
  int firmware = 0;                      ///< its version; of Feetech 256 * major + minor
  double counts = 0.0;                   ///< of the position per turn
  double zero = 0.0;                     ///< what the position has at 0 rad [counts]
  std::optional<int> fast_reads_since;   ///< the firmware that has them first; nothing: none has
  std::optional<double> homing_limit;    ///< of the offset that acts in position mode [counts]
  bool has_short_moving_status = false;  ///< it tells no triangle, no motion and no error of it
  bool has_supply_current = false;       ///< it measures the current of its supply, not the motor's
  bool has_bulk_read = true;             ///< if its protocol has the instruction
  std::vector<RegisterRow> rows;
  std::vector<IndirectBlock> indirect;

  /// Returns the first register with a role; null for None.
  const RegisterRow* find(RegisterRole role) const;
  /// Finds a register by its maker's name, or by the text of its role.
  const RegisterRow* find(std::string_view name) const;
  bool has(RegisterRole role) const { return find(role) != nullptr; }
  /// Returns the number of bytes from address 0 to the end of the last register.
  std::size_t size() const;
};

/// Returns the number that bytes are in the order of a protocol, at most 4 of them.
std::uint32_t number_of(std::span<const std::uint8_t> bytes, const Protocol& protocol);
/// Writes a number as bytes, at most 4 of them, in the order of a protocol.
void put_number(std::uint32_t number, std::span<std::uint8_t> bytes, const Protocol& protocol);

/// Returns a version of a firmware as text, such as "48", or of Feetech "3.10", and the reverse:
/// nothing if a text is no such version.
std::string firmware_text(int firmware, const Protocol& protocol);
std::optional<int> read_firmware(std::string_view text, const Protocol& protocol);

/// Returns the names of all models that have a table, by family.
std::vector<std::string> register_models();
/// Returns the name of the first model with a number in a protocol; empty if there is none.
std::string register_model(int number, const Protocol& protocol);
/// Returns the table of a model.
/// @param firmware  its version; nothing: the newest that is known
/// @throws std::invalid_argument with the nearest names if there is none
RegisterTable register_table(std::string_view model, std::optional<int> firmware = std::nullopt);

}  // namespace servosim::bus
