// SPDX-License-Identifier: Apache-2.0
// Reads any text as an SDF, see check_robot_file().
#include "fuzz/robot_file_check.h"
#include "robots/sdf_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  servosim::fuzz::check_robot_file("robot.sdf", data, size, servosim::robots::read_sdf);
  return 0;
}
