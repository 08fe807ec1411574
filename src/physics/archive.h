// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/state_archive.h"
#include "servosim/math.h"

// A part of the world lists what changes while it runs once, in a function
//   template <class Archive> void archive(Archive& archive);
// Saving, restoring and hashing are three archives that go over that list. The same order holds for
// all of them. What is listed is plain data; pointers to objects of ODE are made again on
// restoring.

namespace servosim {

class SavingArchive {
 public:
  static constexpr bool kRestores = false;
  static constexpr bool kHashes = false;
  explicit SavingArchive(StateWriter& out) : out_(out) {}

  /// What is hashed, too: there is add_to_hash(Fnv1a&, const T&).
  template <typename T>
  void hashed(T& value) {
    out_.put(value);
  }
  /// What is not, since it follows from the rest or changes nothing that is compared.
  template <typename T>
  void unhashed(T& value) {
    out_.put(value);
  }
  template <typename T>
  void hashed(std::span<T> values) {
    out_.put_array(values.data(), values.size());
  }
  template <typename T>
  void unhashed(std::vector<T>& values) {
    out_.put(values.size());
    out_.put_array(values.data(), values.size());
  }

 private:
  StateWriter& out_;
};

class RestoringArchive {
 public:
  static constexpr bool kRestores = true;
  static constexpr bool kHashes = false;
  explicit RestoringArchive(StateReader& in) : in_(in) {}

  template <typename T>
  void hashed(T& value) {
    in_.get(value);
  }
  template <typename T>
  void unhashed(T& value) {
    in_.get(value);
  }
  template <typename T>
  void hashed(std::span<T> values) {
    in_.get_array(values.data(), values.size());
  }
  template <typename T>
  void unhashed(std::vector<T>& values) {
    values.resize(in_.take<std::size_t>());
    in_.get_array(values.data(), values.size());
  }

 private:
  StateReader& in_;
};

class HashingArchive {
 public:
  static constexpr bool kRestores = false;
  static constexpr bool kHashes = true;
  explicit HashingArchive(Fnv1a& hash) : hash_(hash) {}

  template <typename T>
  void hashed(const T& value) {
    add_to_hash(hash_, value);
  }
  template <typename T>
  void hashed(std::span<T> values) {
    for (const T& value : values) {
      add_to_hash(hash_, value);
    }
  }
  template <typename T>
  void unhashed(const T&) {}

 private:
  Fnv1a& hash_;
};

inline void add_to_hash(Fnv1a& hash, const Vec3& v) {
  hash.add(v.x);
  hash.add(v.y);
  hash.add(v.z);
}

inline void add_to_hash(Fnv1a& hash, const Mat3& r) {
  for (const double number : r.m) {
    hash.add(number);
  }
}

inline void add_to_hash(Fnv1a& hash, const Pose& pose) {
  add_to_hash(hash, pose.translation);
  add_to_hash(hash, pose.rotation);
}

}  // namespace servosim
