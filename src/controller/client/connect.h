// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "controller/protocol/link.h"
#include "controller/protocol/stream.h"

namespace servosim {

/// A link over a stream on which nothing of it has been sent yet.
std::unique_ptr<Link> open_socket_link(Stream stream);

/// A link to a running simulation that waits for its extern controllers: tries once per second.
/// Null after having said why on stderr.
/// @param url  as WEBOTS_CONTROLLER_URL; empty: the simulation that was started last
/// @param robot  where the URL names none; may be null
std::unique_ptr<Link> open_extern_link(const char* url, const char* robot);

/// Whether a simulation on this machine takes extern controllers.
bool simulation_waits();

}  // namespace servosim
