// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "servosim/simulation.h"
#include "wbt/tree.h"

namespace servosim {

/// The fields whose values are in the simulation, not in the tree: poses and velocities of Solids,
/// positions of joints, the energy of batteries, and settings of devices.
///
/// Invariant: the indices by node are those of the simulation's present tree when they are used.
class LiveFields {
 public:
  explicit LiveFields(Simulation& simulation) : simulation_(simulation) {}

  /// Whether the field may be one of them: its EditEffect is Live, Place or Setting.
  static bool may_be_live(const wbt::FieldType& field);
  /// The present value; nothing if the tree has it. may_be_live(field) must be true.
  std::optional<wbt::Value> read(const wbt::Tree& tree, const wbt::Node& node,
                                 const wbt::FieldType& field);
  /// Sets the value in the simulation. @returns false if the tree must change instead
  /// @throws SupervisorRequestError for a value that would end the run
  bool write(const wbt::Tree& tree, const wbt::Node& node, const wbt::FieldType& field,
             const wbt::Value& value);
  /// Adds the present value of a field to `edits` of the tree, if the tree has another one.
  void copy_to_tree(const wbt::Tree& tree, std::uint32_t node, std::string_view name,
                    wbt::Edits& edits);
  /// Does the same for each field that is a setting of a device node.
  void copy_settings_to_tree(const wbt::Tree& tree, std::uint32_t device, wbt::Edits& edits);
  /// Does the same for the positions in the parameters of a joint node.
  void copy_positions_to_tree(const wbt::Tree& tree, std::uint32_t joint, wbt::Edits& edits);

  /// The pose of a node in the world. A node without a frame of its own has that of the next one
  /// above it.
  Pose pose(const wbt::Tree& tree, std::uint32_t node) { return frame(tree, node).pose; }
  /// The index in scene().solids, or -1.
  int solid(std::uint32_t node);
  /// Where a joint's endPoint would be if the node of the joint were `joint`.
  struct Endpoint {
    std::uint32_t node;
    Vec3 translation;  ///< the values of its fields
    AxisAngle rotation;
  };
  /// The endpoint; nothing if there is none that the joint moves.
  std::optional<Endpoint> endpoint_with(const wbt::Tree& tree, const wbt::Node& joint);
  /// The joints of a joint node, one per axis, or the joint to which a node of parameters belongs.
  std::vector<int> joints(const wbt::Tree& tree, std::uint32_t node);

 private:
  struct Frame {
    Pose pose;
    Vec3 scale{1.0, 1.0, 1.0};  ///< for what is below it
  };
  struct Place {
    Vec3 translation;
    AxisAngle rotation;
  };

  Frame frame(const wbt::Tree& tree, std::uint32_t node);
  Frame frame_above(const wbt::Tree& tree, std::uint32_t node);
  Place place(const wbt::Tree& tree, const wbt::Node& node, int solid);
  bool write_place(const wbt::Tree& tree, const wbt::Node& node, std::string_view name,
                   const wbt::Value& value);
  bool write_velocity(std::string_view name, int solid, const Vec3& value);
  int joint_of(const wbt::Tree& tree, const wbt::Node& node, std::string_view name);
  std::optional<wbt::Value> read_battery(const wbt::Node& node);
  std::optional<wbt::Value> read_track_wheel(const wbt::Tree& tree, const wbt::Node& node);
  void refresh();

  Simulation& simulation_;
  // The version of the tree for which the members below are right.
  std::optional<std::uint64_t> version_;
  std::unordered_map<std::uint32_t, int> solids_;  // keyed by node
  std::unordered_map<std::uint32_t, std::vector<int>> joints_;
  // The places that were set last; a query returns them unchanged.
  std::unordered_map<std::uint32_t, Place> places_;
};

/// Adds `value` to `edits` for each parameter of a PROTO from which the field has its value (IS).
void set_parameters_of(const wbt::Tree& tree, std::uint32_t node, const wbt::FieldType& field,
                       const wbt::Value& value, wbt::Edits& edits);

/// @throws SupervisorRequestError for a distance or speed [m, m/s, rad/s] that would end the run at
///   the next step
void check_magnitude(double size);

// Settings of devices, which a controller may set too. The simulation has their values.

/// A setting that a supervisor writes.
struct Setting {
  std::uint32_t node;
  std::string_view field;  ///< its name in the field table
};

/// The present value; nothing if the tree has it.
std::optional<wbt::Value> read_setting(Simulation& simulation, std::uint32_t node,
                                       const wbt::FieldType& field);
/// Sets a device to the present value in the tree, also if that value is unchanged.
void write_setting(Simulation& simulation, const wbt::Tree& tree, const Setting& setting);

}  // namespace servosim
