// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// What docs/reference/recordings.md describes, as far as writer and reader share it.

namespace servosim {

/// The first bytes of a file; behind them is one zlib stream of records.
inline constexpr std::string_view kRecordingMagic = "SVTREC1\n";

/// The kinds of records. Each is a byte for the kind, u32 for the length, and its content.
inline constexpr char kSceneRecord = 'S';
inline constexpr char kFrameRecord = 'F';
inline constexpr char kEndRecord = 'E';

inline constexpr int kRecordingFormat = 1;
inline constexpr std::size_t kBodyBytes = 20;     ///< of a frame
inline constexpr std::size_t kJointBytes = 20;    ///< likewise
inline constexpr std::size_t kContactBytes = 28;  ///< likewise
inline constexpr std::uint16_t kNoBody = 0xffff;
inline constexpr double kQuaternionScale = 32767.0;

}  // namespace servosim
