// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace servosim {

struct HingeRows;

/// Holds what a coupling asks of hinges and sliders, such as a gear or a differential. With p, the
/// positions of the joints, and e, the error,
///
///     e = Σ ratio·p − offset,    −play/2 ≤ e + compliance·λ ≤ play/2
///
/// The force λ puts ratio·λ on the axis of each joint: on the child along +axis, and against it on
/// the parent. Without compliance and play, e is 0.
struct CouplingRows {
  struct Term {
    const HingeRows* joint = nullptr;
    double ratio = 1.0;  ///< not 0
  };
  std::vector<Term> terms;  ///< at least two, of different joints
  double offset = 0.0;      ///< in the unit of e
  double compliance = 0.0;  ///< of e per λ, >= 0; 0: as stiff as a joint can be
  double play = 0.0;        ///< between both ends of the range of e, >= 0
};

}  // namespace servosim
