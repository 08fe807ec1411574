// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace servosim::net {

/// How many connections a server may have: as many as this process may have files open, but for
/// some that it needs otherwise. Lets it have as many as it can get, for which programs must ask.
std::size_t most_connections();

}  // namespace servosim::net
