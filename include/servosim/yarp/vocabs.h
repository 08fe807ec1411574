// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Names and units of YARP: see docs/yarp.md.
namespace servosim::yarp {

/// Up to four characters in a number, the first in its lowest byte: 'pos' is 0x00736F70.
using Vocab = std::int32_t;

constexpr Vocab vocab(std::string_view code) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < code.size() && i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(code[i])) << (8 * i);
  }
  return static_cast<Vocab>(value);
}

/// The characters up to the first 0.
std::string to_string(Vocab vocab);

inline constexpr Vocab VOCAB_CM_POSITION = vocab("pos");
inline constexpr Vocab VOCAB_CM_POSITION_DIRECT = vocab("posd");
inline constexpr Vocab VOCAB_CM_VELOCITY = vocab("vel");
inline constexpr Vocab VOCAB_CM_MIXED = vocab("mix");
inline constexpr Vocab VOCAB_CM_TORQUE = vocab("torq");
inline constexpr Vocab VOCAB_CM_OPENLOOP = vocab("open");  ///< the old name of VOCAB_CM_PWM
inline constexpr Vocab VOCAB_CM_PWM = vocab("ipwm");
inline constexpr Vocab VOCAB_CM_CURRENT = vocab("icur");
inline constexpr Vocab VOCAB_CM_IDLE = vocab("idl");
inline constexpr Vocab VOCAB_CM_FORCE_IDLE = vocab("fidl");     ///< a command, never a status
inline constexpr Vocab VOCAB_CM_IMPEDANCE_POS = vocab("impo");  ///< position, and compliant
inline constexpr Vocab VOCAB_CM_IMPEDANCE_VEL = vocab("imve");  ///< velocity, and compliant
// Statuses that nobody can ask for.
inline constexpr Vocab VOCAB_CM_HW_FAULT = vocab("hwfa");
inline constexpr Vocab VOCAB_CM_CALIBRATING = vocab("cal");
inline constexpr Vocab VOCAB_CM_CALIB_DONE = vocab("cald");
inline constexpr Vocab VOCAB_CM_NOT_CONFIGURED = vocab("cfgn");
inline constexpr Vocab VOCAB_CM_CONFIGURED = vocab("cfgy");
inline constexpr Vocab VOCAB_CM_UNKNOWN = vocab("unkw");

inline constexpr Vocab VOCAB_IM_STIFF = vocab("stif");
inline constexpr Vocab VOCAB_IM_COMPLIANT = vocab("comp");
inline constexpr Vocab VOCAB_IM_UNKNOWN = vocab("unkn");

inline constexpr Vocab VOCAB_PIDTYPE_POSITION = vocab("pos");
inline constexpr Vocab VOCAB_PIDTYPE_VELOCITY = vocab("vel");
inline constexpr Vocab VOCAB_PIDTYPE_TORQUE = vocab("trq");
inline constexpr Vocab VOCAB_PIDTYPE_CURRENT = vocab("cur");

inline constexpr Vocab VOCAB_JOINTTYPE_REVOLUTE = vocab("atrv");
inline constexpr Vocab VOCAB_JOINTTYPE_PRISMATIC = vocab("atpr");

}  // namespace servosim::yarp
