// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_file.h"
#include "base/scoped.h"
#include "run/console.h"

// Several worlds, each simulated by a process of its own: this program again, with the same
// arguments and a WorldTask. If one of them fails, the others continue.

namespace servosim {

/// The task of a process that was started for one of several worlds.
struct WorldTask {
  std::size_t number = 0;  ///< of the run, in the order of expand()
  std::size_t cores = 1;   ///< that it may use
  std::size_t jobs = 1;    ///< runs at a time, among them this one
  Descriptor link;         ///< for its report
};

/// The task of this process, if it was started for one. Call it once.
std::optional<WorldTask> take_world_task();

/// One of the runs: a world, or one of several copies of it.
struct PlannedRun {
  std::string world;
  std::size_t copy = 0;      ///< among the runs of the same world
  bool is_repeated = false;  ///< the world has several runs

  /// Its name in messages: the world, or world#copy.
  std::string label() const;
};

/// `copies` runs of each world. Worlds are the same when they are the same file.
std::vector<PlannedRun> expand(const std::vector<std::string>& worlds, std::size_t copies);

enum class Outcome : char { Ok = 'o', Failed = 'f', BadInput = 'b', Incomplete = 'i' };
/// Sends the line of this world to the parent: its result, or the last error; with --json a
/// document in one line.
void report(const WorldTask& task, Outcome outcome, std::string_view text);

/// The document of `run --json`: the program's version and its runs.
nlohmann::ordered_json runs_json(const nlohmann::ordered_json& runs);

/// Prints the document of runs that had no result, for the same reason.
void print_failure(const std::vector<PlannedRun>& runs, std::string_view error, Console& console);

/// Where runs write a trace or a recording each.
struct OutputTarget {
  const GrowingFileKind& kind;
  const char* option;     ///< that names it: "--trace"
  std::string path = {};  ///< a file; a folder that exists or ends with '/'; or empty
  std::string format =
      {};  ///< of traces, "csv" or "jsonl"; empty: by the extension, csv in a folder

  /// The file of a run, in a folder named after the world and its copy.
  /// @throws InputError if its extension contradicts the format, or if no such file may be written
  /// there:
  ///   see check_growing_file()
  std::string file_of(const PlannedRun& run) const;
  /// Creates the folder if the path ends with '/'. @throws InputError
  void make_folder() const;
};

struct SeveralWorlds {
  std::vector<PlannedRun> runs;
  std::size_t jobs = 0;               ///< runs at a time; 0: as many as there are cores
  bool quiet = false;                 ///< no progress
  bool json = false;                  ///< one document instead of lines
  std::vector<OutputTarget> outputs;  ///< folders
  std::vector<std::string> robots;    ///< one of the worlds must have each of these
  std::vector<std::string> proto_paths;
  std::vector<std::string> assets;
};

/// Runs all of them and prints one line each, in the given order; their other output is prefixed
/// with
/// `[LABEL] `. Returns the exit code: 0 if all succeeded, else 2 if one had bad input, else 1 if
/// one failed, else 3 since one is incomplete; 128 + signal number after SIGINT or SIGTERM. @throws
/// InputError before anything runs.
int run_several(const SeveralWorlds& several, Console& console);

}  // namespace servosim
