// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace servosim::test {

/// The bytes that two programs have exchanged on one connection, or the datagrams from one socket
/// to another.
struct RecordedFlow {
  struct Piece {
    bool asked;  ///< the side that connected has sent it
    std::string bytes;
  };
  std::string to;  ///< the name of the port; "" for datagrams, with one in each piece
  std::vector<Piece> pieces;
};

inline std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  }
  return bytes;
}

/// Reads the flows of a file in tests/data/peers, whose README.md describes the format.
inline std::vector<RecordedFlow> recorded_flows(const std::string& file) {
  std::ifstream in(std::string(SERVOSIM_TEST_DIR "/data/peers/") + file);
  std::vector<RecordedFlow> flows;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("flow ")) {
      flows.push_back({line.substr(5), {}});
    } else if (line == "datagrams") {
      flows.push_back({});
    } else if (line.starts_with("> ") || line.starts_with("< ")) {
      flows.back().pieces.push_back({line[0] == '>', bytes_of_hex(line.substr(2))});
    }
  }
  EXPECT_FALSE(flows.empty()) << file;
  return flows;
}

/// A test with recordings of programs of YARP 3.12.3.
class RecordedTest : public testing::Test {
 protected:
  const std::vector<RecordedFlow> flows_ = recorded_flows("yarp3.flows");
};

}  // namespace servosim::test
