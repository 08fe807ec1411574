// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/assert.h"
#include "servosim/math.h"

namespace servosim {

/// FNV-1a hash of 64 bits, to compare contents. It does not resist an adversary.
class Fnv1a {
 public:
  Fnv1a& add(std::string_view bytes) {
    for (const char byte : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
    return *this;
  }
  /// Adds the bits of a number, so −0 and 0 differ.
  Fnv1a& add(double number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    return add(std::string_view(bytes, sizeof number));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// The state of a simulation as one block of bytes. Only the same process can read it.
using StateBlock = std::vector<std::byte>;

/// Blocks and the values in them begin at multiples of this number, so that they can be read in
/// place.
inline constexpr std::size_t kStateAlignment = 8;

/// Returns the bytes that a value of `size` bytes takes in a block.
constexpr std::size_t size_in_block(std::size_t size) {
  return (size + kStateAlignment - 1) / kStateAlignment * kStateAlignment;
}

/// Writes plain values one after the other into a block and reuses its memory. The destructor cuts
/// the block to what was written.
///
/// Invariant: at_ is at most the size of the block.
class StateWriter {
 public:
  explicit StateWriter(StateBlock& block) : block_(block) {}
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  ~StateWriter() { block_.resize(at_); }

  template <typename T>
  void put(const T& value) {
    put_array(&value, 1);
  }
  template <typename T>
  void put_array(const T* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) {
      return;  // `values` may be null
    }
    const std::size_t size = size_in_block(count * sizeof(T));
    if (block_.size() - at_ < size) {
      block_.resize(2 * (at_ + size));
    }
    SERVOSIM_ASSERT(at_ + size <= block_.size(), "{} bytes at {} of {}", size, at_, block_.size());
    std::memcpy(block_.data() + at_, values, count * sizeof(T));
    // The block may have been used before, and equal states have equal bytes.
    std::memset(block_.data() + at_ + count * sizeof(T), 0, size - count * sizeof(T));
    at_ += size;
  }

 private:
  StateBlock& block_;
  std::size_t at_ = 0;
};

/// Reads the values of a StateWriter in the same order.
///
/// Invariant: no read goes beyond the block; reader and writer belong to one build.
class StateReader {
 public:
  /// `block` begins at a multiple of kStateAlignment.
  explicit StateReader(std::span<const std::byte> block)
      : at_(block.data()), end_(block.data() + block.size()) {
    SERVOSIM_ASSERT(reinterpret_cast<std::uintptr_t>(at_) % kStateAlignment == 0, "a block at {}",
                    static_cast<const void*>(at_));
  }

  /// Returns the next value in place; it is valid as long as the block.
  template <typename T>
  const T& next() {
    return *next_array<T>(1);
  }
  template <typename T>
  void get(T& value) {
    get_array(&value, 1);
  }
  template <typename T>
  T take() {
    T value;
    get(value);
    return value;
  }
  template <typename T>
  void get_array(T* values, std::size_t count) {
    if (count > 0) {
      std::memcpy(values, next_array<T>(count), count * sizeof(T));
    }
  }

 private:
  template <typename T>
  const T* next_array(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kStateAlignment);
    SERVOSIM_ASSERT(count * sizeof(T) <= static_cast<std::size_t>(end_ - at_), "{} x {} bytes, {}",
                    count, sizeof(T), end_ - at_);
    const auto* const values = reinterpret_cast<const T*>(at_);
    at_ += size_in_block(count * sizeof(T));
    return values;
  }

  const std::byte* at_;
  const std::byte* end_;
};

// A class lists what changes while a simulation runs once, in its function
//   template <class Archive> void archive(Archive& archive);
// Saving, restoring and hashing are three archives that go over that list in the same order. Listed
// values are plain data; pointers in them are made again on restoring.

class SavingArchive {
 public:
  static constexpr bool kRestores = false;
  static constexpr bool kHashes = false;
  explicit SavingArchive(StateWriter& out) : out_(out) {}

  /// Writes a value that is also hashed, for which there is add_to_hash(Fnv1a&, const T&).
  template <typename T>
  void hashed(const T& value) {
    out_.put(value);
  }
  /// Writes a value that is not hashed, since it follows from the rest or changes nothing that is
  /// compared.
  template <typename T>
  void unhashed(const T& value) {
    out_.put(value);
  }
  template <typename T>
  void hashed(std::span<T> values) {
    out_.put_array(values.data(), values.size());
  }
  template <typename T>
  void unhashed(const std::vector<T>& values) {
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

  /// Returns, in place, a value that the other archives pass to hashed() or unhashed().
  template <typename T>
  const T& next() {
    return in_.next<T>();
  }
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
