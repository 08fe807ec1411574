// SPDX-License-Identifier: Apache-2.0
#include "net/connection_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace servosim::net {

namespace {

constexpr rlim_t kOthers = 64;  // files of a database and its journal, logs, pipes

void check_limits(int result) {
  if (result != 0) {
    throw std::system_error(errno, std::generic_category(), "getrlimit");
  }
}

}  // namespace

std::size_t most_connections() {
  rlimit files{};
  check_limits(::getrlimit(RLIMIT_NOFILE, &files));
  if (files.rlim_cur < files.rlim_max) {
    const rlimit raised{files.rlim_max, files.rlim_max};
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &raised));  // else there are fewer
    check_limits(::getrlimit(RLIMIT_NOFILE, &files));
  }
  return static_cast<std::size_t>(files.rlim_cur - std::min(files.rlim_cur - 1, kOthers));
}

}  // namespace servosim::net
