// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace servosim {

/// Applies a Butterworth low pass of second order forwards and then backwards, so that nothing is
/// delayed. The amplitude at the frequency `cutoff` is halved.
/// @param cutoff  as a fraction of the row rate, above 0 and below 0.5
Eigen::VectorXd zero_phase_filtered(Eigen::VectorXd values, double cutoff);

}  // namespace servosim
