// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/sockets.h"

namespace servosim::net {
namespace {

TEST(ConnectionLimit, IsTheLimitOfOpenFilesLessAReserve) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{200, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::size_t most = max_connections();
  rlimit after{};
  ::getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  EXPECT_EQ(most, before.rlim_max - 64);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace servosim::net
