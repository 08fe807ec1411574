// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// The values that a sweep gives a field, from a text `PATH=VALUES`; VALUES is one of
///
///     a:b:n            n numbers from a to b in equal steps, or a:b:n:log in equal ratios
///     x,y,z            these, as they would stand in a file; commas in quotes, brackets and braces
///                      separate none
///     uniform(a,b)     drawn: as likely everywhere from a to b
///     normal(m,s)      drawn: with mean m and standard deviation s
///     loguniform(a,b)  drawn: its logarithm is as likely everywhere from that of a to that of b
class ParameterValues {
 public:
  /// @throws std::invalid_argument
  explicit ParameterValues(const std::string& text);

  const std::string& path() const { return path_; }
  bool is_list() const { return kind_ == Kind::List; }
  bool is_drawn() const { return kind_ >= Kind::Uniform; }
  /// How many there are; 1 if they are drawn.
  std::uint64_t size() const { return size_; }
  /// Those that are given one by one; else none.
  const std::vector<std::string>& list() const { return list_; }
  /// As it would stand in a file. Not of those that are drawn.
  std::string value(std::uint64_t index) const;
  /// The value below which a share of all draws is; 0 < `share` < 1. Of those that are drawn.
  std::string quantile(double share) const;

 private:
  enum class Kind { List, Linear, Logarithmic, Uniform, Normal, LogUniform };

  void read_values(std::string_view text);
  void refuse_dots(std::string_view item) const;
  void read_grid(const std::vector<std::string_view>& parts);
  bool read_distribution(std::string_view text);
  [[noreturn]] void refuse(const std::string& why) const;

  std::string text_;
  std::string path_;
  Kind kind_ = Kind::List;
  std::vector<std::string> list_;
  double first_ = 0.0;  // of a grid or a distribution
  double second_ = 0.0;
  std::uint64_t size_ = 1;
};

/// The number below which a normally distributed one with mean 0 and standard deviation 1 is with
/// this probability; 0 < `probability` < 1.
double normal_quantile(double probability);

}  // namespace servosim
