// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

#include <optional>
#include <string>

#include "wbt/templates/program/script.h"
#include "wbt/templates/program/template_message.h"
#include "wbt/templates/program/template_output.h"

namespace servosim {

/// What one expansion in JavaScript works with; the context points to it.
struct JavaScriptRun {
  JavaScriptRun(JSContext* cx, const TemplateRequest& request)
      : script(request), output(request), modules(cx) {}

  Script script;
  TemplateOutput output;
  JS::PersistentRootedObject modules;  ///< loaded so far, by name
};

/// What the engine is told the template's script is called.
inline constexpr const char* kTemplateName = "template";

/// The bytes of a string; nothing, with an exception pending, when there is no memory for them.
std::optional<std::string> utf8_of(JSContext* cx, JS::HandleString text);

/// The line of the file at which the template stands now, also below functions of modules; 0 if it
/// does not run.
std::uint32_t present_line(JSContext* cx, const Script& script);

/// The exception that ended the template, and its line of the file. It pends no longer.
TemplateNote take_exception(JSContext* cx, const Script& script);

}  // namespace servosim
