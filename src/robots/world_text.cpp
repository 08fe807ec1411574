// SPDX-License-Identifier: Apache-2.0
#include "robots/world_text.h"

#include <algorithm>
#include <cstddef>

namespace servosim::robots {
namespace {

constexpr std::size_t kMaxIndent = 40;  // levels

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

// The spans of a text are of one file.
void WorldText::note(SourceLocation where) {
  if (where.file != first_.file) {
    where = first_;
  }
  const auto at = static_cast<std::uint32_t>(text_.size());
  if (!spans_.empty() && spans_.back().at == at) {
    spans_.back().origin = where.offset;
  } else {
    spans_.push_back({at, where.offset, false});
  }
}

void WorldText::open(std::string_view head, char bracket) {
  line(fmt::format("{} {}", head, bracket));
  closing_ += bracket == '{' ? '}' : ']';
}

void WorldText::close() {
  const char bracket = closing_.back();
  closing_.pop_back();
  line(std::string(1, bracket));
}

void WorldText::line(std::string_view text) {
  // Without a bound the text of a deep tree would be mostly blanks.
  text_.append(2 * std::min(closing_.size(), kMaxIndent), ' ').append(text) += '\n';
}

void WorldText::vector(std::string_view field, const Vec3& v) {
  // Adding 0.0 avoids "-0".
  line(fmt::format("{} {} {} {}", field, v.x + 0.0, v.y + 0.0, v.z + 0.0));
}

void WorldText::string(std::string_view field, std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    escaped += c == '"' || c == '\\' ? "\\" : "";
    escaped += is_control(c) ? ' ' : c;
  }
  line(fmt::format("{} \"{}\"", field, escaped));
}

void WorldText::pose(const Pose& pose) {
  if (pose.translation != Vec3{}) {
    vector("translation", pose.translation);
  }
  if (pose.rotation != Mat3{}) {
    const AxisAngle turn = axis_angle(pose.rotation);
    line(fmt::format("rotation {} {} {} {}", turn.axis.x + 0.0, turn.axis.y + 0.0,
                     turn.axis.z + 0.0, turn.angle));
  }
}

}  // namespace servosim::robots
