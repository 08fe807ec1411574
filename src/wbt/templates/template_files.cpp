// SPDX-License-Identifier: Apache-2.0
#include "wbt/templates/template_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/scoped.h"
#include "base/shortage.h"
#include "wbt/reading.h"
#include "wbt/world_file.h"

namespace servosim::wbt {
namespace {

namespace fs = std::filesystem;

// What a question counts for in the room of a world, so that their number is limited too [bytes].
constexpr std::size_t kQuestionCost = 16u << 10;

TemplateFileReply refused(std::string reason) { return {true, false, std::move(reason)}; }

// Empty where there is none that a template may read.
std::string project_of_template(const Proto& proto) {
  for (const std::string& folder : {proto.project, proto.source.folder}) {
    if (!folder.empty() && !is_shared_folder(folder)) {
      return folder;
    }
  }
  return {};
}

// Both are canonical.
bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// Opens what the path leads to, without reading it or waiting for a reader of it.
Descriptor find(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

std::string name_of(const Descriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

}  // namespace

TemplateFileReply answer_of(const TemplateFileQuestion& question, const Proto& proto,
                            std::size_t& room) {
  if (question.path.size() >= PATH_MAX) {
    return refused(fmt::format("has a name of {} bytes or more", PATH_MAX));
  }
  if (question.path.find('\0') != std::string::npos) {
    return refused("has a name with a NUL byte");
  }
  if (room < kQuestionCost) {
    return refused("is too much with all that templates have read before");
  }
  room -= kQuestionCost;
  std::error_code error;
  const std::string folder = project_of_template(proto);
  if (folder.empty()) {
    return refused("cannot be read: the PROTO lies in a folder that others share");
  }
  const fs::path project = fs::canonical(folder, error);
  if (error) {
    throw_if_short(error, "'" + folder + "' cannot be looked at");
    return refused("cannot be read: " + error.message());
  }
  const fs::path path = proto.source.folder / fs::path(question.path);
  // What is judged is what was opened: a name may lead elsewhere a moment later.
  Descriptor file = find(path.string());
  const int failure = file ? 0 : errno;
  throw_if_short(failure, "'" + path.string() + "' cannot be opened");
  const Descriptor above = file ? Descriptor() : find(path.parent_path().string());
  const fs::path place = file    ? fs::read_symlink(name_of(file), error)
                         : above ? fs::read_symlink(name_of(above), error)
                                 : path.lexically_normal();
  if (error || !is_below(place, project)) {
    return refused(fmt::format("is outside of '{}', the project of the PROTO", project.string()));
  }
  struct stat info {};
  const bool is_file = file && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (question.kind == TemplateFileQuestion::Kind::Exists) {
    return {false, is_file, {}};
  }
  if (!file) {
    return refused("cannot be read: " + std::generic_category().message(failure));
  }
  const std::size_t most = std::min(kMostTemplateFile, room);
  const auto too_large = [&] {
    return refused(most < kMostTemplateFile ? "is too much with all that templates have read before"
                                            : fmt::format("is larger than {} MB", most >> 20));
  };
  if (is_file && static_cast<std::uint64_t>(info.st_size) > most) {
    return too_large();
  }
  auto content = read_file(name_of(file));
  if (const auto* unread = std::get_if<FileError>(&content)) {
    return refused(unread->reason);
  }
  auto& text = std::get<std::string>(content);
  if (text.size() > most) {  // it has grown meanwhile
    return too_large();
  }
  room -= text.size();
  return {false, true, std::move(text)};
}

}  // namespace servosim::wbt
