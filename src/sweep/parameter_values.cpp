// SPDX-License-Identifier: Apache-2.0
#include "sweep/parameter_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"

namespace servosim {
namespace {

constexpr std::uint64_t kMostValues = 1'000'000'000'000;

std::optional<double> finite_number_of(std::string_view text) {
  const auto number = parse_number<double>(trimmed(text));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Splits a text at separators that are outside of quotes, brackets and braces.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && depth <= 0 && !quoted)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += text[i] == '[' || text[i] == '{' ? 1 : text[i] == ']' || text[i] == '}' ? -1 : 0;
    }
  }
  return parts;
}

}  // namespace

ParameterValues::ParameterValues(const std::string& text) : text_(text) {
  const std::size_t equals = text.find('=');
  path_ = trimmed(std::string_view(text).substr(0, equals));
  if (equals == std::string::npos || path_.empty()) {
    refuse(
        "write OWNER.FIELD=VALUES, such as arm/shoulder.maxTorque=10:40:4, =10,20 or "
        "=normal(20,2)");
  }
  read_values(std::string_view(text).substr(equals + 1));
}

void ParameterValues::read_values(std::string_view text) {
  if (read_distribution(trimmed(text))) {
    return;
  }
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 1 && finite_number_of(parts[0])) {
    read_grid(parts);
    return;
  }
  for (const std::string_view item : split(text, ',')) {
    if (item.empty()) {
      refuse("a value is missing");
    }
    refuse_dots(item);
    list_.emplace_back(item);
  }
  size_ = list_.size();
}

// Refuses a range with dots, which only seeds may have.
void ParameterValues::refuse_dots(std::string_view item) const {
  const std::size_t dots = item.find("..");
  if (dots == std::string_view::npos) {
    return;
  }
  const auto first = finite_number_of(item.substr(0, dots));
  const auto last = finite_number_of(item.substr(dots + 2));
  if (first && last) {
    refuse(fmt::format("numbers from a to b are a:b:n; write {0:g}:{1:g}:{2} for {2} of them",
                       *first, *last, std::clamp(std::abs(*last - *first) + 1.0, 2.0, 1e6)));
  }
}

void ParameterValues::read_grid(const std::vector<std::string_view>& parts) {
  const bool logarithmic = parts.size() == 4 && parts[3] == "log";
  const auto first = finite_number_of(parts[0]);
  const auto last = finite_number_of(parts[1]);
  const auto count = parse_number<std::uint64_t>(parts.size() > 2 ? parts[2] : "");
  if ((parts.size() != 3 && !logarithmic) || !first || !last || !count) {
    refuse("numbers from a to b are a:b:n with a whole number n, or a:b:n:log");
  }
  if (*count < 1 || *count > kMostValues) {
    refuse(fmt::format("{} numbers: 1 to {} are possible", *count, kMostValues));
  }
  if (*count == 1 && *first != *last) {
    refuse("one number cannot go from a to b; write at least 2, or the number alone");
  }
  if (!std::isfinite(*last - *first)) {
    refuse("the numbers are too far apart");
  }
  if (logarithmic && !((*first > 0.0 && *last > 0.0) || (*first < 0.0 && *last < 0.0))) {
    refuse("equal ratios go between two numbers above 0, or two below it");
  }
  kind_ = logarithmic ? Kind::Logarithmic : Kind::Linear;
  first_ = *first;
  second_ = *last;
  size_ = *count;
}

// Returns false for a text that does not have the form `word(…)`.
bool ParameterValues::read_distribution(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == 0 || open == std::string_view::npos || !text.ends_with(')') ||
      text.substr(0, open).find_first_not_of("abcdefghijklmnopqrstuvwxyz-_") !=
          std::string_view::npos) {
    return false;
  }
  const std::string_view word = text.substr(0, open);
  const std::vector<std::string_view> names{"uniform", "normal", "loguniform"};
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    refuse(
        fmt::format("numbers are drawn by uniform(a,b), normal(m,s) or loguniform(a,b), not by "
                    "'{}'{}",
                    printable(word), did_you_mean(word, names)));
  }
  const auto parts = split(text.substr(open + 1, text.size() - open - 2), ',');
  const auto first = finite_number_of(parts[0]);
  const auto second = parts.size() == 2 ? finite_number_of(parts[1]) : std::nullopt;
  if (!first || !second) {
    refuse(fmt::format("{} needs two numbers", word));
  }
  kind_ = word == "uniform" ? Kind::Uniform : word == "normal" ? Kind::Normal : Kind::LogUniform;
  first_ = *first;
  second_ = *second;
  if (kind_ == Kind::Normal && !(second_ >= 0.0)) {
    refuse("a standard deviation is a number >= 0");
  }
  if (kind_ != Kind::Normal && !(first_ <= second_ && std::isfinite(second_ - first_))) {
    refuse("a range goes from the smaller number to the greater one");
  }
  if (kind_ == Kind::LogUniform && !(first_ > 0.0)) {
    refuse("the logarithm needs numbers above 0");
  }
  return true;
}

void ParameterValues::refuse(const std::string& why) const {
  throw std::invalid_argument(fmt::format("parameter '{}': {}", printable(text_), why));
}

std::string ParameterValues::value(std::uint64_t index) const {
  if (kind_ == Kind::List) {
    return list_[index];
  }
  if (index == 0 || index + 1 == size_) {
    return fmt::format("{}", index == 0 ? first_ : second_);
  }
  const double share = static_cast<double>(index) / static_cast<double>(size_ - 1);
  if (kind_ == Kind::Linear) {
    return fmt::format("{}", first_ + (second_ - first_) * share);
  }
  const double ratio = second_ / first_;
  if (std::isnormal(ratio)) {
    return fmt::format("{}", first_ * std::pow(ratio, share));
  }
  const double from = std::log(std::abs(first_));
  const double to = std::log(std::abs(second_));
  return fmt::format("{}", std::copysign(std::exp(from + (to - from) * share), first_));
}

std::string ParameterValues::quantile(double share) const {
  const double number =
      kind_ == Kind::Normal ? first_ + second_ * normal_quantile(share)
      : kind_ == Kind::Uniform
          ? first_ + (second_ - first_) * share
          : std::exp(std::log(first_) + (std::log(second_) - std::log(first_)) * share);
  return fmt::format("{}", kind_ == Kind::Normal ? number : std::clamp(number, first_, second_));
}

// Bisects the error function. This takes microseconds, while a run takes longer.
double normal_quantile(double probability) {
  const bool upper = probability > 0.5;
  const double tail = upper ? 1.0 - probability : probability;
  double low = -40.0;
  double high = 0.0;
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) {
      return upper ? -high : high;
    }
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < tail ? low : high) = middle;
  }
}

}  // namespace servosim
