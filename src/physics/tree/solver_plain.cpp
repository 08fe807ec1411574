// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/solver_passes.h"

// The passes for any processor, compiled without special instructions. They are the reference whose
// bits the other sets must give.

namespace servosim {

namespace {

// Vec3 is the vector of the passes here, so nothing is converted.
struct PlainInput {
  using Vector = Vec3;

  template <class From>
  static const Vec3& vector(From from) {
    return *from(0);
  }
  static const SymMat3& symmetric(const SymMat3& from) { return from; }
  static void write(const Vec3& from, Vec3& to) { to = from; }
};

}  // namespace

const SolverKernel kPlainPasses = Passes<PlainInput>::kernel();

}  // namespace servosim
