// SPDX-License-Identifier: Apache-2.0
#include "wbt/template_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "core/file.h"
#include "wbt/reading.h"
#include "wbt/world_file.h"

namespace servosim::wbt {
namespace {

namespace fs = std::filesystem;

TemplateFileReply refused(std::string reason) { return {true, false, std::move(reason)}; }

std::string project_of_template(const Proto& proto) {
  return proto.project.empty() || is_shared_folder(proto.project) ? proto.source.folder
                                                                  : proto.project;
}

// Both are canonical.
bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

}  // namespace

TemplateFileReply answer_of(const TemplateFileQuestion& question, const Proto& proto,
                            std::size_t& room) {
  if (question.path.find('\0') != std::string::npos) {
    return refused("has a name with a NUL byte");
  }
  std::error_code error;
  const fs::path project = fs::canonical(project_of_template(proto), error);
  const fs::path path =
      error ? fs::path()
            : fs::weakly_canonical(proto.source.folder / fs::path(question.path), error);
  if (error) {
    return refused("cannot be read: " + error.message());
  }
  if (!is_below(path, project)) {
    return refused(fmt::format("is outside of '{}', the project of the PROTO", project.string()));
  }
  if (question.kind == TemplateFileQuestion::Kind::Exists) {
    return {false, fs::is_regular_file(path, error), {}};
  }
  const std::size_t most = std::min(kMostTemplateFile, room);
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) > most) {
    return refused(most < kMostTemplateFile ? "is too much with all that templates have read before"
                                            : fmt::format("is larger than {} MB", most >> 20));
  }
  auto content = read_file(path.string());
  if (const auto* failure = std::get_if<FileError>(&content)) {
    return refused(failure->reason);
  }
  auto& text = std::get<std::string>(content);
  text.resize(std::min(text.size(), most));  // it may grow meanwhile
  room -= text.size();
  return {false, true, std::move(text)};
}

}  // namespace servosim::wbt
