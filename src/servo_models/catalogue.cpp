// SPDX-License-Identifier: Apache-2.0
#include "servo_models/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <variant>

#include "base/files.h"
#include "base/letter_case.h"
#include "base/printable.h"
#include "base/text.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

struct CatalogueText {
  std::string_view name;
  std::string_view text;
};

using namespace std::string_view_literals;

constexpr CatalogueText kCatalogue[] = {
#include "servo_texts.inc"
};

constexpr std::string_view kIdentified = "identified";

// @param wanted  in small letters where the case does not matter
bool has_name(const ServoFile& file, std::string_view wanted, bool any_case) {
  const auto is_wanted = [&](const std::string& name) {
    return any_case ? lower_case(name) == wanted : name == wanted;
  };
  return is_wanted(file.name) || std::any_of(file.aliases.begin(), file.aliases.end(), is_wanted);
}

// Returns a name without what people leave away: AX-12 and ax12 are one.
std::string bare(std::string_view name) {
  std::string result = lower_case(name);
  std::erase_if(result, [](char c) { return c == '-' || c == '_'; });
  return result;
}

// Returns whether a name or an alias differs from another name in its case and its hyphens only.
bool is_called(const ServoFile& file, std::string_view bare_name) {
  const auto is_wanted = [&](const std::string& name) { return bare(name) == bare_name; };
  return is_wanted(file.name) || std::any_of(file.aliases.begin(), file.aliases.end(), is_wanted);
}

bool begins_with(const std::string& name, std::string_view wanted, bool any_case) {
  return any_case ? lower_case(name).starts_with(wanted) : name.starts_with(wanted);
}

// Returns whether a name begins with another but for one character, as XL330-M288-T with XL331.
bool is_series_near(std::string_view name, std::string_view wanted) {
  constexpr std::size_t kLeast = 4;
  if (wanted.size() < kLeast || wanted.size() >= name.size()) {
    return false;
  }
  std::size_t different = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    different += name[i] != wanted[i] ? 1 : 0;
  }
  return different == 1;
}

std::string text_of_file(const std::string& path) {
  auto text = read_file(path);
  if (const auto* error = std::get_if<FileError>(&text)) {
    throw TomlError(path, 0, 0, error->reason);
  }
  return std::move(std::get<std::string>(text));
}

// The law τ = p·(goal − q) − d·q̇ with one N·m per A, and a supply that never limits it. It is no
// servo of a maker, so that no list has it.
const ServoFile& torque_law() {
  static const ServoFile law = [] {
    ServoVariant only;
    only.origin.source = "no servo: a law of torque";
    only.model.name = "PD";
    only.model.firmware.law = ServoLaw::Current;
    only.model.firmware.i_scale = 1.0;
    only.model.firmware.d_scale = 1.0;
    only.model.firmware.max_current = 1e9;
    only.model.supply.voltage = 1e9;
    ServoFile file;
    file.path = file.name = only.model.name;
    file.variants.push_back(std::move(only));
    return file;
  }();
  return law;
}

}  // namespace

ServoChoice read_servo_choice(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  ServoChoice choice;
  std::string_view rest = trimmed(text);
  const std::string_view first = rest.substr(0, rest.find_first_of(kBlanks));
  if (first.empty() || first.find('=') != std::string_view::npos) {
    throw std::invalid_argument(
        fmt::format("'{}' must begin with the name of a servo", printable(text)));
  }
  choice.name = first.substr(0, first.find('/'));
  if (choice.name.size() < first.size()) {
    choice.law = first.substr(choice.name.size() + 1);
  }
  for (rest = trimmed(rest.substr(first.size())); !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == word.size()) {
      throw std::invalid_argument(
          fmt::format("'{}' of '{}' must be KEY=VALUE without blanks, such as firmware.p=16",
                      printable(word), printable(text)));
    }
    choice.values.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    rest = trimmed(rest.substr(word.size()));
  }
  return choice;
}

void ServoChoice::set(std::string_view key, std::string value) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& each) { return each.first == key; });
  if (found != values.end()) {
    found->second = std::move(value);
  } else {
    values.emplace_back(key, std::move(value));
  }
}

std::string to_string(const ServoChoice& choice) {
  std::string text = choice.name;
  if (!choice.law.empty()) {
    text += '/' + choice.law;
  }
  for (const auto& [key, value] : choice.values) {
    text += fmt::format(" {}={}", key, value);
  }
  return text;
}

const std::vector<ServoFile>& ServoCatalogue::builtin() {
  static const std::vector<ServoFile> files = [] {
    std::vector<ServoFile> all;
    for (const CatalogueText& each : kCatalogue) {
      all.push_back(read_servo_file(each.text, fmt::format("servos/{}.toml", each.name)));
    }
    return all;
  }();
  return files;
}

const ServoFile* ServoCatalogue::builtin(std::string_view name) {
  const auto found = std::find_if(builtin().begin(), builtin().end(), [&](const ServoFile& file) {
    return has_name(file, name, false);
  });
  return found != builtin().end() ? &*found : nullptr;
}

std::vector<ServoFile> ServoCatalogue::all(
    const std::function<void(const TomlError&)>& skipped) const {
  std::vector<ServoFile> files;
  const auto is_new = [&](std::string_view name) {
    return std::none_of(files.begin(), files.end(),
                        [&](const ServoFile& file) { return file.name == name; });
  };
  for (const std::string& folder : folders_) {
    std::vector<fs::path> paths;
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
      if (entry.path().extension() == ".toml") {
        paths.push_back(entry.path());
      }
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      try {
        ServoFile file = read_servo_file(text_of_file(path.string()), path.string());
        file.name = path.stem().string();  // by which it is found
        if (is_new(file.name)) {
          files.push_back(std::move(file));
        }
      } catch (const TomlError& error) {
        skipped(error);
      }
    }
  }
  for (const ServoFile& file : builtin()) {
    if (is_new(file.name)) {
      files.push_back(file);
    }
  }
  return files;
}

std::string ServoCatalogue::path_of(std::string_view name) const {
  const bool is_file_name =
      !name.empty() && name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
  for (const std::string& folder : folders_) {
    const fs::path path = fs::path(folder) / fmt::format("{}.toml", name);
    std::error_code error;
    if (is_file_name && fs::exists(path, error)) {
      return path.string();
    }
  }
  return {};
}

ServoFile ServoCatalogue::file(std::string_view name) const {
  return find(name, Match::Exact).file;
}

ServoFile ServoCatalogue::meant_by(std::string_view word) const {
  return find(word, Match::Loose).file;
}

ServoCatalogue::Known ServoCatalogue::find(std::string_view name, Match match) const {
  if (const std::string path = path_of(name); !path.empty()) {
    std::string text = text_of_file(path);
    ServoFile file = read_servo_file(text, path);
    return {std::move(file), std::move(text)};
  }
  const bool is_loose = match == Match::Loose;
  const std::string wanted = is_loose ? lower_case(name) : std::string(name);
  std::vector<std::string> names;
  std::vector<std::string> aliases;
  std::vector<std::string> longer;
  std::optional<ServoFile> begun;  // the best one whose name begins so
  const std::vector<ServoFile> all_files =
      is_loose ? all([](const TomlError&) {}) : std::vector<ServoFile>();
  for (const ServoFile& file : is_loose ? all_files : builtin()) {
    if (has_name(file, wanted, is_loose)) {
      return {file, {}};
    }
    names.push_back(file.name);
    aliases.insert(aliases.end(), file.aliases.begin(), file.aliases.end());
    if (!name.empty() && begins_with(file.name, wanted, is_loose)) {
      longer.push_back(file.name);
      if (!begun || (begun->find("")->origin.confidence != kIdentified &&
                     file.find("")->origin.confidence == kIdentified)) {
        begun = file;
      }
    }
  }
  const std::vector<ServoFile> others =
      is_loose ? all_files : all([](const TomlError&) {});  // the user's own ones, too
  const auto same = std::find_if(others.begin(), others.end(), [&](const ServoFile& file) {
    return is_called(file, bare(name)) && file.name != name;
  });
  if (same != others.end()) {
    return find(same->name, Match::Exact);
  }
  if (is_called(torque_law(), bare(name))) {
    return {torque_law(), {}};
  }
  if (is_loose && begun) {
    return {*std::move(begun), {}};
  }
  if (!is_loose) {
    for (const ServoFile& file : others) {
      if (std::find(names.begin(), names.end(), file.name) == names.end()) {
        if (!name.empty() && begins_with(file.name, wanted, false)) {
          longer.push_back(file.name);
        }
        names.push_back(file.name);
      }
    }
  }
  if (longer.empty() && closest(name, {names.begin(), names.end()}).empty()) {
    std::copy_if(names.begin(), names.end(), std::back_inserter(longer),
                 [&](const std::string& each) { return is_series_near(each, name); });
  }
  if (!longer.empty()) {
    names = std::move(longer);
  } else {
    names.insert(names.end(), aliases.begin(), aliases.end());
  }
  throw std::invalid_argument(
      fmt::format("no servo is called '{}'{}", printable(name), nearest_names(name, names)));
}

std::vector<std::string> ServoCatalogue::texts_read() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  for (const auto& [name, known] : files_) {
    if (!known.text.empty()) {
      texts.push_back(known.text);
    }
  }
  return texts;
}

const ServoFile& ServoCatalogue::known_file(std::string_view name) const {
  auto known = files_.find(name);
  if (known == files_.end()) {
    known = files_.emplace(name, find(name, Match::Exact)).first;
  }
  return known->second.file;
}

std::shared_ptr<const ServoModel> ServoCatalogue::model(std::string_view choice) const {
  const std::lock_guard lock(mutex_);
  if (const auto known = models_.find(choice); known != models_.end()) {
    if (auto model = known->second.lock()) {
      return model;
    }
  }
  const ServoChoice parts = read_servo_choice(choice);
  const ServoFile& servo = known_file(parts.name);
  const ServoVariant* const variant = servo.find(parts.law);
  if (variant == nullptr) {
    std::vector<std::string> laws;
    for (const ServoVariant& each : servo.variants) {
      laws.push_back(each.law);
    }
    throw std::invalid_argument(
        servo.default_law.empty()
            ? fmt::format("the servo '{}' has no laws to choose from; leave '/{}' away", servo.name,
                          printable(parts.law))
            : fmt::format("the servo '{}' has no law '{}'{}", servo.name, printable(parts.law),
                          nearest_names(parts.law, laws)));
  }
  auto model = std::make_shared<ServoModel>(variant->model);
  for (const auto& [key, value] : parts.values) {
    set_text(*model, servo_field(key), value);
  }
  check_servo(*model);
  if (models_.size() >= purge_at_) {
    std::erase_if(models_, [](const auto& each) { return each.second.expired(); });
    purge_at_ = 2 * models_.size() + 64;
  }
  models_.insert_or_assign(std::string(choice), model);
  return model;
}

}  // namespace servosim
