// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/helper_program.h"
#include "base/scoped.h"
#include "servosim/diagnostics.h"
#include "wbt/proto/proto.h"
#include "wbt/templates/program/template_message.h"
#include "wbt/templates/template_text.h"

namespace servosim::wbt {

struct Environment;
struct Proto;
struct ParseContext;

/// The program template_expander, which is started when it is first needed.
class TemplateProgram {
 public:
  TemplateProgram() = default;
  ~TemplateProgram() { stop(); }
  TemplateProgram(const TemplateProgram&) = delete;
  TemplateProgram& operator=(const TemplateProgram&) = delete;

  /// Sets how long an expansion may use the processor: see ReadOptions. Call it before the first
  /// expansion.
  void limit(unsigned seconds) { seconds_ = available_processor_seconds(seconds); }
  /// Answers a template's questions about files while it runs.
  using FileAnswers = std::function<TemplateFileReply(const TemplateFileQuestion&)>;
  /// Returns its answer, or a clause with the reason why there is none.
  std::variant<TemplateAnswer, std::string> expand(const TemplateRequest& request,
                                                   const FileAnswers& answer_of_file);

 private:
  std::string start();  // returns an empty text, or a clause
  std::optional<std::vector<std::byte>> receive(const FileAnswers& answer_of_file);
  int stop();  // returns its wait status
  unsigned seconds_left() const;

  unsigned seconds_ = 1;  // value before limit()
  Descriptor socket_;
  pid_t pid_ = 0;
  double used_seconds_ = 0.0;  // processor time of the processes that have ended
};

/// Why an instance cannot be made.
struct Fault {
  SourceLocation where;
  std::string reason;
};

/// The number of the instance's body in the SourceMap, or why it has none.
using TemplateExpansion = std::variant<std::uint32_t, Fault>;

/// The data that a load keeps about its templates.
struct TemplateExpansions {
  TemplateProgram program;
  /// Expansions by PROTO and by what the template can see of the instance.
  std::map<std::pair<const Proto*, std::string>, TemplateExpansion> known;
  std::map<const Proto*, Fault> unusable;  ///< they have reached a limit or crashed
  std::size_t made = 0;                    ///< total bytes of text
  std::size_t file_room = 256u << 20;      ///< remaining bytes of files
  std::uint32_t instances = 0;
};

/// Returns the body of an instance of a template PROTO. It is expanded once for all instances that
/// the template cannot distinguish. Notes of the template go to the diagnostics.
const TemplateExpansion& expand_template(ParseContext& reading, const Environment& environment);

struct Proto;

/// Returns what a template of this PROTO may read of a file. It may read regular files below the
/// PROTO's project, at most kMaxTemplateFile bytes each, and at most `room` bytes in total. The
/// bytes that are read, and 16 KiB for each question, are subtracted from `room`. Links and `..`
/// that lead out of the project are refused. The project is the folder above protos/. If there is
/// none, or if it is shared by many, such as $HOME, the project is the PROTO's own folder. If that
/// is also shared, nothing is read.
/// @throws Shortage
TemplateFileReply answer_of(const TemplateFileQuestion& question, const Proto& proto,
                            std::size_t& room);

/// Returns what a template may use of one instance, as JSON {"fields": ..., "context": ...}. It
/// contains only what the template mentions, so that instances that differ in nothing it sees have
/// the same text. Returns nothing if it is larger than a request may be. `id` is the id of the
/// instance.
std::optional<std::string> template_values(const ParseContext& reading,
                                           const Environment& environment, const TemplateText& text,
                                           std::uint32_t id);

}  // namespace servosim::wbt
