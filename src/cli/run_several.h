// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/scoped.h"
#include "run/console.h"

// Several worlds, each simulated by a process of its own: this program once more, with the same
// arguments and a WorldTask. So whatever ends one of them, the others go on.

namespace servosim {

/// What a process that was started for one of several worlds is to do.
struct WorldTask {
  std::size_t number = 0;  ///< of the run, in the order of expand()
  std::size_t cores = 1;   ///< it may keep busy
  std::size_t jobs = 1;    ///< runs at a time, among them this one
  Descriptor link;         ///< takes its outcome
};

/// The task of this process, if it was started for one. To be called once.
std::optional<WorldTask> take_world_task();

/// One of the runs: a world, or one of several copies of it.
struct PlannedRun {
  std::string world;
  std::size_t copy = 0;      ///< among the runs of the same world
  bool is_repeated = false;  ///< there is more than one

  /// What it is called in lines: the world, or world#copy.
  std::string label() const;
};

/// `copies` runs of each world. Worlds are the same when they are the same file.
std::vector<PlannedRun> expand(const std::vector<std::string>& worlds, std::size_t copies);

enum class Outcome : char { Ok = 'o', Failed = 'f', BadInput = 'b' };
/// What the line of this world is to say: how far it came, or the last error.
void report(const WorldTask& task, Outcome outcome, std::string_view text);

/// What was said of traces.
struct TraceTarget {
  std::string path;    ///< a file; a folder, there already or ending in '/'; or empty
  std::string format;  ///< "csv" or "jsonl"; empty: what the file is called, csv in a folder

  /// The file a run's trace goes to, in a folder one that is called after the world and its copy.
  /// @throws InputError for a file that is called otherwise than the format, or where no trace may
  ///   go: see check_trace_path()
  std::string file_of(const PlannedRun& run) const;
  /// Makes what ends in '/'. @throws InputError
  void make_folder() const;
};

struct SeveralWorlds {
  std::vector<PlannedRun> runs;
  std::size_t jobs = 0;             ///< runs at a time; 0: as many as there are cores
  bool quiet = false;               ///< no progress
  TraceTarget trace;                ///< a folder, or none
  std::vector<std::string> robots;  ///< one of the worlds must have each of these
  std::vector<std::string> proto_paths;
};

/// Runs all of them and prints one line each, in the given order. What else they print comes after
/// `[LABEL] `. Returns the exit code: 0 if all went well, else 2 if one had bad input, else 1; 128
/// + signal number after SIGINT or SIGTERM. @throws InputError before anything runs.
int run_several(const SeveralWorlds& several, Console& console);

}  // namespace servosim
