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
struct Reading;

/// The program template_expander, started when it is first needed.
class TemplateProgram {
 public:
  TemplateProgram() = default;
  ~TemplateProgram() { stop(); }
  TemplateProgram(const TemplateProgram&) = delete;
  TemplateProgram& operator=(const TemplateProgram&) = delete;

  /// How long an expansion may use the processor: see ReadOptions. Before the first one.
  void limit(unsigned seconds) { seconds_ = available_processor_seconds(seconds); }
  /// Answers a template's questions about files while it runs.
  using FileAnswers = std::function<TemplateFileReply(const TemplateFileQuestion&)>;
  /// Its answer, or a clause with the reason why there is none.
  std::variant<TemplateAnswer, std::string> expand(const TemplateRequest& request,
                                                   const FileAnswers& answer_of_file);

 private:
  std::string start();  // empty, or a clause
  std::optional<std::vector<std::byte>> receive(const FileAnswers& answer_of_file);
  int stop();  // its wait status
  unsigned seconds_left() const;

  unsigned seconds_ = 1;  // until limit()
  Descriptor socket_;
  pid_t pid_ = 0;
  double used_seconds_ = 0.0;  // of the processor, by those that have ended
};

/// Why an instance cannot be had.
struct Fault {
  SourceLocation where;
  std::string reason;
};

/// The number in the SourceMap of the body that an instance has, or why it has none.
using TemplateExpansion = std::variant<std::uint32_t, Fault>;

/// What a load keeps of the templates it met.
struct TemplateExpansions {
  TemplateProgram program;
  /// By what the template can see of the instance.
  std::map<std::pair<const Proto*, std::string>, TemplateExpansion> known;
  std::map<const Proto*, Fault> unusable;  ///< they reached a limit or crashed
  std::size_t made = 0;                    ///< bytes of text, in all
  std::size_t file_room = 256u << 20;      ///< bytes of files, from now on
  std::uint32_t instances = 0;
};

/// The body of an instance of a template PROTO, expanded once for all instances that look alike to
/// it. Notes of the template go to the diagnostics.
const TemplateExpansion& expand_template(Reading& reading, const Environment& environment);

struct Proto;

/// What a template of this PROTO may read of a file: regular ones below the PROTO's project are
/// read, at most kMaxTemplateFile bytes, and all together no more than `room` bytes, of which what
/// is read is taken, and 16 KiB for each question. Links and `..` that lead out of the project are
/// refused. The project is the folder above protos/, or the PROTO's own folder where there is none
/// or many share it, such as $HOME; nothing is read where many share that one too.
/// @throws Shortage
TemplateFileReply answer_of(const TemplateFileQuestion& question, const Proto& proto,
                            std::size_t& room);

/// What a template may use of one instance, as JSON {"fields": ..., "context": ...}; only what
/// it mentions, so that instances that differ in nothing it sees have the same text. Nothing when
/// it is more than a request may hold. `id`: the number of the instance.
std::optional<std::string> template_values(const Reading& reading, const Environment& environment,
                                           const TemplateText& text, std::uint32_t id);

}  // namespace servosim::wbt
