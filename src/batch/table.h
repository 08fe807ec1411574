// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "servosim/batch.h"

namespace servosim {

/// Rows of numbers, either float or double, aligned for vector instructions.
class BatchTable {
 public:
  BatchTable() = default;
  BatchTable(BatchNumber number, std::size_t rows, std::size_t columns)
      : columns_(columns),
        is_float_(number == BatchNumber::Float32),
        lines_(std::make_shared<std::vector<Line>>(
            (rows * columns * (is_float_ ? sizeof(float) : sizeof(double)) + sizeof(Line) - 1) /
            sizeof(Line))) {}

  /// Whether the numbers are floats, not doubles.
  bool is_float() const { return is_float_; }
  /// The result stays valid after the table is destroyed.
  std::shared_ptr<void> data() { return {lines_, lines_->data()}; }
  std::shared_ptr<const void> data() const { return {lines_, lines_->data()}; }
  void write(std::size_t row, const double* from) {
    if (is_float_) {
      std::transform(from, from + columns_, this->row<float>(row),
                     [](double number) { return static_cast<float>(number); });
    } else {
      std::copy_n(from, columns_, this->row<double>(row));
    }
  }

  /// Copies a row to row `to_row` of an array of the same type.
  void copy_row(std::size_t row, void* to, std::size_t to_row) const {
    const std::size_t bytes = columns_ * (is_float_ ? sizeof(float) : sizeof(double));
    const auto* const from = reinterpret_cast<const std::byte*>(lines_->data()) + row * bytes;
    std::copy_n(from, bytes, static_cast<std::byte*>(to) + to_row * bytes);
  }
  /// The numbers of a row, where the table has numbers of this type.
  template <class Number>
  Number* row(std::size_t row) {
    return reinterpret_cast<Number*>(lines_->data()) + row * columns_;
  }

  /// Copies a row out of an array of a caller.
  static void copy_row(const void* data, bool is_float, std::size_t row, std::size_t columns,
                       double* to) {
    if (is_float) {
      std::copy_n(static_cast<const float*>(data) + row * columns, columns, to);
    } else {
      std::copy_n(static_cast<const double*>(data) + row * columns, columns, to);
    }
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::size_t columns_ = 0;
  bool is_float_ = false;
  // The content is initially zero.
  std::shared_ptr<std::vector<Line>> lines_ = std::make_shared<std::vector<Line>>();
};

}  // namespace servosim
