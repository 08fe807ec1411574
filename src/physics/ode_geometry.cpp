// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_geometry.h"

#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

static_assert(sizeof(Vec3) == 3 * sizeof(double), "ODE reads Mesh::vertices in place");

OdeMesh::OdeMesh(const Mesh& mesh) : data_(dGeomTriMeshDataCreate()) {
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

dGeomID create_geom(const Shape& s, dSpaceID space, std::unique_ptr<OdeMesh>& mesh) {
  switch (s.type) {
    case ShapeType::Box:
      return dCreateBox(space, s.size.x, s.size.y, s.size.z);
    case ShapeType::Sphere:
      return dCreateSphere(space, s.radius);
    case ShapeType::Cylinder:
      return dCreateCylinder(space, s.radius, s.height);
    case ShapeType::Capsule:
      return dCreateCapsule(space, s.radius, s.height);
    case ShapeType::Plane:
      return dCreatePlane(space, 0.0, 0.0, 1.0, 0.0);
    case ShapeType::Mesh:
      mesh = std::make_unique<OdeMesh>(*s.mesh);
      return dCreateTriMesh(space, mesh->data(), nullptr, nullptr, nullptr);
  }
  return nullptr;
}

void place_geom(dGeomID geom, const Pose& pose) {
  if (dGeomGetClass(geom) == dPlaneClass) {
    const Vec3 normal = pose.rotation * Vec3{0.0, 0.0, 1.0};
    dGeomPlaneSetParams(geom, normal.x, normal.y, normal.z, dot(normal, pose.translation));
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
  dGeomSetOffsetRotation(geom, r);
  dGeomSetOffsetPosition(geom, pose.translation.x, pose.translation.y, pose.translation.z);
}

}  // namespace servosim
