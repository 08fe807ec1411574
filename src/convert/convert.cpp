// SPDX-License-Identifier: Apache-2.0
#include "convert/convert.h"

#include "convert/modern_axes.h"
#include "convert/modern_fields.h"
#include "convert/modern_nodes.h"

namespace servosim {

wbt::WorldFile convert(const wbt::WorldFile& world, Diagnostics& diagnostics) {
  wbt::WorldFile converted = world;
  use_modern_nodes(converted, diagnostics);
  use_modern_fields(converted, diagnostics);
  use_modern_axes(converted, diagnostics);
  return converted;
}

}  // namespace servosim
