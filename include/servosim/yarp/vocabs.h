// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Names and units of YARP: see docs/reference/yarp.md.
namespace servosim::yarp {

/// Up to four characters in a number, the first one in its lowest byte: 'pos' is 0x00736F70.
using vocab32_t = std::int32_t;

/// The number of a text; characters after the fourth do not count.
constexpr vocab32_t createVocab32(std::string_view code) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < code.size() && i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(code[i])) << (8 * i);
  }
  return static_cast<vocab32_t>(value);
}

/// The characters up to the first 0.
std::string to_string(vocab32_t vocab);

// Control modes: what a joint obeys. docs/reference/yarp.md has the commands of each.

/// Follows the trajectories of positionMove().
inline constexpr vocab32_t VOCAB_CM_POSITION = createVocab32("pos");
/// Takes each reference of setPosition() as it is.
inline constexpr vocab32_t VOCAB_CM_POSITION_DIRECT = createVocab32("posd");
/// Ramps to the speed of velocityMove().
inline constexpr vocab32_t VOCAB_CM_VELOCITY = createVocab32("vel");
/// Takes the speed of setDesiredVelocity() as it is; since YARP 4.
inline constexpr vocab32_t VOCAB_CM_VELOCITY_DIRECT = createVocab32("veld");
/// Adds the trajectories of positionMove() and the speed of velocityMove().
inline constexpr vocab32_t VOCAB_CM_MIXED = createVocab32("mix");
/// Applies the torque of setRefTorque().
inline constexpr vocab32_t VOCAB_CM_TORQUE = createVocab32("torq");
inline constexpr vocab32_t VOCAB_CM_OPENLOOP =
    createVocab32("open");  ///< The old name of VOCAB_CM_PWM.
/// Applies the duty cycle of setRefDutyCycle().
inline constexpr vocab32_t VOCAB_CM_PWM = createVocab32("ipwm");
/// Applies the current of setRefCurrent().
inline constexpr vocab32_t VOCAB_CM_CURRENT = createVocab32("icur");
/// Applies nothing, and accepts no command of motion.
inline constexpr vocab32_t VOCAB_CM_IDLE = createVocab32("idl");
inline constexpr vocab32_t VOCAB_CM_FORCE_IDLE =
    createVocab32("fidl");  ///< Ends a fault. It is a request, never a status.
inline constexpr vocab32_t VOCAB_CM_IMPEDANCE_POS =
    createVocab32("impo");  ///< An old name: VOCAB_CM_POSITION and compliant.
inline constexpr vocab32_t VOCAB_CM_IMPEDANCE_VEL =
    createVocab32("imve");  ///< An old name: VOCAB_CM_VELOCITY and compliant.
// Statuses, which getControlMode() returns and no one can request.

inline constexpr vocab32_t VOCAB_CM_HW_FAULT = createVocab32("hwfa");
/// The joint moves to the place of its calibration.
inline constexpr vocab32_t VOCAB_CM_CALIBRATING = createVocab32("cal");
inline constexpr vocab32_t VOCAB_CM_CALIB_DONE = createVocab32("cald");
/// The joint waits for its parameters, and has no power.
inline constexpr vocab32_t VOCAB_CM_NOT_CONFIGURED = createVocab32("cfgn");
inline constexpr vocab32_t VOCAB_CM_CONFIGURED = createVocab32("cfgy");
inline constexpr vocab32_t VOCAB_CM_UNKNOWN = createVocab32("unkw");

// Interaction modes: how a joint holds its reference.

/// Holds the reference by a position controller.
inline constexpr vocab32_t VOCAB_IM_STIFF = createVocab32("stif");
/// Gives way as a spring and damper: see setImpedance().
inline constexpr vocab32_t VOCAB_IM_COMPLIANT = createVocab32("comp");
inline constexpr vocab32_t VOCAB_IM_UNKNOWN = createVocab32("unkn");

// The controllers of a joint; each has a Pid.
inline constexpr vocab32_t VOCAB_PIDTYPE_POSITION = createVocab32("pos");
inline constexpr vocab32_t VOCAB_PIDTYPE_VELOCITY = createVocab32("vel");
inline constexpr vocab32_t VOCAB_PIDTYPE_TORQUE = createVocab32("trq");
inline constexpr vocab32_t VOCAB_PIDTYPE_CURRENT = createVocab32("cur");

// Kinds of joints: degrees and N·m, or metres and N.
inline constexpr vocab32_t VOCAB_JOINTTYPE_REVOLUTE = createVocab32("atrv");
inline constexpr vocab32_t VOCAB_JOINTTYPE_PRISMATIC = createVocab32("atpr");

}  // namespace servosim::yarp
