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

/// The fields whose values the simulation holds, not the tree: poses and velocities of Solids,
/// positions of joints, the energy of batteries, settings of devices.
///
/// Invariant: the indices by node are those of the simulation's present tree when they are used.
class LiveFields {
 public:
  explicit LiveFields(Simulation& simulation) : simulation_(simulation) {}

  /// Whether the field may be one: its EditEffect is Live, Place or Setting.
  static bool may_be_live(const wbt::FieldType& field);
  /// Its present value; nothing if the tree holds it. `field`: one that may be live
  std::optional<wbt::Value> read(const wbt::Tree& tree, const wbt::Node& node,
                                 const wbt::FieldType& field);
  /// Sets it in the simulation; false if the tree must change. @throws SupervisorRequestError for a
  /// value that would end the run
  bool write(const wbt::Tree& tree, const wbt::Node& node, const wbt::FieldType& field,
             const wbt::Value& value);
  /// Adds the present value of a field to `edits` of the tree, where it differs from the tree's.
  void copy_to_tree(const wbt::Tree& tree, std::uint32_t node, std::string_view name,
                    wbt::Edits& edits);
  /// The same for each field that is a setting of a device node.
  void copy_settings_to_tree(const wbt::Tree& tree, std::uint32_t device, wbt::Edits& edits);
  /// The same for the positions in the parameters of a joint node.
  void copy_positions_to_tree(const wbt::Tree& tree, std::uint32_t joint, wbt::Edits& edits);

  /// The pose of a node in the world: its own frame if it has one, else the next one above.
  Pose pose(const wbt::Tree& tree, std::uint32_t node) { return frame(tree, node).pose; }
  /// Index in scene().solids, or -1.
  int solid(std::uint32_t node);
  /// The place of a joint's endPoint if its node were `joint`.
  struct Endpoint {
    std::uint32_t node;
    Vec3 translation;  ///< as its fields state it
    AxisAngle rotation;
  };
  /// Nothing if there is none that the joint moves.
  std::optional<Endpoint> endpoint_with(const wbt::Tree& tree, const wbt::Node& joint);
  /// The joints of a joint node, one per axis, or the one that a node of parameters belongs to.
  std::vector<int> joints(const wbt::Tree& tree, std::uint32_t node);

 private:
  struct Frame {
    Pose pose;
    Vec3 scale{1.0, 1.0, 1.0};  ///< of what is below
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
  std::optional<std::uint64_t> version_;           // of what follows
  std::unordered_map<std::uint32_t, int> solids_;  // by node
  std::unordered_map<std::uint32_t, std::vector<int>> joints_;
  std::unordered_map<std::uint32_t, Place> places_;  // as last set: a query returns it unchanged
};

/// Adds `value` of a field to `edits` for the parameters of PROTOs that the field IS.
void set_parameters_of(const wbt::Tree& tree, std::uint32_t node, const wbt::FieldType& field,
                       const wbt::Value& value, wbt::Edits& edits);

/// @throws SupervisorRequestError for a distance or speed [m, m/s, rad/s] that would end the run at
/// the next step
void check_magnitude(double size);

// Settings of devices, which a controller may set, too: the simulation holds their values.

/// One that a supervisor writes.
struct Setting {
  std::uint32_t node;
  std::string_view field;  ///< of the field table
};

/// The present value; nothing if the tree holds it.
std::optional<wbt::Value> read_setting(Simulation& simulation, std::uint32_t node,
                                       std::string_view name);
/// Sets a device to the present value in the tree, also if that value is unchanged.
void write_setting(Simulation& simulation, const wbt::Tree& tree, const Setting& setting);

}  // namespace servosim
