// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

namespace webots {

/// The object of a handle of the C API, created at its first use, and kept: programs compare
/// pointers. Null for null.
template <typename Object, typename Handle, typename Make>
Object *object_of(Handle handle, Make make) {
  if (handle == nullptr) {
    return nullptr;
  }
  static auto &known = *new std::map<Handle, std::unique_ptr<Object>>;
  std::unique_ptr<Object> &found = known[handle];
  if (found == nullptr) {
    found.reset(make(handle));
  }
  return found.get();
}

/// The text of a function of the C API, which is NULL after an error.
inline std::string to_string(const char *text) { return text != nullptr ? text : ""; }

}  // namespace webots
