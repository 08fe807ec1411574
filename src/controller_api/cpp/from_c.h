// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

namespace webots {

/// The object for a handle of the C API. It is created at its first use and then kept, since
/// programs compare pointers. Null for a null handle.
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

/// The text of a function of the C API; "" for NULL, which is returned after an error.
inline std::string to_string(const char *text) { return text != nullptr ? text : ""; }

}  // namespace webots
