// SPDX-License-Identifier: Apache-2.0
#include "physics/tree/islands.h"

#include <algorithm>

#include "physics/contacts/contact_search.h"

// Islands are found anew in each step. With t trees and c contacts and attachments, this takes O(t
// + c) steps plus, for each union, the length of the appended list. Only the trees of islands are
// listed; bodies follow from tree_of_.

namespace servosim {

int Islands::add_tree(std::span<const int> bodies) {
  const int tree = trees();
  lists_.emplace_back();
  for (const int body : bodies) {
    SERVOSIM_ASSERT(tree_of_[body] < 0, "body {} of tree {}", body, tree_of_[body]);
    tree_of_[body] = tree;
  }
  return tree;
}

// Each tree is the first and the last one of its island, before couplings connect some.
void Islands::separate() {
  for (int t = 0; t < trees(); ++t) {
    const bool is_coupled = lists_[t].is_coupled;
    lists_[t] = {};
    lists_[t].first = lists_[t].last = t;
    lists_[t].is_coupled = is_coupled;
  }
  for (const auto& [tree, other] : coupled_) {
    unite_trees(tree, other);
  }
}

// First unites the islands, then puts contacts and attachments into the lists of the result.
void Islands::find(std::span<const ContactJoint> contacts,
                   std::span<const Attachments::FixedAttachment> attachments) {
  if (contacts.empty() && attachments.empty()) {
    if (!are_separate_) {
      separate();
      are_separate_ = true;
    }
    return;
  }
  are_separate_ = false;
  separate();
  for (const ContactJoint& contact : contacts) {
    unite(contact.body, contact.other_body);
  }
  for (const Attachments::FixedAttachment& attachment : attachments) {
    unite(attachment.body, attachment.other_body);
  }
  // Contacts are appended, so that they stay in order.
  next_contact_.assign(contacts.size(), -1);
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    Lists& lists = lists_of(contacts[c].body, contacts[c].other_body);
    (lists.last_contact >= 0 ? next_contact_[lists.last_contact] : lists.first_contact) = c;
    lists.last_contact = c;
  }
  // Attachments are put in front, from the last to the first, so they stay in order, too.
  next_attachment_.resize(attachments.size());
  for (int a = static_cast<int>(attachments.size()); a-- > 0;) {
    Lists& lists = lists_of(attachments[a].body, attachments[a].other_body);
    next_attachment_[a] = lists.first_attachment;
    lists.first_attachment = a;
  }
}

// The trees of the island with the higher number are appended to those of the other.
void Islands::unite(int body, int other_body) {
  // The world touches many islands without connecting them.
  if (body >= 0 && other_body >= 0) {
    unite_trees(tree_of_[body], tree_of_[other_body]);
  }
}

void Islands::unite_trees(int tree, int other_tree) {
  const int one = lists_[tree].first;
  const int other = lists_[other_tree].first;
  const int low = std::min(one, other);
  const int high = std::max(one, other);
  // The two are in one island already.
  if (low == high) {
    return;
  }
  SERVOSIM_ASSERT(has(low) && has(high), "islands {} and {}", low, high);
  // Appending keeps the first tree of the other island, and with it the number.
  Lists& first = lists_[low];
  lists_[first.last].next = high;
  first.last = lists_[high].last;
  for (int t = high; t >= 0; t = lists_[t].next) {
    lists_[t].first = low;
  }
}

Islands::Lists& Islands::lists_of(int body, int other_body) {
  SERVOSIM_ASSERT(body >= 0 || other_body >= 0, "bodies {} and {}", body, other_body);
  return lists_[lists_[tree_of_[body >= 0 ? body : other_body]].first];
}

}  // namespace servosim
