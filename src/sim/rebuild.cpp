// SPDX-License-Identifier: Apache-2.0
// This file puts another scene in the place of the present one.
#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "base/scoped.h"
#include "scene/scene_match.h"
#include "sim/simulation_core.h"
#include "sim/solver_choice.h"

namespace servosim {

SimulationCore::NextScene SimulationCore::next_scene(std::shared_ptr<const Scene> scene,
                                                     Diagnostics& diagnostics) {
  auto built = std::make_unique<BuiltScene>(std::move(scene), tree_, diagnostics, options_, nullptr,
                                            built_.get());
  Rebinding devices = devices_.prepare(this->scene(), built->scene, environment(*built));
  return {std::move(built), std::move(devices)};
}

std::vector<Connector*> SimulationCore::adopt(NextScene next) {
  const std::unique_ptr<BuiltScene> former = std::exchange(built_, std::move(next.built));
  random_.follow(scene().world.random_seed);
  tree_.count_scene();
  placed_.clear();
  return devices_.apply(next.devices, scene(), physics());
}

std::vector<Diagnostic> SimulationCore::rebuild(std::shared_ptr<const wbt::WorldFile> file) {
  if (file == nullptr) {
    throw std::invalid_argument("no tree");
  }
  if (physics().is_over()) {
    throw std::invalid_argument("the simulation has diverged: restore or reset it first");
  }
  Diagnostics diagnostics;
  CheckedTree checked;
  std::optional<NextScene> next;
  {
    const ScopedSwap swapped(tree_.sources(), diagnostics.sources());
    checked = tree_.check(std::move(file), scene(), diagnostics);
    refuse_couplings(*checked.scene, options_.solver, diagnostics);
    if (diagnostics.errors() > 0) {
      throw LoadError(diagnostics.list());
    }
    next.emplace(next_scene(checked.scene, diagnostics));
  }
  next->built->physics.restore_from(physics(), match_scenes(scene(), *checked.scene, placed_));
  next->built->refuse_out_of_range();
  const std::vector<Connector*> before = devices_.lists().connectors;
  const std::vector<Connector*> relocked = adopt(*std::move(next));
  tree_.replace(std::move(checked.file));
  tree_.keep_meshes(std::move(checked.meshes));
  tree_.report_new(diagnostics.list(), notices_);
  node_states().follow(*this);
  // New locked Connectors attach to the Connector in front of them, as when the world is loaded.
  const std::unordered_set<const Connector*> known(before.begin(), before.end());
  const std::vector<Connector*>& now = devices_.lists().connectors;
  std::vector<Connector*> new_ones;
  std::copy_if(now.begin(), now.end(), std::back_inserter(new_ones),
               [&known](const Connector* connector) { return !known.contains(connector); });
  devices_.start_connectors(new_ones);
  for (Connector* connector : relocked) {
    connector->is_locked_by_tree() ? connector->lock() : connector->unlock();
  }
  return diagnostics.list();
}

}  // namespace servosim
