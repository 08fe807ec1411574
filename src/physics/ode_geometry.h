// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <memory>

#include "servosim/math.h"

namespace servosim {

struct Grid;
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

/// An ElevationGrid in ODE's format: a copy of its heights.
class OdeGrid {
 public:
  explicit OdeGrid(const Grid& grid);
  OdeGrid(const OdeGrid&) = delete;
  OdeGrid& operator=(const OdeGrid&) = delete;
  ~OdeGrid() { dGeomHeightfieldDataDestroy(data_); }
  dHeightfieldDataID data() const { return data_; }

 private:
  dHeightfieldDataID data_;
};

/// What a geom of these kinds refers to; must outlive it.
struct GeomData {
  std::unique_ptr<OdeMesh> mesh;
  std::unique_ptr<OdeGrid> grid;
};

/// The frame of a grid's geom in the frame of the Grid: ODE's heights are along y over x and z,
/// with the origin in the middle.
Pose ode_frame(const Grid& grid);

/// Creates the geom of a shape in a space; `data` receives what it refers to.
dGeomID create_geom(const Shape& shape, dSpaceID space, GeomData& data);

/// Where the geom of a shape stands in the frame of the Solid.
Pose geom_pose_in_solid(const Shape& shape);

/// Places a geom without a body; a plane gets its equation from the pose, and its GeomInfo the
/// axes.
void place_geom(dGeomID geom, const Pose& pose);

/// Fixes a geom to its body at `pose` in the body's frame. Not for planes.
void attach_geom(dGeomID geom, dBodyID body, const Pose& pose);

}  // namespace servosim
