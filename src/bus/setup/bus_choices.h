// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace servosim::bus {

/// How packets are answered, and when.
///
/// Threads: a plain value.
struct PacketChoices {
  bool answers_bad_checksum = false;   ///< of protocol 2.0: with an error, instead of silence
  bool answers_bad_checksum_1 = true;  ///< of protocol 1.0, whose manual has a bit for it
  bool missing_ends_chain = true;      ///< of Dynamixel: servos behind a missing one do not answer
  bool missing_ends_fast_read = true;  ///< the same of fast reads, whose status then ends early
  double least_delay = 0.0;            ///< before an answer, whatever the return delay is [s]
  double ping_slot = 0.0;              ///< after a broadcast ping, for each ID before its own [s]
  double status_gap = 0.0;             ///< between the statuses of a sync or bulk read [s]
  double byte_gap = 0.02;              ///< after a longer gap a packet does not go on [s]
  double byte_gap_1 = 0.1;             ///< the same, of protocol 1.0 [s]
};

/// What registers mean, and what a write to them does.
///
/// Threads: a plain value.
struct RegisterChoices {
  bool writes_all_or_nothing = false;  ///< of the registers in one write, instead of each by itself
  bool undefined_write_is_access = false;  ///< the error is that of access, not of the range
  bool undefined_read_is_error = false;    ///< of bytes of no register, instead of zeros
  bool answers_by_old_level = false;       ///< a write of the return level itself
  bool feetech_reset_keeps_id = true;      ///< of the instruction 06
  bool pwm_sign_is_bit_11 = false;         ///< of the PWM of STS, instead of bit 10
  bool goal_current_is_supply = false;     ///< of X330, whose present current is the supply's
  bool goal_outside_is_range = false;      ///< the error is that of the range, not of the limit
  bool lerobot_bauds = false;              ///< codes 5 to 7 of Feetech mean 57600, 38400 and 19200
  double baud_code_8 = 6e6;                ///< what this code of the P series means [bit/s]
  bool turn_reset_is_factory_reset = false;  ///< of Feetech: the instruction 0A
  bool clears_errors = false;  ///< the instruction Clear has an option that clears errors
};

/// What the firmware of a servo does.
///
/// Threads: a plain value.
struct FirmwareChoices {
  bool keeps_goal = false;           ///< torque that is switched on acts towards the goal of before
  bool goal_switches_on = true;      ///< of AX and MX (1.0): a written goal switches the torque on
  bool overload_lasts = true;        ///< of Feetech: until the power is off, not only the torque
  bool overload_in_motion = false;   ///< of Feetech: the load of a shaft that turns counts, too
  bool overload_unloads = false;     ///< of Feetech: its unloading bit ends all of the torque
  bool middle_ends_torque = false;   ///< of Feetech: 128 written to Torque Enable
  bool torque_limit_revives = true;  ///< of AX and MX (1.0), after a shutdown
  double overload_time = 2.0;        ///< of Dynamixel, at its greatest output without motion [s]
  double in_position = 12.0;         ///< within this many counts of the goal it is in position
  double following_error = 100.0;    ///< beyond this many counts it does not follow its trajectory
  double velocity_period = 0.001;    ///< of the sum in the velocity loop of Dynamixel [s]
  double restart_time = 0.0;         ///< after a reboot or a reset it is silent for so long [s]
  double restart_voltage = 3.0;      ///< below it a servo is off, and restarts afterwards [V]
};

/// What no source says for certain about servos, or what sources contradict each other in. All such
/// decisions are here, and users can change each by its name: docs/reference/bus.md lists them.
///
/// Threads: a plain value.
struct BusChoices {
  PacketChoices packets;
  RegisterChoices registers;
  FirmwareChoices firmware;
};

/// A choice for users.
///
/// Threads: a plain value.
struct BusChoice {
  std::string_view name;
  bool& (*is)(BusChoices&);        ///< "yes" or "no"; null: a number
  double& (*number)(BusChoices&);  ///< >= 0
  std::string_view meaning;
};

/// Returns all choices, in the order of the page.
std::span<const BusChoice> bus_choices();
/// Sets a choice from text.
/// @throws std::invalid_argument that says what it can be
void set_choice(BusChoices& choices, std::string_view name, const std::string& value);
/// Sets a choice from CHOICE=VALUE. @throws as above
void set_choice(BusChoices& choices, std::string_view text);

}  // namespace servosim::bus
