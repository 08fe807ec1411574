// SPDX-License-Identifier: Apache-2.0
#include "base/line_reader.h"

#include <array>
#include <cerrno>

#include "base/shortage.h"

namespace servosim {

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      ++number_;
      return true;
    }
    searched = left_over();  // where the search goes on in what read_more() makes of it
    if (searched > longest_) {
      throw std::length_error("a line is too long");
    }
    if (!read_more()) {
      return false;
    }
  }
}

bool LineReader::read_more() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  std::array<char, 1 << 16> block;
  errno = 0;
  in_.read(block.data(), block.size());
  if (in_.bad()) {
    throw_if_short(errno, "a file cannot be read");
    throw std::runtime_error("cannot be read");
  }
  buffer_.append(block.data(), static_cast<std::size_t>(in_.gcount()));
  return in_.gcount() > 0;
}

}  // namespace servosim
