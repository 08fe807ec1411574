// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/printable.h"
#include "specification/place.h"
#include "specification/reports.h"

// Workflow commands, which a runner of GitHub finds in the output of a step:
// https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions. The rules for
// escaping are those of the package @actions/core (command.ts), which that page uses.

namespace servosim {
namespace {

namespace fs = std::filesystem;

std::string escaped(std::string_view text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    result += characters.find(c) != std::string_view::npos
                  ? fmt::format("%{:02X}", static_cast<unsigned char>(c))
                  : std::string(1, c);
  }
  return result;
}

std::string message_text(std::string_view text) { return escaped(printable_lines(text), "%\r\n"); }
std::string property_text(std::string_view text) { return escaped(printable(text), "%\r\n:,"); }

// Returns the path from the workspace on, if it is below.
std::string in_workspace(const std::string& file, const std::string& workspace) {
  if (workspace.empty()) {
    return file;
  }
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(file, error);
  if (error) {
    return file;
  }
  const fs::path root = fs::weakly_canonical(workspace, error);
  const fs::path path = error ? fs::path() : whole.lexically_relative(root);
  return path.empty() || path.begin()->string() == ".." ? file : path.string();
}

std::string annotation(const Place& at, const std::string& title, const std::string& message,
                       const std::string& workspace) {
  std::string properties = "file=" + property_text(in_workspace(at.file, workspace));
  if (at.line > 0) {
    properties += fmt::format(",line={}", at.line);
  }
  if (at.column > 0) {
    properties += fmt::format(",col={}", at.column);
  }
  return fmt::format("::error {},title={}::{}\n", properties, property_text(title),
                     message_text(message));
}

}  // namespace

std::string github_group(const std::string& title) {
  return fmt::format("::group::{}\n", message_text(title));
}

std::string github_annotations(const TriedSpecification& tried, const std::string& workspace) {
  const auto or_first_line = [&tried](const Place& at) {
    return at.line > 0 ? at : Place{tried.path, 1, 0};
  };
  std::string text;
  if (!tried.error.empty()) {
    text +=
        annotation(or_first_line(place_of_error(tried)), "servosim test", tried.error, workspace);
  }
  for (const Verdict& verdict : tried.verdicts) {
    if (!verdict.held) {
      text += annotation(or_first_line(place_in(verdict.place)), verdict.title,
                         failure_text(verdict), workspace);
    }
  }
  return text;
}

}  // namespace servosim
