// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/motion.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "base/text.h"

namespace servosim {

namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMaxNumbersOfFile = 64u << 20;
constexpr double kNoCommand = std::numeric_limits<double>::quiet_NaN();

// The columns of a line that are not empty.
std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(','), line.size());
    if (end > 0) {
      columns.push_back(line.substr(0, end));
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return columns;
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

// The time [ms] of a text [[MM:]SS:]mmm, where each part is a whole number.
int time_of(std::string_view text) {
  constexpr std::int64_t kUnits[] = {1, 1000, 60000};
  std::string_view rest = trimmed(text);
  std::int64_t sum = 0;
  for (const std::int64_t unit : kUnits) {
    const std::size_t colon = rest.rfind(':');
    const std::string_view digits = colon == rest.npos ? rest : rest.substr(colon + 1);
    const auto number = parse_number<std::int64_t>(digits);
    if (!number || digits[0] == '-' || *number > std::numeric_limits<int>::max()) {
      break;
    }
    sum += unit * *number;
    if (colon == rest.npos) {
      if (sum > std::numeric_limits<int>::max()) {
        break;
      }
      return static_cast<int>(sum);
    }
    rest = rest.substr(0, colon);
  }
  throw std::runtime_error("the time " + quoted(text) + " is not [[minutes:]seconds:]milliseconds");
}

double position_of(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (rest == "*") {
    return kNoCommand;
  }
  if (!rest.empty() && rest[0] == '+') {
    rest.remove_prefix(1);
  }
  const auto value = parse_number<double>(rest);
  if (!value || !std::isfinite(*value)) {
    throw std::runtime_error("the position " + quoted(text) + " is neither a number nor *");
  }
  return *value;
}

}  // namespace

Motion Motion::parse(std::string_view text) {
  Motion motion;
  int number = 0;
  try {
    while (!text.empty()) {
      ++number;
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
      }
      if (line.empty() && number > 1) {
        break;
      }
      if (line.size() > kLongestLine) {
        throw std::runtime_error("it is longer than 4096 characters");
      }
      number == 1 ? motion.read_head(line) : motion.read_pose(line);
    }
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("line " + std::to_string(number) + ": " + error.what());
  }
  if (motion.times_.empty()) {
    throw std::runtime_error("it has no pose");
  }
  return motion;
}

void Motion::read_head(std::string_view line) {
  const std::vector<std::string_view> columns = columns_of(line);
  if (columns.empty() || columns[0] != "#WEBOTS_MOTION") {
    throw std::runtime_error("a motion file begins with #WEBOTS_MOTION");
  }
  if (columns.size() < 2 || columns[1] != "V1.0") {
    throw std::runtime_error("only version V1.0 of motion files can be read");
  }
  motors_.assign(columns.begin() + 2, columns.end());
  if (motors_.empty()) {
    throw std::runtime_error("it names no motor");
  }
}

void Motion::read_pose(std::string_view line) {
  const std::vector<std::string_view> columns = columns_of(line);
  if (columns.size() != motors_.size() + 2) {
    throw std::runtime_error("a pose has a time, a name, and one position for each of the " +
                             std::to_string(motors_.size()) + " motors");
  }
  const int time = time_of(columns[0]);
  if (!times_.empty() && time <= times_.back()) {
    throw std::runtime_error("its time is not later than that of the pose before");
  }
  if (positions_.size() + motors_.size() > kMaxNumbersOfFile) {
    throw std::runtime_error("the file is too large");
  }
  times_.push_back(time);
  for (std::size_t i = 2; i < columns.size(); ++i) {
    positions_.push_back(position_of(columns[i]));
  }
}

Motion Motion::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  // The file is read in pieces, because a directory has no size and a device no end.
  constexpr std::size_t kMaxBytes = 256u << 20;
  std::vector<char> piece(1u << 16);
  while (file && text.size() <= kMaxBytes) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  try {
    if (text.empty() || text.size() > kMaxBytes) {
      throw std::runtime_error(text.empty() ? "it cannot be read, or is empty"
                                            : "it is longer than 256 MiB");
    }
    return parse(text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("motion file '" + path + "': " + error.what() + '.');
  }
}

std::optional<double> Motion::position(std::size_t motor) const {
  const auto at = [&](std::size_t pose) { return positions_[pose * motors_.size() + motor]; };
  const auto given = [](double value) {
    return std::isnan(value) ? std::nullopt : std::optional(value);
  };
  const auto after = std::upper_bound(times_.begin(), times_.end(), time_);
  if (after == times_.begin()) {
    return given(at(0));
  }
  const auto pose = static_cast<std::size_t>(after - times_.begin()) - 1;
  if (after == times_.end() || times_[pose] == time_) {
    return given(at(pose));
  }
  const double span = static_cast<double>(times_[pose + 1]) - times_[pose];
  const double share = (static_cast<double>(time_) - times_[pose]) / span;
  const double before = at(pose);
  const double next = at(pose + 1);
  if (std::isnan(before) || std::isnan(next)) {
    return std::nullopt;
  }
  return std::lerp(before, next, share);  // for two equal positions exact to the last bit
}

bool Motion::over() const { return !loop_ && (reverse_ ? time_ <= 0 : time_ >= duration()); }

void Motion::play() {
  if (over()) {
    time_ = reverse_ ? duration() : 0;
  }
  playing_ = true;
}

void Motion::set_time(int time_ms) { time_ = std::clamp(time_ms, 0, duration()); }

// If the duration of the motion is no multiple of the steps, its end is played by a step of its
// own; a loop begins again after that.
void Motion::advance(int duration_ms) {
  const int begin = reverse_ ? duration() : 0;
  const int end = duration() - begin;
  if (time_ == end && duration_ms > 0) {
    playing_ = loop_;
    time_ = loop_ ? begin : end;
    return;
  }
  const std::int64_t next = static_cast<std::int64_t>(time_) +
                            (reverse_ ? -1 : 1) * static_cast<std::int64_t>(duration_ms);
  time_ = static_cast<int>(std::clamp<std::int64_t>(next, 0, duration()));
}

}  // namespace servosim
