// SPDX-License-Identifier: Apache-2.0
#include "bus/registers/register_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>
#include <system_error>
#include <variant>

#include "base/files.h"
#include "base/printable.h"
#include "base/text.h"
#include "bus/registers/model_file.h"

namespace servosim::bus {
namespace {

constexpr std::string_view kNumbers = "dynamixel.model";

std::string text_of_file(const std::string& path) {
  auto read = read_file(path);
  if (const auto* const error = std::get_if<FileError>(&read)) {
    throw std::invalid_argument(fmt::format("{}: {}", printable(path), error->reason));
  }
  return std::move(std::get<std::string>(read));
}

// "XM430-W350" and xm430_w350 are the same model.
std::string bare(std::string_view name) {
  std::string result;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0) {
      result += static_cast<char>(std::tolower(c));
    }
  }
  return result;
}

std::string name_of(std::string_view stem) {
  std::string name(stem);
  for (char& c : name) {
    c = c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

int number_in(const std::vector<ModelNumber>& numbers, std::string_view file) {
  const auto found = std::find_if(numbers.begin(), numbers.end(),
                                  [&](const ModelNumber& each) { return each.file == file; });
  return found != numbers.end() ? found->number : 0;
}

}  // namespace

RegisterTables::RegisterTables(const std::string& folder) {
  if (folder.empty()) {
    return;
  }
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".model" && entry->path().filename() != kNumbers) {
      paths.push_back(entry->path());
    }
  }
  if (error) {
    throw std::invalid_argument(fmt::format("{}: {}", printable(folder), error.message()));
  }
  if (paths.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: it has no files NAME.model; `pip download --no-deps dynamixel-sdk` has "
                    "them in dynamixel_easy_sdk/control_table",
                    printable(folder)));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<ModelNumber> numbers;
  if (const fs::path list = fs::path(folder) / kNumbers; fs::exists(list, error)) {
    numbers = read_model_numbers(text_of_file(list.string()), list.string());
  }
  std::set<std::string> names;  // of ours
  std::set<int> known;          // numbers of ours
  for (const std::string& model : register_models()) {
    const RegisterTable table = register_table(model);
    names.insert(bare(model));
    if (table.protocol == &kDynamixel2) {
      known.insert(table.number);
    }
  }
  for (const fs::path& path : paths) {
    std::string stem = path.stem().string();
    ModelFile file;
    const std::size_t version = stem.rfind("_fw");
    if (version != stem.npos) {
      file.last_firmware = parse_number<int>(std::string_view(stem).substr(version + 3));
      stem = file.last_firmware ? stem.substr(0, version) : stem;
    }
    file.model = name_of(stem);
    file.path = path.string();
    file.number = number_in(numbers, stem + ".model");
    if (!names.contains(bare(file.model)) && !known.contains(file.number)) {
      files_.push_back(std::move(file));
    }
  }
}

std::vector<std::string> RegisterTables::models() const {
  std::vector<std::string> names = register_models();
  for (const ModelFile& file : files_) {
    if (std::find(names.begin(), names.end(), file.model) == names.end()) {
      names.push_back(file.model);
    }
  }
  return names;
}

std::string RegisterTables::find(std::string_view name) const {
  const std::vector<std::string> all = models();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const std::string& each) { return bare(each) == bare(name); });
  return found != all.end() ? *found : std::string();
}

std::string RegisterTables::model_with(int number, const Protocol& protocol) const {
  if (number == 0) {
    return {};
  }
  if (std::string model = register_model(number, protocol); !model.empty()) {
    return model;
  }
  const auto file = std::find_if(files_.begin(), files_.end(),
                                 [&](const ModelFile& each) { return each.number == number; });
  return file != files_.end() && &protocol == &kDynamixel2 ? file->model : std::string();
}

RegisterTable RegisterTables::table(std::string_view model, std::optional<int> firmware) const {
  const std::string name = find(model);
  const std::vector<std::string> ours = register_models();
  if (std::find(ours.begin(), ours.end(), name) != ours.end()) {
    return register_table(name, firmware);
  }
  // The oldest of several versions counts that a firmware is not newer than, otherwise the newest.
  const ModelFile* best = nullptr;
  const auto last_of = [](const ModelFile& file) {
    return file.last_firmware.value_or(std::numeric_limits<int>::max());
  };
  for (const ModelFile& file : files_) {
    const int wanted = firmware.value_or(std::numeric_limits<int>::max());
    const bool fits = last_of(file) >= wanted;
    const bool is_better =
        best == nullptr || (fits ? last_of(*best) < wanted || last_of(file) < last_of(*best)
                                 : last_of(*best) < last_of(file));
    if (file.model == name && is_better) {
      best = &file;
    }
  }
  if (name.empty() || best == nullptr) {
    throw std::invalid_argument(fmt::format("no table has the registers of '{}'{}",
                                            printable(model), nearest_names(model, models())));
  }
  return read_model_file(text_of_file(best->path), best->path, best->model, best->number, firmware);
}

}  // namespace servosim::bus
