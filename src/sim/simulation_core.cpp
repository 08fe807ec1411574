// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation_core.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "scene/checks.h"
#include "scene/scene_builder.h"
#include "servo_models/project_servos.h"
#include "sim/field_settings.h"
#include "sim/loss_notice.h"
#include "sim/solver_choice.h"
#include "sim/state_family.h"
#include "wbt/world_file.h"

namespace servosim {

namespace {

[[noreturn]] void throw_diverged(const Scene& scene, int solid, double time) {
  const SolidSpec* spec = &scene.solids[solid];
  while (spec->joint < 0 && spec->parent >= 0) {
    spec = &scene.solids[spec->parent];
  }
  const std::string joint =
      spec->joint >= 0 ? fmt::format("joint \"{}\" of ", scene.joints[spec->joint].name) : "";
  throw Diverged(fmt::format(
      "the simulation diverged at {}Solid \"{}\", {:.6g} s: its speed or position left the "
      "range that can be simulated. Try a smaller basicTimeStep, smaller forces or heavier parts",
      joint, scene.solids[solid].name, time));
}

// Throws the error of a step, in the words of a user, that would have ended at `time` [s].
[[noreturn]] void rethrow_failure(const std::exception_ptr& of_physics, const Scene& scene,
                                  double time) {
  try {
    std::rethrow_exception(of_physics);
  } catch (const Unstable& unstable) {
    throw_diverged(scene, unstable.solid, time);
  } catch (const Overloaded& overloaded) {
    throw StepFailed(fmt::format("the step to {:.6g} s failed: {}", time, overloaded.what()));
  }
}

PhysicsOptions with_notices(PhysicsOptions options, Notices& notices) {
  options.notices = &notices;
  return options;
}

// The options have precedence over servosim.toml, and that over the world.
void choose_integrator(const LoadOptions& options, const ProjectServos& project, const Scene& scene,
                       PhysicsOptions& physics, Diagnostics& diagnostics) {
  physics.integrator = options.integrator ? options.integrator : project.integrator;
  physics.evaluations = options.evaluations ? options.evaluations : project.evaluations;
  physics.accuracy = options.accuracy ? options.accuracy : project.accuracy;
  const bool is_joint = physics.integrator.value_or(scene.world.integrator) == Integrator::Joint;
  if (is_joint && options.solver == Solver::Ode) {
    diagnostics.error({},
                      "the integrator \"joint\" needs the tree solver: leave out --solver ode, "
                      "or choose --integrator ode");
  }
  refuse_couplings(scene, options.solver, diagnostics);
  if (is_joint && options.compat_webots) {
    diagnostics.error({},
                      "the integrator \"joint\" cannot behave as Webots' engine: leave out "
                      "--compat webots, or choose --integrator ode");
  }
  if (const int count = physics.evaluations.value_or(0); count < 0 || count > kMaxEvaluations) {
    diagnostics.error(
        {}, fmt::format("a step takes 0 to {} evaluations, not {}", kMaxEvaluations, count));
  }
  if (const double most = physics.accuracy.value_or(0.0); !(most >= 0.0 && most <= kMaxAccuracy)) {
    diagnostics.error({}, fmt::format("the accuracy of a step is 0 to {} [rad or m], not {:g}",
                                      kMaxAccuracy, most));
  }
  if (!is_joint && (options.evaluations || options.accuracy)) {
    const char* const which = options.evaluations ? "evaluations" : "accuracy";
    diagnostics.error({}, fmt::format("steps of the integrator \"ode\" have no {0}: leave out "
                                      "--{0}, or choose --integrator joint",
                                      which));
  }
}

}  // namespace

void refuse_couplings(const Scene& scene, Solver solver, Diagnostics& diagnostics) {
  if (!scene.couplings.empty() && solver == Solver::Ode) {
    diagnostics.error(scene.couplings.front().where,
                      "coupled joints need the tree solver: leave out --solver ode, or the "
                      "coupling");
  }
}

SimulationCore::SimulationCore(WorldTree tree, std::shared_ptr<const Scene> scene,
                               Diagnostics& diagnostics, const Setup& setup,
                               const SimulationCore* like)
    : notices_(setup.notices),
      options_(with_notices(setup.physics, notices_)),
      tree_(std::move(tree)),
      built_(std::make_unique<BuiltScene>(std::move(scene), tree_, diagnostics, options_,
                                          like != nullptr ? like->built_.get() : nullptr)),
      random_(setup.random, built_->scene->world.random_seed),
      devices_(built_->scene, environment(*built_), like != nullptr ? &like->devices_ : nullptr) {}

Simulation SimulationCore::load(wbt::WorldFile file, Diagnostics& diagnostics, LoadOptions options,
                                std::shared_ptr<const MeshStore> meshes) {
  std::shared_ptr<const Scene> scene;
  std::vector<Substitute> substitutes;
  FarSolids far{true, {}};
  if (diagnostics.errors() == 0) {
    apply_settings(file, options.settings, diagnostics, meshes);
  }
  if (diagnostics.errors() == 0) {
    scene =
        std::make_shared<const Scene>(build_scene(file, diagnostics, &meshes, &substitutes, &far));
  }
  PhysicsOptions physics;
  if (scene != nullptr) {
    choose_integrator(options, *file.project_servos, *scene, physics, diagnostics);
  }
  if (diagnostics.errors() > 0) {
    throw LoadError(diagnostics.list());
  }
  physics.explicit_gyroscopic = options.compat_webots;
  physics.step_memory = options.step_memory;
  physics.solver = options.solver;
  const SeededRandom random(scene->world.random_seed, options.random_seed,
                            options.random_seed_offset);
  WorldTree tree(
      with_substitutes(std::make_shared<const wbt::WorldFile>(std::move(file)), substitutes),
      std::move(meshes), std::make_shared<const FarSolids>(FarSolids{false, std::move(far.nodes)}));
  auto core = std::make_unique<SimulationCore>(
      std::move(tree), std::move(scene), diagnostics,
      Setup{Notices(std::move(options.notice), std::move(options.remark)), physics, random});
  core->tree_.keep_messages(diagnostics);
  core->family_ = std::make_shared<StateFamily>();
  core->devices_.begin(core->scene(), core->physics());
  core->node_states_ = CopyOnWrite(NodeStates(core->tree_.file(), present_state(*core)));
  core->start_ = core->initial_ = core->saved();
  return Simulation(std::move(core));
}

Simulation SimulationCore::clone() const {
  Diagnostics diagnostics;  // unused: the clone has the same messages as this simulation
  auto twin = std::make_unique<SimulationCore>(tree_, built_->scene, diagnostics,
                                               Setup{notices_, options_, random_}, this);
  twin->initial_ = initial_;
  twin->start_ = start_;
  twin->family_ = family_;
  twin->placed_ = placed_;
  twin->node_states_ = node_states_;
  twin->devices_.assemble(twin->scene(), twin->physics());
  StateBlock now(initial_->block_.size());  // most states have the size of the first one
  {
    StateWriter out(now);
    write(out);
  }
  twin->read(StateReader(now));
  return Simulation(std::move(twin));
}

void SimulationCore::step() {
  before_physics();
  PhysicsWorld* const world = &physics();
  PhysicsWorld::StepOutcome outcome;
  PhysicsWorld::step_together({&world, 1}, {&outcome, 1});
  after_physics(outcome);
}

void SimulationCore::before_physics() {
  const double step_ms = scene().world.basic_time_step_ms;
  built_->surfaces.fade(step_ms / 1000.0);
  devices_.before_physics(scene(), physics(), step_ms, now_ms() + step_ms);
}

void SimulationCore::after_physics(const PhysicsWorld::StepOutcome& outcome) {
  const double step_ms = scene().world.basic_time_step_ms;
  for (const NotInCoordinates& tree : outcome.exceptions) {
    notices_.report(fmt::format(
        "\"{}\" moves as with the integrator ode {}; so do others like it (reported once)",
        scene().solids[tree.solid].name, to_string(tree.why)));
  }
  if (outcome.error != nullptr) {
    rethrow_failure(outcome.error, scene(),
                    (static_cast<double>(steps_) + 1.0) * (step_ms / 1000.0));
  }
  ++steps_;
  devices_.drain_batteries(step_ms, now_ms(), notices_);
  devices_.report_protections(now_ms(), notices_);
  if (outcome.torn_loop >= 0) {
    notices_.report(fmt::format(
        "joint \"{}\" closes a loop that cannot close: its ends are {:.3g} m apart (reported once)",
        scene().joints[outcome.torn_loop].name, physics().joints().loop_gap(outcome.torn_loop)));
  }
  for (const StepLoss& loss : outcome.losses) {
    notices_.remark(loss_notice(loss, scene(), options_));
  }
  devices_.measure(now_ms());
}

void SimulationCore::set_pose(int solid, const Pose& in_world) {
  physics().set_solid_pose(solid, in_world);
  const int parent = scene().solids[solid].parent;
  placed_[solid] = parent >= 0 ? inverse(physics().solid_pose(parent)) * in_world : in_world;
}

void SimulationCore::keep_contact_forces() {
  options_.contact_forces = true;
  physics().keep_contact_forces();
}

void reset_physics(SimulationCore& core, int solid) {
  core.physics().stop(solid);
  core.devices().stop_motors(core.scene(), core.physics().branch_of(solid));
}

}  // namespace servosim
