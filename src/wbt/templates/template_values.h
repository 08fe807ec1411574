// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "wbt/reading.h"
#include "wbt/templates/template_text.h"

namespace servosim::wbt {

/// What a template may look up of one instance, as JSON {"fields": ..., "context": ...}; only what
/// it mentions, so that instances that differ in nothing it sees have the same text. Nothing when
/// it is more than a request may hold. `id`: the number of the instance.
std::optional<std::string> template_values(const Reading& reading, const Environment& environment,
                                           const TemplateText& text, std::uint32_t id);

}  // namespace servosim::wbt
