// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/board_notices.h"

#include <fmt/format.h>

namespace servosim::yarp {

namespace {

// Removes quoted parts and the characters of numbers.
std::string without_values(std::string_view text) {
  std::string kept;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && std::string_view("0123456789+-.").find(c) == std::string_view::npos) {
      kept += c;
    }
  }
  return kept;
}

}  // namespace

void BoardNotices::warn(double time, int j, std::string_view motor, const Cause& cause,
                        std::string_view text) {
  // A client may use any number of words; beyond this number all texts are one kind.
  constexpr std::size_t kMostKinds = 100;
  auto& kinds = kinds_[j];
  Kind kind{cause, without_values(text)};
  if (kinds.size() >= kMostKinds && !kinds.contains(kind)) {
    kind.second.clear();
  }
  Limit& limit = kinds[kind];
  // Time goes back if a simulation is restored.
  if (time < limit.until && time >= limit.until - period_) {
    ++limit.hidden;
    return;
  }
  const std::string who = j >= 0 ? fmt::format(", joint {} \"{}\"", j, motor) : "";
  const std::string more =
      limit.hidden > 0 ? fmt::format(" (and {} more since the last message)", limit.hidden) : "";
  notices_.report(fmt::format("board \"{}\"{}: {}{}", board_, who, text, more));
  limit = {time + period_, 0};
}

}  // namespace servosim::yarp
