// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace servosim {

/// Lets somebody have a thing for a while.
template <typename T>
class Lent {
 public:
  Lent(T& owner, T& user) : owner_(owner), user_(user) { std::swap(owner_, user_); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() { std::swap(owner_, user_); }

 private:
  T& owner_;
  T& user_;
};

}  // namespace servosim
