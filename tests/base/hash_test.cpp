// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/state_archive.h"

namespace servosim {
namespace {

// The values are the published test vectors of FNV-1a, 64 bits.
TEST(Fnv1a, MatchesThePublishedValues) {
  EXPECT_EQ(Fnv1a().value(), 0xcbf29ce484222325u);
  EXPECT_EQ(Fnv1a().add("a").value(), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Fnv1a().add("foobar").value(), 0x85944171f73967e8u);
  EXPECT_EQ(Fnv1a().add("foo").add("bar").value(), 0x85944171f73967e8u);
}

TEST(Fnv1a, DistinguishesTheLastBitAndTheSignOfZero) {
  EXPECT_NE(Fnv1a().add(1.5).value(), Fnv1a().add(std::nextafter(1.5, 2.0)).value());
  EXPECT_NE(Fnv1a().add(0.0).value(), Fnv1a().add(-0.0).value());
}

}  // namespace
}  // namespace servosim
