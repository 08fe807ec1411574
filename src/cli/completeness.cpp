// SPDX-License-Identifier: Apache-2.0
#include "cli/completeness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace servosim {
namespace {

constexpr std::string_view kAll = "all";

struct Kind {
  Missing kind;
  std::string_view name;
};

// What matters most comes first: a robot that is missing needs no controller.
constexpr std::array kKinds{
    Kind{Missing::Bodies, "bodies"}, Kind{Missing::Protos, "protos"},
    Kind{Missing::Meshes, "meshes"}, Kind{Missing::Controllers, "controllers"},
    Kind{Missing::Extern, "extern"}, Kind{Missing::Plugins, "plugins"},
    Kind{Missing::Fluids, "fluids"}, Kind{Missing::Pictures, "pictures"},
    Kind{Missing::Sounds, "sounds"}};

auto row_of(Missing kind) {
  return std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.kind == kind; });
}

std::string_view name_of(Missing kind) { return row_of(kind)->name; }

constexpr std::size_t kMaxLines = 20;  // the most parts that are listed

std::string line_of(const MissingPart& part, std::size_t count) {
  return fmt::format("{}{}{}{}", part.subject, count > 1 ? fmt::format(" ({} times)", count) : "",
                     part.remedy.empty() ? "" : ": ", part.remedy);
}

}  // namespace

CLI::Option* add_allow_missing(CLI::App& command, std::vector<std::string>& kinds) {
  std::vector<std::string> names{std::string(kAll)};
  for (const Kind& kind : kKinds) {
    names.emplace_back(kind.name);
  }
  const auto test = [names](const std::string& text) {
    return std::find(names.begin(), names.end(), text) != names.end()
               ? std::string()
               : fmt::format("'{}' is none of {}{}", printable(text), fmt::join(names, ", "),
                             did_you_mean(text, {names.begin(), names.end()}));
  };
  return command
      .add_option("--allow-missing", kinds,
                  fmt::format("Exit with 0 although the world lacks something of these kinds, "
                              "separated by commas: {}; all without a value",
                              fmt::join(names.begin() + 1, names.end(), ", ")))
      ->type_name("[=KINDS]")
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(CLI::Validator(test, ""));
}

std::string allow_missing_without_value(std::string argument) {
  return argument == "--allow-missing" ? fmt::format("--allow-missing={}", kAll)
                                       : std::move(argument);
}

Completeness::Completeness(const std::vector<std::string>& allowed)
    : names_pictures_(std::find(allowed.begin(), allowed.end(), "pictures") != allowed.end()) {
  for (const Kind& kind : kKinds) {
    const auto names_it = [&](const std::string& name) {
      return name == kind.name || name == kAll;
    };
    if (std::any_of(allowed.begin(), allowed.end(), names_it)) {
      allowed_.insert(kind.kind);
    }
  }
}

void Completeness::add(const MissingPart& part, bool is_reported) {
  const Place place(row_of(part.kind) - kKinds.begin(), known_.size());
  const auto [known, is_new] = known_.try_emplace({part.kind, part.subject, part.remedy}, place);
  if (is_new) {
    entries_.emplace(place, Entry{part, 1, is_reported});
  } else {
    ++entries_.at(known->second).count;
  }
}

void Completeness::add(const std::vector<MissingPart>& parts) {
  for (const MissingPart& part : parts) {
    add(part, false);
  }
}

void Completeness::add(const std::vector<Diagnostic>& diagnostics, bool are_printed) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.missing) {
      add(*diagnostic.missing, are_printed && diagnostic.missing->kind == Missing::Protos);
    }
  }
}

bool Completeness::holds() const {
  return std::all_of(entries_.begin(), entries_.end(),
                     [this](const auto& entry) { return accepts(entry.second.part); });
}

int Completeness::exit_code(int code) const {
  return code == kExitOk && !holds() ? kExitIncomplete : code;
}

std::string Completeness::summary() const { return summary(kExitIncomplete); }

std::string Completeness::summary(int exit_code) const {
  if (entries_.empty()) {
    return {};
  }
  std::string text = holds() ? "accepted as missing:\n"
                             : "INCOMPLETE: the world may move otherwise than its author meant; it "
                               "lacks\n";
  std::size_t lines = 0;
  const auto add_line = [&](bool accepted, const std::string& line) {
    if (lines++ < kMaxLines) {
      fmt::format_to(std::back_inserter(text), "  {}{}\n",
                     accepted && !holds() ? "(accepted) " : "", line);
    }
  };
  std::set<std::string_view> reported;  // one PROTO may be missing for several reasons
  for (const auto& [place, entry] : entries_) {
    if (entry.is_reported) {
      reported.insert(entry.part.subject);
    }
  }
  for (const bool accepted : {false, true}) {
    bool is_first_reported = true;
    for (const auto& [place, entry] : entries_) {
      if (accepts(entry.part) != accepted) {
        continue;
      }
      if (!entry.is_reported) {
        add_line(accepted, line_of(entry.part, entry.count));
      } else if (std::exchange(is_first_reported, false)) {
        add_line(accepted, reported.size() == 1
                               ? "1 PROTO, which a warning names"
                               : fmt::format("{} PROTOs, which warnings name", reported.size()));
      }
    }
  }
  if (lines > kMaxLines) {
    fmt::format_to(std::back_inserter(text), "  and {} more\n", lines - kMaxLines);
  }
  if (!holds() && exit_code == kExitIncomplete) {
    std::vector<std::string_view> kinds;
    for (const auto& [place, entry] : entries_) {
      const std::string_view name = name_of(entry.part.kind);
      if (!accepts(entry.part) && (kinds.empty() || kinds.back() != name)) {
        kinds.push_back(name);
      }
    }
    fmt::format_to(std::back_inserter(text),
                   "exit code {}; --allow-missing={} accepts it and exits with 0\n",
                   kExitIncomplete, fmt::join(kinds, ","));
  }
  return text;
}

std::string Completeness::idle_choice() const {
  const bool any = std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) {
    return entry.second.part.kind == Missing::Pictures;
  });
  return names_pictures_ && !any ? "accepting missing pictures has no effect: no sensor that this "
                                   "run has read is blind\n"
                                 : "";
}

std::string Completeness::short_summary() const {
  std::vector<std::string> subjects;
  for (const auto& [place, entry] : entries_) {
    if (!accepts(entry.part) && subjects.size() < 3) {
      subjects.push_back(entry.part.subject);
    }
  }
  const auto lost = static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [this](const auto& entry) { return !accepts(entry.second.part); }));
  return fmt::format(
      "it lacks {}{}", fmt::join(subjects, ", "),
      lost > subjects.size() ? fmt::format(" and {} more", lost - subjects.size()) : "");
}

nlohmann::ordered_json Completeness::json() const {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [place, entry] : entries_) {
    list.push_back({{"kind", name_of(entry.part.kind)},
                    {"subject", entry.part.subject},
                    {"remedy", entry.part.remedy},
                    {"count", entry.count},
                    {"accepted", accepts(entry.part)}});
  }
  return list;
}

}  // namespace servosim
