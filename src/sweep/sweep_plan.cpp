// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/assert.h"
#include "base/csv.h"
#include "base/printable.h"
#include "base/text.h"
#include "batch/draw.h"

namespace servosim {
namespace {

constexpr std::uint64_t kMostRuns = 1'000'000'000'000'000'000;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  if (a > kMostRuns / b) {
    throw std::invalid_argument(fmt::format("the sweep has more than {} runs", kMostRuns));
  }
  return a * b;
}

// Returns the line that begins at `at`, without its end, and moves `at` to the next line.
std::string_view line_at(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(at, end - at);
  at = end + 1;
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

// Returns an element of a random permutation of 0 ... count - 1. A Feistel network on the next even
// number of bits is applied until its result is below `count`.
std::uint64_t permuted(std::uint64_t index, std::uint64_t count, const Draw& key) {
  int half = 1;
  while (half < 31 && (std::uint64_t{1} << (2 * half)) < count) {
    ++half;
  }
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half;
    std::uint64_t right = index & mask;
    for (std::uint64_t round = 0; round < 8; ++round) {
      const std::uint64_t next = left ^ (key.bits(round, right) & mask);
      left = right;
      right = next;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}

}  // namespace

SweepPlan::SweepPlan(SweepVariation variation) : variation_(std::move(variation)) {
  read_variants();
  for (const std::string& text : variation_.parameters) {
    values_.emplace_back(text);
    paths_.push_back(values_.back().path());
    variants_ = product(variants_, values_.back().size());
  }
  const std::set<std::string> different(paths_.begin(), paths_.end());
  for (const std::string& path : different) {
    if (std::count(paths_.begin(), paths_.end(), path) > 1) {
      throw std::invalid_argument(fmt::format(
          "parameter '{}' is given twice: give all of its values at once", printable(path)));
    }
  }
  check_draws();
  samples_ = variation_.samples.value_or(1);
  variants_ = product(variants_, samples_);
  read_seeds();
  if (paths_.empty() && variation_.seeds.empty()) {
    throw std::invalid_argument("nothing varies: give parameters, a file of variants, or seeds");
  }
}

void SweepPlan::read_variants() {
  const std::string& text = variation_.variants;
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  int line_number = 0;
  for (std::size_t begin = at; at < text.size(); begin = at) {
    const std::string_view line = line_at(text, at);
    ++line_number;
    if (trimmed(line).empty()) {
      continue;
    }
    const auto refuse = [&](const std::string& why) {
      throw std::invalid_argument(
          fmt::format("{}:{}: {}", printable(variation_.variants_name), line_number, why));
    };
    if (std::count(line.begin(), line.end(), '"') % 2 != 0) {
      refuse(
          "a cell in quotes does not end in its line: a value may have no line break, and a "
          "quote in quotes is written twice");
    }
    const std::vector<std::string> cells = csv_cells(line);
    if (paths_.empty()) {
      for (const std::string& cell : cells) {
        paths_.emplace_back(trimmed(cell));
        if (paths_.back().empty()) {
          refuse(
              fmt::format("column {} has no name: the first line has paths of fields, such as "
                          "arm/shoulder.maxTorque",
                          paths_.size()));
        }
      }
      continue;
    }
    if (cells.size() != paths_.size()) {
      refuse(fmt::format("{} values for {} parameters", cells.size(), paths_.size()));
    }
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (trimmed(cells[c]).empty()) {
        refuse(fmt::format("'{}' has no value", printable(paths_[c])));
      }
    }
    rows_.push_back(begin);
  }
  if (!text.empty() && rows_.empty()) {
    throw std::invalid_argument(fmt::format(
        "{}: there are no variants: the first line has paths of fields, each other one their "
        "values",
        printable(variation_.variants_name)));
  }
  variants_ = std::max<std::uint64_t>(1, rows_.size());
}

void SweepPlan::check_draws() const {
  const auto drawn = std::find_if(values_.begin(), values_.end(),
                                  [](const ParameterValues& v) { return v.is_drawn(); });
  if (drawn == values_.end()) {
    if (variation_.samples || variation_.latin_hypercube) {
      throw std::invalid_argument(
          "samples are of parameters that are drawn, and none is: write "
          "PATH=uniform(a,b), =normal(m,s) or =loguniform(a,b)");
    }
  } else if (!variation_.samples) {
    throw std::invalid_argument(
        fmt::format("parameter '{}' is drawn, but not how often: give the number of samples",
                    printable(drawn->path())));
  } else if (*variation_.samples < 1 || *variation_.samples > kMostRuns) {
    throw std::invalid_argument(fmt::format("{} samples: at least 1 is needed, {} are the most",
                                            *variation_.samples, kMostRuns));
  }
}

void SweepPlan::read_seeds() {
  const std::string_view text = variation_.seeds;
  if (text.empty()) {
    return;
  }
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(fmt::format("seeds '{}': {}", printable(text), why));
  };
  const auto read = [&](std::string_view word) {
    const auto seed = parse_number<std::int64_t>(word);
    if (!seed || *seed < 0) {
      refuse(fmt::format("'{}' is no whole number >= 0; write 1..100 or 1,5,9", printable(word)));
    }
    return *seed;
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = trimmed(text.substr(at, end - at));
    const std::size_t dots = word.find("..");
    const std::int64_t first = read(word.substr(0, dots));
    const std::int64_t last = dots == word.npos ? first : read(word.substr(dots + 2));
    if (last < first) {
      refuse(fmt::format("{} is no range: {} is less than {}", word, last, first));
    }
    seed_ranges_.emplace_back(first, last);
    at = end + 1;
  }
  auto sorted = seed_ranges_;
  std::sort(sorted.begin(), sorted.end());
  seeds_ = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].first <= sorted[i - 1].second) {
      refuse(fmt::format("{} is there twice", sorted[i].first));
    }
    seeds_ += static_cast<std::uint64_t>(sorted[i].second - sorted[i].first) + 1;
    if (seeds_ > kMostRuns) {
      refuse("too many");
    }
  }
  product(variants_, seeds_);
}

std::vector<std::string> SweepPlan::variant_row(std::uint64_t row) const {
  std::size_t at = rows_[row];
  std::vector<std::string> cells = csv_cells(line_at(variation_.variants, at));
  for (std::string& cell : cells) {
    cell = std::string(trimmed(cell));
  }
  return cells;
}

double SweepPlan::share(const ParameterValues& of, std::uint64_t sample) const {
  const std::uint64_t what = Draw::name(of.path());
  const double drawn = Draw(variation_.draw_seed, sample).uniform(what) + 0x1p-54;  // not 0
  if (!variation_.latin_hypercube) {
    return drawn;
  }
  const auto stratum =
      static_cast<double>(permuted(sample, samples_, Draw(variation_.draw_seed, what)));
  return std::clamp((stratum + drawn) / static_cast<double>(samples_), 0x1p-60, 1.0 - 0x1p-53);
}

SweepRun SweepPlan::run(std::uint64_t number) const {
  SERVOSIM_ASSERT(number < size(), "run {} of {}", number, size());
  SweepRun run{number, number / seeds_, {}, {}};
  if (!seed_ranges_.empty()) {
    auto left = static_cast<std::int64_t>(number % seeds_);
    for (const auto& [first, last] : seed_ranges_) {
      if (left <= last - first) {
        run.seed = first + left;
        break;
      }
      left -= last - first + 1;
    }
  }
  std::uint64_t rest = run.variant;
  const std::uint64_t sample = rest % samples_;
  rest /= samples_;
  std::vector<std::string> values(values_.size());
  for (std::size_t p = values_.size(); p-- > 0;) {
    const ParameterValues& of = values_[p];
    values[p] = of.is_drawn() ? of.quantile(share(of, sample)) : of.value(rest % of.size());
    rest /= of.size();
  }
  if (!rows_.empty()) {
    run.values = variant_row(rest);
  }
  run.values.insert(run.values.end(), values.begin(), values.end());
  return run;
}

std::vector<std::string> SweepPlan::listed_values(std::size_t parameter) const {
  const std::size_t columns = paths_.size() - values_.size();
  if (parameter >= columns) {
    return values_[parameter - columns].list();
  }
  std::set<std::string> different;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    different.insert(variant_row(row)[parameter]);
  }
  return {different.begin(), different.end()};
}

std::vector<FieldSetting> SweepPlan::settings(const SweepRun& run) const {
  std::vector<FieldSetting> settings;
  for (std::size_t p = 0; p < paths_.size(); ++p) {
    settings.push_back({paths_[p], run.values[p], paths_[p] + '=' + run.values[p]});
  }
  return settings;
}

}  // namespace servosim
