// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace servosim::test {

inline std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Has a path for a trace, and takes it away.
class TraceTest : public testing::Test {
 protected:
  ~TraceTest() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "servosim_trace_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

}  // namespace servosim::test
