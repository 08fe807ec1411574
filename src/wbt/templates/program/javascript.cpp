// SPDX-License-Identifier: Apache-2.0
#include <js/CharacterEncoding.h>
#include <js/CompilationAndEvaluation.h>
#include <js/Conversions.h>
#include <js/ErrorReport.h>
#include <js/Exception.h>
#include <js/GCAPI.h>
#include <js/Initialization.h>
#include <js/JSON.h>
#include <js/Modules.h>
#include <js/Promise.h>
#include <js/PropertyAndElement.h>
#include <js/SavedFrameAPI.h>
#include <js/SourceText.h>
#include <js/Stack.h>
#include <js/String.h>
#include <jsapi.h>
#include <jsfriendapi.h>

#include <new>
#include <optional>
#include <string>

#include "wbt/templates/program/script.h"

namespace servosim {
namespace {

constexpr std::uint32_t kMaxScriptStack = 1u << 20;  // bytes

JavaScriptRun& run_of(JSContext* cx) {
  return *static_cast<JavaScriptRun*>(JS_GetContextPrivate(cx));
}

JSObject* compile_module(JSContext* cx, const char* name, std::string_view text) {
  JS::CompileOptions options(cx);
  options.setFileAndLine(name, 1);
  JS::SourceText<mozilla::Utf8Unit> source;
  return source.init(cx, text.data(), text.size(), JS::SourceOwnership::Borrowed)
             ? JS::CompileModule(cx, options, source)
             : nullptr;
}

// C++ exceptions must not pass through the engine.
template <auto function>
bool native(JSContext* cx, unsigned argc, JS::Value* vp) {
  try {
    return function(cx, JS::CallArgsFromVp(argc, vp));
  } catch (const std::bad_alloc&) {
    JS_ReportOutOfMemory(cx);
    return false;
  }
}

bool too_much_text(JSContext* cx) {
  JS_ReportErrorASCII(cx, "%s", kTextFault);
  return false;
}

// A template can also call these functions, with any arguments.
std::size_t piece_of(const JS::CallArgs& args) {
  return args.get(0).isInt32() ? static_cast<std::size_t>(args.get(0).toInt32()) : SIZE_MAX;
}

bool write_text(JSContext* cx, const JS::CallArgs& args) {
  args.rval().setUndefined();
  return run_of(cx).output.write_text(piece_of(args)) || too_much_text(cx);
}

bool write_value(JSContext* cx, const JS::CallArgs& args) {
  args.rval().setUndefined();
  JS::RootedString text(cx, JS::ToString(cx, args.get(1)));
  if (!text) {
    return false;
  }
  if (JS::GetStringLength(text) > kMaxTemplateOutput) {
    return too_much_text(cx);
  }
  const auto utf8 = utf8_of(cx, text);
  return utf8 && (run_of(cx).output.write_value(piece_of(args), *utf8) || too_much_text(cx));
}

bool say(JSContext* cx, const JS::CallArgs& args) {
  args.rval().setUndefined();
  JS::RootedString text(cx, JS::ToString(cx, args.get(0)));
  const auto utf8 = text ? utf8_of(cx, text) : std::nullopt;
  if (!utf8) {
    return false;
  }
  JavaScriptRun& run = run_of(cx);
  run.output.add_note(present_line(cx, run.script), *utf8);
  return true;
}

// Returns the library's answer about the file that the first argument names. If the library
// refuses, returns nothing and leaves an exception pending.
std::optional<TemplateFileReply> ask_of_argument(JSContext* cx, const JS::CallArgs& args,
                                                 TemplateFileQuestion::Kind kind) {
  JS::RootedString text(cx, JS::ToString(cx, args.get(0)));
  auto path = text ? utf8_of(cx, text) : std::nullopt;
  if (!path) {
    return std::nullopt;
  }
  auto reply = ask_for_file({kind, *path});
  if (reply.is_refused) {
    JS_ReportErrorUTF8(cx, "file '%s' %s", path->c_str(), reply.text.c_str());
    return std::nullopt;
  }
  return reply;
}

bool file_exists(JSContext* cx, const JS::CallArgs& args) {
  const auto reply = ask_of_argument(cx, args, TemplateFileQuestion::Kind::Exists);
  args.rval().setBoolean(reply && reply->exists);
  return reply.has_value();
}

bool text_of_file(JSContext* cx, const JS::CallArgs& args) {
  const auto reply = ask_of_argument(cx, args, TemplateFileQuestion::Kind::Text);
  JSString* const text =
      reply ? JS_NewStringCopyUTF8N(cx, JS::UTF8Chars(reply->text.data(), reply->text.size()))
            : nullptr;
  if (text != nullptr) {
    args.rval().setString(text);
  }
  return text != nullptr;
}

// Only the file name of a module specifier counts: 'wbrandom', 'wbrandom.js', './wbrandom.js'.
std::string module_name(std::string specifier) {
  specifier.erase(0, specifier.find_last_of('/') + 1);
  return specifier.ends_with(".js") ? specifier : specifier + ".js";
}

JSObject* load_module(JSContext* cx, JS::HandleObject request) {
  JS::RootedString specifier(cx, JS::GetModuleRequestSpecifier(cx, request));
  const auto utf8 = specifier ? utf8_of(cx, specifier) : std::nullopt;
  if (!utf8) {
    return nullptr;
  }
  const std::string name = module_name(*utf8);
  JS::RootedObject known(cx, run_of(cx).modules);
  JS::RootedValue module(cx);
  if (!JS_GetProperty(cx, known, name.c_str(), &module)) {
    return nullptr;
  }
  if (module.isObject()) {
    return &module.toObject();
  }
  const BuiltInFile file = built_in_file(name);
  if (file.text.empty() || !name.starts_with("wb")) {
    JS_ReportErrorUTF8(cx,
                       "servosim has no module '%s' for templates: only those that are built in, "
                       "such as 'wbrandom.js'",
                       utf8->c_str());
    return nullptr;
  }
  JS::RootedObject compiled(cx, compile_module(cx, name.c_str(), file.text));
  return compiled && JS_DefineProperty(cx, known, name.c_str(), compiled, 0) ? compiled.get()
                                                                             : nullptr;
}

JSObject* resolve_module(JSContext* cx, JS::HandleValue, JS::HandleObject request) {
  try {
    return load_module(cx, request);
  } catch (const std::bad_alloc&) {
    JS_ReportOutOfMemory(cx);
    return nullptr;
  }
}

// Starts the only engine of this process.
JSContext* start_engine() {
  // It reserves gigabytes, and most templates end before it has an advantage.
  JS::DisableJitBackend();
  if (!JS_Init()) {
    throw std::bad_alloc();
  }
  JSContext* cx = JS_NewContext(kMaxTemplateMemory << 20);
  if (cx == nullptr || !js::UseInternalJobQueues(cx) || !JS::InitSelfHostedCode(cx)) {
    throw std::bad_alloc();
  }
  JS_SetNativeStackQuota(cx, kMaxScriptStack);
  JS::SetModuleResolveHook(JS_GetRuntime(cx), resolve_module);
  return cx;
}

JSObject* new_global(JSContext* cx) {
  static const JSClass kGlobal{
      "global", JSCLASS_GLOBAL_FLAGS, &JS::DefaultGlobalClassOps, nullptr, nullptr, nullptr};
  JS::RealmOptions options;
  // There is nothing to wait for.
  options.creationOptions().setSharedMemoryAndAtomicsEnabled(false);
  return JS_NewGlobalObject(cx, &kGlobal, nullptr, JS::FireOnNewGlobalHook, options);
}

bool run_prelude(JSContext* cx) {
  const std::string_view text = built_in_file("prelude.js").text;
  JS::CompileOptions options(cx);
  options.setFileAndLine("prelude.js", 1);
  JS::SourceText<mozilla::Utf8Unit> source;
  JS::RootedValue ignored(cx);
  return source.init(cx, text.data(), text.size(), JS::SourceOwnership::Borrowed) &&
         JS::Evaluate(cx, options, source, &ignored);
}

// __values has the members fields and context, which the prelude turns into globals.
bool define_globals(JSContext* cx, JS::HandleObject global, const TemplateRequest& request) {
  JS::RootedString json(
      cx, JS_NewStringCopyUTF8N(cx, JS::UTF8Chars(request.values.data(), request.values.size())));
  JS::RootedValue values(cx);
  return json && JS_ParseJSON(cx, json, &values) &&
         JS_DefineProperty(cx, global, "__values", values, 0) &&
         JS_DefineProperty(cx, global, "__seed", request.seed, 0) &&
         JS_DefineFunction(cx, global, "__text", native<write_text>, 1, 0) != nullptr &&
         JS_DefineFunction(cx, global, "__value", native<write_value>, 2, 0) != nullptr &&
         JS_DefineFunction(cx, global, "__say", native<say>, 1, 0) != nullptr &&
         JS_DefineFunction(cx, global, "__fileExists", native<file_exists>, 1, 0) != nullptr &&
         JS_DefineFunction(cx, global, "__textOfFile", native<text_of_file>, 1, 0) != nullptr &&
         run_prelude(cx);
}

bool run_module(JSContext* cx, const Script& script) {
  JS::RootedObject module(cx, compile_module(cx, kTemplateName, script.text()));
  JS::RootedValue result(cx);
  if (!module || !JS::ModuleInstantiate(cx, module) || !JS::ModuleEvaluate(cx, module, &result)) {
    return false;
  }
  js::RunJobs(cx);
  JS::RootedObject promise(cx, &result.toObject());
  if (JS::GetPromiseState(promise) == JS::PromiseState::Pending) {
    JS_ReportErrorASCII(cx, "the template waits for something that never happens");
    return false;
  }
  return JS::ThrowOnModuleEvaluationFailure(cx, promise, JS::ThrowModuleErrorsSync);
}

}  // namespace

TemplateAnswer expand_javascript(const TemplateRequest& request) {
  static JSContext* const cx = start_engine();
  JS_MaybeGC(cx);  // the garbage of the last template would leave less memory
  JavaScriptRun run(cx, request);
  JS_SetContextPrivate(cx, &run);
  JS::RootedObject global(cx, new_global(cx));
  if (!global) {
    throw std::bad_alloc();
  }
  const JSAutoRealm realm(cx, global);
  run.modules = JS_NewPlainObject(cx);
  if (run.modules && define_globals(cx, global, request) && run_module(cx, run.script)) {
    return run.output.finish();
  }
  const TemplateNote fault = take_exception(cx, run.script);
  return run.output.fail(fault.line, fault.text, fault.text == memory_fault());
}

namespace {

constexpr std::uint32_t kMaxFrames = 100;

// Returns the line of the innermost frame that belongs to the template.
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

// Returns whether a template calls or imports something that a module of ours lacks.
bool names_a_module(std::string_view text) {
  return text.starts_with("TypeError: wb") || text.starts_with("SyntaxError: import not found");
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
  if (!JS::CaptureCurrentStack(cx, &stack, JS::StackCapture(JS::MaxFrames(kMaxFrames)))) {
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
  // An Error has the line at which it was made.
  JS::RootedObject stack(cx, exception.stack());
  if (exception.exception().isObject()) {
    JS::RootedObject error(cx, &exception.exception().toObject());
    JSObject* made = JS::ExceptionStackOrNull(error);
    stack = made != nullptr ? made : stack.get();
  }
  TemplateNote note{line_of(cx, stack, script), ""};
  JS::ErrorReportBuilder report(cx);
  if (!report.init(cx, exception, JS::ErrorReportBuilder::WithSideEffects)) {
    note.text =
        JS_IsThrowingOutOfMemory(cx) ? memory_fault() : "throws something that cannot be read";
    JS_ClearPendingException(cx);
    return note;
  }
  const std::string_view text = report.toStringResult().c_str();
  note.text = text.ends_with("out of memory")  // this one is thrown as a string
                  ? memory_fault()
                  : text.ends_with("(can't convert to string)")
                        ? "throws what is too long, or cannot be read"
                        : text.substr(0, kMaxTemplateNote);
  if (names_a_module(note.text)) {
    note.text += "; servosim's modules may lack what those of Webots have";
  }
  const char* file = report.report()->filename;
  if (note.line == 0 && file != nullptr && file == std::string_view(kTemplateName)) {
    note.line = script.line_of_file(report.report()->lineno);
  }
  return note;
}

}  // namespace servosim
