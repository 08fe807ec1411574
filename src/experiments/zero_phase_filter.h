// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace servosim {

/// A Butterworth low pass of second order, forwards and then backwards over the rows: it delays
/// nothing. What has the frequency `cutoff` is halved.
/// @param cutoff  in parts of the rows per second, above 0 and below 0.5
Eigen::VectorXd zero_phase_filtered(Eigen::VectorXd values, double cutoff);

}  // namespace servosim
