// SPDX-License-Identifier: Apache-2.0
#include <webots/robot.h>

#include <iostream>
#include <string>

std::string who();

int main() {
  wb_robot_init();
  std::cout << who() << ' ' << wb_robot_step(8) << std::endl;
  wb_robot_cleanup();
}
