// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// Lines of a file of any length, in bounded memory.
class LineReader {
 public:
  /// @param longest  a line with more bytes is refused
  LineReader(std::istream& in, std::size_t longest) : in_(in), longest_(longest) {}

  /// The next line that has its line break, without it; valid until the next call. False at the
  /// end.
  /// @throws std::length_error for a line that is too long, std::runtime_error if reading fails,
  /// Shortage if the device does.
  bool next(std::string_view& line);
  /// At the end: how many bytes there are after the last line break.
  std::size_t left_over() const { return buffer_.size() - begin_; }
  /// Of the last line, from 1 on.
  std::int64_t number() const { return number_; }

 private:
  bool read_more();

  std::istream& in_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what was not given out yet
  std::int64_t number_ = 0;
};

}  // namespace servosim
