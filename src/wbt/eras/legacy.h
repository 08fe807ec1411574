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

/// Reads a value in a former spelling of the field, such as TRUE and FALSE for
/// ImageTexture.filtering. If there is none, returns nothing and reads nothing.
std::optional<Value> read_legacy_value(const FieldType& field, Lexer& lexer);

/// Updates a node from an old file: a Supervisor becomes a Robot with `supervisor` set, and
/// controllerArgs, which was one string before R2020b, becomes a list. `written_type` is the type
/// in the file.
void upgrade(Node& node, std::string_view written_type);

/// Converts a Physics node from before V6.3 to the fields since then; returns null for any other
/// Physics node. The nine values of inertiaMatrix were the centre of mass x y z [m], then Ixx Iyy
/// Izz and Ixy Ixz Iyz [kg·m²] about it, in the order of ODE's dMassSetParameters(). `orientation`
/// is the frame of these and of centerOfMass. (Files have the header V6.0 up to V7.2, so the number
/// of values decides, not the header.) A centerOfMass next to nine values counts if their own
/// centre is 0 0 0.
NodePtr modern_physics(const Node& physics);
/// Returns the tensor that the two vectors of inertiaMatrix define: Ixx Iyy Izz, Ixy Ixz Iyz.
Mat3 inertia_tensor(const Vec3& moments, const Vec3& products);

/// Splits a command line into words. Quotes keep spaces together and are removed.
std::vector<std::string> split_arguments(std::string_view line);
/// Returns the command line whose only word is `word`.
std::string quoted_argument(std::string_view word);

/// A `hidden` line of a PROTO instance: the saved state of a Solid or joint inside of it.
struct HiddenField {
  std::string_view field;  ///< translation, rotation, linearVelocity, angularVelocity, position…
  ValueType type = ValueType::SFFloat;
  int solid = 0;   ///< index in depth-first order, parents first, from 0
  int joint = -1;  ///< index among the joints that start at that Solid; -1 for a field of the Solid
  Value value;
  SourceLocation where;
};
using HiddenFields = std::vector<HiddenField>;

/// Parses field, type and indices of a name such as `translation_2` or `position2_0_1`; returns
/// nothing for other names. The value is not set.
std::optional<HiddenField> parse_hidden_name(std::string_view name);

/// Sets the fields below `root`, which is copied as far as it is shared. If several lines are for
/// one field, the last one counts.
void apply_hidden(NodePtr& root, const HiddenFields& hidden);

/// A place that a hidden line of an instance could name.
struct HiddenPlace {
  const Node* node = nullptr;  ///< a Solid, a joint or its jointParameters
  int solid = 0;               ///< see HiddenField
  int joint = -1;              ///< see HiddenField
  std::string_view name;       ///< HiddenField::field
  std::string_view field;      ///< name of the field in `node`
  /// For a Solid that is the endPoint of a joint: that joint, and its indices as above.
  const Node* holder = nullptr;
  int holder_solid = -1;
  int holder_joint = -1;
};
std::vector<HiddenPlace> hidden_places(const Node& root);

/// Converts the lines of an instance that was saved in other axes, for the body `root` in today's
/// axes. A vector in today's axes, multiplied by `to_old`, is the vector in the old axes.
/// Velocities are in the axes of the world and stay. The pose of a Solid, and the position of its
/// joint, stay if a HingeJoint or SliderJoint of the body can move the Solid to that pose, since
/// the axes of the Solid itself are unknown. All other lines are left out.
HiddenFields hidden_in_todays_axes(const Node& root, const HiddenFields& hidden,
                                   const Mat3& to_old);

/// Returns a node for writing; copies it first if it is shared.
Node& owned(NodePtr& node);
/// Sets a field and replaces an earlier value.
void set_field(Node& node, const FieldType& type, SourceLocation where, Value value);

}  // namespace servosim::wbt
