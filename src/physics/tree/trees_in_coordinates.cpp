// SPDX-License-Identifier: Apache-2.0
// What trees do in the coordinates of their joints: docs/explanation/integrators.md.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/state_archive.h"
#include "physics/attachments.h"
#include "physics/contacts/contact_search.h"
#include "physics/rows/direct_force.h"
#include "physics/tree/trees.h"

namespace servosim {

namespace {

// Calls an action with the rows of each hinge and slider of a tree.
template <typename Action>
void for_each_axis(const Forest& forest, const TreeRange& tree, Action action) {
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    if (HingeRows* const rows = forest.joints[i].solved().axis; rows != nullptr) {
      action(*rows);
    }
  }
}

// Says which trees take the forces of force control along their axes in the next step: a tree that
// moves in coordinates, alone, needs them on no bodies.
template <class Tree>
void choose_forces(const Islands& islands, const Forest& forest, std::vector<Tree>& trees) {
  for (int t = 0; t < islands.trees(); ++t) {
    Tree& tree = trees[t];
    const bool takes =
        tree.coordinates != nullptr && !tree.has_loops() && islands.has(t) && islands.is_alone(t);
    if (takes != tree.takes_forces) {
      tree.takes_forces = takes;
      for_each_axis(forest, tree, [takes](HingeRows& rows) { rows.takes_force = takes; });
    }
  }
}

}  // namespace

// Rows of loops and attachments know the places before the step alone, and would create energy with
// those in its middle.
std::optional<NotInCoordinates> Trees::exception_of(int island,
                                                    std::span<const ContactJoint> contacts) {
  std::optional<NotInCoordinates> exception;
  const auto note = [this, &exception](JointException why, int tree) {
    if (!exception) {
      exception = {why, trees_[tree].first_solid};
    }
  };
  islands_.for_each_tree(island, [this, &note](int t) {
    if (trees_[t].coordinates == nullptr) {
      note(JointException::ManyAxes, t);
    } else if (trees_[t].has_loops()) {
      note(JointException::Loop, t);
    }
  });
  islands_.for_each_attachment(island, [this, &note](int i) {
    note(JointException::Loop, islands_.tree_of(attachments_.attachments()[i].body));
  });
  if (!exception && !islands_.is_alone(island)) {
    gather(island);
    if (OdeReason why{}; is_for_ode(island, contacts, why)) {
      note(JointException::Heap, island);
    }
  }
  return exception;
}

// Servos do not know what a step finds out later, that there is no solution.
void Trees::find_islands(std::span<const ContactJoint> contacts) {
  islands_.find(contacts, attachments_.attachments());
  if (!integrator_.is_joint) {
    return;
  }
  choose_forces(islands_, forest_, trees_);
  if (integrator_.evaluations == 1) {
    return;
  }
  for (int island = 0; island < islands_.trees(); ++island) {
    if (!islands_.has(island)) {
      continue;
    }
    bool any_servo = false;
    islands_.for_each_tree(island, [&](int t) { any_servo = any_servo || trees_[t].has_servos; });
    if (!any_servo) {
      continue;
    }
    const bool by_mean = !exception_of(island, contacts);
    islands_.for_each_tree(island, [&](int t) {
      for (std::size_t i = trees_[t].begin; i < trees_[t].end; ++i) {
        if (forest_.joints[i].has_servo()) {
          forest_.joints[i].solved().axis->servo->moves_by_mean = by_mean;
        }
      }
    });
  }
}

// An island that sleeps needs no solution either.
bool Trees::solve_in_coordinates(int island) {
  bool any_awake = false;
  islands_.for_each_tree(island, [&](int t) {
    const bool is_all_awake = this->is_all_awake(t);
    any_awake = any_awake || is_all_awake || is_awake(t);
    if (trees_[t].coordinates != nullptr && !is_all_awake) {  // who fell asleep has stopped
      trees_[t].coordinates->read_again();
    }
  });
  if (!any_awake) {
    return true;
  }
  std::optional<NotInCoordinates> exception = exception_of(island, contacts_);
  if (!exception) {
    const std::optional<JointException> why =
        islands_.is_alone(island) ? solve_alone(trees_[island]) : solve_touched();
    if (!why) {
      return true;
    }
    exception = {*why, trees_[island].first_solid};
  }
  if (bool& told = told_[static_cast<std::size_t>(exception->why)]; !told) {
    told = true;
    new_exceptions_.push_back(*exception);
  }
  islands_.for_each_tree(island, [this](int t) {
    trees_[t].owes_forces = false;  // those of an earlier step
    if (trees_[t].coordinates != nullptr) {
      trees_[t].coordinates->leave_island();
    }
    if (trees_[t].takes_forces) {
      trees_[t].takes_forces = false;
      for_each_axis(forest_, trees_[t], [](HingeRows& rows) {
        put_on_bodies(rows, rows.axis.motor.force);
        rows.takes_force = false;  // the rows of this step do not have it any more
      });
    }
  });
  return false;
}

// A tree that nothing touches.
std::optional<JointException> Trees::solve_alone(Tree& tree) {
  const CoordinateOutcome outcome = tree.coordinates->solve();
  if (!outcome.is_solved) {
    return JointException::Unsolved;
  }
  ++counts_.joint.islands;
  counts_.joint.evaluations += static_cast<std::uint64_t>(outcome.evaluations);
  counts_.joint.divided += outcome.parts > 1 ? 1 : 0;
  tree.is_solved = tree.is_in_coordinates = tree.owes_forces = true;
  tree.owes_efforts = owes_efforts_ = true;
  if (tree.has_prompt_feedback || tree.has_servos) {
    tree.coordinates->write_forces();
    tree.owes_forces = false;
    write_prompt_results(tree, false);
  }
  return std::nullopt;
}

// The tree solver finds the accelerations in the places of each evaluation. Contacts keep the
// places that they have before the step.
std::optional<JointException> Trees::solve_touched() {
  const auto for_each_tree = [this](auto action) {
    for (const int t : island_.trees) {
      action(trees_[t]);
    }
  };
  for_each_tree([this](Tree& tree) {
    lanes_.read(&forest_.bodies[tree.begin], tree.end - tree.begin, settings_);
    tree.coordinates->begin_in_island();
  });
  for (const int contact : island_.contacts) {
    states_.forget(static_cast<std::size_t>(contact));
  }
  const StepRule rule{settings_.h, integrator_.evaluations};
  bool has_settled = false;
  int evaluations = 0;
  while (evaluations < rule.most_evaluations() && !(has_settled && rule.evaluations == 0)) {
    island_.rows.clear();
    island_.first_rows.clear();
    for_each_tree([this](Tree& tree) { tree.coordinates->place_in_island(excess_); });
    couplings_.add_rows(island_.trees, settings_,
                        rule.evaluations == 1 ? CoupledStep::AtItsEnd : CoupledStep::AtMiddle,
                        island_.rows);
    const std::size_t coupled = island_.rows.size();  // they ask for rates of joints as they are
    add_contacts(contacts_);
    const std::span<BodyRow> touching = std::span(island_.rows).subspan(coupled);
    // A slip of 0 leaves none, as where rollers turn in one direction only.
    soften(touching, settings_.softness, coupled > 0 ? kLeastSoftness : 0.0);
    for (BodyRow& row : touching) {
      for (const BodyRow::End& end : row.ends) {
        if (end.node != nullptr) {
          row.target += dot(end.jacobian, excess_[end.node - forest_.nodes.data()]);
        }
      }
    }
    if (OdeReason reason{}; has_rows_for_ode(reason)) {
      return JointException::Heap;
    }
    if (!solver_.solve(island_.nodes, island_.rows).solved) {
      return JointException::Unsolved;
    }
    for (std::size_t i = 0; i < island_.contacts.size(); ++i) {  // for the next evaluation
      states_.store(island_.contacts[i], island_.rows_of_contact(i));
    }
    has_settled = true;
    for_each_tree([&has_settled](Tree& tree) {
      has_settled = tree.coordinates->take_in_island() && has_settled;
    });
    ++evaluations;
  }
  bool are_finite = true;
  for_each_tree([&are_finite](Tree& tree) {
    are_finite = tree.coordinates->finish_in_island() && are_finite;
  });
  if (!are_finite) {
    return JointException::Unsolved;
  }
  take_results(contacts_);
  ++counts_.joint.islands;
  counts_.joint.evaluations += static_cast<std::uint64_t>(evaluations);
  counts_.joint.unsettled += has_settled ? 0 : 1;
  for_each_tree([](Tree& tree) {
    tree.is_solved = tree.is_in_coordinates = tree.owes_efforts = true;
    tree.owes_forces = false;
  });
  owes_efforts_ = true;
  return std::nullopt;
}

std::vector<NotInCoordinates> Trees::take_new_exceptions() {
  return std::exchange(new_exceptions_, {});
}

void Trees::forget_steps(const SolidRange& solids) {
  for (int solid = solids.begin; solid < solids.end; ++solid) {
    const int body = of_world_.body_of(solid);  // which the Solid may only be a part of
    const int tree = body >= 0 ? islands_.tree_of(body) : -1;
    if (tree >= 0 && trees_[tree].coordinates != nullptr) {
      trees_[tree].coordinates->forget();
    }
  }
}

template <class Archive>
void Trees::archive(Archive& archive) {
  for (Tree& tree : trees_) {
    if (tree.coordinates != nullptr) {
      tree.coordinates->archive(archive);
    }
  }
}

template void Trees::archive(SavingArchive&);
template void Trees::archive(RestoringArchive&);
template void Trees::archive(HashingArchive&);

}  // namespace servosim
