// SPDX-License-Identifier: Apache-2.0
#include "robots/inertia.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace servosim::robots {
namespace {

// The smallest moment, as a part of the largest one, that solvers can work with, and the least that
// a repaired body gets.
constexpr double kThinnest = 1e-9;
constexpr double kLeastShare = 0.01;
// A body of this radius of gyration or less [m] has no moment of inertia: files have rounded zeros.
constexpr double kLeastGyration = 1e-5;
constexpr double kWater = 1000.0;  // [kg/m³]

// One rotation of Jacobi's method, which makes the entry (p, q) 0.
void rotate(Mat3& a, Mat3& axes, int p, int q) {
  if (a(p, q) == 0.0) {
    return;
  }
  const double theta = (a(q, q) - a(p, p)) / (2.0 * a(p, q));
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double c = 1.0 / std::hypot(t, 1.0);
  Mat3 turn;
  turn(p, p) = turn(q, q) = c;
  turn(p, q) = t * c;
  turn(q, p) = -t * c;
  a = transposed(turn) * a * turn;
  a(p, q) = a(q, p) = 0.0;
  axes = axes * turn;
}

}  // namespace

PrincipalAxes principal_axes(const Mat3& symmetric) {
  constexpr int kSweeps = 12;  // converges quadratically; five are enough for any matrix of numbers
  Mat3 a = symmetric;
  Mat3 axes;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    rotate(a, axes, 0, 1);
    rotate(a, axes, 0, 2);
    rotate(a, axes, 1, 2);
  }
  std::array<int, 3> order{0, 1, 2};
  std::ranges::sort(order, {}, [&](int i) { return a(i, i); });
  PrincipalAxes found;
  for (int k = 0; k < 3; ++k) {
    found.moments[k] = a(order[k], order[k]);
    for (int row = 0; row < 3; ++row) {
      found.axes(row, k) = axes(row, order[k]);
    }
  }
  return found;
}

bool is_solid(const MassProperties& mass) {
  const auto [least, middle, most] = principal_axes(mass.inertia).moments;
  return most > kLeastGyration * kLeastGyration * mass.mass && least > kThinnest * most;
}

std::string repair_inertia(MassProperties& mass) {
  PrincipalAxes found = principal_axes(mass.inertia);
  const std::array<double, 3> before = found.moments;
  if (!(before[2] > kLeastGyration * kLeastGyration * mass.mass)) {
    const double radius = std::cbrt(0.75 * mass.mass / (std::numbers::pi * kWater));
    const double moment = 0.4 * mass.mass * radius * radius;
    mass.inertia = diagonal(moment, moment, moment);
    return fmt::format(
        "has no moment above {:.3g} kg m^2; that of a ball of water with the same "
        "mass is used",
        std::max(before[2], 0.0));
  }
  auto& [least, middle, most] = found.moments;
  middle = std::max(middle, 0.5 * most);
  least = std::max({least, most - middle, kLeastShare * most});
  mass.inertia = found.axes * diagonal(least, middle, most) * transposed(found.axes);
  return fmt::format(
      "is not positive definite (moments {:.3g} {:.3g} {:.3g} kg m^2); the moments "
      "{:.3g} {:.3g} {:.3g} are used",
      before[0], before[1], before[2], least, middle, most);
}

bool has_impossible_moments(const Mat3& inertia) {
  constexpr double kDigits = 1e-3;  // files have six digits, and often fewer
  const auto [least, middle, most] = principal_axes(inertia).moments;
  return most > (least + middle) * (1.0 + kDigits);
}

bool has_huge_moment(const Mat3& inertia) {
  return std::ranges::any_of(inertia.m, [](double x) { return !(std::abs(x) < kLargestMoment); });
}

}  // namespace servosim::robots
