// SPDX-License-Identifier: Apache-2.0
#include "fetch/fetch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "assets/address.h"
#include "base/cache_folder.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/fetch.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/signals.h"

namespace servosim {
namespace {

constexpr const char* kFetchHelp = R"(
Downloads the PROTO files that EXTERNPROTO lines of the world name, those that these name, and the
meshes that they name, as far as no step of the search finds them on this machine, into
~/.cache/servosim/assets, which every run searches (of a HOME that cannot be written to, into a
folder of $TMPDIR). Of a world from before EXTERNPROTO it downloads the PROTOs of Webots, of the
world's own release, else of the next newer one that has them, else of an older one. `servosim run
--fetch` does the same first; no other command downloads anything.

Each file has a line with its size and its licence. Files that may be used with Webots only are left
out, unless --accept-licence webots says that you hold that licence. A file that a cache has of
another release of Webots only is used in place of the one that is named; its line says so. What is
cut is continued by the next call, and so is what takes longer than --max-time. A server that sends
less than 100 bytes/s for 30 s, or takes longer than --timeout for a file, has failed.

With --dry-run PROTO files are downloaded too, to see what they name, but none is kept. A server of
this machine or of a network that is not public is asked only if the world, a PROTO on this machine
or --mirror names it by its number or as localhost, with its port.

Exit codes: 0 done, perhaps with files left out for their licence; 1 a file cannot be had, or the
cache or the output cannot be written; 2 the world or an argument is wrong.

Examples:
  servosim fetch --dry-run worlds/arm.wbt
  servosim fetch --accept-licence webots worlds/arm.wbt && servosim check worlds/arm.wbt
)";

constexpr double kMegabyte = 1e6;

struct FetchArguments {
  std::string world;
  fetch::FetchOptions options;
  std::string accepted;
  double max_size = 100.0;    // [MB]
  double max_total = 1000.0;  // [MB]
  std::optional<std::int64_t> max_files;
  double timeout = 120.0;    // [s]
  double max_time = 3600.0;  // [s]
};

std::string size_text(std::uint64_t bytes) {
  return bytes < 10'000       ? fmt::format("{} B", bytes)
         : bytes < 10'000'000 ? fmt::format("{:.0f} kB", static_cast<double>(bytes) / 1e3)
                              : fmt::format("{:.0f} MB", static_cast<double>(bytes) / kMegabyte);
}

std::string release_of(const std::string& address) {
  const auto file = assets::webots_file(address);
  return file ? file->tag : "";
}

// Returns a line such as `fetched   12 kB  https://…  licence: …`.
std::string line_of(const fetch::FetchedFile& file) {
  static constexpr std::array<const char*, 5> kOutcomes{"fetched", "here", "would fetch",
                                                        "left out", "failed"};
  return fmt::format(
      "{:11} {:>7}  {}{}{}{}\n", kOutcomes.at(static_cast<std::size_t>(file.outcome)),
      file.size ? size_text(*file.size) : "", file.address,
      file.source.empty() ? "" : " from " + file.source,
      file.asked_for.empty() ? "" : ", in place of that of " + release_of(file.asked_for),
      file.reason.empty() ? "  licence: " + file.licence.shown() : ": " + file.reason);
}

class FetchReport {
 public:
  FetchReport(Console& console, bool quiet) : console_(console), is_quiet_(quiet) {}

  fetch::FetchListener listener() {
    return {[this](const fetch::FetchedFile& file) { add(file); },
            [this](const std::string& address, std::uint64_t bytes) {
              show_progress(fmt::format("{:>7} {}", size_text(bytes),
                                        printable(std::string_view(address).substr(0, 60))));
            },
            [this] {
              console_.log(LogLevel::Info,
                           "another 'servosim fetch' writes into the cache; waiting for its end");
            },
            [] { return interrupting_signal() != 0; }};
  }

  int end(const FetchArguments& arguments) {
    console_.clear_progress();
    using Outcome = fetch::FetchedFile::Outcome;
    const bool is_dry = arguments.options.dry_run;
    const bool has_all = count(Outcome::LeftOut) + count(Outcome::Failed) == 0;
    if (is_quiet_ && has_all) {
      return console_.output_lost() ? kExitFailed : kExitOk;
    }
    console_.print(fmt::format("{}: {} {}, {} here, {} left out, {} failed{}\n", arguments.world,
                               counted(count(is_dry ? Outcome::Listed : Outcome::Fetched), "file"),
                               is_dry ? "would be fetched" : "fetched", count(Outcome::Here),
                               count(Outcome::LeftOut), count(Outcome::Failed),
                               is_dry ? "" : "; into " + arguments.options.cache));
    if (count(Outcome::LeftOut) > 0) {
      console_.print(
          "What is left out may be used with Webots only. If you hold that licence, "
          "--accept-licence webots fetches it.\n");
    }
    return count(Outcome::Failed) > 0 || console_.output_lost() ? kExitFailed : kExitOk;
  }

 private:
  void add(const fetch::FetchedFile& file) {
    using Outcome = fetch::FetchedFile::Outcome;
    ++counts_.at(static_cast<std::size_t>(file.outcome));
    console_.clear_progress();
    if (!is_quiet_ || file.outcome == Outcome::LeftOut || file.outcome == Outcome::Failed) {
      console_.print(line_of(file));
    }
  }
  void show_progress(const std::string& line) {
    constexpr std::chrono::milliseconds kInterval{200};
    const auto now = std::chrono::steady_clock::now();
    if (is_terminal_ && !is_quiet_ && now >= next_progress_) {
      next_progress_ = now + kInterval;
      console_.progress(line);
    }
  }
  std::size_t count(fetch::FetchedFile::Outcome outcome) const {
    return counts_.at(static_cast<std::size_t>(outcome));
  }

  Console& console_;
  bool is_quiet_;
  std::array<std::size_t, 5> counts_{};
  bool is_terminal_ = ::isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point next_progress_;
};

// @throws InputError if the world or its servosim.toml is wrong
int fetch_files(FetchArguments arguments, Console& console, bool quiet) {
  fetch::FetchOptions& options = arguments.options;
  options.accept_webots_licence = arguments.accepted == "webots";
  options.max_file_size = static_cast<std::uint64_t>(arguments.max_size * kMegabyte);
  options.max_total_size = static_cast<std::uint64_t>(arguments.max_total * kMegabyte);
  options.max_files = static_cast<std::size_t>(arguments.max_files.value_or(1000));
  options.seconds = static_cast<std::uint32_t>(arguments.timeout) + 1;
  options.total_seconds = static_cast<std::uint32_t>(std::ceil(arguments.max_time));
  FetchReport report(console, quiet);
  // A dry run must remove its folder, so signals only interrupt it. A real run may end at once: the
  // next call continues with what it has stored.
  std::optional<SignalWatch> interruption;
  if (options.dry_run) {
    interruption.emplace();
  }
  try {
    const ProjectFile project = ProjectFile::of_world(arguments.world);
    options.proto_paths = project.values_unless(options.proto_paths, "proto_path");
    options.assets = project.values_unless(options.assets, "assets");
    if (!options.dry_run) {
      CacheFolder cache = make_cache_folder("assets");
      console.warn(cache.warning);
      options.cache = std::move(cache.path);
    }
    fetch::fetch_world(arguments.world, options, report.listener());
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("'{}' {}", arguments.world, error.what()));
  } catch (const fetch::FetchEnded&) {
    console.clear_progress();
    return 128 + interrupting_signal();
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    console.clear_progress();
    rethrow_if_short(error);
    console.log(LogLevel::Error, error.what());
    return kExitFailed;
  }
  return report.end(arguments);
}

void add_licence_and_mirror(CLI::App& command, std::string& accepted, std::string& mirror,
                            CLI::Option* needed) {
  CLI::Option* const licence =
      add_choice(command, "--accept-licence", accepted, {"webots"},
                 "Fetch also what may be used with Webots only: you hold that licence");
  CLI::Option* const place =
      command
          .add_option("--mirror", mirror,
                      "Where Webots' files are, as URL/R2025a/projects/..., instead of GitHub")
          ->type_name("URL")
          ->check(CLI::Validator(
              [](const std::string& address) {
                const std::string fault = assets::fault_of_address(address);
                return fault.empty() ? fault : fmt::format("'{}' {}", printable(address), fault);
              },
              ""));
  if (needed != nullptr) {
    licence->needs(needed);
    place->needs(needed);
  }
}

}  // namespace

void add_fetch_before_run(CLI::App& command, FetchBeforeRun& arguments) {
  CLI::Option* const fetch =
      command.add_flag("--fetch", arguments.wanted,
                       "First download the PROTO files and meshes that the world lacks, as "
                       "`servosim fetch` does");
  add_licence_and_mirror(command, arguments.accepted, arguments.mirror, fetch);
}

int fetch_before_run(const FetchBeforeRun& arguments, const std::vector<std::string>& worlds,
                     const std::vector<std::string>& proto_paths,
                     const std::vector<std::string>& assets, bool quiet, Console& console) {
  int exit_code = kExitOk;
  const std::set<std::string> each(worlds.begin(), worlds.end());
  for (const std::string& world : each) {
    FetchArguments of_world;
    of_world.world = world;
    of_world.accepted = arguments.accepted;
    of_world.options.mirror = arguments.mirror;
    of_world.options.proto_paths = proto_paths;
    of_world.options.assets = assets;
    try {
      const int code = fetch_files(of_world, console, quiet);
      if (code > 128) {
        return code;
      }
      exit_code = std::max(exit_code, code);
    } catch (const InputError&) {
      exit_code = kExitBadInput;  // the run of this world reports the reason
    }
  }
  return exit_code;
}

void add_fetch(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("fetch", "Download the PROTO files and meshes that a world names");
  const auto arguments = std::make_shared<FetchArguments>();
  command->callback([&action, arguments] {
    action = [arguments] {
      Console console;
      try {
        return fetch_files(*arguments, console, false);
      } catch (const InputError& error) {
        console.log(LogLevel::Error, error.what());
        return kExitBadInput;
      }
    };
  });
  command->footer(kFetchHelp);
  command->add_option("WORLD", arguments->world, "World file (.wbt); -: standard input")
      ->required();
  command->add_flag("--dry-run", arguments->options.dry_run, "List what would be fetched");
  command->add_flag("--textures", arguments->options.textures,
                    "Fetch pictures too, which act on no motion");
  add_licence_and_mirror(*command, arguments->accepted, arguments->options.mirror, nullptr);
  command->add_option("--max-size", arguments->max_size, "Largest file, up to 250 (100)")
      ->type_name("MB")
      ->check(positive_number(250).description(""));
  command->add_option("--max-total", arguments->max_total, "All that is downloaded (1000)")
      ->type_name("MB")
      ->check(positive_number(1e6).description(""));
  command->add_option("--max-files", arguments->max_files, "Number of files (1000)")
      ->type_name("N")
      ->check(whole_number(1).description(""));
  command->add_option("--timeout", arguments->timeout, "Time for one file (120)")
      ->type_name("S")
      ->check(positive_number(86400).description(""));
  command->add_option("--max-time", arguments->max_time, "Time for all that is downloaded (3600)")
      ->type_name("S")
      ->check(positive_number(86400).description(""));
  add_proto_path(*command, arguments->options.proto_paths);
  add_assets(*command, arguments->options.assets);
}

}  // namespace servosim
