// SPDX-License-Identifier: Apache-2.0
#include "cli/yarp_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>

#include "cli/text_table.h"
#include "core/printable.h"

namespace servosim {
namespace {

using yarp::BoardConfig;
using yarp::JointConfig;

constexpr double kAsMuchAsThereIs = 1e12;  // a bound of a Pid that is not given

const Names kModes{"pos", "posd", "vel", "mix", "torq", "ipwm", "open", "icur", "idl"};
const Names kInteractions{"stif", "comp"};
const Names kProfiles{"minimum_jerk", "trapezoid", "constant_speed"};  // as yarp::Profile

yarp::vocab32_t vocab(const ConfigEntry& entry, const std::string& word, const Names& names) {
  return yarp::createVocab32(names[entry.choice(word, names)]);
}

void read(const ConfigEntry& entry, double& to) { to = entry.number(entry.word()); }
void read(const ConfigEntry& entry, bool& to) {
  to = entry.choice(entry.word(), {"false", "true"}) == 1;
}
void read(const ConfigEntry& entry, std::string& to) { to = entry.text(); }
void read(const ConfigEntry& entry, yarp::Profile& to) {
  to = static_cast<yarp::Profile>(entry.choice(entry.word(), kProfiles));
}
void read(const ConfigEntry& entry, yarp::vocab32_t& to) {
  to = vocab(entry, entry.word(), kModes);
}
void read(const ConfigEntry& entry, std::vector<yarp::vocab32_t>& to) {
  to.clear();
  for (const std::string& word : entry.words) {
    to.push_back(vocab(entry, word, kModes));
  }
}

// `kp 5 kd 0.1`: what is not named is 0, and a bound not there.
void read(const ConfigEntry& entry, yarp::Pid& to) {
  static const std::map<std::string, double yarp::Pid::*, std::less<>> kParts{
      {"kp", &yarp::Pid::kp},
      {"kd", &yarp::Pid::kd},
      {"ki", &yarp::Pid::ki},
      {"max_int", &yarp::Pid::max_int},
      {"scale", &yarp::Pid::scale},
      {"max_output", &yarp::Pid::max_output},
      {"offset", &yarp::Pid::offset},
      {"stiction_up_val", &yarp::Pid::stiction_up_val},
      {"stiction_down_val", &yarp::Pid::stiction_down_val},
      {"kff", &yarp::Pid::kff}};
  Names names;
  for (const auto& part : kParts) {
    names.push_back(part.first);
  }
  if (entry.words.size() % 2 != 0) {
    entry.refuse(fmt::format("'{}' is not names and numbers in turn, as: kp 5 kd 0.1",
                             printable(entry.text())));
  }
  to = yarp::Pid{};
  to.max_int = to.max_output = kAsMuchAsThereIs;
  for (std::size_t i = 0; i < entry.words.size(); i += 2) {
    to.*kParts.at(names[entry.choice(entry.words[i], names)]) = entry.number(entry.words[i + 1]);
  }
}

void read(const ConfigEntry& entry, yarp::CalibrationParameters& to) {
  std::vector<double> numbers;
  for (const std::string& word : entry.words) {
    numbers.push_back(entry.number(word));
  }
  if (numbers.size() != 4 || numbers[0] < 0.0 || numbers[0] > 1e6 ||
      numbers[0] != std::floor(numbers[0])) {
    entry.refuse("a calibration is four numbers: its type, position, speed and zero");
  }
  to = {static_cast<unsigned>(numbers[0]), numbers[1], numbers[2], numbers[3]};
}

template <typename T>
void read(const ConfigEntry& entry, std::optional<T>& to) {
  read(entry, to.emplace());
}

template <typename Config, typename T>
std::function<void(const ConfigEntry&, Config&)> into(T Config::*member) {
  return [member](const ConfigEntry& entry, Config& config) { read(entry, config.*member); };
}

}  // namespace

const ConfigKeys<JointConfig>& joint_keys() {
  static const ConfigKeys<JointConfig> kKeys{
      {"axis_name", into(&JointConfig::axis_name)},
      {"profile", into(&JointConfig::profile)},
      {"ref_speed", into(&JointConfig::ref_speed)},
      {"ref_acceleration", into(&JointConfig::ref_acceleration)},
      {"min_position", into(&JointConfig::min_position)},
      {"max_position", into(&JointConfig::max_position)},
      {"max_velocity", into(&JointConfig::max_velocity)},
      {"position_pid", into(&JointConfig::position_pid)},
      {"velocity_pid", into(&JointConfig::velocity_pid)},
      {"torque_pid", into(&JointConfig::torque_pid)},
      {"current_pid", into(&JointConfig::current_pid)},
      {"stiffness", into(&JointConfig::stiffness)},
      {"damping", into(&JointConfig::damping)},
      {"max_stiffness", into(&JointConfig::max_stiffness)},
      {"max_damping", into(&JointConfig::max_damping)},
      {"effort_per_percent", into(&JointConfig::effort_per_percent)},
      {"effort_per_ampere", into(&JointConfig::effort_per_ampere)},
      {"max_torque", into(&JointConfig::max_torque)},
      {"max_current", into(&JointConfig::max_current)},
      {"hard_limit_margin", into(&JointConfig::hard_limit_margin)},
      {"velocity_timeout", into(&JointConfig::velocity_timeout)},
      {"modes", into(&JointConfig::modes)},
      {"compliant", into(&JointConfig::compliant)},
      {"needs_calibration", into(&JointConfig::needs_calibration)},
      {"calibration", into(&JointConfig::calibration)},
      {"calibrated_mode", into(&JointConfig::calibrated_mode)},
      {"calibrated_interaction",
       [](const ConfigEntry& entry, JointConfig& joint) {
         joint.calibrated_interaction = vocab(entry, entry.word(), kInteractions);
       }},
      {"home_position", into(&JointConfig::home_position)},
      {"park_position", into(&JointConfig::park_position)},
      {"direct_velocity_pid", into(&JointConfig::direct_velocity_pid)}};
  return kKeys;
}

const ConfigKeys<BoardConfig>& board_keys() {
  static const ConfigKeys<BoardConfig> kKeys{
      {"start_configured", into(&BoardConfig::start_configured)},
      {"start_mode", into(&BoardConfig::start_mode)},
      {"configured_mode", into(&BoardConfig::configured_mode)},
      {"fault_on_invalid_mode", into(&BoardConfig::fault_on_invalid_mode)},
      {"fault_on_invalid_interaction", into(&BoardConfig::fault_on_invalid_interaction)},
      {"report_openloop", into(&BoardConfig::report_openloop)},
      {"calibration_timeout", into(&BoardConfig::calibration_timeout)},
      {"warning_period", into(&BoardConfig::warning_period)}};
  return kKeys;
}

}  // namespace servosim
