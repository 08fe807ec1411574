// SPDX-License-Identifier: Apache-2.0
#include "template/javascript_errors.h"

#include <js/CharacterEncoding.h>
#include <js/ErrorReport.h>
#include <js/Exception.h>
#include <js/SavedFrameAPI.h>
#include <js/Stack.h>
#include <js/String.h>
#include <jsapi.h>

namespace servosim {
namespace {

constexpr std::uint32_t kMostFrames = 100;

// The line of the innermost frame that is the template's.
std::uint32_t line_of(JSContext* cx, JS::HandleObject stack, const Script& script) {
  JS::RootedObject frame(cx, stack);
  JS::RootedObject parent(cx);
  JS::RootedString source(cx);
  while (frame) {
    std::uint32_t line = 0;
    bool is_template = false;
    if (JS::GetSavedFrameSource(cx, nullptr, frame, &source) != JS::SavedFrameResult::Ok ||
        !JS_StringEqualsAscii(cx, source, kTemplateName, &is_template) ||
        JS::GetSavedFrameLine(cx, nullptr, frame, &line) != JS::SavedFrameResult::Ok) {
      return 0;
    }
    if (is_template) {
      return script.line_of_file(line);
    }
    if (JS::GetSavedFrameParent(cx, nullptr, frame, &parent) != JS::SavedFrameResult::Ok) {
      return 0;
    }
    frame = parent;
  }
  return 0;
}

}  // namespace

std::optional<std::string> utf8_of(JSContext* cx, JS::HandleString text) {
  JSLinearString* linear = JS_EnsureLinearString(cx, text);
  if (linear == nullptr) {
    return std::nullopt;
  }
  std::string bytes(JS::GetDeflatedUTF8StringLength(linear), '\0');
  JS::DeflateStringToUTF8Buffer(linear, bytes);
  return bytes;
}

std::uint32_t present_line(JSContext* cx, const Script& script) {
  JS::RootedObject stack(cx);
  if (!JS::CaptureCurrentStack(cx, &stack, JS::StackCapture(JS::MaxFrames(kMostFrames)))) {
    JS_ClearPendingException(cx);
    return 0;
  }
  return line_of(cx, stack, script);
}

TemplateNote take_exception(JSContext* cx, const Script& script) {
  if (!JS_IsExceptionPending(cx)) {
    return {0, "was ended by the JavaScript engine"};
  }
  JS::ExceptionStack exception(cx);
  if (!JS::StealPendingExceptionStack(cx, &exception)) {
    JS_ClearPendingException(cx);
    return {0, "fails, and its exception cannot be read"};
  }
  // An Error knows where it was made.
  JS::RootedObject stack(cx, exception.stack());
  if (exception.exception().isObject()) {
    JS::RootedObject error(cx, &exception.exception().toObject());
    JSObject* made = JS::ExceptionStackOrNull(error);
    stack = made != nullptr ? made : stack.get();
  }
  TemplateNote note{line_of(cx, stack, script), ""};
  JS::ErrorReportBuilder report(cx);
  if (!report.init(cx, exception, JS::ErrorReportBuilder::WithSideEffects)) {
    JS_ClearPendingException(cx);
    note.text = "throws something that cannot be read";
    return note;
  }
  note.text = report.toStringResult().c_str();
  if (note.text.ends_with("out of memory")) {  // thrown as a text
    note.text = memory_fault();
  }
  const char* file = report.report()->filename;
  if (note.line == 0 && file != nullptr && file == std::string_view(kTemplateName)) {
    note.line = script.line_of_file(report.report()->lineno);
  }
  return note;
}

}  // namespace servosim
