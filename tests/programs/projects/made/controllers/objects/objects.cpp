// SPDX-License-Identifier: Apache-2.0
#include <webots/Robot.hpp>

using namespace webots;

class Controller : public Robot {
 public:
  void run() {
    step(8);
    step(16);
    std::cout << "objects: " << getName() << " after " << 1000.0 * getTime() << " ms" << std::endl;
  }
};

int main(int, char **) {
  Controller *controller = new Controller();
  controller->run();
  delete controller;
  return 0;
}
