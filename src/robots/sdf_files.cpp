// SPDX-License-Identifier: Apache-2.0
#include "robots/sdf_files.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/limits.h"
#include "robots/sdf_values.h"

namespace servosim::robots {
namespace {

constexpr std::size_t kMaxSdfFiles = 1000;

}  // namespace

double sdf_minor_version(pugi::xml_node sdf) {
  std::array<double, 1> minor{};
  const std::string_view text = sdf.attribute("version").value();
  const std::size_t dot = text.find('.');
  return dot != text.npos && parse_numbers(text.substr(dot + 1), minor) == 1 ? minor[0] : 9.0;
}

// Counts a file that is read. Returns false after an error: they are too many, or too large.
bool SdfFiles::count_file(pugi::xml_node include, std::size_t size) {
  bytes_ += size;
  if (++files_read_ > kMaxSdfFiles) {
    xml_.fail(include, fmt::format("at most {} files are included", kMaxSdfFiles));
    return false;
  }
  if (bytes_ > kMaxFileSize) {
    xml_.fail(include, "the included files are too large: they may have 256 MB in all");
    return false;
  }
  return true;
}

// Sets `file` to the one of the newest version that a model.config names.
void SdfFiles::read_config(pugi::xml_node include, const std::string& uri, std::string& file) {
  constexpr std::size_t kMostOfConfig = 1'000'000;  // bytes
  const RobotFiles::Found config = files_.find(uri);
  if (config.path.empty() || files_.leads_outside(config.path)) {
    return;
  }
  const std::string text = read_beginning(config.path, kMostOfConfig + 1);
  if (!count_file(include, text.size())) {
    return;
  }
  if (text.size() > kMostOfConfig) {
    xml_.lose(include, fmt::format("'{}' has more than 1 MB and is not read", config.path), true);
    return;
  }
  pugi::xml_document document;
  if (read_xml(text, document)) {
    return;
  }
  double best = -1.0;
  for (const pugi::xml_node sdf : document.child("model").children("sdf")) {
    if (sdf_minor_version(sdf) > best) {
      best = sdf_minor_version(sdf);
      file = sdf_text(sdf);
    }
  }
}

// Returns the path of the SDF that a model's folder offers; empty after a loss.
std::string SdfFiles::file_of_model(pugi::xml_node include, const std::string& uri) {
  if (uri.ends_with(".sdf") || uri.ends_with(".world")) {
    RobotFiles::Found found = files_.find(uri);
    if (found.path.empty()) {
      xml_.lose(include, fmt::format("the included model {}; it is left out", found.fault), true);
    }
    return found.path;
  }
  const std::string folder = uri.ends_with('/') ? uri : uri + '/';
  const auto [known, is_new] = configured_.try_emplace(folder, "model.sdf");
  if (is_new) {
    read_config(include, folder + "model.config", known->second);
  }
  RobotFiles::Found found = files_.find(folder + known->second);
  if (found.path.empty()) {
    xml_.lose(include, fmt::format("the included model {}; it is left out", found.fault), true);
  }
  return found.path;
}

// Returns the model of an included file; nothing after an error or a loss.
pugi::xml_node SdfFiles::model(pugi::xml_node include, double& minor) {
  const std::string uri = sdf_text(include, "uri");
  const std::string path = file_of_model(include, uri);
  if (path.empty()) {
    return {};
  }
  if (files_.leads_outside(path)) {
    xml_.fail(include, fmt::format("the included file '{}' is a link that leads out of the folders "
                                   "where files are looked for; it is not read",
                                   path));
    return {};
  }
  auto text = read_file(path);
  if (const auto* error = std::get_if<FileError>(&text)) {
    xml_.fail(include, fmt::format("the included file '{}' {}", path, error->reason));
    return {};
  }
  if (!count_file(include, std::get<std::string>(text).size())) {
    return {};
  }
  SourceMap& sources = xml_.diagnostics().sources();
  const std::uint32_t file = sources.add(path, std::move(std::get<std::string>(text)));
  pugi::xml_document& document = documents_.emplace_back();
  if (const auto fault = read_xml(sources.text(file), document)) {
    xml_.diagnostics().error({file, static_cast<std::uint32_t>(fault->offset)}, fault->reason);
    return {};
  }
  xml_.add_document(document, file);
  minor = sdf_minor_version(document.child("sdf"));
  const pugi::xml_node model = document.child("sdf").child("model");
  for (const pugi::xml_node other : document.child("sdf").children("model")) {
    if (other != model) {
      xml_.lose(other, "a second model of an included file is left out", true);
    }
  }
  if (!model) {
    xml_.lose(include, fmt::format("the included file '{}' has no model and is left out", path),
              true);
  }
  return model;
}

}  // namespace servosim::robots
