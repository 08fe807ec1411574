// SPDX-License-Identifier: Apache-2.0
#include "base/helper_program.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace servosim {
namespace {

void check_call(int result, const char* what) {
  if (result != 0) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

rlimit limits_of(__rlimit_resource resource) {
  rlimit limits{};
  check_call(::getrlimit(resource, &limits), "getrlimit");
  return limits;
}

void lower_limit(__rlimit_resource resource, rlim_t value) {
  rlimit limits = limits_of(resource);
  limits.rlim_max = std::min(limits.rlim_max, value);
  limits.rlim_cur = std::min(limits.rlim_cur, value);
  check_call(::setrlimit(resource, &limits), "setrlimit");
}

}  // namespace

bool end_with_parent(pid_t parent, int number) {
  return ::prctl(PR_SET_PDEATHSIG, number) == 0 && ::getppid() == parent;
}

void limit_memory([[maybe_unused]] std::uint64_t max_bytes) {
  lower_limit(RLIMIT_CORE, 0);
#ifdef SERVOSIM_LIMIT_MEMORY
  lower_limit(RLIMIT_AS, max_bytes);
#endif
}

std::uint64_t used_data() {
  std::ifstream pages("/proc/self/statm");
  std::uint64_t data = 0;
  for (int field = 0; field < 6 && pages; ++field) {
    pages >> data;
  }
  return pages ? data * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void limit_data([[maybe_unused]] std::uint64_t max_bytes) {
#ifdef SERVOSIM_LIMIT_MEMORY
  rlimit limits = limits_of(RLIMIT_DATA);
  limits.rlim_cur = std::min(limits.rlim_max, static_cast<rlim_t>(max_bytes));
  check_call(::setrlimit(RLIMIT_DATA, &limits), "setrlimit");
#endif
}

void limit_processor_time(unsigned seconds) {
  ::signal(SIGXCPU, SIG_DFL);  // even if the parent ignored it
  rusage used{};
  check_call(::getrusage(RUSAGE_SELF, &used), "getrusage");
  rlimit limits = limits_of(RLIMIT_CPU);
  const auto started_seconds =
      (used.ru_utime.tv_usec + used.ru_stime.tv_usec + 999'999) / 1'000'000;
  const auto used_up = used.ru_utime.tv_sec + used.ru_stime.tv_sec + started_seconds;
  // The hard limit stays, so that the next call can set its own.
  limits.rlim_cur = std::min(limits.rlim_max, static_cast<rlim_t>(used_up) + seconds);
  check_call(::setrlimit(RLIMIT_CPU, &limits), "setrlimit");
}

void limit_processor_time_in_all(unsigned seconds) { lower_limit(RLIMIT_CPU, seconds); }

void limit_files() {
  lower_limit(RLIMIT_NOFILE, 0);
  lower_limit(RLIMIT_FSIZE, 0);
}

unsigned available_processor_seconds(unsigned seconds) {
  return static_cast<unsigned>(std::min<rlim_t>(seconds, limits_of(RLIMIT_CPU).rlim_cur));
}

}  // namespace servosim
