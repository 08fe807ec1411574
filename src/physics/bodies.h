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

struct dxBody;  // ODE's dBodyID is a pointer to this

namespace servosim {

class Fnv1a;
class OdeWorld;
struct Scene;

/// The velocity of a point of a body and the body's angular velocity, in the world's axes.
struct PointMotion {
  Vec3 velocity;  ///< [m/s]
  Vec3 spin;      ///< [rad/s]
  friend bool operator==(const PointMotion&, const PointMotion&) = default;
};

/// States when bodies at rest fall asleep (the physicsDisable fields of WorldInfo). The rule is
/// that of ODE's automatic disabling: a body sleeps when |v| ≤ linear_threshold and |ω| ≤
/// angular_threshold have held for `time`. ODE's own clocks are not used, since they cannot be read
/// and thus not saved.
struct SleepRule {
  double time = 1.0;  ///< required time below both thresholds [s]; 0 or less means never
  double linear_threshold = 0.01;  ///< [m/s]
  double angular_threshold = 0.01;
};

/// Seconds of rest until a body falls asleep. Values above SleepRule::time count as that time. It
/// is the user data of every body.
struct SleepClock {
  double left = std::numeric_limits<double>::infinity();
};

/// Wakes a body if fall_asleep() has put it to sleep, and restarts its clock.
void wake(dxBody* body);
/// Wakes these bodies and all bodies that joints and contacts connect with them.
void wake_islands(std::vector<dxBody*> bodies);

/// Returns whether one of the bodies of a joint is awake; `parent` may be null. Forces must not be
/// added to sleeping bodies: ODE would accumulate them until the bodies wake.
bool is_awake(dxBody* child, dxBody* parent);

/// Must be called for each body before each step. Returns whether the body is awake and has rested
/// long enough for fall_asleep(). As in ODE, a body without a joint or contact stays awake. `h` is
/// the length of the step [s].
bool has_rested(dxBody* body, const SleepRule& rule, double h);
/// Stops a body and disables it. As in ODE, an awake neighbour wakes it again during the step.
void fall_asleep(dxBody* body);

/// A RigidBody as an object of ODE.
struct Body {
  dxBody* id = nullptr;
  int solid = -1;  ///< the Solid that owns the body, and whose axes the body has
  Vec3 center;     ///< centre of mass in the owner's frame [m]
  // Pointers to the state in ODE. They are valid as long as the body.
  const double* position = nullptr;
  const double* rotation = nullptr;
  const double* quaternion = nullptr;
  const double* velocity = nullptr;
  const double* spin = nullptr;
  SleepClock sleep;
};

/// Wraps a body of ODE; the result has no owner.
Body body_of(dxBody* id);
/// Returns null for null.
inline dxBody* id_of(const Body* body) { return body != nullptr ? body->id : nullptr; }

/// The pose of a body, exact to the last bit.
struct BodyPlace {
  std::array<double, 3> position;
  std::array<double, 12> rotation;
  std::array<double, 4> quaternion;
};

/// Returns the pose of a body as ODE stores it.
BodyPlace place_of(const Body& body);
/// Moves a body to a pose that it had before.
void put_at(const Body& body, const BodyPlace& place);
/// Returns the pose of the centre of mass in the world, with the owner's axes.
Pose pose_of(const Body& body);
/// Moves the centre of mass and the axes of a body to a pose in the world.
void put_at(const Body& body, const Pose& pose);
/// Sets the velocity of the centre of mass and the angular velocity. Does not wake the body.
void set_motion(const Body& body, const PointMotion& of_center);

/// The state of a body, exact to the last bit.
struct BodyState {
  BodyPlace place;
  std::array<double, 3> velocity;
  std::array<double, 3> spin;
  std::array<double, 3> force;  ///< accumulated for the next step [N]
  std::array<double, 3> torque;
  double sleep_left;
  std::uint64_t enabled;  ///< 0 or 1; 64 bits, so that saved states have no padding
};

/// These copy a state from and to ODE without rounding.
BodyState state_of(const Body& body);
void set_state(Body& body, const BodyState& state);
void add_to_hash(Fnv1a& hash, const BodyState& state);

/// The rigid bodies of a scene: mass, pose, velocity, force and sleep of each.
///
/// A body obeys m·dv/dt = f and d(I·ω)/dt = τ (Newton and Euler), with v the velocity of its centre
/// of mass, ω its angular velocity, and f and τ the sums of forces and torques, in the world's
/// axes.
///
/// Invariants: there is one Body for each RigidBody of rigid_bodies(), in the same order, which is
/// the order of the Solids that own them. Every Solid with Physics is a part of exactly one of
/// them, every other Solid of none. Masses are positive, orientations are unit quaternions. Bodies
/// keep their addresses.
class Bodies {
 public:
  /// Creates the bodies at the origin and at rest; SolidPoses moves them. For `explicit_gyroscopic`
  /// see PhysicsOptions. `like` is from another world of the scene, whose table is shared; may be
  /// null.
  Bodies(const Scene& scene, OdeWorld& ode, Diagnostics& diagnostics, bool explicit_gyroscopic,
         const Bodies* like);
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  /// The masses and the Solids of the bodies, in the order of their indices.
  const std::vector<RigidBody>& rigid_bodies() const { return table_->bodies; }
  int count() const { return static_cast<int>(bodies_.size()); }
  const Body& operator[](int body) const {
    SERVOSIM_ASSERT(body >= 0 && body < count(), "body {} of {}", body, count());
    return bodies_[body];
  }
  std::vector<Body>::const_iterator begin() const { return bodies_.begin(); }
  std::vector<Body>::const_iterator end() const { return bodies_.end(); }

  // ---- bodies of Solids; an index of a Solid is that in the scene

  /// Returns the index of the body that the Solid owns or is a part of; -1 for none.
  int body_of(int solid) const { return table_->parts[solid].body; }
  /// Returns whether the Solid owns a body, which then has the Solid's axes.
  bool owns_body(int solid) const {
    const int body = body_of(solid);
    return body >= 0 && bodies_[body].solid == solid;
  }
  /// Returns the Solid's pose in the frame of its body, whose origin is the centre of mass.
  const Pose& in_body(int solid) const { return table_->parts[solid].in_body; }
  /// Returns the body in ODE; null for a Solid without a body and for -1, the world.
  dxBody* id_of(int solid) const;
  const Body* find(int solid) const;  ///< null in the same cases
  /// Returns whether the Solid is a part of the body of a Solid above.
  bool is_part(int solid) const;
  /// Returns the index of the body with which the Solid moves: its own body, or the body of the
  /// nearest Solid above; -1 for none.
  int carrying_body(int solid) const;
  bool is_carried(int solid) const { return carrying_body(solid) >= 0; }
  /// Returns whether a body carries the Solid and no joint holds this body to the world.
  bool is_free(int solid) const;

  /// Returns the motion of a Solid's body at the centre of mass; nothing without a body.
  std::optional<PointMotion> motion(int solid) const;
  void set_motion(int solid, const PointMotion& motion);  ///< does nothing without a body
  /// Returns the motion of a body at a point in the world: v + ω × (point − centre), and ω.
  PointMotion motion_at(int body, const Vec3& point) const;
  /// Returns the velocity of the Solid's own body at a point in the world [m/s]; 0 without a body.
  Vec3 point_velocity(int solid, const Vec3& point) const;

  /// Adds a force and a torque for the next step to a Solid's body, in the world's axes [N, N·m].
  /// The force acts at `point`, in the world. Without `point` it acts at the centre of mass of the
  /// body, or, if another Solid owns the body, at the centre of mass of this Solid. Does nothing
  /// without a body.
  void push(int solid, const Vec3& force, const Vec3& torque, const std::optional<Vec3>& point);
  /// Moves the body that carries a Solid, and no other body, by `shift` in the world.
  void shift(int solid, const Pose& shift);
  /// Returns the centre of mass of a Solid and everything below it, in the world; nothing without a
  /// mass.
  std::optional<Vec3> center_of_mass(int solid) const;
  /// Sets the velocities and forces of all bodies to 0 that have a part among these Solids.
  void stop(const SolidRange& solids);
  void wake_all();

  // ---- a step

  /// These count bodies that are disabled, for any reason.
  bool all_asleep() const;
  bool any_asleep() const;
  /// False if no body has fallen asleep so far and none was asleep in a restored state.
  bool may_sleep() const { return may_sleep_; }
  /// Finds the bodies that have rested long enough to fall asleep. Returns whether there are any.
  bool find_rested() { return sleep_.time > 0.0 && look_for_rested(); }
  /// Puts those of these bodies to sleep that nothing has woken since.
  void let_fall_asleep();
  /// Clears the forces that joints added to sleepers in that step. Must be called after the step.
  void drop_forces_of_sleepers() {
    if (!rested_.empty()) {
      drop_forces();
    }
  }
  /// Adds Webots' explicit gyroscopic torques −ω × (I·ω). Must be called after all other torques.
  void add_gyroscopic_torques();
  /// Notes that bodies have moved and their geoms do not know it.
  void set_geoms_stale() { geoms_are_stale_ = true; }
  /// Updates the geoms. Must be called before ODE reads them.
  void inform_geoms() const;
  /// Returns a Solid whose body is out of the range of ODE, -1 for none. Raises `fastest_squared`
  /// to the square of the highest angular speed [rad²/s²].
  int out_of_range(double& fastest_squared) const;

  // ---- joints to the world

  /// Tells by body whether a joint holds it to the world.
  const std::vector<bool>& anchored() const { return anchored_; }
  /// Must be called when a joint between the body and the world was made or removed.
  void update_anchored(int body);

  void set_state(int body, const BodyState& state) {
    servosim::set_state(bodies_[body], state);
    may_sleep_ = may_sleep_ || state.enabled == 0;
  }
  template <class Archive>
  void archive(Archive& archive);

 private:
  // Data that all worlds of a scene share.
  struct Table {
    struct Part {
      int body = -1;
      Pose in_body;
    };
    struct LostPerStep {  // fractions of the velocities that damping takes
      double linear;
      double angular;
    };
    std::vector<RigidBody> bodies;
    std::vector<Part> parts;        // the index is the Solid
    std::vector<LostPerStep> lost;  // the index is the body
  };

  static std::shared_ptr<const Table> make_table(const Scene& scene, double h,
                                                 Diagnostics& diagnostics);
  /// Returns the damping of a body per step of length `h`.
  static Table::LostPerStep lost_by(const RigidBody& rigid, const Scene& scene, double h);
  /// Creates the body at the origin and at rest. @throws OdeFailed
  void create(const RigidBody& rigid);
  void set_damping();
  void use_explicit_gyroscopic();
  bool look_for_rested();
  /// Clears the forces of the bodies in rested_ that sleep now, and empties the list.
  void drop_forces();
  /// Returns the pose in the world of a Solid that is a part of a body.
  Pose pose_of_part(int solid) const;
  Vec3 part_center(int solid) const;

  const Scene& scene_;
  OdeWorld& ode_;
  SleepRule sleep_;
  std::shared_ptr<const Table> table_;  // never null
  std::vector<Body> bodies_;
  std::vector<bool> anchored_;   // the index is the body
  std::vector<dxBody*> rested_;  // bodies that may fall asleep in this step
  // By body, in the body's frame; empty if ODE adds the gyroscopic torque.
  std::vector<Mat3> inertias_;
  bool may_sleep_ = false;
  mutable bool geoms_are_stale_ = false;
};

}  // namespace servosim
