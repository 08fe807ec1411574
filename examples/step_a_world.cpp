// SPDX-License-Identifier: Apache-2.0
// Loads a world, commands a motor and reads its joint, all in one process and without a controller.
#include <servosim/simulation.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  try {
    servosim::Simulation simulation(argc > 1 ? argv[1] : "worlds/arm.wbt");
    for (const servosim::Diagnostic& diagnostic : simulation.diagnostics()) {
      std::fprintf(stderr, "%s\n", to_string(diagnostic).c_str());
    }
    servosim::Motor& shoulder = simulation.robot("arm").motor("shoulder");
    shoulder.set_position(-0.8);
    simulation.step(250);
    const servosim::JointReading joint = simulation.joint("shoulder").reading();
    std::printf("after %.1f s: shoulder at %.2f rad, held with %.2f N m\n", simulation.time(),
                joint.position, joint.effort);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
