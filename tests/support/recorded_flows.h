// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace servosim::test {

/// What two programs said to each other on one connection.
struct RecordedFlow {
  struct Piece {
    bool asked;  ///< by the side that dialled; else what the other side said
    std::string bytes;
  };
  std::string to;  ///< the name of the port that was dialled
  std::vector<Piece> pieces;
};

inline std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  }
  return bytes;
}

/// The flows of a file in tests/peers: lines "flow NAME", "> HEX" and "< HEX", "#" comments.
inline std::vector<RecordedFlow> recorded_flows(const std::string& file) {
  std::ifstream in(std::string(SERVOSIM_TEST_DIR "/../peers/") + file);
  std::vector<RecordedFlow> flows;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("flow ")) {
      flows.push_back({line.substr(5), {}});
    } else if (line.starts_with("> ") || line.starts_with("< ")) {
      flows.back().pieces.push_back({line[0] == '>', bytes_of_hex(line.substr(2))});
    }
  }
  EXPECT_FALSE(flows.empty()) << file;
  return flows;
}

}  // namespace servosim::test
