// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"

// Messages are bytes here: numbers are little-endian, and a text follows its length.

namespace servosim {

static_assert(std::endian::native == std::endian::little, "numbers are sent as they are in memory");

using Bytes = std::span<const std::byte>;

/// Why bytes are no valid message.
struct ProtocolError {
  std::string text;
};

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Builds one message; clear() keeps the memory for the next one.
class Writer {
 public:
  void clear() { bytes_.clear(); }
  void u8(std::uint8_t value) { raw(&value, sizeof value); }
  void u16(std::uint16_t value) { raw(&value, sizeof value); }
  void u32(std::uint32_t value) { raw(&value, sizeof value); }
  void i32(std::int32_t value) { raw(&value, sizeof value); }
  void i64(std::int64_t value) { raw(&value, sizeof value); }
  void u64(std::uint64_t value) { raw(&value, sizeof value); }
  void f32(float value) { raw(&value, sizeof value); }
  void f64(double value) { raw(&value, sizeof value); }
  template <typename T>
  void number(T value) {
    raw(&value, sizeof value);
  }
  /// Writes the length as u32, then the characters.
  void text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    chars(value);
  }
  void chars(std::string_view value) { raw(value.data(), value.size()); }
  /// Writes the values as they are in memory.
  template <typename T>
  void numbers(std::span<const T> values) {
    raw(values.data(), values.size_bytes());
  }
  /// Replaces the four bytes at `at`, which were written before.
  void patch_u32(std::size_t at, std::uint32_t value) {
    SERVOSIM_ASSERT(at + sizeof value <= bytes_.size(), "at {} of {} bytes", at, bytes_.size());
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  std::size_t size() const { return bytes_.size(); }
  Bytes bytes() const { return bytes_; }

 private:
  void raw(const void* data, std::size_t size) {
    if (size > 0) {
      const std::size_t old = bytes_.size();
      bytes_.resize(old + size);
      std::memcpy(bytes_.data() + old, data, size);
    }
  }
  std::vector<std::byte> bytes_;
};

/// Reads a message. After the first read beyond its end, ok() stays false and every read returns 0
/// or "".
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::int32_t i32() { return number<std::int32_t>(); }
  std::int64_t i64() { return number<std::int64_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  float f32() { return number<float>(); }
  double f64() { return number<double>(); }
  /// Returns a view into the message.
  std::string_view text() { return as_text(take(u32())); }
  /// Returns a view of the next `size` bytes.
  Bytes take(std::size_t size) {
    if (!ok_ || size > bytes_.size()) {
      ok_ = false;
      return {};
    }
    const Bytes taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  template <typename T>
  T number() {
    T value{};
    const Bytes taken = take(sizeof(T));
    if (!taken.empty()) {
      std::memcpy(&value, taken.data(), sizeof(T));
    }
    return value;
  }
  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size(); }

 private:
  Bytes bytes_;
  bool ok_ = true;
};

}  // namespace servosim
