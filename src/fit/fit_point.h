// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>

#include "fit/fit_parameters.h"

namespace servosim {

/// Returns the model at a point of the unit cube, with a coordinate for each parameter.
ServoModel model_at(const ServoModel& start, std::span<const FitParameter> parameters,
                    const Eigen::VectorXd& shares);
/// Returns the point of a model; values beyond the bounds become the bounds.
Eigen::VectorXd shares_of(std::span<const FitParameter> parameters, const ServoModel& model);

}  // namespace servosim
