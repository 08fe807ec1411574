// SPDX-License-Identifier: Apache-2.0
// Decides whether two sweeps are the same: by the contents of their files, and by the options that
// affect the rows.
#include <fmt/format.h>

#include "assets/digest.h"
#include "base/shortage.h"
#include "scene/mesh_file.h"
#include "servo_models/catalogue.h"
#include "servo_models/project_servos.h"
#include "sim/world_inspector.h"
#include "sweep/sweep_parts.h"

namespace servosim {
namespace {

// Adds digests of the mesh files of a world.
void add_meshes(const Simulation& of, std::set<std::string>& meshes) {
  if (const auto& store = WorldInspector(of).meshes()) {
    for (const auto& [path, parts] : store->files) {
      meshes.insert(assets::sha256(encode(*parts)));
    }
  }
}

}  // namespace

std::string sweep_id_of(const std::string& contents) {
  return "s" + assets::sha256(contents).substr(0, 15);
}

// Returns digests of the meshes in the worlds that result from each value that may name a file.
std::set<std::string> Sweep::Parts::meshes_of_parameters() const {
  std::set<std::string> meshes;
  for (std::size_t p = 0; p < plan.parameters().size(); ++p) {
    const std::string& path = plan.parameters()[p];
    for (const std::string& value : plan.listed_values(p)) {
      const bool may_be_file = value.find('.') != std::string::npos || path.ends_with(".servo");
      if (!may_be_file || !texts.contains(path)) {
        continue;
      }
      try {
        const Simulation simulation = load({{path, value, path + '=' + value}}, {});
        add_meshes(simulation, meshes);
      } catch (const std::exception& error) {  // the row will report it
        rethrow_if_short(error);
      }
    }
  }
  return meshes;
}

// Concatenates the texts of the world and its PROTOs, the meshes in sorted order, and everything
// else that affects the rows.
std::string Sweep::Parts::identity() const {
  std::string all = "servosim-sweep-1\n";
  const auto add = [&all](std::string_view part) {
    all += fmt::format("{}:{}\n", part.size(), part);
  };
  for (std::uint32_t i = 0; i < read.sources().size(); ++i) {
    add(assets::sha256(read.sources().text(i)));
  }
  std::set<std::string> meshes;
  add_meshes(*world, meshes);
  meshes.merge(meshes_of_parameters());
  for (const std::string& mesh : meshes) {
    add(mesh);
  }
  if (!file.project_servos->servos.empty() || file.project_servos->integrator ||
      file.project_servos->evaluations || file.project_servos->accuracy) {
    add(file.project_servos->text);
  }
  for (const std::string& servo : file.servos->texts_read()) {
    add(servo);
  }
  for (const FieldSetting& setting : options.load.settings) {
    add(setting.path);
    add(setting.value);
  }
  const SweepVariation& variation = plan.variation();
  for (const std::string& parameter : variation.parameters) {
    add(parameter);
  }
  add(variation.variants);
  add(variation.seeds);
  add(fmt::format("{} {} {} {} {} {} {} {}", variation.samples.value_or(0), variation.draw_seed,
                  variation.latin_hypercube, steps_of(*world),
                  options.load.random_seed.value_or(-1), options.load.random_seed_offset,
                  options.load.compat_webots, static_cast<int>(options.load.solver)));
  // Absent options add nothing, so that sweeps of earlier versions can go on.
  if (options.load.integrator || options.load.evaluations) {
    add(fmt::format("integrator {} {}",
                    options.load.integrator ? static_cast<int>(*options.load.integrator) : -1,
                    options.load.evaluations.value_or(-1)));
  }
  if (options.load.accuracy) {
    add(fmt::format("accuracy {}", *options.load.accuracy));
  }
  for (const std::string& controller : options.controllers) {
    add(controller);
  }
  for (const std::string& glob : options.watch) {
    add(glob);
  }
  // Parameters may change the time step, and with it the number of steps in a duration. So the
  // duration belongs to the identity, too.
  add(options.steps ? "steps" : fmt::format("{}", options.duration.value_or(kUsualDuration)));
  std::set<Missing> allowed(options.allow_missing.begin(), options.allow_missing.end());
  for (const Missing kind : allowed) {
    add(fmt::format("{}", static_cast<int>(kind)));
  }
  return sweep_id_of(all);
}

}  // namespace servosim
