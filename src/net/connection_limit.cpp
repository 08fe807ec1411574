// SPDX-License-Identifier: Apache-2.0
#include "net/connection_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace servosim::net {

namespace {

constexpr rlim_t kOthers = 64;  // files of a database and its journal, logs, pipes

}  // namespace

std::size_t most_connections() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < files.rlim_max) {
    const rlimit raised{files.rlim_max, files.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &raised);
    ::getrlimit(RLIMIT_NOFILE, &files);
  }
  return static_cast<std::size_t>(files.rlim_cur - std::min(files.rlim_cur - 1, kOthers));
}

}  // namespace servosim::net
