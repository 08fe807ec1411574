// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <js/RootingAPI.h>

#include "template/script.h"
#include "template/template_output.h"

namespace servosim {

/// What one expansion in JavaScript works with; the context points to it.
struct JavaScriptRun {
  JavaScriptRun(JSContext* cx, const TemplateRequest& request)
      : script(request), output(request), modules(cx) {}

  Script script;
  TemplateOutput output;
  JS::PersistentRootedObject modules;  ///< loaded so far, by name
};

}  // namespace servosim
