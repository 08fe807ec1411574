// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace servosim {

/// A value that copies of this share until one of them changes it.
///
/// Threads: one at a time for each copy, also for copying it; the copies of one value may be in
/// different threads.
template <typename T>
class CopyOnWrite {
 public:
  CopyOnWrite() : value_(std::make_shared<T>()) {}
  explicit CopyOnWrite(T value) : value_(std::make_shared<T>(std::move(value))) {}
  CopyOnWrite(CopyOnWrite&&) noexcept = default;  // the other may only be destroyed or assigned
  CopyOnWrite& operator=(CopyOnWrite&&) noexcept = default;
  CopyOnWrite(const CopyOnWrite& other) : value_(other.value_), is_shared_(true) {
    other.is_shared_ = true;
  }
  CopyOnWrite& operator=(const CopyOnWrite& other) {
    value_ = other.value_;
    is_shared_ = other.is_shared_ = true;
    return *this;
  }

  /// Valid until writable().
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// Valid until this is copied or assigned.
  T& writable() {
    if (is_shared_) {
      value_ = std::make_shared<T>(*value_);
      is_shared_ = false;
    }
    return *value_;
  }

 private:
  std::shared_ptr<T> value_;        // not null
  mutable bool is_shared_ = false;  // perhaps; never again, even if all others are gone
};

}  // namespace servosim
