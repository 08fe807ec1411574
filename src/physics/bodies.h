// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "physics/body_sleep.h"
#include "physics/mass.h"
#include "physics/solid_range.h"
#include "servosim/math.h"

struct dxBody;  // ODE's dBodyID is a pointer to this

namespace servosim {

class Fnv1a;
class OdeWorld;
struct Scene;

/// Holds the velocity of a point of a body and the body's angular velocity, in the world's axes. A
/// positive component of `spin` turns counter-clockwise about that axis.
struct PointMotion {
  Vec3 velocity;  ///< [m/s]
  Vec3 spin;      ///< [rad/s]
  friend bool operator==(const PointMotion&, const PointMotion&) = default;
};

/// Describes a RigidBody as an object of ODE.
struct Body {
  dxBody* id = nullptr;
  int solid = -1;  ///< the Solid that owns the body, and whose axes the body has
  Vec3 center;     ///< centre of mass in the owner's frame [m]
  // These point to the state in ODE, in the world's axes, and are valid as long as the body: the
  // centre of mass [m], its orientation in two forms, and its velocities [m/s, rad/s].
  const double* position = nullptr;
  const double* rotation = nullptr;
  const double* quaternion = nullptr;
  const double* velocity = nullptr;
  const double* spin = nullptr;
  SleepClock sleep;
};

/// Wraps a body of ODE. The result has no owner and no centre of mass.
Body body_of(dxBody* id);
/// Returns the body in ODE; null for null.
inline dxBody* id_of(const Body* body) { return body != nullptr ? body->id : nullptr; }

/// Holds the pose of a body, exact to the last bit.
struct BodyPlace {
  std::array<double, 3> position;
  std::array<double, 12> rotation;
  std::array<double, 4> quaternion;
};

/// Returns the pose of a body as ODE stores it.
BodyPlace place_of(const Body& body);
/// Moves a body to a pose that it had before, without rounding. The body does not wake.
void put_at(const Body& body, const BodyPlace& place);
/// Returns the pose of the centre of mass in the world, with the owner's axes.
Pose pose_of(const Body& body);
/// Moves the centre of mass and the axes of a body to a pose in the world. The body does not wake.
void put_at(const Body& body, const Pose& pose);
/// Sets the velocity of the centre of mass and the angular velocity. The body does not wake.
void set_motion(const Body& body, const PointMotion& of_center);
/// Returns the motion of a body at a point in the world: v + ω × (point − centre), and ω.
PointMotion motion_at(const Body& body, const Vec3& point);

/// Holds the state of a body, exact to the last bit, in the world's axes.
struct BodyState {
  BodyPlace place;
  std::array<double, 3> velocity;  ///< velocity of the centre of mass [m/s]
  std::array<double, 3> spin;      ///< angular velocity [rad/s]
  std::array<double, 3> force;     ///< accumulated for the next step [N]
  std::array<double, 3> torque;    ///< accumulated for the next step [N·m]
  double sleep_left;               ///< SleepClock::left [s]
  std::uint64_t enabled;           ///< 0 or 1; 64 bits, so that saved states have no padding
};

/// Copies the state of a body from ODE without rounding.
BodyState state_of(const Body& body);
/// Copies a state to ODE without rounding.
void set_state(Body& body, const BodyState& state);
/// Adds pose and velocities to a hash; forces, clock and sleep do not count.
void add_to_hash(Fnv1a& hash, const BodyState& state);

/// Holds the rigid bodies of a scene: mass, pose, velocity, force and sleep of each.
///
/// A body obeys m·dv/dt = f and d(I·ω)/dt = τ (Newton and Euler; R. Featherstone, "Rigid Body
/// Dynamics Algorithms", chapter 2), with v the velocity of its centre of mass, ω its angular
/// velocity, and f and τ the sums of forces and torques about the centre of mass, in the world's
/// axes. All signs are those of the world's axes.
///
/// Invariants: there is one Body for each RigidBody of rigid_bodies(), in the same order, which is
/// the order of the Solids that own them. Every Solid with Physics is a part of exactly one of
/// them, every other Solid of none. Masses are positive, orientations are unit quaternions. Bodies
/// keep their addresses.
///
/// Threads: one at a time for each object. Different worlds may be stepped at the same time.
class Bodies {
 public:
  /// Creates the bodies at the origin and at rest; SolidPoses moves them. `like` is null or belongs
  /// to another world of the same scene, whose table is then shared. The references must outlive
  /// this object. @throws OdeFailed, std::bad_alloc
  Bodies(const Scene& scene, OdeWorld& ode, Diagnostics& diagnostics, const Bodies* like);
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  /// Returns the masses and the Solids of the bodies, in the order of their indices.
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
  /// Returns the body of a Solid; null for a Solid without a body and for -1, the world.
  const Body* find(int solid) const;
  /// Returns whether the Solid is a part of the body that a Solid above owns.
  bool is_part(int solid) const;
  /// Returns the index of the body with which the Solid moves: its own body, or the body of the
  /// nearest Solid above; -1 for none.
  int carrying_body(int solid) const;
  bool is_carried(int solid) const { return carrying_body(solid) >= 0; }
  /// Returns whether a body carries the Solid and no joint holds this body to the world.
  bool is_free(int solid) const;

  /// Returns the motion of a Solid's body at the centre of mass; nothing without a body.
  std::optional<PointMotion> motion(int solid) const;
  /// Sets this motion and wakes the body. Does nothing without a body.
  void set_motion(int solid, const PointMotion& motion);

  /// Adds a force and a torque for the next step to a Solid's body, in the world's axes [N, N·m],
  /// and wakes the body. The force acts at `point`, in the world. Without `point` it acts at the
  /// centre of mass of the body if the Solid owns it, and at the centre of mass of this Solid
  /// otherwise. Does nothing without a body.
  void push(int solid, const Vec3& force, const Vec3& torque, const std::optional<Vec3>& point);
  /// Moves the body that carries a Solid, and no other body, by `shift` in the world, and wakes it.
  /// Does nothing if no body carries the Solid.
  void shift(int solid, const Pose& shift);
  /// Sets the velocities and forces of all bodies to 0 that have a part among these Solids. They do
  /// not wake.
  void stop(const SolidRange& solids);

  // ---- a step

  BodySleep& sleep() { return sleep_; }
  const BodySleep& sleep() const { return sleep_; }
  /// Notes that bodies have moved without their geoms.
  void set_geoms_stale() { geoms_are_stale_ = true; }
  /// Makes the geoms follow their bodies if they are stale. This must be called before ODE reads
  /// them.
  void inform_geoms() const;

  // ---- joints to the world

  /// Returns for each body whether a joint holds it to the world.
  const std::vector<bool>& anchored() const { return anchored_; }
  /// Finds out again whether a joint holds the body to the world. This must be called when such a
  /// joint was made or removed.
  void update_anchored(int body);

  /// Copies a state to ODE without rounding.
  void set_state(int body, const BodyState& state) { restore(bodies_[body], state); }
  template <class Archive>
  void archive(Archive& archive);

 private:
  // Holds what follows from the scene alone; all worlds of a scene share it.
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

  /// Weighs the bodies of a scene for steps of length `h` [s], and reports masses that were
  /// replaced.
  static std::shared_ptr<const Table> make_table(const Scene& scene, double h,
                                                 Diagnostics& diagnostics);
  /// Returns the fractions of its velocities that a body loses in a step of length `h` [s].
  static Table::LostPerStep lost_by(const RigidBody& rigid, const Scene& scene, double h);
  /// Creates the body at the origin and at rest. @throws OdeFailed
  void create(const RigidBody& rigid);
  void set_damping();
  void restore(Body& body, const BodyState& state);

  const Scene& scene_;
  OdeWorld& ode_;
  std::shared_ptr<const Table> table_;  // never null
  std::vector<Body> bodies_;
  std::vector<bool> anchored_;  // the index is the body
  BodySleep sleep_;
  mutable bool geoms_are_stale_ = false;
};

/// Returns whether all bodies are disabled, for any reason.
bool all_asleep(const Bodies& bodies);
/// Returns whether a body is disabled, for any reason.
bool any_asleep(const Bodies& bodies);
void wake_all(const Bodies& bodies);
/// Returns the velocity of the Solid's own body at a point in the world [m/s]; 0 without a body.
Vec3 point_velocity(const Bodies& bodies, int solid, const Vec3& point);
/// Returns the centre of mass of these Solids, in the world; nothing if none of them has a mass.
std::optional<Vec3> center_of_mass(const Bodies& bodies, const SolidRange& solids);
/// Returns a Solid whose body is out of the range of ODE, also because a value is NaN; -1 for none.
/// Raises `fastest_squared` to the square of the highest angular speed [rad²/s²].
int out_of_range(const Bodies& bodies, double& fastest_squared);

}  // namespace servosim
