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

/// A Physics node of before V6.3 as it says the same since; null for any other one. Nine values of
/// inertiaMatrix were the centre of mass x y z [m], Ixx Iyy Izz and Ixy Ixz Iyz [kg·m²] about it,
/// in the order of ODE's dMassSetParameters(); `orientation` is the frame of these and of
/// centerOfMass. (Files say V6.0 until V7.2, so that the values tell, not the header.) A
/// centerOfMass beside nine values counts where their own centre is 0 0 0.
NodePtr modern_physics(const Node& physics);
/// The tensor that two vectors of inertiaMatrix mean: Ixx Iyy Izz, Ixy Ixz Iyz.
Mat3 inertia_tensor(const Vec3& moments, const Vec3& products);

/// The words of a command line; quotes keep spaces and are dropped.
std::vector<std::string> split_arguments(std::string_view line);
/// The line whose only word is `word`.
std::string quoted_argument(std::string_view word);

}  // namespace servosim::wbt
