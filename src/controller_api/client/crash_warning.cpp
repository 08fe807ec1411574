// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/crash_warning.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <string_view>

#include "base/printable.h"

namespace servosim {
namespace {

constexpr std::size_t kMaxWarnings = 3;
constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Lines that the handler reads, and that never move.
struct Warning {
  std::array<char, 400> line{};
  std::size_t size = 0;
};
std::array<Warning, kMaxWarnings> warnings;
std::atomic<std::size_t> warning_count{0};
std::mutex warnings_mutex;

void on_crash(int number, siginfo_t* info, void*) {
  for (std::size_t i = 0; i < warning_count.load(); ++i) {
    if (::write(STDERR_FILENO, warnings[i].line.data(), warnings[i].size) < 0) {
      break;
    }
  }
  // The handler is no longer installed. A fault that the processor finds happens again when the
  // handler returns.
  if (info->si_code <= 0) {
    ::raise(number);
  }
}

void install(int number) {
  struct sigaction present {};
  if (::sigaction(number, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) {
    return;
  }
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  static_cast<void>(::sigaction(number, &action, nullptr));  // else there is no second line
}

}  // namespace

void repeat_at_crash(const std::string& text) noexcept {
  try {
    const std::string line = "Warning: " + printable(text).substr(0, 380) + '\n';
    const std::lock_guard lock(warnings_mutex);
    const std::size_t count = warning_count.load();
    const bool is_known =
        std::any_of(warnings.begin(), warnings.begin() + count, [&](const Warning& warning) {
          return std::string_view(warning.line.data(), warning.size) == line;
        });
    if (count == kMaxWarnings || is_known) {
      return;
    }
    std::copy(line.begin(), line.end(), warnings[count].line.begin());
    warnings[count].size = line.size();
    warning_count = count + 1;
    if (count == 0) {
      std::for_each(kCrashes.begin(), kCrashes.end(), install);
    }
  } catch (const std::exception&) {  // no memory: the line is not repeated
  }
}

}  // namespace servosim
