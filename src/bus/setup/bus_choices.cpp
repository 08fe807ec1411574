// SPDX-License-Identifier: Apache-2.0
#include "bus/setup/bus_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "base/printable.h"
#include "base/text.h"

namespace servosim::bus {
namespace {

using C = BusChoices;

template <auto Part, auto Member>
auto& member(BusChoices& choices) {
  return choices.*Part.*Member;
}

constexpr BusChoice kChoices[] = {
    {"answers_bad_checksum", member<&C::packets, &PacketChoices::answers_bad_checksum>, nullptr,
     "a packet of protocol 2.0 with a wrong checksum is answered with an error, instead of "
     "silence"},
    {"answers_bad_checksum_1", member<&C::packets, &PacketChoices::answers_bad_checksum_1>, nullptr,
     "a packet of protocol 1.0 with a wrong checksum is answered with an error, instead of "
     "silence"},
    {"writes_all_or_nothing", member<&C::registers, &RegisterChoices::writes_all_or_nothing>,
     nullptr, "a write with one bad value changes no register, instead of all others"},
    {"undefined_write_is_access",
     member<&C::registers, &RegisterChoices::undefined_write_is_access>, nullptr,
     "a write to an address without a register answers the access error, as the manual says, "
     "instead of the data range error that was seen on hardware"},
    {"undefined_read_is_error", member<&C::registers, &RegisterChoices::undefined_read_is_error>,
     nullptr, "a read of an address without a register is refused, instead of answered with 0"},
    {"answers_by_old_level", member<&C::registers, &RegisterChoices::answers_by_old_level>, nullptr,
     "a write of the status return level is answered by the level of before, instead of the new "
     "one"},
    {"feetech_reset_keeps_id", member<&C::registers, &RegisterChoices::feetech_reset_keeps_id>,
     nullptr, "the factory reset of Feetech keeps the ID"},
    {"goal_current_is_supply", member<&C::registers, &RegisterChoices::goal_current_is_supply>,
     nullptr,
     "the goal current of XL330 and XC330 is that of the supply, as the present current is, "
     "instead "
     "of that of the motor"},
    {"pwm_sign_is_bit_11", member<&C::registers, &RegisterChoices::pwm_sign_is_bit_11>, nullptr,
     "the direction of the PWM of STS is bit 11, instead of bit 10"},
    {"goal_outside_is_range", member<&C::registers, &RegisterChoices::goal_outside_is_range>,
     nullptr,
     "a goal beyond a limit register answers the data range error instead of the data limit error"},
    {"keeps_goal", member<&C::firmware, &FirmwareChoices::keeps_goal>, nullptr,
     "torque that is switched on acts towards the goal of before, instead of the present position"},
    {"goal_switches_on", member<&C::firmware, &FirmwareChoices::goal_switches_on>, nullptr,
     "a written goal position switches the torque of AX and MX (1.0) on"},
    {"missing_ends_chain", member<&C::packets, &PacketChoices::missing_ends_chain>, nullptr,
     "Dynamixel servos behind a missing one do not answer a sync or bulk read"},
    {"missing_ends_fast_read", member<&C::packets, &PacketChoices::missing_ends_fast_read>, nullptr,
     "servos behind a missing one do not add their part to the status of a fast sync or bulk read"},
    {"clears_errors", member<&C::registers, &RegisterChoices::clears_errors>, nullptr,
     "the second option of Clear clears the hardware error, instead of a failure"},
    {"lerobot_bauds", member<&C::registers, &RegisterChoices::lerobot_bauds>, nullptr,
     "codes 5 to 7 of Feetech mean 57600, 38400 and 19200, instead of 76800, 57600 and 38400"},
    {"overload_lasts", member<&C::firmware, &FirmwareChoices::overload_lasts>, nullptr,
     "the overload bit of Feetech lasts until the power is off, instead of until the torque is"},
    {"overload_in_motion", member<&C::firmware, &FirmwareChoices::overload_in_motion>, nullptr,
     "the load of a Feetech servo counts for its overload while it turns, too, so that a free "
     "wheel "
     "at full speed is overloaded"},
    {"overload_unloads", member<&C::firmware, &FirmwareChoices::overload_unloads>, nullptr,
     "an overload of Feetech ends the torque where the Unloading Condition has its bit, instead of "
     "leaving the protective torque"},
    {"turn_reset_is_factory_reset",
     member<&C::registers, &RegisterChoices::turn_reset_is_factory_reset>, nullptr,
     "the instruction 0A of Feetech resets all registers, instead of the turns"},
    {"middle_ends_torque", member<&C::firmware, &FirmwareChoices::middle_ends_torque>, nullptr,
     "128 written to Torque Enable of Feetech switches the torque off, instead of leaving it as it "
     "is"},
    {"torque_limit_revives", member<&C::firmware, &FirmwareChoices::torque_limit_revives>, nullptr,
     "a written Torque Limit of AX and MX (1.0) ends a shutdown whose reason has gone, instead of "
     "the power alone"},
    {"overload_time", nullptr, member<&C::firmware, &FirmwareChoices::overload_time>,
     "a Dynamixel servo is overloaded after this many seconds at its greatest output without "
     "motion"},
    {"in_position", nullptr, member<&C::firmware, &FirmwareChoices::in_position>,
     "a servo is in position within this many counts of its goal"},
    {"following_error", nullptr, member<&C::firmware, &FirmwareChoices::following_error>,
     "a servo does not follow its trajectory beyond this many counts"},
    {"baud_code_8", nullptr, member<&C::registers, &RegisterChoices::baud_code_8>,
     "code 8 of the baud rate of the P series means this many bit/s"},
    {"restart_time", nullptr, member<&C::firmware, &FirmwareChoices::restart_time>,
     "a servo is silent for this many seconds after a reboot or a factory reset"},
    {"restart_voltage", nullptr, member<&C::firmware, &FirmwareChoices::restart_voltage>,
     "a servo is off while its supply has less than this many volts, and restarts afterwards"},
    {"velocity_period", nullptr, member<&C::firmware, &FirmwareChoices::velocity_period>,
     "the velocity loop of Dynamixel (2.0) adds an error to its sum each time after this many "
     "seconds; 0: its "
     "gains have no effect, and the position loop follows the velocity"},
    {"least_delay", nullptr, member<&C::packets, &PacketChoices::least_delay>,
     "a servo waits at least this many seconds before it answers, whatever its return delay is"},
    {"ping_slot", nullptr, member<&C::packets, &PacketChoices::ping_slot>,
     "a servo waits this many seconds for each ID before its own after a broadcast ping"},
    {"status_gap", nullptr, member<&C::packets, &PacketChoices::status_gap>,
     "a servo waits this many seconds more before a status of a sync or bulk read that is not the "
     "first one"},
    {"byte_gap", nullptr, member<&C::packets, &PacketChoices::byte_gap>,
     "a packet of protocol 2.0 or of Feetech does not go on after a gap of this many seconds; a "
     "real servo waits about 0.0015"},
    {"byte_gap_1", nullptr, member<&C::packets, &PacketChoices::byte_gap_1>,
     "a packet of protocol 1.0 does not go on after a gap of this many seconds"},
};

}  // namespace

std::span<const BusChoice> bus_choices() { return kChoices; }

void set_choice(BusChoices& choices, std::string_view name, const std::string& value) {
  const auto* const found = std::find_if(std::begin(kChoices), std::end(kChoices),
                                         [&](const BusChoice& each) { return each.name == name; });
  if (found == std::end(kChoices)) {
    std::vector<std::string> names;
    for (const BusChoice& each : kChoices) {
      names.emplace_back(each.name);
    }
    throw std::invalid_argument(
        fmt::format("there is no choice '{}'{}", printable(name), nearest_names(name, names)));
  }
  if (found->is != nullptr) {
    if (value != "yes" && value != "no") {
      throw std::invalid_argument(
          fmt::format("the choice '{}' is yes or no, not '{}'", name, printable(value)));
    }
    found->is(choices) = value == "yes";
    return;
  }
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !std::isfinite(number) || number < 0.0) {
    throw std::invalid_argument(
        fmt::format("the choice '{}' is a number >= 0, not '{}'", name, printable(value)));
  }
  found->number(choices) = number;
}

void set_choice(BusChoices& choices, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw std::invalid_argument(
        fmt::format("the choice '{}' must have the form CHOICE=VALUE", printable(text)));
  }
  set_choice(choices, text.substr(0, equals), std::string(text.substr(equals + 1)));
}

}  // namespace servosim::bus
