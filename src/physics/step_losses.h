// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "servosim/math.h"

// What the length of a step costs a joint that moves as with Integrator::Ode.
//
// Energy. The rows that hold a hinge or slider together ought to do no work. Those of ODE act where
// the bodies were before the step, on velocities that turn away from there. In a step of length h
// their work is
//
//     W = h·λ·(J·v⁺ + J·v)/2
//
// with the forces λ of the step, their Jacobian J in the pose before it, and the velocities v and
// v⁺ before and after it. This is exact: all that motors, springs, dampers, friction, stops and
// contacts do belongs to other rows, and what gravity and other forces do is no row at all. For an
// arm that coasts at ω, with the mass m at the distance r of the axis and the inertia I about its
// own centre, the steady W is, for a small angle ω·h,
//
//     −W / (kinetic energy) = β·(ω·h)⁴·(1 − e/2)/e²,    β = m·r²/(I + m·r²),    e = ERP
//
// The position moves along the tangent, so that the anchors are apart: C_r = r·(ω·h)²/(2e) along
// the arm in the steady state, where ERP takes away what a step adds. C_r lags behind the turn, so
// that C_t = −C_r·ω·h/e·(1 − e/2) is across it, and there the centripetal force m·r·ω² has a moment
// against the motion. While ω grows, W also has the energy S = −λ·C/2 that builds C up, a share
// (ω·h)²/(2e) of the kinetic energy in all, and gives it back while ω falls. What is lost for good
// is −W less the growth of S. Since S is that of two steps alone, in which something may have hit
// the joint, the smaller one of −W and that difference counts.
//
// Way. A body turns by 2·atan(ω·h/2) in a step, and not by ω·h, which is a share of (ω·h)²/12 less.

namespace servosim {

class Bodies;
class Joints;
struct Body;
struct HingeRows;
struct JointState;
struct Scene;
struct SceneMatch;

/// What a joint has lost to the length of the step, on average over some steps.
struct StepLoss {
  enum class Of : std::uint8_t { Energy, Way };
  int joint = -1;         ///< in the scene
  Of of = Of::Energy;     ///< the kinetic energy of all bodies behind the joint, or its own way
  double per_step = 0.0;  ///< the share that a step takes
  /// The length of a step that would take about 1 % of the energy per second, or at most 0.1 % of
  /// the way [ms]. It divides the present one.
  double enough_ms = 0.0;
  bool joint_helps = false;  ///< Integrator::Joint can move the tree of this joint
  bool is_last = false;      ///< no further joints will be named
};

/// Finds the hinges and sliders that lose more than 10 % of their energy per second, or 1 % of
/// their way, to the length of the step, each once, and at most kMost of them. What counts is the
/// sum over a window of kWindow steps. A window ends after kFirstLook steps if no joint has lost
/// half as much by then. After windows in which nothing is lost there are pauses, so that looking
/// costs little; while no body turns by kLeastTurn per step, it costs nothing.
///
/// What has been found is remembered, and taken over by clones and worlds that are rebuilt. It is
/// in no saved state, since no motion depends on it: a world that is restored names no joint again,
/// and its window goes on, without the steps in which something else has changed it.
///
/// Threads: one at a time.
class StepLosses {
 public:
  static constexpr int kWindow = 48;
  static constexpr int kFirstLook = 12;
  static constexpr std::size_t kMost = 8;
  static constexpr double kLeastTurn = 0.05;       ///< [rad] per step
  static constexpr double kEnergyPerSecond = 0.1;  ///< [1/s]
  static constexpr double kOfWay = 0.01;

  /// All arguments must outlive this object. `h` is the length of the step [s]. `like` is null or
  /// belongs to another world of the same scene.
  StepLosses(const Scene& scene, const Bodies& bodies, Joints& joints, double h,
             const StepLosses* like);

  /// Returns whether look() has to be called after this step. `fastest_squared` is the square of
  /// the highest angular speed after it [rad²/s²].
  bool wants_to_look(double fastest_squared) {
    if (fastest_squared * (h_ * h_) <= kLeastTurn * kLeastTurn || found_ == kMost) {
      return false;
    }
    return pause_left_ == 0 || --pause_left_ == 0;
  }
  /// Looks at all joints after a step. Their forces must have been written, and their positions
  /// read. `revision` is that of the world; it must be one more than at the last call if nothing
  /// but the step has happened since then. Returns what has been found.
  std::vector<StepLoss> look(std::uint64_t revision);

  /// Returns the sum of W over all joints in the steps of the present window [J].
  double work() const;

  /// Takes over from the world before an edit which joints were found.
  void restore_from(const StepLosses& before, const SceneMatch& match);

 private:
  // The motion of the child against the parent where the joint holds them together, in the world.
  struct Relative {
    Vec3 velocity;  // [m/s]
    Vec3 spin;      // [rad/s]
  };
  // A joint that is looked at.
  struct Observed {
    int joint;
    const HingeRows* rows;
    const JointState* state;
    const Body* child;
    const Body* parent;  // null: the world
    std::size_t body;    // index of the child
    bool joint_helps;
    // What was before the step that comes.
    Vec3 axis;        // in the world
    Vec3 arm;         // from the centre of the child to where the rows act [m]
    Vec3 parent_arm;  // the same of the parent
    Vec3 gap;         // C: from the anchor of the parent to that of the child [m]
    Relative motion;
    double position = 0.0;
    double energy = 0.0;  // of all bodies and armatures behind the joint [J]
    // Sums over the window.
    double work = 0.0;          // W [J]
    double first_stored = 0.0;  // S of the first step [J]
    double stored = 0.0;        // S of the last step [J]
    double energies = 0.0;      // [J]
    double turns = 0.0;         // squares of the turns per step [rad²]
    double way = 0.0;           // |rate|·h [rad]
    double way_that_is = 0.0;   // how far it has gone in the direction of the rate [rad]
  };

  void add_joints(const Scene& scene, Joints& joints);
  // Returns which bodies belong to a tree that Integrator::Joint cannot move.
  std::vector<bool> with_exceptions(const Scene& scene, Joints& joints) const;
  Relative relative_motion(const Observed& joint) const;
  // Adds what a joint has done in the step that is over.
  void measure(Observed& joint) const;
  // Notes the state of a joint before the next step.
  void prepare(Observed& joint) const;
  // Computes the kinetic energy behind each body.
  void update_energies();
  // Returns whether a joint may have lost enough by the end of the window.
  bool may_lose(const Observed& joint) const;
  // Returns what a joint has lost in a window; a share of 0 for nothing.
  StepLoss loss_of(const Observed& joint) const;
  // Returns what the window has found, and remembers it.
  std::vector<StepLoss> judge();
  void end_window(bool has_found);

  const Bodies& bodies_;
  double h_;
  std::vector<Observed> observed_;
  std::vector<int> behind_;       // by body: the body before it; -1 for none
  std::vector<double> energies_;  // by body: kinetic energy of it and all bodies behind it [J]
  std::vector<bool> is_found_;    // by joint of the scene
  std::size_t found_ = 0;
  std::uint64_t prepared_at_ = 0;  // the revision after which prepare() was called; 0: never
  int measured_ = 0;               // steps of the window
  int pause_ = 0;                  // the last one [steps]
  int pause_left_ = 0;
};

/// Returns the longest step that divides the step of `now_ms` and is at most `most_ms`: a whole
/// number of milliseconds if there is one, otherwise the present step, halved several times [ms].
double step_within(double now_ms, double most_ms);

}  // namespace servosim
