// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batch/shared_notices.h"
#include "servosim/diagnostics.h"
#include "servosim/simulation.h"
#include "sweep/sweep.h"
#include "sweep/sweep_plan.h"
#include "sweep/sweep_variant.h"
#include "wbt/world_file.h"

namespace servosim {

inline constexpr double kUsualDuration = 10.0;  // [s]; that of `servosim run`

/// Three files define its members: sweep.cpp loads the world and checks the options,
/// sweep_identity.cpp makes the id, and sweep_run.cpp makes the columns and the row of a run.
struct Sweep::Parts {
  explicit Parts(SweepOptions the_options);

  void check_options() const;
  void check_parameters();
  void name_columns();
  std::string identity() const;
  std::set<std::string> meshes_of_parameters() const;
  Simulation load(const std::vector<FieldSetting>& more, std::optional<std::int64_t> seed) const;
  std::unique_ptr<SweepVariant> load_variant(const SweepRun& run) const;
  std::int64_t steps_of(const Simulation& simulation) const;
  std::string missing_in(const Simulation& simulation) const;
  void begin(const SweepRun& run, SweepRow& row) const;
  bool run(const SweepRun& run, std::unique_ptr<SweepVariant>& loaded, SweepRow& row,
           const std::function<bool()>& is_over) const;
  bool simulate(SweepVariant& variant, SweepRow& row, const std::function<bool()>& is_over) const;

  std::size_t after_parameters(std::size_t column) const;

  SweepOptions options;
  SweepPlan plan;
  std::shared_ptr<SharedNotices> notices;
  Diagnostics read;
  wbt::WorldFile file;  // the world as it was read, without settings
  std::optional<Simulation> world;
  std::vector<std::string> columns;
  std::map<std::string, std::size_t> places;
  std::set<std::string> texts;  // parameters that are texts or nodes and may name files
  std::string id;
  mutable IdleVariants idle;
};

/// Returns the id of a sweep whose rows depend on these contents.
std::string sweep_id_of(const std::string& contents);

}  // namespace servosim
