// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// A .motion file: positions of motors over time, and the present time in it.
class Motion {
 public:
  /// @throws std::runtime_error that names the line and the error
  static Motion parse(std::string_view text);
  /// @throws std::runtime_error that names the file, the line and the error
  static Motion read(const std::string& path);

  const std::vector<std::string>& motors() const { return motors_; }
  /// The present position of motor number `motor` [rad|m]; nothing where the file has no command
  /// for it.
  std::optional<double> position(std::size_t motor) const;

  void play();
  void stop() { playing_ = false; }
  bool playing() const { return playing_; }
  void set_loop(bool loop) { loop_ = loop; }
  void set_reverse(bool reverse) { reverse_ = reverse; }
  bool over() const;
  int duration() const { return times_.back(); }  ///< [ms]
  int time() const { return time_; }              ///< [ms]
  void set_time(int time_ms);
  /// Advances by `duration_ms` >= 0 in its direction, at most to its end. At the end it stops or,
  /// in a loop, begins again.
  void advance(int duration_ms);

 private:
  void read_head(std::string_view line);
  void read_pose(std::string_view line);

  std::vector<std::string> motors_;
  std::vector<int> times_;         // times of the poses, rising [ms]
  std::vector<double> positions_;  // row by row, one row per pose; NaN: no command
  int time_ = 0;                   // [ms]
  bool playing_ = false;
  bool loop_ = false;
  bool reverse_ = false;
};

}  // namespace servosim
