// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/trees.h"

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <new>

#include "base/assert.h"
#include "physics/attachments.h"
#include "physics/bodies.h"
#include "physics/contacts/contact_search.h"
#include "physics/ode_library.h"
#include "physics/tree/tree_graph.h"

// Which solver an island gets, in the order of the tests:
//
// * With the integrator "joint", what exception_of() does not name: the coordinates of its joints,
//   with the tree solver if anything touches it.
// * One tree of hinges and sliders that nothing touches or holds: lanes. If its rows break their
//   bounds there, the tree solver.
// * Every body asleep: none.
// * A tree with coupled joints, and at most kMaxBorderedOfCoupled rows in the border: the tree
//   solver, since ODE has no such rows.
// * No joints, and rows between bodies or fewer than kFewContacts contacts: ODE.
// * More than kFewBetween rows between bodies, and more than half of all rows: ODE.
// * Rows that are not soft, or more than kMaxBordered rows in the border: ODE.
// * Anything else: the tree solver, and ODE if that finds no solution.
//
// The numbers are measured.

namespace servosim {

namespace {

// From these numbers on the tree solver is faster than ODE, as benchmarks/run has measured.
constexpr std::size_t kFewContacts = 3;  // of bodies without joints
constexpr std::size_t kFewBetween = 60;  // rows between bodies of an island
constexpr std::ptrdiff_t kMaxBordered = 400;
// ODE solves such islands without their couplings, so more time is worth it.
constexpr std::ptrdiff_t kMaxBorderedOfCoupled = 1200;
// ODE has about this many rows for a joint and for a contact.
constexpr std::size_t kLoopRows = 6;
constexpr std::size_t kFrictionRows = 3;

}  // namespace

Trees::Trees(const OdeWorld& ode, const Bodies& bodies, std::span<JointRows* const> joints,
             std::span<const CouplingRows> couplings, const Attachments& attachments, LaneSet lanes,
             bool geoms_meet, const IntegratorRule& integrator, const Trees* like)
    : of_world_(bodies),
      attachments_(attachments),
      forest_(bodies.count()),
      islands_(bodies.count()),
      solver_(lanes),
      lanes_(lanes),
      integrator_(integrator) {
  // ODE's numbers, divided as the rows need them.
  settings_.h = ode.h();
  settings_.erp = dWorldGetERP(ode.id());
  settings_.softness = dWorldGetCFM(ode.id()) / ode.h();
  settings_.position_gain = settings_.erp / ode.h() / ode.h();
  settings_.per_step = 1.0 / ode.h();
  settings_.motor_softness = dWorldGetCFM(ode.id()) * settings_.per_step;
  dVector3 gravity;
  dWorldGetGravity(ode.id(), gravity);
  settings_.gravity = to_vec3(gravity);
  const TreeGraph graph(bodies, joints, attachments);
  trees_.reserve(graph.parts().size());
  for (const std::vector<int>& part : graph.parts()) {
    islands_.add_tree(part);
    Tree& tree = trees_.emplace_back();
    static_cast<TreeRange&>(tree) =
        forest_.add(part, bodies, graph, settings_.softness, geoms_meet);
    tree.first_solid = forest_.bodies[tree.begin].body->solid;
    if (integrator_.is_joint) {
      tree.coordinates = TreeCoordinates::of(forest_, tree, settings_, integrator_);
    }
  }
  std::vector<std::size_t> ends;
  for (const Tree& tree : trees_) {
    ends.push_back(tree.end);
  }
  couplings_.add(couplings, forest_, ends, islands_);
  excess_.resize(forest_.nodes.size());
  // Worlds of one scene share what the first of them has found.
  if (lanes_.lanes() > 0 && like == nullptr) {
    find_topologies();
  } else if (like != nullptr) {
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      SERVOSIM_ASSERT(trees_[t].end == like->trees_[t].end, "tree {} of another scene", t);
      trees_[t].topology = like->trees_[t].topology;
    }
    waiting_.resize(like->waiting_.size());
    topology_key_ = like->topology_key_;
    told_ = like->told_;
    told_uncoupled_ = like->told_uncoupled_;
  }
}

LaneTree Trees::lane_tree(const Tree& tree) {
  // If ODE's step may fail, nothing may have moved before it.
  return {&forest_.bodies[tree.begin], &forest_.joints[tree.begin], &forest_.nodes[tree.begin],
          tree.end - tree.begin, !leaves_any_};
}

// Trees with equal keys get equal indices. The key of the world consists of the number of lanes,
// the settings, and the keys of its trees.
void Trees::find_topologies() {
  std::vector<TopologyKey> keys;
  for (int t = 0; t < static_cast<int>(trees_.size()); ++t) {
    Tree& tree = trees_[t];
    // Loops and couplings need rows on bodies, which lanes do not have.
    if (tree.joints == 0 || tree.begin_loops < tree.end_loops || islands_.is_coupled(t) ||
        !fits_lane(lane_tree(tree))) {
      continue;
    }
    const TopologyKey key = topology_key(lane_tree(tree));
    const auto like = std::find(keys.begin(), keys.end(), key);
    tree.topology = static_cast<int>(like - keys.begin());
    if (like == keys.end()) {
      keys.push_back(key);
    }
  }
  waiting_.resize(keys.size());
  TopologyKey key;
  key.push_back(lanes_.lanes());
  // The settings by their bits.
  const auto settings =
      std::bit_cast<std::array<std::uint64_t, sizeof settings_ / sizeof(std::uint64_t)>>(settings_);
  key.insert(key.end(), settings.begin(), settings.end());
  // The length in front of each key makes the whole unambiguous.
  for (const TopologyKey& of_tree : keys) {
    key.push_back(of_tree.size());
    key.insert(key.end(), of_tree.begin(), of_tree.end());
  }
  topology_key_ = std::make_shared<const TopologyKey>(std::move(key));
}

// Worlds of one scene share the key, so the long comparison is rare.
bool Trees::may_share_lanes(const Trees& one, const Trees& other) {
  return one.topology_key_ == other.topology_key_ ||
         (one.topology_key_ != nullptr && other.topology_key_ != nullptr &&
          *one.topology_key_ == *other.topology_key_);
}

// A sleeping island is not solved and not counted.
void Trees::begin_step(std::span<const ContactJoint> contacts) {
  leaves_any_ = false;
  failure_ = nullptr;
  moved_bodies_ = 0;
  fastest_squared_ = 0.0;
  contacts_ = contacts;
  for (std::vector<int>& trees : waiting_) {
    trees.clear();
  }
  for (Tree& tree : trees_) {
    tree.is_solved = tree.is_moved = tree.is_in_coordinates = false;
    tree.may_sleep = true;
  }
  states_.match(contacts);
  for (int island = 0; island < islands_.trees(); ++island) {
    if (!islands_.has(island)) {
      continue;
    }
    if (integrator_.is_joint && solve_in_coordinates(island)) {
      continue;
    }
    if (is_for_lanes(island)) {
      Tree& tree = trees_[island];
      tree.may_sleep = of_world_.sleep().may_sleep() && !is_all_awake(island);
      // An island with an awake body is solved as a whole.
      if (!tree.may_sleep || is_awake(island)) {
        waiting_[tree.topology].push_back(island);
      }
      continue;
    }
    gather(island);
    if (std::any_of(island_.trees.begin(), island_.trees.end(),
                    [this](int t) { return is_awake(t); })) {
      solve_gathered(island);
    }
  }
}

// The topology is -1 for trees with loops, balls or Hinge2s, and for bodies without joints.
bool Trees::is_for_lanes(int island) const {
  return trees_[island].topology >= 0 && islands_.is_alone(island);
}

void Trees::restore_counts_from(const Trees& before) {
  counts_ = before.counts_;
  told_ = before.told_;
  told_uncoupled_ = before.told_uncoupled_;
}

// Rows are read before the last decision, since it depends on their softness.
void Trees::solve_gathered(int island) {
  const std::span<const ContactJoint> contacts = contacts_;
  OdeReason why = OdeReason::Unsolved;
  bool solved = false;
  if (!is_for_ode(island, contacts, why)) {
    read();
    add_attachments(island);
    const std::size_t coupled = island_.rows.size();
    couplings_.add_rows(island_.trees, settings_, CoupledStep::OfBodies, island_.rows);
    const std::size_t touching = island_.rows.size();
    add_contacts(contacts);  // last, so that the rows of a contact end at those of the next one
    if (touching > coupled) {
      const std::span<BodyRow> rows(island_.rows);
      soften(rows.first(coupled), settings_.softness, kLeastSoftness);
      soften(rows.subspan(touching), settings_.softness, kLeastSoftness);
    }
    solved = !has_rows_for_ode(why) &&
             couplings_.solve(solver_, island_.nodes, island_.trees, settings_, island_.rows);
  }
  if (solved) {
    take_results(contacts);
    ++counts_.tree;
  } else {
    ++counts_.ode[static_cast<std::size_t>(why)];
    leaves_any_ = true;
    bool& told = told_uncoupled_[static_cast<std::size_t>(why)];
    if (!told && islands_.is_any_coupled(island_.trees)) {
      told = true;
      uncoupled_ = Uncoupled{why, trees_[island].first_solid};
    }
  }
  for (const int t : island_.trees) {
    trees_[t].is_solved = trees_[t].owes_efforts = solved;
  }
  owes_efforts_ = owes_efforts_ || solved;
}

// Splits the list into runs of worlds that may share lanes.
void Trees::solve_in_lanes(std::span<Trees* const> worlds) noexcept {
  while (!worlds.empty()) {
    const auto end = std::find_if(worlds.begin() + 1, worlds.end(), [&worlds](Trees* world) {
      return !may_share_lanes(*world, *worlds[0]);
    });
    const auto count = static_cast<std::size_t>(end - worlds.begin());
    solve_worlds(worlds.first(count));
    worlds = worlds.subspan(count);
  }
}

// These worlds may share lanes. A group is filled with trees of one topology from any of them.
void Trees::solve_worlds(std::span<Trees* const> worlds) {
  const std::size_t lanes = worlds[0]->lanes_.lanes();
  std::array<Waiting, kMaxLanes> group;
  for (std::size_t topology = 0; topology < worlds[0]->waiting_.size(); ++topology) {
    std::size_t count = 0;
    for (Trees* const world : worlds) {
      for (const int tree : world->waiting_[topology]) {
        // A full group is solved at once, so no list of all trees is needed.
        group[count++] = {world, tree};
        if (count == lanes) {
          solve_group(std::span(group).first(count));
          count = 0;
        }
      }
    }
    if (count > 0) {
      solve_group(std::span(group).first(count));
    }
  }
}

// Solves trees of one topology. What the lanes do not solve is solved alone, with the same results.
void Trees::solve_group(std::span<const Waiting> group) {
  std::array<LaneTree, kMaxLanes> in_lanes;
  std::array<LaneOutcome, kMaxLanes> outcomes{};
  SERVOSIM_ASSERT(group.size() <= in_lanes.size(), "{} trees", group.size());
  for (std::size_t l = 0; l < group.size(); ++l) {
    in_lanes[l] = group[l].world->lane_tree(group[l].world->trees_[group[l].tree]);
  }
  Trees& first_world = *group[0].world;
  bool side_by_side = false;
  try {
    side_by_side = first_world.lanes_.solve(in_lanes.data(), group.size(), first_world.settings_,
                                            outcomes.data());
  } catch (const std::bad_alloc&) {  // without memory for lanes, each tree is solved alone
  }
  for (std::size_t l = 0; l < group.size(); ++l) {
    Trees& world = *group[l].world;
    if (world.failure_ != nullptr) {
      continue;
    }
    try {
      world.finish_in_lanes(group[l].tree, outcomes[l]);
      world.counts_.side_by_side += outcomes[l].is_solved && side_by_side ? 1 : 0;
    } catch (...) {  // for lack of memory
      world.failure_ = std::current_exception();
    }
  }
}

// The lanes have set the node's results, but not the feedback of fixed joints.
void Trees::finish_in_lanes(int island, const LaneOutcome& outcome) {
  if (!outcome.is_solved) {
    gather(island);
    solve_gathered(island);
    return;
  }
  Tree& tree = trees_[island];
  write_prompt_results(tree, false);
  // Efforts stay in the nodes until somebody asks for them.
  tree.is_solved = tree.owes_efforts = owes_efforts_ = true;
  tree.is_moved = outcome.is_moved;
  // Bodies out of range are found one by one later, so they must not count here.
  if (outcome.is_moved && outcome.is_in_range) {
    moved_bodies_ += tree.end - tree.begin;
    fastest_squared_ = std::max(fastest_squared_, outcome.fastest_squared);
  }
  ++counts_.tree;
  ++counts_.in_lanes;
}

void Trees::rethrow_failure() const {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
}

// Contacts would change the answer, so the islands are those without contacts.
SolverCounts Trees::islands_of_joints() {
  SolverCounts islands;
  islands_.find({}, attachments_.attachments());
  for (int island = 0; island < islands_.trees(); ++island) {
    if (!islands_.has(island)) {
      continue;
    }
    gather(island);
    OdeReason why{};
    if (!is_for_ode(island, {}, why)) {
      ++islands.tree;
    } else if (why != OdeReason::LooseBodies) {
      ++islands.ode[static_cast<std::size_t>(why)];
    }
  }
  return islands;
}

// Fills the lists of the island in the order of trees and contacts.
void Trees::gather(int island) {
  island_.trees.clear();
  island_.nodes.clear();
  island_.rows.clear();
  island_.contacts.clear();
  island_.first_rows.clear();
  island_.attached.clear();
  islands_.for_each_tree(island, [this](int t) {
    island_.trees.push_back(t);
    const Tree& tree = trees_[t];
    island_.nodes.push_back(std::span(forest_.nodes).subspan(tree.begin, tree.end - tree.begin));
  });
  islands_.for_each_contact(island, [this](int c) { island_.contacts.push_back(c); });
  SERVOSIM_ASSERT(std::is_sorted(island_.contacts.begin(), island_.contacts.end()), "island {}",
                  island);
}

bool Trees::is_awake(int tree) const {
  return std::any_of(forest_.bodies.begin() + trees_[tree].begin,
                     forest_.bodies.begin() + trees_[tree].end,
                     [](const TreeBody& b) { return dBodyIsEnabled(b.body->id) != 0; });
}

bool Trees::is_all_awake(int tree) const {
  return std::all_of(forest_.bodies.begin() + trees_[tree].begin,
                     forest_.bodies.begin() + trees_[tree].end,
                     [](const TreeBody& b) { return dBodyIsEnabled(b.body->id) != 0; });
}

// Estimates the rows of the island. Rows between bodies go to the border, whose cost grows with the
// cube of their number, so a heap of many such rows is cheaper for ODE.
bool Trees::is_for_ode(int island, std::span<const ContactJoint> contacts, OdeReason& why) const {
  if (islands_.is_any_coupled(island_.trees)) {
    return false;
  }
  std::size_t joints = 0;
  std::size_t between = 0;  // rows
  for (const int t : island_.trees) {
    const Tree& tree = trees_[t];
    const std::size_t loops = tree.end_loops - tree.begin_loops;
    joints += tree.joints + loops;
    // A joint that closes a loop counts as one between two bodies.
    between += kLoopRows * loops;
  }
  for (const int c : island_.contacts) {
    // A contact with the world has rows on one body, which cost almost nothing.
    between += contacts[c].body >= 0 && contacts[c].other_body >= 0 ? kFrictionRows : 0;
  }
  islands_.for_each_attachment(island, [&between](int) { between += kLoopRows; });
  if (joints == 0 && (between > 0 || island_.contacts.size() < kFewContacts)) {
    why = OdeReason::LooseBodies;
    return true;
  }
  // An estimate of ODE's rows, since the rows are not made yet.
  const std::size_t rows = kLoopRows * joints + kFrictionRows * island_.contacts.size();
  if (between > kFewBetween && 2 * between > rows) {
    why = OdeReason::ManyPairs;
    return true;
  }
  return false;
}

// Forces of redundant rows without softness are not unique.
bool Trees::has_rows_for_ode(OdeReason& why) const {
  const bool is_coupled = islands_.is_any_coupled(island_.trees);
  const std::vector<BodyRow>& rows = island_.rows;
  // Couplings are as hard as a solver allows.
  if (!is_coupled &&
      !std::all_of(rows.begin(), rows.end(), [](const BodyRow& r) { return r.is_soft(); })) {
    why = OdeReason::NoSoftness;
    return true;
  }
  const std::ptrdiff_t most = is_coupled ? kMaxBorderedOfCoupled : kMaxBordered;
  const auto counts = [](const BodyRow& row) { return !row.has_further_ends && is_bordered(row); };
  if (std::count_if(rows.begin(), rows.end(), counts) > most) {
    why = OdeReason::ManyPairs;
    return true;
  }
  return false;
}

// Bodies first: joints and loops need their poses.
void Trees::read() {
  for (const int t : island_.trees) {
    const Tree& tree = trees_[t];
    lanes_.read(&forest_.bodies[tree.begin], tree.end - tree.begin, settings_);
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      if (forest_.nodes[i].kind != TreeNode::Kind::Root) {
        forest_.joints[i].read(settings_);
      }
    }
    for (std::size_t i = tree.begin_loops; i < tree.end_loops; ++i) {
      forest_.loops[i].read(settings_, island_.rows);
    }
  }
}

// The rows of a contact start with the states that they had.
void Trees::add_contacts(std::span<const ContactJoint> contacts) {
  // Bodies of contacts are indices of the world; -1 is the world itself.
  const auto body_at = [this](int body) {
    return body >= 0 ? &forest_.bodies[forest_.node_of[body]] : nullptr;
  };
  for (const int c : island_.contacts) {
    const std::size_t begin = island_.rows.size();
    island_.first_rows.push_back(begin);
    add_contact_rows(contacts[c], {body_at(contacts[c].body), body_at(contacts[c].other_body)},
                     settings_, island_.rows);
    states_.load(c, std::span(island_.rows).subspan(begin));
  }
}

// An attachment is a fixed joint with the poses at which it was made.
void Trees::add_attachments(int island) {
  islands_.for_each_attachment(island, [this](int i) {
    const Attachments::FixedAttachment& a = attachments_.attachments()[i];
    const TreeBody* const other =
        a.other_body >= 0 ? &forest_.bodies[forest_.node_of[a.other_body]] : nullptr;
    island_.attached
        .emplace_back(
            SolvedJoint(JointGeometry::fixed(a.place, other != nullptr ? &a.other_place : nullptr),
                        forest_.bodies[forest_.node_of[a.body]], other, dJointGetFeedback(a.joint)))
        .read(settings_, island_.rows);
  });
}

// Rows of contacts keep their states for the next step. Contacts, loops and attachments write their
// forces now, since their objects are gone in the next step.
void Trees::take_results(std::span<const ContactJoint> contacts) {
  const std::span<BodyRow> rows = island_.rows;
  for (std::size_t i = 0; i < island_.contacts.size(); ++i) {
    const std::span<BodyRow> its = island_.rows_of_contact(i);
    states_.store(island_.contacts[i], its);
    if (dJointFeedback* const feedback = contacts[island_.contacts[i]].feedback;
        feedback != nullptr) {
      const Vec3 force = force_of_contact(its);
      // Readers of contact forces read the force alone.
      feedback->f1[0] = force.x;
      feedback->f1[1] = force.y;
      feedback->f1[2] = force.z;
    }
  }
  for (const int t : island_.trees) {
    const Tree& tree = trees_[t];
    write_prompt_results(tree, !rows.empty());
    for (std::size_t i = tree.begin_loops; i < tree.end_loops; ++i) {
      forest_.loops[i].take_results(rows);
      forest_.loops[i].write_results();
    }
  }
  for (LoopJoint& attached : island_.attached) {
    attached.take_results(rows);
    attached.write_results();
  }
}

// Fixed joints of the scene have no JointRows, so nobody asks for their results later.
void Trees::write_prompt_results(const Tree& tree, bool is_touched) {
  for (std::size_t i = tree.begin; tree.has_servos && i < tree.end; ++i) {
    forest_.joints[i].write_servo(is_touched);
  }
  for (std::size_t i = tree.begin; tree.has_prompt_feedback && i < tree.end; ++i) {
    if (forest_.nodes[i].kind != TreeNode::Kind::Root && !forest_.joints[i].is_read_on_demand()) {
      forest_.joints[i].write_results();
    }
  }
}

// Each tree keeps the results in its nodes until its next step.
void Trees::write_efforts() {
  if (!owes_efforts_) {
    return;
  }
  for (Tree& tree : trees_) {
    if (tree.owes_efforts && tree.owes_forces) {
      tree.coordinates->write_forces();
      tree.owes_forces = false;
    }
    for (std::size_t i = tree.begin; tree.owes_efforts && i < tree.end; ++i) {
      if (forest_.joints[i].is_read_on_demand()) {
        forest_.joints[i].write_results();
      }
    }
    tree.owes_efforts = false;
  }
  owes_efforts_ = false;
}

// Calls an action with each body that this step has solved.
template <typename Action>
void Trees::for_each_solved(Action action) const {
  for (const Tree& tree : trees_) {
    for (std::size_t i = tree.begin; tree.is_solved && i < tree.end; ++i) {
      action(forest_.bodies[i]);
    }
  }
}

// A disabled body keeps its state in ODE's step.
void Trees::hide_from_ode() const {
  for_each_solved([](const TreeBody& b) { dBodyDisable(b.body->id); });
}

void Trees::show_to_ode() const {
  for_each_solved([](const TreeBody& b) { dBodyEnable(b.body->id); });
}

// One body that is awake wakes the whole island, as in ODE. If no body of a tree can be asleep and
// none was hidden, nothing has to be enabled.
void Trees::move_bodies() const {
  for (const Tree& tree : trees_) {
    if (!tree.is_solved) {
      continue;
    }
    for (std::size_t i = tree.begin; (tree.may_sleep || leaves_any_) && i < tree.end; ++i) {
      dBodyEnable(forest_.bodies[i].body->id);
    }
    if (tree.is_in_coordinates) {
      tree.coordinates->move();
    } else if (!tree.is_moved) {
      lanes_.move(&forest_.bodies[tree.begin], tree.end - tree.begin, settings_.h);
    }
  }
}

}  // namespace servosim
