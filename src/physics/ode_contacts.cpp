// SPDX-License-Identifier: Apache-2.0
#include "physics/ode_contacts.h"

#include <algorithm>
#include <cmath>

#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

std::uint64_t pair_key(int a, int b) {
  const auto [low, high] = std::minmax(a, b);
  return (static_cast<std::uint64_t>(low) << 32) | static_cast<std::uint32_t>(high);
}

dSurfaceParameters ode_surface(const ContactProperties& p) {
  dSurfaceParameters s{};
  s.mode = dContactSoftCFM | dContactSoftERP | dContactApprox1;
  s.mu = p.coulomb_friction.front();
  s.soft_cfm = p.soft_cfm;
  s.soft_erp = p.soft_erp;
  if (p.bounce != 0.0) {
    s.mode |= dContactBounce;
    s.bounce = p.bounce;
    s.bounce_vel = p.bounce_velocity;
  }
  if (const double slip = p.force_dependent_slip.front(); slip != 0.0) {
    s.mode |= dContactSlip1 | dContactSlip2;
    s.slip1 = s.slip2 = slip;
  }
  const auto& [rho, rho2, rho_n] = p.rolling_friction;
  if (rho != 0.0 || rho2 != 0.0 || rho_n != 0.0) {
    s.mode |= dContactRolling | dContactAxisDep;
    s.mu2 = s.mu;
    s.rho = rho;
    s.rho2 = rho2;
    s.rhoN = rho_n;
  }
  return s;
}

// The first that names both materials, else what Webots takes when nothing is said about a pair.
ContactProperties properties_between(const std::vector<ContactProperties>& all,
                                     const std::string& a, const std::string& b) {
  const auto match = std::find_if(all.begin(), all.end(), [&](const ContactProperties& p) {
    return (p.material1 == a && p.material2 == b) || (p.material1 == b && p.material2 == a);
  });
  return match != all.end() ? *match : ContactProperties{};
}

bool is_mesh(dGeomID geom) { return dGeomGetClass(geom) == dTriMeshClass; }

int collide(dGeomID a, dGeomID b, std::vector<dContactGeom>& points) {
  const int room = static_cast<int>(points.size());
  if (is_mesh(a) || is_mesh(b)) {
    const std::lock_guard<std::mutex> lock(trimesh_mutex());
    return dCollide(a, b, room, points.data(), sizeof(dContactGeom));
  }
  return dCollide(a, b, room, points.data(), sizeof(dContactGeom));
}

}  // namespace

Contacts::Contacts(dWorldID world, const Scene& scene)
    : world_(world), group_(dJointGroupCreate(0)), points_(kMaxPoints) {
  const auto add = [this](const std::string& name) {
    if (std::find(materials_.begin(), materials_.end(), name) == materials_.end()) {
      materials_.push_back(name);
    }
  };
  for (const SolidSpec& solid : scene.solids) {
    add(solid.contact_material);
  }
  for (const std::string& a : materials_) {
    for (const std::string& b : materials_) {
      const ContactProperties p = properties_between(scene.world.contact_properties, a, b);
      surfaces_.push_back({ode_surface(p), p.max_contact_joints});
    }
  }
}

Contacts::~Contacts() { dJointGroupDestroy(group_); }

int Contacts::material(const std::string& name) const {
  return static_cast<int>(std::find(materials_.begin(), materials_.end(), name) -
                          materials_.begin());
}

void Contacts::exclude(int body_a, int body_b) { excluded_.push_back(pair_key(body_a, body_b)); }

void Contacts::finish() { std::sort(excluded_.begin(), excluded_.end()); }

void Contacts::find(dSpaceID top, const std::vector<dSpaceID>& inner) {
  dJointGroupEmpty(group_);
  dSpaceCollide(top, this, near);
  for (const dSpaceID space : inner) {
    dSpaceCollide(space, this, near);
  }
}

void Contacts::near(void* self, dGeomID a, dGeomID b) {
  if (dGeomIsSpace(a) != 0 || dGeomIsSpace(b) != 0) {
    dSpaceCollide2(a, b, self, near);
    return;
  }
  auto& contacts = *static_cast<Contacts*>(self);
  if (contacts.may_touch(a, b)) {
    contacts.add_contacts(a, b);
  }
}

bool Contacts::may_touch(dGeomID a, dGeomID b) const {
  const auto& ga = *static_cast<const GeomInfo*>(dGeomGetData(a));
  const auto& gb = *static_cast<const GeomInfo*>(dGeomGetData(b));
  if ((ga.body < 0 && gb.body < 0) || (ga.carrier >= 0 && ga.carrier == gb.carrier)) {
    return false;
  }
  if (ga.robot >= 0 && ga.robot == gb.robot && !ga.self_collision) {
    return false;
  }
  if (ga.carrier >= 0 && gb.carrier >= 0 &&
      (std::binary_search(excluded_.begin(), excluded_.end(), pair_key(ga.carrier, gb.carrier)) ||
       dAreConnectedExcluding(ga.carrier_id, gb.carrier_id, dJointTypeContact) != 0)) {
    return false;
  }
  return (ga.body >= 0 && gb.body >= 0) || !(ga.body < 0 ? gb : ga).anchored;
}

const Contacts::Surface& Contacts::surface(int material_a, int material_b) const {
  return surfaces_[material_a * materials_.size() + material_b];
}

void Contacts::add_contacts(dGeomID a, dGeomID b) {
  const int found = collide(a, b, points_);
  if (found == 0) {
    return;
  }
  const Surface& between = surface(static_cast<const GeomInfo*>(dGeomGetData(a))->material,
                                   static_cast<const GeomInfo*>(dGeomGetData(b))->material);
  const int used = std::min(found, between.max_joints);
  // The deepest ones; in the order of detection among equals. No std::stable_sort: it allocates.
  for (int i = 0; found > used && i < used; ++i) {
    const auto deepest = std::max_element(
        points_.begin() + i, points_.begin() + found,
        [](const dContactGeom& p, const dContactGeom& q) { return p.depth < q.depth; });
    std::rotate(points_.begin() + i, deepest, deepest + 1);
  }
  dContact contact;
  contact.surface = between.parameters;
  for (int i = 0; i < used; ++i) {
    contact.geom = points_[i];
    dReal* n = contact.geom.normal;
    if (n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0) {
      n[0] = 1.0;  // exact coincidence: any direction is as good, but it must be one
    }
    dJointAttach(dJointCreateContact(world_, group_, &contact), dGeomGetBody(a), dGeomGetBody(b));
  }
}

}  // namespace servosim
