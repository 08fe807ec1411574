// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/assert.h"
#include "physics/attachments.h"

namespace servosim {

struct ContactJoint;

/// Which trees belong together in a step: those that contacts and attachments connect. An island
/// has the number of its first tree. Its trees, contacts and attachments are lists.
///
/// Invariants: each tree is in one list, that of the island whose first tree is least. Each contact
/// and attachment of a body is in one list, in rising order.
class Islands {
 public:
  explicit Islands(int bodies) : tree_of_(static_cast<std::size_t>(bodies), -1) {}

  /// Adds a tree of bodies. @returns its number
  int add_tree(std::span<const int> bodies);
  int tree_of(int body) const { return tree_of_[body]; }
  int trees() const { return static_cast<int>(lists_.size()); }

  /// Finds the islands of a step.
  void find(std::span<const ContactJoint> contacts,
            std::span<const Attachments::FixedAttachment> attachments);

  /// Whether an island has this number.
  bool has(int tree) const { return lists_[tree].first == tree; }
  /// Whether it is a tree that nothing touches or holds.
  bool is_alone(int island) const {
    const Lists& lists = lists_[island];
    return lists.next < 0 && lists.first_contact < 0 && lists.first_attachment < 0;
  }
  template <typename Action>
  void for_each_tree(int island, Action action) const {
    SERVOSIM_ASSERT(has(island), "tree {} begins no island", island);
    for (int t = island; t >= 0; t = lists_[t].next) {
      action(t);
    }
  }
  /// Calls an action with the index of each.
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
  // By tree; -1: the end of a list.
  struct Lists {
    int first = -1;  // tree of its island
    int next = -1;   // tree of its island
    // Valid for the first tree of an island only.
    int last = -1;
    int first_contact = -1;
    int last_contact = -1;
    int first_attachment = -1;
  };

  void separate();
  void unite(int body, int other_body);
  Lists& lists_of(int body, int other_body);

  std::vector<int> tree_of_;  // by body
  std::vector<Lists> lists_;
  std::vector<int> next_contact_;
  std::vector<int> next_attachment_;
  bool are_separate_ = false;  // each tree is an island, and there is nothing else
};

}  // namespace servosim
