// SPDX-License-Identifier: Apache-2.0
#include <webots/robot.h>

#include <iostream>
#include <vector>

int main() {
  wb_robot_init();
  const std::vector<int> steps{wb_robot_step(8), wb_robot_step(16)};
  std::cout << "bare " << steps[0] + steps[1] << std::endl;
  wb_robot_cleanup();
}
