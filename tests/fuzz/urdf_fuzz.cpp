// SPDX-License-Identifier: Apache-2.0
// Reads any text as a URDF, see check_robot_file().
#include "fuzz/robot_file_check.h"
#include "robots/urdf_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  servosim::fuzz::check_robot_file("robot.urdf", data, size, servosim::robots::read_urdf);
  return 0;
}
