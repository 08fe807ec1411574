// SPDX-License-Identifier: Apache-2.0
#include <webots/utils/system.h>

#include <cstdlib>

namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

const char* wbu_system_getenv(const char* variable) {
  return variable != nullptr ? std::getenv(variable) : nullptr;
}

const char* wbu_system_short_path(const char* path) { return path; }

const char* wbu_system_tmpdir() {
  const char* asked = variable("WEBOTS_TMPDIR");
  return asked != nullptr ? asked : "/tmp";
}

// Only a program that a simulator has started has this variable.
const char* wbu_system_webots_instance_path(bool) { return variable("WEBOTS_INSTANCE_PATH"); }
