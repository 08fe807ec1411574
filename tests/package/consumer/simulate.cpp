// SPDX-License-Identifier: Apache-2.0
#include <servosim/simulation.h>

#include <cstdio>

int main(int, char** argv) {
  servosim::Simulation simulation(argv[1]);
  simulation.robot("arm").motor("shoulder").set_position(-0.8);
  simulation.step(250);
  std::printf("shoulder %.2f\n", simulation.joint("shoulder").position());
}
