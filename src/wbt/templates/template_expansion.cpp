// SPDX-License-Identifier: Apache-2.0
#include "wbt/templates/template_expansion.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "base/child_process.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/scoped.h"
#include "base/shortage.h"
#include "wbt/proto/proto.h"
#include "wbt/world_file.h"

namespace servosim::wbt {
namespace {

constexpr std::size_t kMaxHopeless = 3;
constexpr std::size_t kMaxExpandedText = 256u << 20;  // bytes for one load

std::string fault_of_program(int wait_status, unsigned seconds) {
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGXCPU) {
    return fmt::format(
        "takes more than {} s of the processor, or all templates more than {} s: limits of "
        "servosim",
        seconds, kMaxProcessSeconds);
  }
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGALRM) {
    return fmt::format("takes more than {} s, the limit of servosim", kMaxTemplateSeconds);
  }
  return fmt::format("crashes its interpreter, which {}", describe_wait_status(wait_status));
}

// Returns the location of the first character of the line that is no blank; for line 0, that of the
// first mark.
SourceLocation place_of(const Proto& proto, std::uint32_t line) {
  const Source& source = proto.source;
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    at = source.text.find('\n', at);
    if (at == std::string_view::npos) {
      break;
    }
    ++at;
  }
  if (line == 0 || at >= source.text.size()) {
    const auto& pieces = proto.script->pieces;
    const auto code = std::find_if(pieces.begin(), pieces.end(), [](const TemplatePiece& piece) {
      return piece.kind != TemplatePiece::Kind::Text;
    });
    return source.at(code == pieces.end()
                         ? proto.body
                         : proto.script->offsets[static_cast<std::size_t>(code - pieces.begin())]);
  }
  const std::size_t word = source.text.find_first_not_of(" \t", at);
  return source.at(static_cast<std::uint32_t>(std::min(word, source.text.size())));
}

Fault fault_at(const Proto& proto, std::uint32_t line, std::string_view reason) {
  return {place_of(proto, line),
          fmt::format("{} template of PROTO '{}': {}", to_string(proto.script->language),
                      proto.name, reason)};
}

std::uint32_t keep(ParseContext& reading, const Proto& proto, TemplateAnswer& answer) {
  std::vector<SourceSpan> spans;
  for (const auto& [at, piece] : answer.spans) {
    spans.push_back({at, proto.script->offsets[piece],
                     proto.script->pieces[piece].kind == TemplatePiece::Kind::Text});
  }
  return reading.diagnostics.sources().add_made(std::move(answer.text), proto.source.file,
                                                std::move(spans));
}

TemplateExpansion run(ParseContext& reading, const Proto& proto, const TemplateRequest& request) {
  auto& unusable = reading.templates.unusable;
  auto result = reading.templates.program.expand(request, [&](const TemplateFileQuestion&
                                                                  question) {
    TemplateFileReply reply = answer_of(question, proto, reading.templates.file_room);
    if (question.kind == TemplateFileQuestion::Kind::Text && !reply.is_refused) {
      reading.diagnostics.sources().add(
          (std::filesystem::path(proto.source.folder) / question.path).lexically_normal().string(),
          reply.text);
    }
    return reply;
  });
  if (const auto* reason = std::get_if<std::string>(&result)) {
    return unusable[&proto] = fault_at(proto, 0, *reason);
  }
  auto& answer = std::get<TemplateAnswer>(result);
  for (const TemplateNote& note : answer.notes) {
    reading.diagnostics.warning(place_of(proto, note.line),
                                fmt::format("the template says: {}", note.text));
  }
  if (answer.fault) {
    Fault fault = fault_at(proto, answer.fault->line, answer.fault->text);
    if (answer.at_limit) {
      unusable[&proto] = fault;
    }
    return fault;
  }
  std::size_t& made = reading.templates.made;
  if (answer.text.size() > kMaxExpandedText - made) {
    return unusable[&proto] =
               fault_at(proto, 0, "all templates together write too much text for servosim");
  }
  made += answer.text.size();
  return keep(reading, proto, answer);
}

}  // namespace

std::string TemplateProgram::start() {
  const std::string program = helper_program_path("template_expander");
  int ends[2];
  int error = 0;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    error = errno;
  } else {
    socket_ = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    error = start_child({program, std::to_string(::getpid()), std::to_string(seconds_left()),
                         std::to_string(seconds_)},
                        {}, {theirs.get(), -1, -1}, pid_);
  }
  if (error != 0) {
    pid_ = 0;
    socket_.reset();
    throw_if_short(error, fmt::format("'{}' cannot be started", program));
    return fmt::format("'{}' cannot be started ({}): install servosim again", program,
                       std::strerror(error));
  }
  return {};
}

int TemplateProgram::stop() {
  socket_.reset();
  if (pid_ == 0) {
    return 0;
  }
  int status = 0;
  rusage used{};
  while (::wait4(pid_, &status, 0, &used) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  used_seconds_ += static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  return status;
}

// The result is at least 1, since 0 would mean no limit.
unsigned TemplateProgram::seconds_left() const {
  return static_cast<unsigned>(std::max(1.0, std::ceil(kMaxProcessSeconds - used_seconds_)));
}

// Receives the next message that is no question, and answers questions.
std::optional<std::vector<std::byte>> TemplateProgram::receive(const FileAnswers& answer_of_file) {
  Writer writer;
  for (;;) {
    auto message = receive_message(socket_.get(), kMaxTemplateAnswer);
    const auto question = message ? decode_template_file_question(*message) : std::nullopt;
    if (!question) {
      return message;
    }
    writer.clear();
    encode(answer_of_file(*question), writer);
    if (!send_message(socket_.get(), writer.bytes())) {
      return std::nullopt;
    }
  }
}

std::variant<TemplateAnswer, std::string> TemplateProgram::expand(
    const TemplateRequest& request, const FileAnswers& answer_of_file) {
  if (pid_ == 0) {
    if (used_seconds_ >= kMaxProcessSeconds) {
      return fmt::format("is not run: all templates took more than {} s", kMaxProcessSeconds);
    }
    if (std::string reason = start(); !reason.empty()) {
      return reason;
    }
  }
  Writer writer;
  encode(request, writer);
  if (writer.size() > kMaxTemplateRequest) {
    return "is too much text with its parameters";
  }
  std::optional<std::vector<std::byte>> message;
  if (send_message(socket_.get(), writer.bytes())) {
    message = receive(answer_of_file);
  }
  auto answer = message ? decode_template_answer(*message, request.pieces.size()) : std::nullopt;
  if (!answer) {
    return fault_of_program(stop(), seconds_);
  }
  if (answer->fault) {
    stop();  // the program ends after a failure
  }
  return std::move(*answer);
}

const TemplateExpansion& expand_template(ParseContext& reading, const Environment& environment) {
  TemplateExpansions& templates = reading.templates;
  const Proto& proto = environment.proto;
  const TemplateText& text = *proto.script;
  const std::uint32_t id = ++templates.instances;
  const std::uint32_t seed = text.is_random ? id : 1;
  const auto values = template_values(reading, environment, text, id);
  const auto [known, is_new] =
      templates.known.try_emplace({&proto, fmt::format("{} {}", seed, values.value_or(""))});
  if (!is_new) {
    return known->second;
  }
  if (text.unclosed) {
    known->second = Fault{proto.source.at(*text.unclosed),
                          fmt::format("this mark is never closed by '{}'",
                                      text.language == TemplateLanguage::Lua ? "}%" : ">%")};
  } else if (!values) {
    known->second = fault_at(proto, 0, "its parameters are too much text");
  } else if (const auto found = templates.unusable.find(&proto);
             found != templates.unusable.end()) {
    known->second = found->second;
  } else if (templates.unusable.size() >= kMaxHopeless) {
    known->second = fault_at(proto, 0, "is not run, for too many before it were ended");
  } else {
    known->second = run(reading, proto, {text.language, seed, *values, text.pieces});
  }
  return known->second;
}

namespace {

namespace fs = std::filesystem;

// The amount [bytes] by which a question reduces the remaining room of a world, so that the number
// of questions is limited, too.
constexpr std::size_t kQuestionCost = 16u << 10;

TemplateFileReply refused(std::string reason) { return {true, false, std::move(reason)}; }

// Returns an empty text if there is no folder that a template may read.
std::string project_of_template(const Proto& proto) {
  for (const std::string& folder : {proto.project, proto.source.folder}) {
    if (fs::path(folder).is_absolute() && !is_shared_folder(folder)) {
      return folder;
    }
  }
  return {};
}

// Opens the file without reading it and without waiting for another process.
Descriptor find(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

std::string name_of(const Descriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

}  // namespace

TemplateFileReply answer_of(const TemplateFileQuestion& question, const Proto& proto,
                            std::size_t& room) {
  if (question.path.size() >= PATH_MAX) {
    return refused(fmt::format("has a name of {} bytes or more", PATH_MAX));
  }
  if (question.path.find('\0') != std::string::npos) {
    return refused("has a name with a NUL byte");
  }
  if (room < kQuestionCost) {
    return refused("is too much with all that templates have read before");
  }
  room -= kQuestionCost;
  std::error_code error;
  const std::string folder = project_of_template(proto);
  if (folder.empty()) {
    return refused("cannot be read: the PROTO lies in a cache or in a folder that others share");
  }
  const fs::path project = fs::canonical(folder, error);
  if (error) {
    throw_if_short(error, "'" + folder + "' cannot be looked at");
    return refused("cannot be read: " + error.message());
  }
  const fs::path path = proto.source.folder / fs::path(question.path);
  // This checks the opened file and not its name, since the name may lead elsewhere a moment later.
  Descriptor file = find(path.string());
  const int failure = file ? 0 : errno;
  throw_if_short(failure, "'" + path.string() + "' cannot be opened");
  const Descriptor above = file ? Descriptor() : find(path.parent_path().string());
  const fs::path place = file    ? fs::read_symlink(name_of(file), error)
                         : above ? fs::read_symlink(name_of(above), error)
                                 : path.lexically_normal();
  if (error || !is_within(place, project)) {
    return refused(fmt::format("is outside of '{}', the project of the PROTO", project.string()));
  }
  struct stat info {};
  const bool is_file = file && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (question.kind == TemplateFileQuestion::Kind::Exists) {
    return {false, is_file, {}};
  }
  if (!file) {
    return refused("cannot be read: " + std::generic_category().message(failure));
  }
  const std::size_t most = std::min(kMaxTemplateFile, room);
  const auto too_large = [&] {
    return refused(most < kMaxTemplateFile ? "is too much with all that templates have read before"
                                           : fmt::format("is larger than {} MB", most >> 20));
  };
  if (is_file && static_cast<std::uint64_t>(info.st_size) > most) {
    return too_large();
  }
  auto content = read_file(name_of(file));
  if (const auto* unread = std::get_if<FileError>(&content)) {
    return refused(unread->reason);
  }
  auto& text = std::get<std::string>(content);
  if (text.size() > most) {  // it has grown in the meantime
    return too_large();
  }
  room -= text.size();
  return {false, true, std::move(text)};
}

}  // namespace servosim::wbt
