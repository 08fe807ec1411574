// SPDX-License-Identifier: Apache-2.0
// The search for contacts has two phases. ODE's spaces are locked while they call near(), so near()
// only collects candidates. add_contacts() then makes contacts of the sorted candidates.
#include "physics/contacts/contact_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>

#include "base/report_once.h"
#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Returns the key of an unordered pair. The lower number is in the upper half, so keys sort by it
// first.
std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax(a, b);
  return (std::uint64_t{low} << 32) | high;
}

// A contact joint takes at least this memory together with the data that are kept about it [bytes].
constexpr std::size_t kContactBytes = 400;
// A pair takes this memory while the list of pairs grows: one entry in the old list, and two in the
// new one, which has twice the size [bytes].
constexpr std::size_t kPairBytes = 3 * sizeof(std::uint64_t);
// ODE reserves this many rows for a contact. Each pair of rows of an island takes at least the
// memory of an element of two square matrices [bytes].
constexpr double kContactRows = 3.0;
constexpr double kRowPairBytes = 16.0;

constexpr double kLevel = 0.7071;  // cosine of 45°

// Returns whether the bounding boxes of two geoms overlap. Boxes that only touch count, too.
bool are_near(dGeomID a, dGeomID b) {
  dReal one[6];
  dReal other[6];
  dGeomGetAABB(a, one);
  dGeomGetAABB(b, other);
  for (int i = 0; i < 6; i += 2) {
    if (one[i] > other[i + 1] || other[i] > one[i + 1]) {
      return false;
    }
  }
  return true;
}

}  // namespace

ContactSearch::ContactSearch(dWorldID world, const Scene& scene, const std::vector<bool>& anchored,
                             Notices* notices, const ContactSearch* like)
    : world_(world),
      anchored_(anchored),
      notices_(notices),
      group_(made(dJointGroupCreate(0), "the group of the contacts")),
      colliders_(scene.world.all_box_corners),
      surfaces_(like != nullptr ? like->surfaces_ : std::make_shared<const SurfaceTable>(scene)) {
  // Without a TouchSensor nobody asks what is touched, so the lists stay empty.
  if (std::any_of(scene.solids.begin(), scene.solids.end(),
                  [](const SolidSpec& solid) { return solid.senses_touch; })) {
    touched_.resize(scene.solids.size());
    side_contacts_.resize(scene.solids.size());
  }
}

ContactSearch::~ContactSearch() { dJointGroupDestroy(group_); }

// The index is the place of the geom in geoms_, so keys of pairs sort by the order of creation.
void ContactSearch::add(dGeomID geom) {
  info_of(geom).index = static_cast<std::uint32_t>(geoms_.size());
  geoms_.push_back(geom);
}

void ContactSearch::exclude(int body_a, int body_b) {
  excluded_.push_back(pair_key(body_a, body_b));
}

// may_touch() looks for a pair by bisection, so the list is sorted once.
void ContactSearch::finish() {
  std::sort(excluded_.begin(), excluded_.end());
  contacts_of_.resize(anchored_.size());
}

// The rows of n contacts at one body need at least kRowPairBytes·(kContactRows·n)² bytes, so n =
// √(bytes/kRowPairBytes)/kContactRows is the limit. It is at most 10⁹, which an int can hold.
void ContactSearch::limit_memory(std::size_t bytes) {
  max_contacts_ = bytes / kContactBytes;
  max_pairs_ = bytes / kPairBytes;
  max_contacts_of_a_body_ = static_cast<int>(
      std::min(std::sqrt(static_cast<double>(bytes) / kRowPairBytes) / kContactRows, 1e9));
}

// The keys are indices of materials. They mean the same only if both lists of materials are equal.
void ContactSearch::restore_reports_from(const ContactSearch& before) {
  if (surfaces_->materials() == before.surfaces_->materials()) {
    truncation_reported_ = before.truncation_reported_;
  }
}

// The contacts of the last step are removed first, because ODE must not see two joints for one
// contact.
void ContactSearch::find(dSpaceID top, const std::vector<dSpaceID>& inner) {
  // Destroying the joints also removes them from their bodies.
  dJointGroupEmpty(group_);
  std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
  contact_points_.clear();
  joints_.clear();
  std::fill(contacts_of_.begin(), contacts_of_.end(), 0);
  try {
    find_pairs(top, inner);
    if (no_room_for_pairs_ || pairs_.size() > max_pairs_) {
      count_pairs();
      throw TooManyContacts{no_room_for_pairs_, pairs_.size()};
    }
    for (const std::uint64_t pair : pairs_) {
      add_contacts(geoms_[pair >> 32], geoms_[static_cast<std::uint32_t>(pair)]);
    }
  } catch (const std::bad_alloc&) {
    throw TooManyContacts{true};
  }
}

// The search stops early, with only some of the pairs, if there are more than max_pairs_ or no
// memory is left.
void ContactSearch::find_pairs(dSpaceID top, const std::vector<dSpaceID>& inner) {
  pairs_.clear();
  no_room_for_pairs_ = false;
  spaces_locked_ = true;
  dSpaceCollide(top, this, near);
  for (const dSpaceID space : inner) {
    dSpaceCollide(space, this, near);
  }
  spaces_locked_ = false;
  // The order in which spaces report pairs depends on which geoms moved before.
  std::sort(pairs_.begin(), pairs_.end());
}

// Each shape of the Solids is compared with the whole space, which is cheaper than find() for few
// Solids. A body is added only if the contact would act on a body, its own or the other one.
std::vector<int> ContactSearch::bodies_at(dSpaceID top, const SolidRange& solids) {
  std::vector<int> bodies;
  // Geoms are in the order of their Solids, so those of the range are adjacent.
  const auto first =
      std::lower_bound(geoms_.begin(), geoms_.end(), solids.begin,
                       [](dGeomID geom, int solid) { return info_of(geom).solid < solid; });
  for (auto own = first; own != geoms_.end() && solids.contains(info_of(*own).solid); ++own) {
    pairs_.clear();
    no_room_for_pairs_ = false;
    spaces_locked_ = true;
    dSpaceCollide2(*own, reinterpret_cast<dGeomID>(top), this, near);
    spaces_locked_ = false;
    if (no_room_for_pairs_ || pairs_.size() > max_pairs_) {
      return carriers();
    }
    for (const std::uint64_t pair : pairs_) {
      const dGeomID one = geoms_[pair >> 32];
      const dGeomID other = geoms_[static_cast<std::uint32_t>(pair)];
      const GeomInfo& found = info_of(one == *own ? other : one);
      const bool makes_contacts = found.body >= 0 || info_of(*own).body >= 0;
      if (one != other && makes_contacts && found.carrier >= 0 &&
          colliders_.collide(one, other, found_points()) > 0) {
        bodies.push_back(found.carrier);
      }
    }
  }
  return bodies;
}

// The caller wakes these bodies. To wake too many is harmless, to wake too few is not.
std::vector<int> ContactSearch::carriers() const {
  std::vector<int> bodies;
  for (const dGeomID geom : geoms_) {
    if (info_of(geom).carrier >= 0) {
      bodies.push_back(info_of(geom).carrier);
    }
  }
  return bodies;
}

// No contacts are computed if there are too many pairs. The number of pairs at a body then tells
// where the fault is.
void ContactSearch::count_pairs() {
  for (const std::uint64_t pair : pairs_) {
    for (const std::uint64_t place : {pair >> 32, pair & 0xffffffff}) {
      if (const int body = info_of(geoms_[place]).body; body >= 0) {
        ++contacts_of_[body];
      }
    }
  }
}

int ContactSearch::most_touched() const {
  return static_cast<int>(std::max_element(contacts_of_.begin(), contacts_of_.end()) -
                          contacts_of_.begin());
}

// Groups are sets of bodies (union-find). Two shapes that are already in one group are not tested
// again, because the test is costly.
OverlapGroup ContactSearch::largest_overlap(dSpaceID top, const std::vector<dSpaceID>& inner) {
  // Each entry leads to the body that represents the group.
  std::vector<int> above(anchored_.size());
  std::iota(above.begin(), above.end(), 0);
  // Finds the representative and halves the path to it (union-find; R. E. Tarjan, 1984).
  const auto root = [&above](int body) {
    while (above[body] != body) {
      body = above[body] = above[above[body]];
    }
    return body;
  };
  std::vector<bool> overlaps(geoms_.size());
  find_pairs(top, inner);
  if (no_room_for_pairs_) {
    throw std::bad_alloc();
  }
  for (const std::uint64_t pair : pairs_) {
    const std::size_t a = pair >> 32;
    const std::size_t b = static_cast<std::uint32_t>(pair);
    const int body_a = info_of(geoms_[a]).body;
    const int body_b = info_of(geoms_[b]).body;
    if (body_a < 0 || body_b < 0 || (overlaps[a] && overlaps[b] && root(body_a) == root(body_b))) {
      continue;  // static, or already in one group
    }
    if (colliders_.collide(geoms_[a], geoms_[b], found_points()) > 0) {
      overlaps[a] = overlaps[b] = true;
      above[root(body_a)] = root(body_b);
    }
  }
  std::vector<int> shapes(anchored_.size());
  OverlapGroup largest;
  for (std::size_t g = 0; g < geoms_.size(); ++g) {
    if (overlaps[g]) {
      const int body = root(info_of(geoms_[g]).body);
      if (++shapes[body] > largest.shapes) {
        largest = {shapes[body], body};
      }
    }
  }
  return largest;
}

// An exception must not leave this function, since ODE would not unlock the spaces. So a shortage
// of memory is noted, and later pairs are ignored.
void ContactSearch::near(void* self, dGeomID a, dGeomID b) {
  auto& contacts = *static_cast<ContactSearch*>(self);
  if (contacts.no_room_for_pairs_ || contacts.pairs_.size() > contacts.max_pairs_) {
    return;
  }
  if (dGeomIsSpace(a) != 0 || dGeomIsSpace(b) != 0) {
    dSpaceCollide2(a, b, self, near);
    return;
  }
  const GeomInfo& info_a = info_of(a);
  const GeomInfo& info_b = info_of(b);
  if (contacts.may_touch(info_a, info_b)) {
    try {
      contacts.pairs_.push_back(pair_key(info_a.index, info_b.index));
    } catch (const std::bad_alloc&) {
      contacts.no_room_for_pairs_ = true;
    }
  }
}

// Two shapes never touch
// - if neither has a body, except that TouchSensors notice it,
// - if one body carries both,
// - if they belong to one robot without selfCollision,
// - if their bodies have a joint in common, or hinges with a common anchor connect them,
// - if one of them is static and the other one's body has a joint to the world.
bool ContactSearch::may_touch(const GeomInfo& ga, const GeomInfo& gb) const {
  const bool no_body = ga.body < 0 && gb.body < 0;
  if ((no_body && !ga.senses_touch && !gb.senses_touch) ||
      (ga.carrier >= 0 && ga.carrier == gb.carrier)) {
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
  return no_body || (ga.body >= 0 && gb.body >= 0) || !anchored_[ga.body < 0 ? gb.body : ga.body];
}

// A contact without any body only sets touched_, because it could move nothing.
void ContactSearch::add_contacts(dGeomID a, dGeomID b) {
  std::vector<dContactGeom>& found_geoms = found_points();
  const int found = colliders_.collide(a, b, found_geoms);
  if (found == 0) {
    return;
  }
  const GeomInfo& of_a = info_of(a);
  const GeomInfo& of_b = info_of(b);
  for (const GeomInfo* info : {&of_a, &of_b}) {
    if (info->senses_touch) {
      touched_[info->solid] = 1;
    }
  }
  if (of_a.body < 0 && of_b.body < 0) {
    return;
  }
  const int used = keep_deepest(found, of_a.material, of_b.material);
  const Surface& surface = surfaces_->between(of_a.material, of_b.material);
  ContactJoint kept;
  kept.body = of_a.body;
  kept.other_body = of_b.body;
  kept.shapes = pair_key(of_a.index, of_b.index);
  dContact& contact = kept.contact;
  contact.surface = surface.parameters;
  for (int i = 0; i < used; ++i) {
    // The normal points into the first geom, as ODE demands of a contact joint.
    contact.geom = found_geoms[i];
    dReal* n = contact.geom.normal;
    if (n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0) {
      // The centres coincide. Any direction is as good as another, but ODE needs a unit vector.
      n[0] = 1.0;
    }
    if (surface.directional) {
      set_directions(surface, a, b, contact);
    }
    if (of_a.belt != nullptr || of_b.belt != nullptr) {
      // set_belt_motion() may have set flags in the mode for the previous point.
      contact.surface.mode = surface.parameters.mode;
      set_belt_motion(a, b, contact);
    }
    const dJointID joint = made(dJointCreateContact(world_, group_, &contact), "a contact joint");
    // ODE exchanges the bodies if the first one is null.
    dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    if (keeps_joints_) {
      kept.feedback = keeps_forces_ ? next_feedback() : nullptr;
      joints_.push_back(kept);
      dJointSetFeedback(joint, kept.feedback);
    }
    contact_points_.push_back({{contact.geom.pos[0], contact.geom.pos[1], contact.geom.pos[2]},
                               {n[0], n[1], n[2]},
                               of_a.solid,
                               of_b.solid,
                               contact.geom.depth});
  }
  count_contacts(of_a, used);
  count_contacts(of_b, used);
}

// The values are NaN until a solver sets them, so the force of a contact that nothing has solved is
// not mistaken for 0.
dJointFeedback* ContactSearch::next_feedback() {
  if (joints_.size() == feedbacks_.size()) {
    feedbacks_.push_back(std::make_unique<dJointFeedback>());
  }
  dJointFeedback& feedback = *feedbacks_[joints_.size()];
  std::fill_n(feedback.f1, 3, std::numeric_limits<double>::quiet_NaN());
  return &feedback;
}

// The contacts of one body are always solved together, so these alone may be too many. ODE sums up
// the rows of whole islands only later; see Contacts::end_unsolved().
void ContactSearch::count_contacts(const GeomInfo& info, int number) {
  if (info.body < 0) {
    return;
  }
  contacts_of_[info.body] += number;
  if (contacts_of_[info.body] > max_contacts_of_a_body_ || contact_points_.size() > max_contacts_) {
    throw TooManyContacts{};
  }
}

// Each touch is reported once, so it is cleared here.
void ContactSearch::add_side_contacts(std::vector<std::uint8_t>& touched) {
  for (std::size_t s = 0; s < touched.size(); ++s) {
    touched[s] |= std::exchange(side_contacts_[s], std::uint8_t{0});
  }
}

// All pairs are compared without the spaces, since a wheeled robot without Physics moves outside of
// the search of a step. A contact is from the side if |n·up| < cos 45°.
double ContactSearch::side_penetration(int robot, const Vec3& up) {
  double depth = 0.0;
  for (const dGeomID own : geoms_) {
    if (info_of(own).robot != robot) {
      continue;
    }
    for (const dGeomID other : geoms_) {
      if (info_of(other).robot == robot || info_of(other).body >= 0 || !are_near(own, other)) {
        continue;
      }
      std::vector<dContactGeom>& found_geoms = found_points();
      const int found = colliders_.collide(own, other, found_geoms);
      for (const GeomInfo* info : {&info_of(own), &info_of(other)}) {
        if (found > 0 && info->senses_touch) {
          side_contacts_[info->solid] = 1;
        }
      }
      for (int i = 0; i < found; ++i) {
        const dReal* n = found_geoms[i].normal;
        // Any other normal belongs to the ground or a ceiling, which does not stop a robot.
        if (std::abs(dot({n[0], n[1], n[2]}, up)) < kLevel) {
          depth = std::max(depth, found_geoms[i].depth);
        }
      }
    }
  }
  return depth;
}

std::vector<dContactGeom>& ContactSearch::found_points() {
  if (points_.empty()) {
    points_.resize(kMaxPoints);
  }
  return points_;
}

// Selection takes used·found comparisons, of at most 100 points, and is done only if there are too
// many points.
int ContactSearch::keep_deepest(int found, int material_a, int material_b) {
  const int used = std::min(found, surfaces_->between(material_a, material_b).max_joints);
  if (used < found) {
    report_truncated(found, material_a, material_b);
  }
  std::vector<dContactGeom>& found_geoms = found_points();
  // Points of equal depth stay in the order in which they were found. std::stable_sort() would
  // allocate memory in every step.
  for (int i = 0; found > used && i < used; ++i) {
    const auto deepest = std::max_element(
        found_geoms.begin() + i, found_geoms.begin() + found,
        [](const dContactGeom& p, const dContactGeom& q) { return p.depth < q.depth; });
    std::rotate(found_geoms.begin() + i, deepest, deepest + 1);
  }
  return used;
}

// The report is given once per pair of materials, since it would be the same in every step.
void ContactSearch::report_truncated(int found, int material_a, int material_b) {
  const std::uint64_t both =
      pair_key(static_cast<std::uint32_t>(material_a), static_cast<std::uint32_t>(material_b));
  if (truncation_reported_.first(both) && notices_ != nullptr) {
    notices_->report(fmt::format(
        "contact materials \"{}\" and \"{}\" touch at {} points; only the {} deepest are used "
        "(maxContactJoints; reported once)",
        surfaces_->materials()[material_a], surfaces_->materials()[material_b], found,
        surfaces_->between(material_a, material_b).max_joints));
  }
}

}  // namespace servosim
