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

// Several worlds are simulated by a process each: this program again, with the same arguments and a
// WorldTask. If one of them fails, the others continue.

namespace servosim {

/// The task of a process that was started for one of several worlds.
struct WorldTask {
  std::size_t number = 0;  ///< index of the run in the order of expand()
  std::size_t cores = 1;   ///< that the run may use
  std::size_t jobs = 1;    ///< runs at a time, this one included
  Descriptor link;         ///< carries its report
};

/// Returns the task of this process if it was started for one. Call it only once.
std::optional<WorldTask> take_world_task();

/// One run of a world, or of one of several copies of it.
struct PlannedRun {
  std::string world;
  std::size_t copy = 0;      ///< index among the runs of the same world
  bool is_repeated = false;  ///< the world has several runs

  /// Returns its name in messages: the world, or world#copy.
  std::string label() const;
};

/// Returns `copies` runs of each world. Two names mean the same world if they name the same file.
std::vector<PlannedRun> expand(const std::vector<std::string>& worlds, std::size_t copies);

enum class Outcome : char { Ok = 'o', Failed = 'f', BadInput = 'b', Incomplete = 'i' };
/// Sends the result of this world to the parent: a line with the result or the last error; with
/// --json a document in one line.
void report(const WorldTask& task, Outcome outcome, std::string_view text);

/// Returns the document of `run --json`: the version of the program and its runs.
nlohmann::ordered_json runs_json(const nlohmann::ordered_json& runs);

/// Prints the document of runs that all lack a result for the same reason.
void print_failure(const std::vector<PlannedRun>& runs, std::string_view error, Console& console);

/// Where each run writes a trace or a recording.
struct OutputTarget {
  const GrowingFileKind& kind;
  const char* option;     ///< the option that sets the path, such as "--trace"
  std::string path = {};  ///< a file; a folder that exists or ends with '/'; or empty
  std::string format =
      {};  ///< "csv" or "jsonl" for traces; if empty, the extension decides, and a folder means csv

  /// Returns the file of a run. In a folder the file has the name of the world and its copy.
  /// @throws InputError if its extension contradicts the format, or if check_growing_file()
  /// refuses the file
  std::string file_of(const PlannedRun& run) const;
  /// Creates the folder if the path ends with '/'. @throws InputError
  void make_folder() const;
};

struct SeveralWorlds {
  std::vector<PlannedRun> runs;
  std::size_t jobs = 0;               ///< runs at a time; 0 means the number of cores
  bool quiet = false;                 ///< no progress is shown
  bool json = false;                  ///< prints one document instead of lines
  std::vector<OutputTarget> outputs;  ///< folders
  std::vector<std::string> robots;    ///< one of the worlds must have each of these
  std::vector<std::string> proto_paths;
  std::vector<std::string> assets;
};

/// Runs all of them and prints one line for each in the given order; their other output has the
/// prefix `[LABEL] `. Returns the exit code: 0 if all succeeded, else 2 if one had bad input, else
/// 1 if one failed, else 3 since one is incomplete; 128 + signal number after SIGINT or SIGTERM.
/// @throws InputError before anything runs.
int run_several(const SeveralWorlds& several, Console& console);

}  // namespace servosim
