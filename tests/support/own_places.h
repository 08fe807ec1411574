// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "assets/library.h"
#include "wbt/world_file.h"

namespace servosim::test {

/// Returns options with which no file is searched for in an installation of Webots or in a cache of
/// this machine.
inline wbt::ReadOptions without_places_here(wbt::ReadOptions options) {
  if (!options.library) {
    assets::Places places = assets::places_here(options.proto_paths, options.assets);
    places.installations.clear();
    places.webots_caches.clear();
    places.own_caches.clear();
    options.library = std::make_shared<const assets::Library>(std::move(places));
  }
  return options;
}

}  // namespace servosim::test
