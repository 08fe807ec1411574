// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch/batch_workers.h"
#include "batch/columns.h"
#include "batch/instance.h"
#include "batch/instance_variation.h"
#include "batch/lane_instances.h"
#include "batch/pictures.h"
#include "batch/shared_notices.h"
#include "batch/table.h"
#include "servosim/batch.h"

namespace servosim {

/// @throws std::invalid_argument if it is wrong
void refuse_if(bool wrong, const std::string& what);

/// @throws std::logic_error if `is_at_work`
void refuse_if_at_work(bool is_at_work);

/// Marks a batch as being at work during its lifetime. Interrupts and notices are called in the
/// middle of the work, and a batch can do only one piece of work at a time.
///
/// Threads: as for a batch; a second thread gets the exception, too.
class AtWork {
 public:
  /// @throws std::logic_error if the batch is marked already
  explicit AtWork(std::atomic<bool>& mark) : mark_(mark) {
    refuse_if_at_work(mark_.exchange(true));
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  ~AtWork() { mark_ = false; }

 private:
  std::atomic<bool>& mark_;
};

/// A function that sees an instance after each basic step; it becomes null when it wants no more.
struct Watcher {
  std::size_t instance;
  Batch::Watch watch;
};

/// Invariant: each list of instances has one element per instance.
struct Batch::Parts {
  Parts(const Simulation& original, std::size_t count, const BatchOptions& the_options,
        const Interrupt& interrupt);

  std::size_t index(std::size_t instance) const {
    if (instance >= instances.size()) {
      throw std::out_of_range(fmt::format("instance {} of {}", instance, instances.size()));
    }
    return instance;
  }

  void bind(Columns next);
  /// Checks that the observed pictures fit their arrays where episodes draw these values.
  /// @throws std::invalid_argument, with `name`
  void check_pictures(const std::string& name, const std::vector<double>& values) const;

  // ---- one instance; any thread may call these
  /// Returns the simulation of an instance, which is in no lane then. If it cannot take its last
  /// step again, it fails, and this throws why.
  Simulation& simulation(std::size_t i) {
    try {
      if (lanes.has(i)) {
        give_back(instances[i], i);
      } else {
        catch_up(instances[i]);
      }
    } catch (...) {
      fail(i, std::current_exception());
      throw;
    }
    return *instances[i].simulation;
  }
  /// Returns why an instance is in no lane.
  std::string why_alone(std::size_t i) const;
  void begin_episode(std::size_t i, const SimulationState* state);
  /// Writes the observations without the pictures.
  void observe_numbers(std::size_t i);
  /// Notes that an instance has failed, and takes it out of its lane: its objects then have the
  /// state with which it came there. @throws a shortage
  void fail(std::size_t i, std::exception_ptr error);

  // ---- all instances
  /// Makes the simulations that were not made yet. @throws a shortage, before it takes memory
  void make_simulations(const std::function<void()>& after_each);

  // ---- several instances; any thread may call these
  /// Steps the instances that have not failed. An instance that fails does not affect the others.
  /// @returns the first shortage, which the caller throws at the end of the step; null if there
  /// is none
  [[nodiscard]] std::exception_ptr step(InstanceGroup& group, const ActionRows& actions);

  std::atomic<bool> at_work = false;
  BatchOptions options;
  Simulation world;  // the world at the start of the batch; it never changes

 private:
  std::shared_ptr<SharedNotices> notices;
  std::mutex making;  // while `world` is cloned
  bool keeps_forces = false;
  std::vector<double> start_row;  // the observations of an instance that begins in a lane
  SimulationState begin;
  std::int64_t substeps;
  int sensor_period_ms;
  PictureTimes picture_times;
  std::vector<ObservedPicture> picture_sensors;  // of the world, observed or not

 public:
  InstanceVariation variation;
  std::vector<BatchInstance> instances;
  LaneInstances lanes;
  std::vector<std::uint8_t> held;  // 1: the caller has the simulation
  Columns columns;
  BatchTable observed;
  PictureTable pictures;
  BatchTable acted;
  std::vector<std::uint8_t> failed;
  std::vector<std::uint32_t> refused;
  std::vector<Watcher> watchers;  // only the thread that steps the instance uses its watcher
  BatchWorkers workers;           // declared last, since its threads use the other members

 private:
  /// Starts the pictures of all instances that have not failed, and writes them to a table. If it
  /// throws, the pictures that were observed before go on.
  void begin_pictures(PictureTable& table);
  /// Returns the index of an instance that has not failed, or of the first one if all have.
  std::size_t sample() const;
  void forces_from_now_on();
  /// Makes a simulation in the state of the world.
  std::unique_ptr<Simulation> made_simulation();
  /// Returns the simulation of an instance, in any state.
  Simulation& some_simulation(BatchInstance& x);
  /// Makes the simulation of an instance begin its episode, with this state or that of the batch.
  void begin_simulation(BatchInstance& x, const SimulationState* state);
  /// Makes the devices of a simulation begin an episode.
  void start_devices(BatchInstance& x);
  /// Makes the simulation of an instance that is in no lane that of its episode.
  void catch_up(BatchInstance& x);
  /// Finds the state in which instances begin in lanes with these columns.
  void find_lane_start();
  /// Writes the observations of an instance that begins in a lane.
  void observe_start(const BatchInstance& x, std::size_t i);
  void observe_in_lane(std::size_t i);
  void observe(BatchInstance& x, double* row) const;
  void add_noise(const BatchInstance& x, double* row) const;
  bool is_watched(std::size_t i) const;
  /// Takes a basic step of the instances of a group that are in lanes. Those that do not go on
  /// there join those that step alone.
  template <typename Attempt>
  void step_in_lanes(InstanceGroup& group, const Attempt& attempt);
  void observe(std::size_t i);
  // These are for the group in lanes that begins with instance i, and is_uniform().
  /// Gives commands to its motors. @returns false if that must be done for each instance alone
  bool command_group(std::size_t i, const ActionRows& actions);
  /// Writes its observations, and counts the step.
  void observe_group(std::size_t i);
  void give_back(BatchInstance& x, std::size_t i);
  /// Calls the watchers after a basic step of a group. @returns the first exception of a watcher;
  /// null if there is none
  [[nodiscard]] std::exception_ptr show(InstanceGroup& group);
};

}  // namespace servosim
