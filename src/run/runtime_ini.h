// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// What a file runtime.ini in a controller's folder asks for.
struct RuntimeIni {
  struct Variable {
    std::string name;
    std::string value;         ///< as it stands there: may hold $(NAME)
    bool holds_paths = false;  ///< with ':' between them, relative to the controller's folder
  };
  std::vector<Variable> variables;
  std::string python_command;
  std::string python_options;
  std::vector<std::string> complaints;  ///< "line 3: …", of lines that mean nothing
};

/// Reads its text. Of the sections for one system those for Linux count; java and matlab are read
/// over.
RuntimeIni parse_runtime_ini(std::string_view text);

}  // namespace servosim
