// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/property_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "base/files.h"

namespace servosim::yarp {

namespace {

constexpr int kMaxIncludes = 16;                     // files within files
constexpr std::size_t kMaxPropertyLines = 1u << 16;  // of all files together
constexpr std::size_t kMaxPropertyMiB = 4;           // of all files and replacements together
constexpr std::string_view kPropertyBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kPropertyBlanks);
  return begin == text.npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(kPropertyBlanks) - begin + 1);
}

// Removes the comment at the end of a line. Returns how many more '(' than ')' there are outside of
// quotes.
int strip_comment(std::string& line) {
  bool quoted = false;
  int open = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quoted) {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (line.compare(i, 2, "//") == 0 ||
                           (c == '#' && (i == 0 || kPropertyBlanks.find(line[i - 1]) !=
                                                       kPropertyBlanks.npos)))) {
      line.resize(i);
    } else if (!quoted) {
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
  }
  return open;
}

class PropertyReader {
 public:
  explicit PropertyReader(const PropertyVariables& variables) : variables_(variables) {}

  /// Reads a file into `group`, or into the file's own groups.
  bool read(const std::string& path, const std::string& group, int depth) {
    if (depth > kMaxIncludes) {
      return refuse(path, fmt::format("files that are included more than {} deep", kMaxIncludes));
    }
    auto text = read_file(path);
    if (const auto* const error = std::get_if<FileError>(&text)) {
      return refuse(path, error->reason);
    }
    const std::string& lines = std::get<std::string>(text);
    return count_bytes(path, lines.size()) && read_lines(path, lines, group, depth);
  }
  PropertyFileOrError result() {
    if (!error_.text.empty()) {
      return std::move(error_);
    }
    return std::move(file_);
  }

 private:
  bool read_lines(const std::string& path, const std::string& text, const std::string& group,
                  int depth) {
    std::string open_group = group;
    std::string logical;
    int open = 0;
    std::size_t number = 0;
    std::size_t begin_line = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      at = end + 1;
      ++number;
      if (++lines_ > kMaxPropertyLines) {
        return refuse(path, fmt::format("more than {} lines", kMaxPropertyLines));
      }
      open += strip_comment(line);
      begin_line = logical.empty() ? number : begin_line;
      logical += line + ' ';
      if (open > 0 && at < text.size()) {
        continue;
      }
      const std::string place = fmt::format("{}:{}", path, begin_line);
      if (!take(place, path, logical, open_group, group, depth)) {
        return false;
      }
      logical.clear();
      open = 0;
    }
    return true;
  }

  bool take(const std::string& place, const std::string& path, const std::string& line,
            std::string& open_group, const std::string& outer, int depth) {
    const std::string given(trimmed(line));
    if (given.empty()) {
      return true;
    }
    const std::optional<std::string> replaced = with_values(place, given);
    if (!replaced) {
      return false;
    }
    const std::string_view text = trimmed(*replaced);
    if (!text.starts_with('[')) {
      return take_entry(place, std::string(text), open_group);
    }
    if (text.back() != ']') {
      return refuse(place, "a group is a name in brackets, such as [LIMITS]");
    }
    const std::string_view inside = trimmed(text.substr(1, text.size() - 2));
    const BottleOrError parsed = parse_bottle(inside);
    const Bottle* const words = std::get_if<Bottle>(&parsed);
    const std::string* const first =
        words != nullptr && !words->empty() ? as_string(words->items[0]) : nullptr;
    if (first == nullptr) {
      return refuse(place, "a group is a name in brackets, such as [LIMITS]");
    }
    if (*first == "include") {
      open_group = outer;
      return take_include(place, path, *words, outer, depth);
    }
    open_group = std::string(inside);
    find_or_add(open_group);
    return true;
  }

  bool take_include(const std::string& place, const std::string& path, const Bottle& words,
                    const std::string& outer, int depth) {
    std::vector<std::string> names;
    for (const BottleValue& word : words.items) {
      const std::string* const text = as_string(word);
      names.push_back(text != nullptr ? *text : std::string());
    }
    if (names.size() < 2 || names.size() > 3 || names.back().empty()) {
      return refuse(place, "use: [include \"FILE\"] or [include GROUP \"FILE\"]");
    }
    std::filesystem::path file = names.back();
    if (std::error_code error; !std::filesystem::exists(file, error)) {
      file = std::filesystem::path(path).parent_path() / file;
    }
    return read(file.string(), names.size() == 3 ? names[1] : outer, depth + 1);
  }

  bool take_entry(const std::string& place, std::string text, const std::string& group) {
    // "key = value" and "key=value": the first word ends at '='.
    const std::size_t key_end = std::min(text.find_first_of(" \t\r(\""), text.size());
    const std::size_t equals = text.find('=');
    if (equals != text.npos && equals > 0 &&
        (equals < key_end ||
         trimmed(std::string_view(text).substr(key_end, equals - key_end)).empty())) {
      text[equals] = ' ';
    }
    BottleOrError parsed = parse_bottle(text);
    if (const auto* const error = std::get_if<ProtocolError>(&parsed)) {
      return refuse(place, error->text);
    }
    Bottle values = std::move(std::get<Bottle>(parsed));
    const std::string* const key = values.empty() ? nullptr : as_string(values.items.front());
    if (key == nullptr) {
      return refuse(place, "a line begins with a key, which is a word");
    }
    PropertyEntry entry{*key, {}, place};
    values.items.erase(values.items.begin());
    entry.values = std::move(values);
    const std::string* const word =
        entry.values.size() == 1 ? as_string(entry.values.items.front()) : nullptr;
    variables_[entry.key] = word != nullptr ? *word : to_text(entry.values);
    find_or_add(group).entries.push_back(std::move(entry));
    return true;
  }

  // Replaces each ${NAME} by its value.
  std::optional<std::string> with_values(const std::string& place, const std::string& text) {
    std::string replaced;
    std::size_t at = 0;
    for (std::size_t begin = text.find("${"); begin != text.npos; begin = text.find("${", at)) {
      const std::size_t end = text.find('}', begin);
      const std::string name = text.substr(begin + 2, end - std::min(end, begin + 2));
      const auto known = variables_.find(name);
      if (end == text.npos || known == variables_.end()) {
        refuse(place, fmt::format("${{{}}} has no value here", name));
        return std::nullopt;
      }
      if (!count_bytes(place, known->second.size())) {
        return std::nullopt;
      }
      replaced.append(text, at, begin - at).append(known->second);
      at = end + 1;
    }
    return replaced.append(text, at);
  }

  // Without this bound a short file could have many long values of others.
  bool count_bytes(const std::string& place, std::size_t size) {
    bytes_ += size;
    return bytes_ <= kMaxPropertyMiB << 20 ||
           refuse(place, fmt::format("more than {} MiB with the values of ${{...}} and the files "
                                     "that are included",
                                     kMaxPropertyMiB));
  }

  PropertyGroup& find_or_add(const std::string& name) {
    if (name.empty()) {
      return file_.top;
    }
    const auto found = std::find_if(file_.groups.begin(), file_.groups.end(),
                                    [&](const PropertyGroup& group) { return group.name == name; });
    if (found != file_.groups.end()) {
      return *found;
    }
    file_.groups.push_back({name, {}});
    return file_.groups.back();
  }
  bool refuse(const std::string& place, const std::string& why) {
    error_.text = place + ": " + why;
    return false;
  }

  PropertyVariables variables_;
  PropertyFile file_;
  ProtocolError error_;
  std::size_t lines_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

const PropertyEntry* PropertyGroup::find(std::string_view key) const {
  const auto found = std::find_if(entries.rbegin(), entries.rend(),
                                  [key](const PropertyEntry& entry) { return entry.key == key; });
  return found != entries.rend() ? &*found : nullptr;
}

const PropertyGroup* PropertyFile::group(std::string_view name) const {
  const auto found = std::find_if(groups.begin(), groups.end(), [name](const PropertyGroup& group) {
    return group.name == name;
  });
  return found != groups.end() ? &*found : nullptr;
}

PropertyFileOrError read_property_file(const std::string& path,
                                       const PropertyVariables& variables) {
  PropertyReader reader(variables);
  reader.read(path, "", 0);
  return reader.result();
}

}  // namespace servosim::yarp
