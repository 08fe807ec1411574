// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "physics/attachments.h"

namespace servosim {

struct ContactJoint;

/// Finds which trees are solved together in a step: those that couplings of joints, contacts and
/// attachments connect.
/// The number of an island is that of its first tree. Its trees, contacts and attachments are
/// linked lists, so a step needs no memory for them.
///
/// Example: if a body of tree 1 touches a body of tree 4, has(1) is true, has(4) is false, and
/// for_each_tree(1) calls its action with 1 and 4. The world is no body: two trees on the same
/// floor are two islands.
///
/// Invariants: each tree is in one list, that of the island whose first tree has the lowest number.
/// Each contact and attachment of a body is in one list, in ascending order.
class Islands {
 public:
  /// `bodies` is the number of bodies of the world.
  explicit Islands(int bodies) : tree_of_(static_cast<std::size_t>(bodies), -1) {}

  /// Adds a tree of bodies. Must be called before the first step.
  /// @returns the number of the tree
  int add_tree(std::span<const int> bodies);
  /// Makes two trees belong to one island forever; they may be the same. Must be called before the
  /// first step.
  void couple(int tree, int other_tree) {
    if (tree != other_tree) {
      coupled_.emplace_back(tree, other_tree);
    }
    lists_[tree].is_coupled = lists_[other_tree].is_coupled = any_coupled_ = true;
  }
  /// Returns whether a joint of the tree is coupled with another one.
  bool is_coupled(int tree) const { return lists_[tree].is_coupled; }
  /// Returns whether a joint of any of these trees is coupled.
  bool is_any_coupled(std::span<const int> trees) const {
    return any_coupled_ &&
           std::any_of(trees.begin(), trees.end(), [this](int tree) { return is_coupled(tree); });
  }
  int tree_of(int body) const { return tree_of_[body]; }
  int trees() const { return static_cast<int>(lists_.size()); }

  /// Finds the islands of a step. Costs nothing if nothing touches, as in the step before.
  void find(std::span<const ContactJoint> contacts,
            std::span<const Attachments::FixedAttachment> attachments);

  /// Returns whether an island has this number.
  bool has(int tree) const { return lists_[tree].first == tree; }
  /// Returns whether the island is one tree that nothing touches, holds or couples.
  bool is_alone(int island) const {
    const Lists& lists = lists_[island];
    return lists.next < 0 && lists.first_contact < 0 && lists.first_attachment < 0 &&
           !lists.is_coupled;
  }
  /// Calls an action with the number of each tree of an island.
  template <typename Action>
  void for_each_tree(int island, Action action) const {
    SERVOSIM_ASSERT(has(island), "tree {} begins no island", island);
    for (int t = island; t >= 0; t = lists_[t].next) {
      action(t);
    }
  }
  /// These call an action with the index of each contact, or of each attachment.
  template <typename Action>
  void for_each_contact(int island, Action action) const {
    for (int c = lists_[island].first_contact; c >= 0; c = next_contact_[c]) {
      action(c);
    }
  }
  template <typename Action>
  void for_each_attachment(int island, Action action) const {
    for (int a = lists_[island].first_attachment; a >= 0; a = next_attachment_[a]) {
      action(a);
    }
  }

 private:
  // The list that a tree is in, and the lists of an island. -1 ends a list.
  struct Lists {
    int first = -1;  // first tree of its island
    int next = -1;   // next tree of its island
    // These are valid for the first tree of an island only.
    int last = -1;
    int first_contact = -1;
    int last_contact = -1;
    int first_attachment = -1;
    bool is_coupled = false;  // of each tree, and in every step
  };

  // Makes trees that are not coupled islands without contacts.
  void separate();
  // Makes the islands of two bodies one; -1 is the world, which connects nothing.
  void unite(int body, int other_body);
  // Makes the islands of two trees one.
  void unite_trees(int tree, int other_tree);
  // Returns the lists of the island of two bodies, one of which may be the world.
  Lists& lists_of(int body, int other_body);

  std::vector<int> tree_of_;  // by body
  std::vector<Lists> lists_;
  std::vector<int> next_contact_;
  std::vector<int> next_attachment_;
  std::vector<std::pair<int, int>> coupled_;  // different trees
  bool any_coupled_ = false;                  // some tree is
  bool are_separate_ = false;                 // no island has contacts or attachments
};

}  // namespace servosim
