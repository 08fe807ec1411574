// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/assert.h"
#include "base/printable.h"

namespace servosim {

namespace {

// Returns the message without quoted parts and numbers, so that messages of one kind are equal. A
// message about something missing stays as it is, since the user has to get each missing thing.
std::string kind_of(const Diagnostic& diagnostic) {
  std::string kind(name_of(diagnostic.severity));
  if (diagnostic.missing) {
    return kind + diagnostic.message;
  }
  if (diagnostic.only_looks) {
    return "looks";
  }
  char quote = '\0';
  bool in_word = false;
  for (const char c : diagnostic.message) {
    const bool is_digit = c >= '0' && c <= '9';
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || (c == '\'' && !in_word)) {
      quote = c;
    } else if (!is_digit && c != '.' && c != '-' && c != '+') {
      kind += c;
    }
    in_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit;
  }
  return kind;
}

}  // namespace

namespace {

// Diagnostics of one kind: the first one, and the locations of the others, where a location in the
// same file has only line and column.
struct Group {
  Diagnostic first;
  std::vector<std::string> others;
};

std::vector<Group> groups_of(const std::vector<Diagnostic>& diagnostics) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (const Diagnostic& diagnostic : diagnostics) {
    const auto [at, is_new] = known.emplace(kind_of(diagnostic), groups.size());
    if (is_new) {
      groups.push_back({diagnostic, {}});
    } else {
      std::string place = place_of(diagnostic);
      const std::string file = groups[at->second].first.file + ':';
      groups[at->second].others.push_back(place.starts_with(file) ? place.substr(file.size())
                                                                  : std::move(place));
    }
  }
  return groups;
}

// Appends the number of similar diagnostics and their first locations.
Diagnostic summed_up(Group group) {
  constexpr std::size_t kMaxPlaces = 2;
  if (const std::size_t count = group.others.size(); count > 0) {
    group.others.resize(std::min(count, kMaxPlaces));
    group.first.message +=
        fmt::format(" [and {} more like it: {}{}]", count, fmt::join(group.others, ", "),
                    count > kMaxPlaces ? ", ..." : "");
  }
  return std::move(group.first);
}

}  // namespace

std::vector<Diagnostic> grouped(const std::vector<Diagnostic>& diagnostics, bool all) {
  if (all) {
    return diagnostics;
  }
  std::vector<Diagnostic> lines;
  for (Group& group : groups_of(diagnostics)) {
    lines.push_back(summed_up(std::move(group)));
  }
  return lines;
}

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, bool all, Console& console) {
  for (const Diagnostic& diagnostic : grouped(diagnostics, all)) {
    const bool is_info = diagnostic.severity == Severity::Info;
    if (diagnostic.severity == Severity::Error) {
      console.log(diagnostic);
    } else if (console.wants(is_info ? LogLevel::Info : LogLevel::Warning)) {
      console.write(STDERR_FILENO, diagnostic);
    }
  }
}

nlohmann::ordered_json notices_json(const std::vector<Diagnostic>& diagnostics,
                                    const std::vector<Notice>& notices) {
  auto list = nlohmann::ordered_json::array();
  for (const Group& group : groups_of(diagnostics)) {
    if (group.first.severity != Severity::Info) {
      list.push_back({{"level", name_of(group.first.severity)},
                      {"message", to_string(group.first)},
                      {"count", group.others.size() + 1}});
    }
  }
  for (const Notice& notice : notices) {
    if (notice.level != LogLevel::Info) {
      list.push_back({{"level", notice.level == LogLevel::Error ? "error" : "warning"},
                      {"message", notice.text},
                      {"count", notice.count}});
    }
  }
  return list;
}

nlohmann::ordered_json infos_json(const std::vector<Diagnostic>& diagnostics,
                                  const std::vector<Notice>& notices) {
  auto list = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::Info) {
      list.push_back(diagnostic_json(diagnostic));
    }
  }
  for (const Notice& notice : notices) {
    if (notice.level == LogLevel::Info) {
      list.push_back({{"file", nullptr},
                      {"line", nullptr},
                      {"column", nullptr},
                      {"severity", name_of(Severity::Info)},
                      {"message", notice.text}});
    }
  }
  return list;
}

nlohmann::ordered_json with_places(nlohmann::ordered_json missing,
                                   const std::vector<Diagnostic>& diagnostics) {
  std::map<std::pair<std::string, std::string>, const Diagnostic*> first;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (const auto& part = diagnostic.missing) {
      first.try_emplace({part->subject, part->remedy}, &diagnostic);
    }
  }
  for (nlohmann::ordered_json& part : missing) {
    const auto tells = first.find({part["subject"], part["remedy"]});
    const auto place =
        tells != first.end() ? diagnostic_json(*tells->second) : nlohmann::ordered_json::object();
    part["file"] = place.value("file", nlohmann::ordered_json());
    part["line"] = place.value("line", nlohmann::ordered_json());
  }
  return missing;
}

nlohmann::ordered_json diagnostic_json(const Diagnostic& d) {
  const auto number_or_null = [](int number) {
    return number > 0 ? nlohmann::ordered_json(number) : nlohmann::ordered_json();
  };
  return {{"file", d.file},
          {"line", number_or_null(d.line)},
          {"column", number_or_null(d.column)},
          {"severity", name_of(d.severity)},
          {"message", d.message}};
}

nlohmann::ordered_json solver_json(const std::optional<SolverCounts>& counts) {
  if (!counts) {
    return {{"name", "ode"}};
  }
  constexpr std::array<const char*, kOdeReasons> kKeys{"loose_bodies", "many_pairs", "no_softness",
                                                       "unsolved"};
  nlohmann::ordered_json ode = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kOdeReasons; ++i) {
    ode[kKeys[i]] = counts->ode[i];
  }
  nlohmann::ordered_json json{{"name", "tree"}, {"tree", counts->tree}, {"ode", ode}};
  if (const JointCounts& joint = counts->joint; joint.islands > 0) {
    json["joint"] = {{"island_steps", joint.islands},
                     {"mean_evaluations", joint.mean_evaluations()},
                     {"divided", joint.divided},
                     {"unsettled", joint.unsettled}};
  }
  return json;
}

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kNoBreak = "\u00a0";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Returns the number of bytes of the first `width` columns.
std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (!continues(text[end]) && ++columns > width) {
      break;
    }
  }
  return end;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string result;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
    (result += text.substr(0, at)) += by;
    text.remove_prefix(at + what.size());
  }
  return result += text;
}

void wrap_line(std::string_view line, std::size_t width, std::vector<std::string>& lines) {
  while (display_width(line) > width) {
    const std::size_t end = bytes_of(line, width);
    const std::size_t space = line.substr(0, end + 1).rfind(' ');
    const bool at_space = space != std::string_view::npos && space > 0;
    lines.push_back(replaced(line.substr(0, at_space ? space : end), kNoBreak, " "));
    line.remove_prefix(at_space ? space + 1 : end);
  }
  lines.push_back(replaced(line, kNoBreak, " "));
}

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, display_width(text)), ' ');
}

std::string unbroken(std::string_view text) { return replaced(text, " ", kNoBreak); }

std::string in_quotes(std::string_view text) { return '"' + printable(text) + '"'; }

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    wrap_line(text.substr(0, end), std::max<std::size_t>(width, 1), lines);
    if (end == std::string_view::npos) {
      return lines;
    }
    text.remove_prefix(end + 1);
  }
}

void TextTable::add(std::vector<std::string> cells) {
  SERVOSIM_ASSERT(cells.size() == columns_.size(), "{} cells in {} columns", cells.size(),
                  columns_.size());
  std::transform(cells.begin(), cells.end(), cells.begin(), printable_lines);
  rows_.push_back({std::move(cells), {}});
}

void TextTable::add_line(std::string indent, std::string_view text) {
  Row& row = rows_.emplace_back();
  for (const std::string& line :
       wrapped(printable_lines(text), kTextWidth - 4 - display_width(indent))) {
    row.lines.push_back(indent + line);
  }
}

// A column is as wide as its longest line; then the widest columns shrink until the lines fit.
std::vector<std::size_t> TextTable::widths(std::size_t indent, std::size_t most) const {
  constexpr std::size_t kMinWidth = 12;  // no column shrinks below it
  std::vector<std::size_t> widths;
  std::size_t used = indent;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = 0;
    const auto measure = [&width, most](std::string_view cell) {
      for (const std::string& line : wrapped(cell, most)) {
        width = std::max(width, display_width(line));
      }
    };
    measure(columns_[c].title);
    for (const Row& row : rows_) {
      if (!row.cells.empty()) {
        measure(row.cells[c]);
      }
    }
    widths.push_back(width);
    used += width + (c == 0 ? 0 : kGap.size());
  }
  for (; used > most; --used) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kMinWidth) {
      break;
    }
    --*widest;
  }
  return widths;
}

std::string TextTable::text(std::string_view indent, std::size_t most) const {
  const std::vector<std::size_t> width = widths(display_width(indent), most);
  std::string text;
  const auto add_row = [&](const auto& cell_of) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      cells.push_back(wrapped(cell_of(c), width[c]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line(indent);
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const std::string cell = l < cells[c].size() ? cells[c][l] : "";
        const bool fill = columns_[c].right && display_width(cell) < width[c];
        line += (c == 0 ? "" : kGap);
        line +=
            fill ? std::string(width[c] - display_width(cell), ' ') + cell : padded(cell, width[c]);
      }
      trim_right(line);
      text += line + '\n';
    }
  };
  add_row([this](std::size_t c) { return columns_[c].title; });
  for (const Row& row : rows_) {
    if (!row.cells.empty()) {
      add_row([&row](std::size_t c) -> std::string_view { return row.cells[c]; });
    }
    for (const std::string& line : row.lines) {
      text += std::string(indent) + line + '\n';
    }
  }
  return text;
}

}  // namespace servosim
