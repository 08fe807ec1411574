// SPDX-License-Identifier: Apache-2.0
#include "physics/contacts/geometry.h"

#include <vector>

#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

static_assert(sizeof(Vec3) == 3 * sizeof(double), "ODE reads Mesh::vertices in place");

OdeMesh::OdeMesh(const Mesh& mesh) : data_(made(dGeomTriMeshDataCreate(), "a mesh")) {
  const std::lock_guard<std::mutex> lock(trimesh_mutex());
  dGeomTriMeshDataBuildDouble(data_, mesh.vertices.data(), sizeof(Vec3),
                              static_cast<int>(mesh.vertices.size()), mesh.triangles.data(),
                              static_cast<int>(3 * mesh.triangles.size()),
                              3 * sizeof(std::uint32_t));
}

OdeMesh::~OdeMesh() {
  const std::lock_guard<std::mutex> lock(trimesh_mutex());
  dGeomTriMeshDataDestroy(data_);
}

OdeGrid::OdeGrid(const Grid& grid)
    : data_(made(dGeomHeightfieldDataCreate(), "an elevation grid")) {
  // ODE's z runs against the grid's y.
  std::vector<double> heights;
  heights.reserve(grid.heights.size());
  for (int j = grid.rows - 1; j >= 0; --j) {
    const auto row = grid.heights.begin() + std::ptrdiff_t{j} * grid.columns;
    heights.insert(heights.end(), row, row + grid.columns);
  }
  constexpr int kCopy = 1;
  constexpr int kNoWrap = 0;
  dGeomHeightfieldDataBuildDouble(data_, heights.data(), kCopy, grid.dx * (grid.columns - 1),
                                  grid.dy * (grid.rows - 1), grid.columns, grid.rows, 1.0, 0.0,
                                  grid.thickness, kNoWrap);
}

Pose ode_frame(const Grid& grid) {
  constexpr Mat3 kQuarterTurn{{1, 0, 0, 0, 0, -1, 0, 1, 0}};  // about x
  return {kQuarterTurn, {0.5 * grid.dx * (grid.columns - 1), 0.5 * grid.dy * (grid.rows - 1), 0.0}};
}

Pose geom_pose_in_solid(const Shape& shape) {
  return shape.type == ShapeType::Grid ? shape.pose * ode_frame(*shape.grid) : shape.pose;
}

dGeomID create_geom(const Shape& s, dSpaceID space, GeomData& data) {
  switch (s.type) {
    case ShapeType::Box:
      return made(dCreateBox(space, s.size.x, s.size.y, s.size.z), "a box");
    case ShapeType::Sphere:
      return made(dCreateSphere(space, s.radius), "a sphere");
    case ShapeType::Cylinder:
      return made(dCreateCylinder(space, s.radius, s.height), "a cylinder");
    case ShapeType::Capsule:
      return made(dCreateCapsule(space, s.radius, s.height), "a capsule");
    case ShapeType::Plane:
      return made(dCreatePlane(space, 0.0, 0.0, 1.0, 0.0), "a plane");
    case ShapeType::Mesh:
      data.mesh = std::make_unique<OdeMesh>(*s.mesh);
      return made(dCreateTriMesh(space, data.mesh->data(), nullptr, nullptr, nullptr), "a mesh");
    case ShapeType::Grid: {
      constexpr int kPlaceable = 1;
      data.grid = std::make_unique<OdeGrid>(*s.grid);
      return made(dCreateHeightfield(space, data.grid->data(), kPlaceable), "an elevation grid");
    }
  }
  return nullptr;
}

void place_geom(dGeomID geom, const Pose& pose) {
  if (dGeomGetClass(geom) == dPlaneClass) {
    const Vec3 normal = pose.rotation * Vec3{0.0, 0.0, 1.0};
    dGeomPlaneSetParams(geom, normal.x, normal.y, normal.z, dot(normal, pose.translation));
    info_of(geom).plane_axes = pose.rotation;
    return;
  }
  dMatrix3 r;
  to_ode(pose.rotation, r);
  dGeomSetRotation(geom, r);
  dGeomSetPosition(geom, pose.translation.x, pose.translation.y, pose.translation.z);
}

void attach_geom(dGeomID geom, dBodyID body, const Pose& pose) {
  dMatrix3 r;
  to_ode(pose.rotation, r);
  dGeomSetBody(geom, body);
  if (pose == Pose{}) {
    return;  // an offset, even of zero, costs at every step
  }
  dGeomSetOffsetRotation(geom, r);
  dGeomSetOffsetPosition(geom, pose.translation.x, pose.translation.y, pose.translation.z);
}

}  // namespace servosim
