// SPDX-License-Identifier: Apache-2.0
#include "servo_models/servo_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"
#include "servo_models/servo_fields.h"
#include "servo_models/toml_fields.h"

namespace servosim {
namespace {

constexpr std::array<std::string_view, 3> kConfidences{"identified", "data sheet", "assumed"};
constexpr std::array<std::string_view, 5> kPointKeys{"voltage", "stall_torque", "stall_current",
                                                     "no_load_rpm", "no_load_current"};

// Returns the keys of a law, and those that a whole file has in addition.
std::vector<std::string_view> keys_of_law() {
  std::vector<std::string_view> keys{"source", "confidence", "notes", "assumed"};
  for (const ServoField& field : servo_fields()) {
    if (keys.back() != field.table()) {
      keys.push_back(field.table());
    }
  }
  return keys;
}

std::vector<std::string_view> keys_of_file() {
  std::vector<std::string_view> keys = keys_of_law();
  keys.insert(keys.end(), {"name", "aliases", "maker", "law", "why", "points", "facts", "laws"});
  return keys;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.find_first_of(" \t\r\n/=\"'*") == std::string_view::npos;
}

class ServoFileReader {
 public:
  ServoFileReader(std::string_view text, const std::string& path)
      : reading_(path), table_(reading_.parse(text)) {
    file_.path = path;
  }

  ServoFile read() {
    reading_.check_keys(table_, keys_of_file());
    read_name();
    read_word(table_, "maker", file_.maker);
    read_word(table_, "why", file_.why);
    read_points();
    read_facts();
    ServoVariant common;
    read_variant(table_, common);
    if (const toml::node* const laws = table_.get("laws")) {
      read_laws(*laws, common);
    } else {
      if (const toml::node* const law = table_.get("law")) {
        reading_.refuse(*law, "the file has no table 'laws' from which to choose");
      }
      check(common, table_);
      file_.variants.push_back(std::move(common));
    }
    return std::move(file_);
  }

 private:
  void read_name() {
    file_.name = std::filesystem::path(file_.path).stem().string();
    read_word(table_, "name", file_.name);
    const toml::node* const name = table_.get("name");
    if (!is_plain_name(file_.name)) {
      reading_.refuse(name != nullptr ? *name : table_,
                      fmt::format("'{}' is no name of a servo: it has no blanks, quotes, '/', '=' "
                                  "and '*'",
                                  printable(file_.name)));
    }
    if (const toml::node* const aliases = table_.get("aliases")) {
      file_.aliases = reading_.words(*aliases);
    }
  }

  void read_word(const toml::table& table, std::string_view key, std::string& word) const {
    if (const toml::node* const node = table.get(key)) {
      word = reading_.word(*node);
    }
  }

  void read_points() {
    const toml::node* const node = table_.get("points");
    if (node == nullptr) {
      return;
    }
    for (const toml::table* const table : reading_.tables(*node, "points")) {
      reading_.check_keys(*table, kPointKeys);
      const auto number = [&](std::string_view key) -> std::optional<double> {
        const toml::node* const value = table->get(key);
        return value != nullptr ? std::optional(reading_.number(*value, 0.0)) : std::nullopt;
      };
      const auto voltage = number("voltage");
      if (voltage.value_or(0.0) == 0.0) {
        reading_.refuse(*table, "a point needs its voltage");
      }
      file_.points.push_back({*voltage, number("stall_torque"), number("stall_current"),
                              number("no_load_rpm"), number("no_load_current")});
    }
  }

  void read_facts() {
    const toml::node* const node = table_.get("facts");
    if (node == nullptr) {
      return;
    }
    for (const auto& [key, value] : reading_.table(*node, "facts")) {
      const auto text = value.value_exact<std::string>();
      file_.facts.emplace_back(key.str(),
                               text ? *text : fmt::format("{}", reading_.any_number(value)));
    }
  }

  void read_laws(const toml::node& node, const ServoVariant& common) {
    const toml::table& laws = reading_.table(node, "laws");
    for (const auto& [key, value] : laws) {
      const toml::table& table = reading_.table(value, "a law");
      reading_.check_keys(table, keys_of_law());
      ServoVariant variant = common;
      variant.law = key.str();
      if (!is_plain_name(variant.law)) {
        reading_.refuse(key.source().begin, "the name of a law has no blanks and quotes");
      }
      read_variant(table, variant);
      check(variant, table);
      file_.variants.push_back(std::move(variant));
    }
    const toml::node* const law = table_.get("law");
    if (file_.variants.empty()) {
      reading_.refuse(node, "there is no law in it");
    }
    if (law == nullptr && file_.variants.size() > 1) {
      reading_.refuse(node, "say by a key 'law' at the top of the file which law is the default");
    }
    file_.default_law = file_.variants.front().law;
    if (law != nullptr) {
      file_.default_law = reading_.word(*law);
      if (file_.find(file_.default_law) == nullptr) {
        reading_.refuse(*law, fmt::format("there is no law '{}'{}", printable(file_.default_law),
                                          nearest_names(file_.default_law, laws_of(file_))));
      }
    }
  }

  static std::vector<std::string> laws_of(const ServoFile& file) {
    std::vector<std::string> laws;
    for (const ServoVariant& variant : file.variants) {
      laws.push_back(variant.law);
    }
    return laws;
  }

  // Reads what a file has for all of its laws, or a law for itself.
  void read_variant(const toml::table& table, ServoVariant& variant) const {
    read_word(table, "source", variant.origin.source);
    if (const toml::node* const node = table.get("confidence")) {
      variant.origin.confidence = reading_.word(*node);
      if (!is_one_of(kConfidences, variant.origin.confidence)) {
        reading_.refuse(*node, fmt::format("expected \"{}\"", fmt::join(kConfidences, "\" or \"")));
      }
    }
    if (const toml::node* const node = table.get("notes")) {
      for (std::string& note : reading_.words(*node)) {
        variant.origin.notes.push_back(std::move(note));
      }
    }
    if (const toml::node* const node = table.get("assumed")) {
      for (std::string& key : reading_.words(*node)) {
        if (find_servo_field(key) == nullptr) {
          reading_.refuse(*node, fmt::format("a servo has no field '{}'", printable(key)));
        }
        variant.origin.assumed.push_back(std::move(key));
      }
    }
    variant.model.name = file_.name;
    for (const auto& [key, node] : table) {
      if (is_servo_table(key.str())) {
        read_fields(reading_, reading_.table(node, key.str()), key.str(), variant.model);
      }
    }
  }

  void check(const ServoVariant& variant, const toml::table& table) const {
    try {
      check_servo(variant.model);
    } catch (const std::invalid_argument& error) {
      reading_.refuse(table, error.what());
    }
  }

  TomlReading reading_;
  toml::table table_;
  ServoFile file_;
};

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c == '\n' || c == '\t' ? ' ' : c;
  }
  return result + '"';
}

}  // namespace

bool ServoOrigin::assumes(std::string_view key) const {
  return std::find(assumed.begin(), assumed.end(), key) != assumed.end();
}

const ServoVariant* ServoFile::find(std::string_view law) const {
  const std::string_view wanted = law.empty() ? std::string_view(default_law) : law;
  const auto found =
      std::find_if(variants.begin(), variants.end(),
                   [&](const ServoVariant& variant) { return variant.law == wanted; });
  return found == variants.end() ? nullptr : &*found;
}

void read_fields(const TomlReading& reading, const toml::table& table, std::string_view name,
                 ServoModel& model) {
  for (const auto& [key, node] : table) {
    const std::string whole = fmt::format("{}.{}", name, key.str());
    try {
      const ServoField& field = servo_field(whole);
      if (const auto text = node.value_exact<std::string>()) {
        set_value(model, field, *text);
      } else if (node.is_number()) {
        set_value(model, field, TomlReading::any_number(node));
      } else {
        reading.refuse(node, fmt::format("{} must be {}", whole, range_of(field)));
      }
    } catch (const std::invalid_argument& error) {
      reading.refuse(key.source().begin, error.what());
    }
  }
}

ServoFile read_servo_file(std::string_view text, const std::string& path) {
  return ServoFileReader(text, path).read();
}

std::string to_toml(const ServoModel& servo, const ServoOrigin& origin) {
  std::string text;
  const auto line = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) {
      text += fmt::format("{} = {}\n", key, toml_text(value));
    }
  };
  line("name", servo.name);
  line("source", origin.source);
  line("confidence", origin.confidence);
  if (!origin.assumed.empty()) {
    text += fmt::format("assumed = [\"{}\"]\n", fmt::join(origin.assumed, "\", \""));
  }
  if (!origin.notes.empty()) {
    text += "notes = [\n";
    for (const std::string& note : origin.notes) {
      text += fmt::format("  {},\n", toml_text(note));
    }
    text += "]\n";
  }
  const ServoModel defaults;
  std::string_view table;
  for (const ServoField& field : servo_fields()) {
    if (value_of(servo, field) == value_of(defaults, field)) {
      continue;
    }
    if (field.table() != table) {
      table = field.table();
      text += fmt::format("\n[{}]\n", table);
    }
    text += fmt::format("{} = {}  # {}{}{}\n", field.name(), toml_of(servo, field), field.unit,
                        field.unit.empty() ? "" : ", ", field.meaning);
  }
  return text;
}

}  // namespace servosim
