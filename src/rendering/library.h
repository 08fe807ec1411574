// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rendering/renderer.h"

/// The function that the renderer's library exports: see make_renderer(). The caller owns the
/// result.
extern "C" servosim::Renderer* servosim_make_renderer(
    const std::vector<servosim::DrawnShape>& shapes, const servosim::Renderer* like);
