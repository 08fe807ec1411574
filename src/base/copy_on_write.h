// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace servosim {

/// A value that copies of this share until one of them changes it.
///
/// Threads: one at a time for each copy, copying included. Different threads may use copies of one
/// value.
template <typename T>
class CopyOnWrite {
 public:
  CopyOnWrite() : value_(std::make_shared<T>()) {}
  explicit CopyOnWrite(T value) : value_(std::make_shared<T>(std::move(value))) {}
  // The moved-from object may only be destroyed or assigned.
  CopyOnWrite(CopyOnWrite&&) noexcept = default;
  CopyOnWrite& operator=(CopyOnWrite&&) noexcept = default;
  CopyOnWrite(const CopyOnWrite& other) : value_(other.value_), is_shared_(true) {
    other.is_shared_ = true;
  }
  CopyOnWrite& operator=(const CopyOnWrite& other) {
    value_ = other.value_;
    is_shared_ = other.is_shared_ = true;
    return *this;
  }

  /// The result is valid until writable() is called.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// The result is valid until this object is copied or assigned.
  T& writable() {
    if (is_shared_) {
      value_ = std::make_shared<T>(*value_);
      is_shared_ = false;
    }
    return *value_;
  }

 private:
  std::shared_ptr<T> value_;  // not null
  // It stays true after all other copies are gone.
  mutable bool is_shared_ = false;
};

}  // namespace servosim
