// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// The values that a sweep gives a field, from a text `PATH=VALUES`. VALUES is one of
///
///     a:b:n            n numbers from a to b in equal steps, or a:b:n:log in equal ratios
///     x,y,z            these values, written as in a file; commas in quotes, brackets and braces
///                      do not separate values
///     uniform(a,b)     drawn uniformly from a to b
///     normal(m,s)      drawn normally with mean m and standard deviation s
///     loguniform(a,b)  drawn so that the logarithm is uniform from that of a to that of b
class ParameterValues {
 public:
  /// @throws std::invalid_argument
  explicit ParameterValues(const std::string& text);

  const std::string& path() const { return path_; }
  bool is_list() const { return kind_ == Kind::List; }
  bool is_drawn() const { return kind_ >= Kind::Uniform; }
  /// Returns the number of values; 1 if they are drawn.
  std::uint64_t size() const { return size_; }
  /// Returns the values if they are listed one by one; otherwise an empty list.
  const std::vector<std::string>& list() const { return list_; }
  /// Returns a value in the notation of a file. The values must not be drawn.
  std::string value(std::uint64_t index) const;
  /// Returns the value below which a `share` of all draws lies; 0 < `share` < 1. The values must be
  /// drawn.
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
  double first_ = 0.0;  // a parameter of the grid or of the distribution
  double second_ = 0.0;
  std::uint64_t size_ = 1;
};

/// Returns the quantile of the normal distribution with mean 0 and standard deviation 1: the number
/// below which a draw lies with this probability; 0 < `probability` < 1.
double normal_quantile(double probability);

}  // namespace servosim
