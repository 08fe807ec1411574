// SPDX-License-Identifier: Apache-2.0
#include "robots/joint_inertia.h"

#include <array>
#include <cmath>
#include <utility>

namespace servosim::robots {
namespace {

/// A motion, or a momentum about the origin of the world: of a motion the rate of the point that is
/// there.
struct Twist {
  Vec3 turn;
  Vec3 shift;
};

/// A degree of freedom: what its link does at the rate 1.
struct Freedom {
  std::size_t link = 0;
  Twist twist;
  double armature = 0.0;
  std::size_t joint = 0;
};

Twist turn_twist(const Vec3& anchor, const Vec3& axis) { return {axis, cross(anchor, axis)}; }

// The frames of links in the pose of the file.
std::vector<Pose> file_frames(const MjcfParts& parts) {
  std::vector<Pose> frames;
  for (std::size_t i = 0; i < parts.model.links.size(); ++i) {
    const int parent = parts.model.links[i].parent;
    frames.push_back(parent < 0 ? parts.file_poses[i]
                                : frames[static_cast<std::size_t>(parent)] * parts.file_poses[i]);
  }
  return frames;
}

std::vector<Freedom> freedoms_of(const MjcfParts& parts, const std::vector<Pose>& frames) {
  constexpr std::array<Vec3, 3> kAxes{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  std::vector<Freedom> freedoms;
  for (std::size_t k = 0; k < parts.joints.size(); ++k) {
    const MjcfJoint& of = parts.joints[k];
    const RobotJoint& joint = parts.model.links[of.link].joints[of.index];
    const Pose& frame = frames[of.link];
    const auto add = [&](const Twist& twist) {
      freedoms.push_back({of.link, twist, joint.armature, k});
    };
    const Vec3 axis = frame.rotation * of.axis;
    switch (joint.motion) {
      case JointMotion::Turn:
        add(turn_twist(frame * of.anchor, axis));
        break;
      case JointMotion::Slide:
        add({{}, axis});
        break;
      default:
        for (const Vec3& along : kAxes) {
          add(turn_twist(frame * of.anchor, along));
        }
        if (joint.motion == JointMotion::Free) {
          for (const Vec3& along : kAxes) {
            add({{}, along});
          }
        }
    }
  }
  return freedoms;
}

// Returns the momentum of a rigid body with a motion.
Twist momentum_of(const MassProperties& body, const Twist& motion) {
  const Vec3 linear = body.mass * (motion.shift + cross(motion.turn, body.center));
  return {body.inertia * motion.turn + cross(body.center, linear), linear};
}

// Returns for each link the mass of all that it carries, in the world.
std::vector<MassProperties> carried_masses(const MjcfParts& parts,
                                           const std::vector<Pose>& frames) {
  const std::vector<RobotLink>& links = parts.model.links;
  std::vector<MassProperties> sums(links.size());
  for (std::size_t i = links.size(); i-- > 0;) {
    if (links[i].inertial) {
      sums[i] = placed(*links[i].inertial, frames[i]) + sums[i];
    }
    if (links[i].parent >= 0) {
      MassProperties& above = sums[static_cast<std::size_t>(links[i].parent)];
      above = above.mass > 0.0 ? above + sums[i] : sums[i];
    }
  }
  return sums;
}

/// A symmetric matrix, of which the lower triangle is used.
class Matrix {
 public:
  explicit Matrix(std::size_t n) : n_(n), rows_(n * n) {}
  double& operator()(std::size_t row, std::size_t column) { return rows_[row * n_ + column]; }

  // Replaces it by L with L·Lᵀ = M. Returns false if it is not positive definite.
  bool factorize() {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = j; i < n_; ++i) {
        double sum = (*this)(i, j);
        for (std::size_t k = 0; k < j; ++k) {
          sum -= (*this)(i, k) * (*this)(j, k);
        }
        if (i == j && !(sum > 0.0)) {
          return false;
        }
        (*this)(i, j) = i == j ? std::sqrt(sum) : sum / (*this)(j, j);
      }
    }
    return true;
  }

  // Returns (M⁻¹)_ii of a matrix that factorize() has replaced: |L⁻¹·e_i|².
  double inverse_diagonal(std::size_t i) {
    std::vector<double> y(n_);
    double sum = 0.0;
    for (std::size_t row = i; row < n_; ++row) {
      double value = row == i ? 1.0 : 0.0;
      for (std::size_t k = i; k < row; ++k) {
        value -= (*this)(row, k) * y[k];
      }
      y[row] = value / (*this)(row, row);
      sum += y[row] * y[row];
    }
    return sum;
  }

 private:
  std::size_t n_;
  std::vector<double> rows_;
};

}  // namespace

// The term of two freedoms on one path is the momentum that the outer one gives to all that it
// carries, seen along the inner one (the composite rigid body algorithm).
std::vector<double> joint_inertias(const MjcfParts& parts) {
  const std::vector<Pose> frames = file_frames(parts);
  const std::vector<Freedom> freedoms = freedoms_of(parts, frames);
  const std::size_t n = freedoms.size();
  if (n > kMaxInertiaFreedoms) {
    return {};
  }
  const std::vector<MassProperties> carried = carried_masses(parts, frames);
  Matrix matrix(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Twist momentum = momentum_of(carried[freedoms[i].link], freedoms[i].twist);
    std::vector<bool> is_above(parts.model.links.size());
    for (int link = static_cast<int>(freedoms[i].link); link >= 0;
         link = parts.model.links[static_cast<std::size_t>(link)].parent) {
      is_above[static_cast<std::size_t>(link)] = true;
    }
    for (std::size_t j = 0; j <= i; ++j) {
      if (is_above[freedoms[j].link]) {
        matrix(i, j) = dot(freedoms[j].twist.turn, momentum.turn) +
                       dot(freedoms[j].twist.shift, momentum.shift);
      }
    }
    matrix(i, i) += freedoms[i].armature;
  }
  if (!matrix.factorize()) {
    return {};
  }
  std::vector<double> inertias(parts.joints.size());
  for (std::size_t i = 0; i < n; ++i) {
    const MjcfJoint& of = parts.joints[freedoms[i].joint];
    const JointMotion motion = parts.model.links[of.link].joints[of.index].motion;
    if (motion == JointMotion::Turn || motion == JointMotion::Slide) {
      inertias[freedoms[i].joint] = 1.0 / matrix.inverse_diagonal(i);
    }
  }
  return inertias;
}

}  // namespace servosim::robots
