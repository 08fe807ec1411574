// SPDX-License-Identifier: Apache-2.0
#include "fit/fit_point.h"

namespace servosim {

ServoModel model_at(const ServoModel& start, std::span<const FitParameter> parameters,
                    const Eigen::VectorXd& shares) {
  ServoModel model = start;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double value = parameters[i].from_share(shares[static_cast<Eigen::Index>(i)]);
    for (const std::string& key : parameters[i].keys) {
      set_number(model, key, value);
    }
  }
  return model;
}

Eigen::VectorXd shares_of(std::span<const FitParameter> parameters, const ServoModel& model) {
  Eigen::VectorXd shares(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    shares[static_cast<Eigen::Index>(i)] =
        parameters[i].to_share(number_of(model, parameters[i].keys.front()));
  }
  return shares;
}

}  // namespace servosim
