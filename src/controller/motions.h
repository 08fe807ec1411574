// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controller/client.h"

namespace servosim {

/// Gives the motors the positions of all motions that play, which then go on by `duration_ms`. With
/// the client locked.
void play_motions(Client& client, int duration_ms);

}  // namespace servosim
