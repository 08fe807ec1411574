// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <memory>

#include "servosim/math.h"

namespace servosim {

struct Mesh;
struct Shape;

/// A triangle mesh in ODE's format. ODE keeps pointers into `mesh`, which must outlive this.
class OdeMesh {
 public:
  explicit OdeMesh(const Mesh& mesh);
  OdeMesh(const OdeMesh&) = delete;
  OdeMesh& operator=(const OdeMesh&) = delete;
  ~OdeMesh();
  dTriMeshDataID data() const { return data_; }

 private:
  dTriMeshDataID data_;
};

/// Creates the geom of a shape in a space; `mesh` is set for a Mesh and must outlive the geom.
dGeomID create_geom(const Shape& shape, dSpaceID space, std::unique_ptr<OdeMesh>& mesh);

/// Places a geom without a body; a plane gets its equation from the pose.
void place_geom(dGeomID geom, const Pose& pose);

/// Fixes a geom to its body at `pose` in the body's frame. Not for planes.
void attach_geom(dGeomID geom, dBodyID body, const Pose& pose);

}  // namespace servosim
