// SPDX-License-Identifier: Apache-2.0
// If a resource for a probe is lacking, its result is unknown, and it says so.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "base/event_loop.h"
#include "base/raw_client.h"
#include "support/counted_malloc.h"
#include "yarp/ports/probe.h"

namespace servosim::yarp {
namespace {

TEST(Probe, WithoutMemoryKnowsNothing) {
  net::RawListener listener;
  const net::Address address{INADDR_LOOPBACK, static_cast<std::uint16_t>(listener.port())};
  int failures = 0;
  for (long successes = 0;; ++successes) {
    net::EventLoop loop;
    std::optional<Probe::Found> found;
    const Probe::Done done = [&found](Probe::Found what) { found = what; };
    std::optional<Probe> probe;
    Probe::Done copy = done;
    test::fails_after = successes;
    EXPECT_NO_THROW(probe.emplace(loop, address, net::kTestTimeout, std::move(copy)));
    const bool failed = test::fails_after < 0;
    test::fails_after = -1;
    ASSERT_TRUE(loop.run_until(net::Clock::now() + net::kTestTimeout, [&] { return !!found; }));
    if (!failed) {
      EXPECT_EQ(*found, Probe::Found::Listens);
      break;
    }
    EXPECT_EQ(*found, Probe::Found::Unknown) << successes;
    ++failures;
  }
  EXPECT_GE(failures, 3);  // the timer, the watch and its function
}

}  // namespace
}  // namespace servosim::yarp
