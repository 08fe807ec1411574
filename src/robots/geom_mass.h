// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/mass_properties.h"
#include "servosim/math.h"

// Masses that MuJoCo computes from shapes.

namespace servosim::robots {

enum class GeomType : std::uint8_t { Plane, Sphere, Capsule, Ellipsoid, Cylinder, Box, Mesh };

/// The mass of a shape of 1 kg/m³ or, if `shell`, of a surface of 1 kg/m², about its own frame.
/// @param size  as MJCF has it: radii of an ellipsoid, half edges of a box, else the radius and
///   half of the length along z without caps [m]. Planes and meshes have no mass here.
MassProperties mass_of_geom(GeomType type, const Vec3& size, bool shell);

using Triangle = std::array<Vec3, 3>;  ///< counter-clockwise seen from outside

/// How MuJoCo makes a solid of triangles: Legacy counts each tetrahedron between a triangle and the
/// centre with a positive volume, Exact with its sign; of a Shell the mass is in the triangles.
enum class MeshInertia : std::uint8_t { Legacy, Exact, Shell };

/// The mass of a mesh of 1 kg/m³, or 1 kg/m² of a shell, in the frame of its corners; or a clause
/// that says why it has none.
std::variant<MassProperties, std::string> mass_of_mesh(const std::vector<Triangle>& triangles,
                                                       MeshInertia mode);

/// Returns the same distribution with another mass [kg].
MassProperties with_mass(const MassProperties& of, double mass);

}  // namespace servosim::robots
