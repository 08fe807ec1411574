// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "physics/mass.h"
#include "physics/solid_range.h"
#include "servosim/math.h"

struct dxBody;  // ODE's dBodyID points to it

namespace servosim {

class Fnv1a;
class OdeWorld;
struct Scene;

/// The velocities of a point of a body, in the world's axes.
struct PointMotion {
  Vec3 velocity;  ///< [m/s]
  Vec3 spin;      ///< [rad/s]
  friend bool operator==(const PointMotion&, const PointMotion&) = default;
};

/// When bodies at rest fall asleep: WorldInfo's physicsDisable fields. The rule and its arithmetic
/// are those of ODE's automatic disabling, whose clocks cannot be read and so not be saved.
struct SleepRule {
  double time = 1.0;               ///< [s] below both thresholds; <= 0: never
  double linear_threshold = 0.01;  ///< [m/s]
  double angular_threshold = 0.01;
};

/// Seconds of rest until a body falls asleep; more than SleepRule::time counts as that. Kept as
/// the user data of every body.
struct SleepClock {
  double left = std::numeric_limits<double>::infinity();
};

/// Wakes a body, if it sleeps by fall_asleep(), and lets its clock start again.
void wake(dxBody* body);
/// These, and all that joints and contacts connect with them.
void wake_islands(std::vector<dxBody*> bodies);

/// True if one of the bodies of a joint is awake; `parent` may be null. On sleeping bodies ODE
/// would pile forces up until they wake.
bool is_awake(dxBody* child, dxBody* parent);

/// For each body before each step: true if it is awake and has rested long enough, so that it may
/// fall_asleep(). As in ODE, a body without any joint or contact stays awake. `h`: length of the
/// step [s].
bool has_rested(dxBody* body, const SleepRule& rule, double h);
/// Stops a body and disables it. As in ODE, awake neighbours wake it again in the step.
void fall_asleep(dxBody* body);

/// A RigidBody in ODE.
struct Body {
  dxBody* id = nullptr;
  int solid = -1;  ///< the Solid that owns it and gives its axes
  Vec3 center;     ///< centre of mass in the owner's frame [m]
  // Where ODE keeps its state; valid as long as the body.
  const double* position = nullptr;
  const double* rotation = nullptr;
  const double* quaternion = nullptr;
  const double* velocity = nullptr;
  const double* spin = nullptr;
  SleepClock sleep;
};

/// Of a body of ODE; without an owner.
Body body_of(dxBody* id);
/// Null for none.
inline dxBody* id_of(const Body* body) { return body != nullptr ? body->id : nullptr; }

/// The place of a body, to the last bit.
struct BodyPlace {
  std::array<double, 3> position;
  std::array<double, 12> rotation;
  std::array<double, 4> quaternion;
};

BodyPlace place_of(const Body& body);
/// Puts a body to a place that it had before.
void put_at(const Body& body, const BodyPlace& place);
/// The pose of the centre of mass in the world, with the owner's axes.
Pose pose_of(const Body& body);
/// Puts the centre of mass and the axes of a body to a pose in the world.
void put_at(const Body& body, const Pose& pose);
void set_motion(const Body& body, const PointMotion& of_center);

/// The state of a body, to the last bit.
struct BodyState {
  BodyPlace place;
  std::array<double, 3> velocity;
  std::array<double, 3> spin;
  std::array<double, 3> force;  ///< for the next step
  std::array<double, 3> torque;
  double sleep_left;
  std::uint64_t enabled;  ///< 0 or 1; saved states have no bytes without a value
};

BodyState state_of(const Body& body);
void set_state(Body& body, const BodyState& state);
void add_to_hash(Fnv1a& hash, const BodyState& state);

/// The rigid bodies of a scene: mass, pose, velocity, force and sleep of each.
///
/// Invariants: one Body for each RigidBody of rigid_bodies(), in the same order, which is that of
/// the Solids that own them. Every Solid with Physics is a part of exactly one of them, every other
/// Solid of none. Masses are positive, attitudes are unit quaternions. Bodies keep their addresses.
class Bodies {
 public:
  /// Creates them at the origin and at rest: SolidPoses puts them to their places.
  /// `explicit_gyroscopic`: see PhysicsOptions. `like`: of another world of the scene, whose table
  /// they share; may be null.
  Bodies(const Scene& scene, OdeWorld& ode, Diagnostics& diagnostics, bool explicit_gyroscopic,
         const Bodies* like);
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  const std::vector<RigidBody>& rigid_bodies() const { return table_->bodies; }
  int count() const { return static_cast<int>(bodies_.size()); }
  const Body& operator[](int body) const {
    SERVOSIM_ASSERT(body >= 0 && body < count(), "body {} of {}", body, count());
    return bodies_[body];
  }
  std::vector<Body>::const_iterator begin() const { return bodies_.begin(); }
  std::vector<Body>::const_iterator end() const { return bodies_.end(); }

  // ---- bodies of Solids: indices are those of Solids of the scene

  /// Index of the body that the Solid is, or is a part of; -1 for none.
  int body_of(int solid) const { return table_->parts[solid].body; }
  /// Whether it gives a body its axes.
  bool owns_body(int solid) const {
    const int body = body_of(solid);
    return body >= 0 && bodies_[body].solid == solid;
  }
  /// The Solid's pose in the frame of that body, whose origin is the centre of mass.
  const Pose& in_body(int solid) const { return table_->parts[solid].in_body; }
  /// The same in ODE; null for none and for -1, the world.
  dxBody* id_of(int solid) const;
  const Body* find(int solid) const;  ///< likewise
  /// Whether the Solid is a part of the body of a Solid above.
  bool is_part(int solid) const;
  /// Index of the body that the Solid moves with: its own, or that of the nearest Solid above; -1
  /// for none.
  int carrying_body(int solid) const;
  bool is_carried(int solid) const { return carrying_body(solid) >= 0; }
  /// Whether a body carries the Solid that no joint holds to the world.
  bool is_free(int solid) const;

  /// The velocities of the body that a Solid is, or is part of, at its centre of mass; nothing
  /// without one.
  std::optional<PointMotion> motion(int solid) const;
  void set_motion(int solid, const PointMotion& motion);  ///< does nothing without a body
  /// The velocities of a body at a point in the world.
  PointMotion motion_at(int body, const Vec3& point) const;
  /// Of the Solid's own body at a point in the world; 0 without a body.
  Vec3 point_velocity(int solid, const Vec3& point) const;

  /// Adds to what pushes a Solid's body in the next step, in the world's axes [N, N·m]; without
  /// `point`, a place in the world, at the body's centre of mass or, where the Solid is a rigid
  /// part of a body that another one owns, at that of the part. Does nothing without a body.
  void push(int solid, const Vec3& force, const Vec3& torque, const std::optional<Vec3>& point);
  /// Moves the body that carries a Solid, and only that, by `shift` in the world.
  void shift(int solid, const Pose& shift);
  /// Of a Solid and what is below it, in the world; nothing without a mass.
  std::optional<Vec3> center_of_mass(int solid) const;
  /// Sets speeds and forces to 0 of all bodies that have a part among these Solids.
  void stop(const SolidRange& solids);
  void wake_all();

  // ---- a step

  bool all_asleep() const;
  bool any_asleep() const;
  /// False if none has fallen asleep so far, nor was asleep in a restored state.
  bool may_sleep() const { return may_sleep_; }
  /// Whether some body has rested long enough to fall asleep.
  bool find_rested() { return sleep_.time > 0.0 && look_for_rested(); }
  /// Those fall asleep that have not been woken since.
  void let_fall_asleep();
  /// Then clears the forces that joints added to them in that step.
  void drop_forces_of_sleepers() {
    if (!rested_.empty()) {
      drop_forces();
    }
  }
  /// Webots' explicit gyroscopic torques, after all other torques.
  void add_gyroscopic_torques();
  /// Bodies move without a word to their geoms.
  void set_geoms_stale() { geoms_are_stale_ = true; }
  /// Tells them; before ODE looks at geoms.
  void inform_geoms() const;
  /// A Solid whose body is beyond what ODE can take, -1 for none. Raises `fastest_squared` to the
  /// square of the fastest spin.
  int out_of_range(double& fastest_squared) const;

  // ---- joints to the world

  /// By body, whether a joint holds it to the world.
  const std::vector<bool>& anchored() const { return anchored_; }
  /// To be called when a joint between the body and the world was made or removed.
  void update_anchored(int body);

  void set_state(int body, const BodyState& state) {
    servosim::set_state(bodies_[body], state);
    may_sleep_ = may_sleep_ || state.enabled == 0;
  }
  template <class Archive>
  void archive(Archive& archive);

 private:
  // What the worlds of a scene have in common.
  struct Table {
    struct Part {
      int body = -1;
      Pose in_body;
    };
    struct LostPerStep {  // fractions of the velocities, by damping
      double linear;
      double angular;
    };
    std::vector<RigidBody> bodies;
    std::vector<Part> parts;        // by Solid
    std::vector<LostPerStep> lost;  // by body
  };

  static std::shared_ptr<const Table> make_table(const Scene& scene, double h,
                                                 Diagnostics& diagnostics);
  static Table::LostPerStep lost_by(const RigidBody& rigid, const Scene& scene, double h);
  void create(const RigidBody& rigid);
  void set_damping();
  void use_explicit_gyroscopic();
  bool look_for_rested();
  void drop_forces();
  Pose pose_of_part(int solid) const;
  Vec3 part_center(int solid) const;

  const Scene& scene_;
  OdeWorld& ode_;
  SleepRule sleep_;
  std::shared_ptr<const Table> table_;  // not null
  std::vector<Body> bodies_;
  std::vector<bool> anchored_;   // by body
  std::vector<dxBody*> rested_;  // in this step
  std::vector<Mat3> inertias_;   // by body, in its frame; empty with ODE's gyroscopic torque
  bool may_sleep_ = false;
  mutable bool geoms_are_stale_ = false;
};

}  // namespace servosim
