// SPDX-License-Identifier: Apache-2.0
#include "convert/convert.h"

#include <utility>

#include "convert/bounding_objects.h"
#include "convert/modern_axes.h"
#include "convert/modern_fields.h"
#include "convert/modern_gravity.h"
#include "convert/modern_nodes.h"
#include "convert/modern_scale.h"
#include "convert/rewrite.h"

namespace servosim {
namespace {

// Until here each node says of which version it is, and so what it means.
wbt::NodePtr newest(wbt::Node node) {
  for (wbt::Field& field : node.fields) {
    field.type = node.type->field(field.type->name);
  }
  node.version = wbt::kNewestVersion;
  return std::make_shared<const wbt::Node>(std::move(node));
}

}  // namespace

// Scales first, for present fields have none; axes when a Servo's rotation is no axis any more, and
// before the fields of old grids go.
wbt::WorldFile convert(const wbt::WorldFile& world, Diagnostics& diagnostics) {
  wbt::WorldFile converted = world;
  drop_what_touches_nothing(converted, diagnostics);
  use_modern_scale(converted, diagnostics);
  use_modern_nodes(converted, diagnostics);
  use_modern_axes(converted);
  use_modern_gravity(converted, diagnostics);
  use_modern_fields(converted, diagnostics);
  converted.nodes = Rewriter(newest).rewrite(converted.nodes);
  converted.version = wbt::kNewestVersion;
  return converted;
}

}  // namespace servosim
