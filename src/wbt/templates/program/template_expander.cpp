// SPDX-License-Identifier: Apache-2.0
// The program template_expander runs the templates of PROTO files for the library. It is a separate
// process, since templates are foreign programs: here they have no files, no network, and limited
// time and memory. The library reads the files of its project that a template requests.
//
// Usage: template_expander PARENT SECONDS SECONDS
//
// PARENT is the id of the process that waits for it. The first SECONDS limit the total processor
// time, the second SECONDS that for each template. Requests come from its standard input, a socket,
// and answers go there.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/helper_program.h"
#include "wbt/templates/program/script.h"
#include "wbt/templates/program/template_message.h"

namespace servosim {
namespace {

constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxEngineMemory = 32u << 20;
// Copies of a request: the message, its components, the script.
constexpr std::uint64_t kMaxCopies = 3;

TemplateAnswer expand(const TemplateRequest& request) {
  try {
    return request.language == TemplateLanguage::Lua ? expand_lua(request)
                                                     : expand_javascript(request);
  } catch (const std::bad_alloc&) {
    TemplateAnswer answer;
    answer.fault = {0, memory_fault()};
    answer.at_limit = true;
    return answer;
  }
}

// The memory that the engines count for a template does not include texts and exceptions, so the
// process is limited, too. `base` is the data of this program.
TemplateAnswer expand_within_limits(const TemplateRequest& request, std::size_t size,
                                    std::uint64_t base) {
  if (base > 0) {
    limit_data(base + kMaxEngineMemory + kMaxCopies * size +
               (std::uint64_t{kMaxTemplateMemory} << 20));
  }
  TemplateAnswer answer = expand(request);
  limit_data(kMaxMemory);
  return answer;
}

// Serves one request; returns false at the end. The process ends after a template that failed, so
// that nothing of it is left for the next one.
bool serve(unsigned seconds, std::uint64_t base) {
  const auto message = receive_message(STDIN_FILENO, kMaxTemplateRequest);
  const auto request = message ? decode_template_request(*message) : std::nullopt;
  if (!request) {
    return false;
  }
  limit_processor_time(seconds);
  ::signal(SIGALRM, SIG_DFL);  // even if it was ignored
  ::alarm(kMaxTemplateSeconds);
  const TemplateAnswer answer = expand_within_limits(*request, message->size(), base);
  ::alarm(0);
  Writer writer;
  encode(answer, writer);
  return send_message(STDIN_FILENO, writer.bytes()) && !answer.fault;
}

}  // namespace

TemplateFileReply ask_for_file(const TemplateFileQuestion& question) {
  Writer writer;
  encode(question, writer);
  std::optional<std::vector<std::byte>> message;
  if (send_message(STDIN_FILENO, writer.bytes())) {
    message = receive_message(STDIN_FILENO, kMaxTemplateRequest);
  }
  auto reply = message ? decode_template_file_reply(*message) : std::nullopt;
  if (!reply) {
    ::_exit(1);
  }
  return std::move(*reply);
}

}  // namespace servosim

int main(int argc, char** argv) {
  if (argc != 4 || !servosim::end_with_parent(std::atoi(argv[1]))) {
    return 2;
  }
  const auto seconds = static_cast<unsigned>(std::atoi(argv[3]));
  try {
    servosim::limit_memory(servosim::kMaxMemory);
    servosim::limit_processor_time_in_all(static_cast<unsigned>(std::atoi(argv[2])));
    const std::uint64_t base = servosim::used_data();
    servosim::limit_files();
    while (servosim::serve(seconds, base)) {
    }
  } catch (
      const std::exception&) {  // no limits or no memory: the library reports the missing answer
    ::_exit(1);
  }
  ::_exit(0);  // nothing needs to be released
}
