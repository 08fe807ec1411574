// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace servosim::test {

/// The bytes that two programs exchanged on one connection, or the datagrams from one socket to
/// another.
struct RecordedFlow {
  struct Piece {
    bool asked;  ///< sent by the side that connected
    std::string bytes;
  };
  std::string to;  ///< the name of the port; "" for datagrams, one in each piece
  std::vector<Piece> pieces;
  bool cut = false;  ///< perhaps in the middle of a message
};

inline std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  }
  return bytes;
}

/// The flows of a file in tests/peers: lines "flow NAME" or "datagrams", "> HEX" and "< HEX", "#"
/// comments.
inline std::vector<RecordedFlow> recorded_flows(const std::string& file) {
  std::ifstream in(std::string(SERVOSIM_TEST_DIR "/peers/") + file);
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

/// The flows of a file of ../shared/peers beside the sources; its README.md describes the form.
/// None where there is no such file.
inline std::vector<RecordedFlow> shared_recorded_flows(const std::string& file) {
  std::ifstream in(std::string(SERVOSIM_SHARED_WORLDS_DIR "/../peers/") + file);
  std::vector<RecordedFlow> flows;
  if (!in) {
    return flows;
  }
  for (const nlohmann::json& row : nlohmann::json::parse(in)) {
    RecordedFlow& flow = flows.emplace_back();
    flow.cut = row.value("cut", false);
    if (row.at("over") == "udp") {
      for (const auto& datagram : row.at("datagrams")) {
        flow.pieces.push_back({true, bytes_of_hex(datagram.at(1))});
      }
      continue;
    }
    flow.to = row.at("to");
    for (const auto& piece : row.at("exchange")) {
      flow.pieces.push_back({piece.at(1) == ">", bytes_of_hex(piece.at(2))});
    }
  }
  return flows;
}

/// A recording as a test's parameter.
struct Recording {
  const char* name;
  std::string file;
  bool shared = true;  ///< beside the sources, if it is there
};
inline void PrintTo(const Recording& recording, std::ostream* os) { *os << recording.name; }
inline std::string recording_name(const testing::TestParamInfo<Recording>& info) {
  return info.param.name;
}

/// A test about one recording.
class RecordedTest : public testing::TestWithParam<Recording> {
 protected:
  void SetUp() override {
    const auto& [name, file, shared] = GetParam();
    flows_ = shared ? shared_recorded_flows(file) : recorded_flows(file);
    if (shared && flows_.empty()) {
      GTEST_SKIP() << "recordings beside the repository, where present: no ../shared/peers/"
                   << file;
    }
  }
  std::vector<RecordedFlow> flows_;
};

/// Of YARP 3.12.3: a selection, and all there is.
inline std::vector<Recording> yarp3_recordings() {
  return {{"Selection", "yarp3.flows", false},
          {"Udp", "yarp/udp.json"},
          {"Tcp", "yarp/tcp.json"},
          {"FastTcp", "yarp/fast.json"}};
}

}  // namespace servosim::test
