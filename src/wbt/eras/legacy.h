// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/math.h"
#include "wbt/lexer.h"
#include "wbt/node.h"

namespace servosim::wbt {

/// A value in a spelling the field had once: TRUE and FALSE for ImageTexture.filtering. Nothing,
/// and nothing read, if there is none.
std::optional<Value> read_legacy_value(const FieldType& field, Lexer& lexer);

/// Brings a node read from an old file up to date: Supervisor becomes a Robot with `supervisor`
/// set, and before R2020b controllerArgs was one string. `written_type` stands in the file.
void upgrade(Node& node, std::string_view written_type);

/// A Physics node of before V6.3 with the fields that it has since; null for any other one. Nine
/// values of inertiaMatrix were the centre of mass x y z [m], Ixx Iyy Izz and Ixy Ixz Iyz [kg·m²]
/// about it, in the order of ODE's dMassSetParameters(); `orientation` is the frame of these and of
/// centerOfMass. (Files have the header V6.0 until V7.2, so the number of values decides, not the
/// header.) A centerOfMass beside nine values counts where their own centre is 0 0 0.
NodePtr modern_physics(const Node& physics);
/// The tensor that two vectors of inertiaMatrix mean: Ixx Iyy Izz, Ixy Ixz Iyz.
Mat3 inertia_tensor(const Vec3& moments, const Vec3& products);

/// The words of a command line; quotes keep spaces and are dropped.
std::vector<std::string> split_arguments(std::string_view line);
/// The line whose only word is `word`.
std::string quoted_argument(std::string_view word);

/// A `hidden` line of a PROTO instance: the saved state of a Solid or joint inside it.
struct HiddenField {
  std::string_view field;  ///< translation, rotation, linearVelocity, angularVelocity, position…
  ValueType type = ValueType::SFFloat;
  int solid = 0;   ///< counted from 0 in depth-first order, parents first
  int joint = -1;  ///< of those that start at that Solid; -1 if a Solid's field is meant
  Value value;
  SourceLocation where;
};
using HiddenFields = std::vector<HiddenField>;

/// Field, type and indices of e.g. `translation_2` or `position2_0_1`; nothing if the name is of
/// another kind. The value is left alone.
std::optional<HiddenField> parse_hidden_name(std::string_view name);

/// Sets the fields below `root`, which is copied as far as it is shared. Of several lines for one
/// field the last one counts.
void apply_hidden(NodePtr& root, const HiddenFields& hidden);

/// What a hidden line of an instance could name.
struct HiddenPlace {
  const Node* node = nullptr;  ///< a Solid, a joint or its jointParameters
  int solid = 0;               ///< see HiddenField
  int joint = -1;              ///< likewise
  std::string_view name;       ///< HiddenField::field
  std::string_view field;      ///< of `node`
  /// Of a Solid that is the endPoint of a joint: that joint, and its numbers as above.
  const Node* holder = nullptr;
  int holder_solid = -1;
  int holder_joint = -1;
};
std::vector<HiddenPlace> hidden_places(const Node& root);

/// The lines of an instance that was saved in other axes, for the body `root` in today's. A vector
/// in today's axes is `to_old` times as much in those. Velocities are in the axes of the world, and
/// stay. The pose of a Solid, and the position of the joint that holds it, stay where they are one
/// that a HingeJoint or SliderJoint of the body brings the Solid into: the axes that the Solid
/// itself had are not known. All other lines are left out.
HiddenFields hidden_in_todays_axes(const Node& root, const HiddenFields& hidden,
                                   const Mat3& to_old);

/// Access to a node for writing: copies it first if it is shared.
Node& owned(NodePtr& node);
/// Sets a field, replacing an earlier value.
void set_field(Node& node, const FieldType& type, SourceLocation where, Value value);

}  // namespace servosim::wbt
