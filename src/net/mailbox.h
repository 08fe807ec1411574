// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <utility>

namespace servosim::net {

/// Any thread puts things in, one takes them out. Neither ever waits for the other, not even where
/// the other has been put to sleep half-way.
template <typename T>
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() { free_all(newest_.exchange(nullptr)); }

  /// True: it was empty, so that its owner may be asleep.
  bool push(T value) {
    Node* const node = new Node{std::move(value), nullptr};
    Node* before = newest_.load();
    do {
      node->before = before;
    } while (!newest_.compare_exchange_weak(before, node));
    return before == nullptr;  // the node may be gone by now
  }
  bool empty() const { return newest_.load() == nullptr; }
  /// Appends all that is there, the oldest first.
  void take_all(std::deque<T>& to) {
    Node* oldest = nullptr;
    for (Node* node = newest_.exchange(nullptr); node != nullptr;) {
      Node* const before = std::exchange(node->before, oldest);
      oldest = std::exchange(node, before);
    }
    for (Node* node = oldest; node != nullptr; node = node->before) {
      to.push_back(std::move(node->value));
    }
    free_all(oldest);
  }

 private:
  struct Node {
    T value;
    Node* before;
  };
  static void free_all(Node* node) {
    while (node != nullptr) {
      delete std::exchange(node, node->before);
    }
  }

  std::atomic<Node*> newest_{nullptr};
};

}  // namespace servosim::net
