// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wbt/templates/program/template_message.h"

namespace servosim {

/// The output and the notes of a template while it runs.
class TemplateOutput {
 public:
  explicit TemplateOutput(const TemplateRequest& request) : request_(request) {}

  /// Writes a Text piece. Returns false if there is no such piece, or if there is too much text.
  bool write_text(std::size_t piece);
  /// Writes the value of an Expression. Returns false in the same cases.
  bool write_value(std::size_t piece, std::string_view text);
  void add_note(std::uint32_t line, std::string_view text);

  /// Returns everything that was written.
  TemplateAnswer finish();
  /// Returns an answer with this fault, after the notes.
  TemplateAnswer fail(std::uint32_t line, std::string_view text, bool at_limit = false);

 private:
  bool write(std::size_t piece, std::string_view text);

  const TemplateRequest& request_;
  TemplateAnswer answer_;
  std::size_t omitted_notes_ = 0;
  bool full_ = false;
};

/// A template as a program in Lua or JavaScript. It contains its statements unchanged, and calls of
/// __text(piece) and __value(piece, expression) for what it writes.
class Script {
 public:
  explicit Script(const TemplateRequest& request);

  const std::string& text() const { return text_; }
  /// Returns the line of the file for a line of the script, both counted from 1; 0 if there is
  /// none.
  std::uint32_t line_of_file(std::uint32_t line) const {
    return line >= 1 && line <= lines_.size() ? lines_[line - 1] : 0;
  }

 private:
  void add(std::string_view code, std::uint32_t line);

  std::string text_;
  std::vector<std::uint32_t> lines_;
};

/// A file that is a part of the program: its name, such as "wbrandom.js", and its text.
struct BuiltInFile {
  std::string_view name;
  std::string_view text;
};
/// Returns the file of that name, or one with an empty text.
BuiltInFile built_in_file(std::string_view name);

/// Returns the answer of the library, since only the library opens files. Ends the program if the
/// library is gone.
/// @throws std::bad_alloc
TemplateFileReply ask_for_file(const TemplateFileQuestion& question);

/// Expand one template. An error of the template becomes the fault of the answer.
/// @throws std::bad_alloc
TemplateAnswer expand_lua(const TemplateRequest& request);
TemplateAnswer expand_javascript(const TemplateRequest& request);

/// The data of one expansion in JavaScript; the context points to it.
struct JavaScriptRun {
  JavaScriptRun(JSContext* cx, const TemplateRequest& request)
      : script(request), output(request), modules(cx) {}

  Script script;
  TemplateOutput output;
  JS::PersistentRootedObject modules;  ///< modules that were loaded so far, by name
};

/// The file name of the template's script, for the engine.
inline constexpr const char* kTemplateName = "template";

/// Returns the bytes of a string. If there is no memory for them, returns nothing and leaves an
/// exception pending.
std::optional<std::string> utf8_of(JSContext* cx, JS::HandleString text);

/// Returns the line of the file at which the template is now, even inside functions of modules; 0
/// if it does not run.
std::uint32_t present_line(JSContext* cx, const Script& script);

/// Returns the exception that ended the template, and its line of the file. Afterwards the
/// exception is no longer pending.
TemplateNote take_exception(JSContext* cx, const Script& script);

}  // namespace servosim
