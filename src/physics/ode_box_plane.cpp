// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_box_plane.h"

#include <array>

#include "physics/ode_library.h"

namespace servosim {

void collide_box_plane(dGeomID box, dGeomID plane, ContactList& contacts) {
  struct Corner {
    Vec3 position;
    double depth;
  };
  dVector4 equation;
  dVector3 size;
  dGeomPlaneGetParams(plane, equation);
  dGeomBoxGetLengths(box, size);
  const Vec3 normal = to_vec3(equation);
  const Pose pose = geom_pose(box);
  std::array<Corner, 8> below;
  std::size_t count = 0;
  for (int i = 0; i < 8; ++i) {
    const Vec3 signs{(i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5,
                     (i & 4) != 0 ? 0.5 : -0.5};
    const Vec3 corner = pose * scaled(signs, to_vec3(size));
    const double depth = equation[3] - dot(normal, corner);
    if (depth < 0.0) {
      continue;
    }
    // Behind those that are as deep, so that equal ones keep their order.
    std::size_t place = count++;
    for (; place > 0 && below[place - 1].depth < depth; --place) {
      below[place] = below[place - 1];
    }
    below[place] = {corner, depth};
  }
  for (std::size_t i = 0; i < count; ++i) {
    contacts.add(below[i].position, normal, below[i].depth);
  }
}

}  // namespace servosim
