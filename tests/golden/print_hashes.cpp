// SPDX-License-Identifier: Apache-2.0
// Prints the state hash of every world below a folder after 1000 steps with swinging motors, and
// the hash of a control board's exercises. It is built with and without optimisation, and both
// builds must print the same.
#include <cstdio>

#include "run_board.h"
#include "run_worlds.h"

int main(int argc, char** argv) {
  using namespace servosim;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  for (const std::string& world : test::worlds_in(argv[1])) {
    const std::uint64_t hash = test::swing(world, 1000, [](const Simulation&) {});
    std::printf("%016llx %s\n", static_cast<unsigned long long>(hash), world.c_str());
  }
  std::printf("%016llx board\n", static_cast<unsigned long long>(test::exercise_board(argv[1])));
}
