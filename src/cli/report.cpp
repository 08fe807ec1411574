// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assets/zip_writer.h"
#include "base/child_process.h"
#include "base/files.h"
#include "base/printable.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "cli/report_files.h"
#include "cli/report_machine.h"
#include "cli/secrets.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/process.h"
#include "run/signals.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kReportHelp = R"(
Packs what a person who looks into a problem has to know into one zip archive: the version and the
build of servosim, the machine, the variables SERVOSIM_* and WEBOTS_*, and of a world its file, the
servosim.toml of its project, the PROTO files, meshes and pictures that these name, and what
`servosim check` says. With --run it runs the world, with its controllers, for that simulated time,
and packs how that ended and the last lines that it printed. Ctrl+C ends such a run, and the report
has what was printed by then.

Files in the folders controllers, libraries and plugins are never packed, nor are other variables,
or what belongs to an installation or a cache of Webots. The report does not ask for the names of
the computer or of users; paths, variables and printed lines may have them. The home folder becomes
~. Passwords, tokens and private keys in worlds, PROTOs and printed lines become <removed>, as far
as they can be recognised: the command prints what the archive contains, for you to look before you
send it. It sends nothing. docs/how-to/report-a-problem.md has more.

Exit codes: 0 done; 1 the archive or the output cannot be written; 2 the world cannot be read, or an
argument is wrong; 129, 130 or 143 after SIGHUP, SIGINT or SIGTERM, after which the archive is
written too. A world with errors and a run that fails are packed, and end with 0.

Examples:
  servosim report
  servosim report worlds/arm.wbt --list
  servosim report worlds/arm.wbt --run 5 -o arm-report.zip
)";

constexpr int kMaxReadLines = 2000;            // the most lines that are read of a command
constexpr std::size_t kMaxPrinted = 64 << 10;  // the last bytes that are kept of them
constexpr std::size_t kMaxLeftOut = 1000;      // the most files that are listed as left out
constexpr std::string_view kFolder = "servosim-report/";

struct ReportArguments {
  std::string world;
  std::string output = "servosim-report.zip";
  std::optional<double> run;  // [s]
  bool list = false;
  std::vector<std::string> proto_paths;
  std::vector<std::string> assets;
};

class ReportCommand {
 public:
  ReportCommand(const ReportArguments& arguments, Console& console)
      : arguments_(arguments), console_(console) {
    if (const char* const home = std::getenv("HOME"); home != nullptr) {
      places_.homes.push_back(fs::path(home).lexically_normal().string());
      std::error_code error;
      if (const fs::path real = fs::canonical(home, error); !error) {
        places_.homes.push_back(real.string());
      }
    }
    places_.proto_paths = arguments.proto_paths;
    places_.assets = arguments.assets;
  }

  void execute() {
    refuse_foreign_output();
    Json document{{"schema", "servosim-report-1"}, {"servosim", SERVOSIM_VERSION},
                  {"ode", SERVOSIM_ODE_VERSION},   {"build", build_json()},
                  {"machine", machine_json()},     {"environment", environment_json()}};
    if (!arguments_.world.empty()) {
      add_world(document);
    }
    clean_values(document);
    entries_.insert(entries_.begin(), {std::string(kFolder) + "report.json", json_text(document)});
    sources_.insert(sources_.begin(), "");
    print_contents();
    if (!arguments_.list) {
      const std::string bytes = assets::zip_of(entries_);
      if (const auto error = write_file(arguments_.output, bytes, true)) {
        throw std::runtime_error(fmt::format("'{}' {}", arguments_.output, error->reason));
      }
      console_.print(fmt::format("{}: {}. Look at it before you send it; nothing was sent.\n",
                                 arguments_.output, size_text(bytes.size())));
    }
  }

 private:
  static std::string size_text(std::size_t bytes) {
    return bytes < 10'000 ? fmt::format("{} B", bytes)
                          : fmt::format("{:.0f} kB", static_cast<double>(bytes) / 1e3);
  }

  // A report is replaced, and no other file. The first header of an archive has 30 bytes in front
  // of the name: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.7.
  void refuse_foreign_output() const {
    constexpr std::size_t kHeader = 30;
    std::error_code ignored;
    if (arguments_.list || !fs::is_regular_file(arguments_.output, ignored)) {
      return;
    }
    const std::string begin = read_beginning(arguments_.output, kHeader + kFolder.size());
    if (!begin.empty() &&
        (!begin.starts_with("PK") || begin.size() < kHeader || begin.substr(kHeader) != kFolder)) {
      throw InputError(
          fmt::format("'{}' is no report of servosim and is not replaced; choose another -o",
                      arguments_.output));
    }
  }

  std::string clean(std::string_view text) const {
    return without_homes(without_secrets(text).text, places_.homes);
  }

  // Cleans each text of a document, except for keys.
  void clean_values(Json& json) const {
    if (json.is_string()) {
      json = clean(printable_lines(json.get<std::string>()));
    } else if (json.is_structured()) {
      for (Json& each : json) {
        clean_values(each);
      }
    }
  }

  void add(const std::string& name, std::string content, std::string source) {
    entries_.push_back({std::string(kFolder) + printable(name), std::move(content)});
    sources_.push_back(std::move(source));
  }

  void add_world(Json& document) {
    if (const auto opened = open_file(arguments_.world);
        const auto* error = std::get_if<FileError>(&opened)) {
      throw InputError(fmt::format("{} {}", printable(arguments_.world), error->reason));
    }
    document["world"] = arguments_.world;
    document["check"] = add_command("check.txt", {"check", "--verbose"}, {});
    places_.may_be_loaded = is_ended_by_itself_;
    try {
      const ProjectFile project = ProjectFile::of_world(arguments_.world);
      places_.proto_paths = project.values_unless(arguments_.proto_paths, "proto_path");
      places_.assets = project.values_unless(arguments_.assets, "assets");
    } catch (const ProjectFileError&) {  // check says what is wrong with the file
    }
    ReportFiles found = files_for_report(arguments_.world, places_);
    Json files = Json::array();
    for (ReportFile& file : found.files) {
      files.push_back({{"name", printable(file.name)},
                       {"path", file.path},
                       {"outside_of_project", file.is_outside},
                       {"removed", file.removed}});
      add(file.name, std::move(file.content),
          file.path + (file.is_outside ? ", outside of the project" : ""));
    }
    left_out_ = std::move(found.left_out);
    left_out_count_ = left_out_.size();
    left_out_.resize(std::min(left_out_count_, kMaxLeftOut));
    Json left_out = Json::array();
    for (const LeftOutFile& file : left_out_) {
      left_out.push_back({{"path", file.path}, {"reason", file.reason}});
    }
    document["files"] = std::move(files);
    document["left_out"] = std::move(left_out);
    document["left_out_count"] = left_out_count_;
    if (arguments_.run) {
      document["run"] =
          add_command("run.txt", {"run"}, {fmt::format("--duration={}", *arguments_.run)});
    }
  }

  // Runs a command of this program with the world, adds the last lines that it has printed, and
  // returns how it has ended.
  std::string add_command(const std::string& name, std::vector<std::string> command,
                          const std::vector<std::string>& more) {
    command.insert(command.begin(), fs::read_symlink("/proc/self/exe").string());
    command.insert(command.end(), more.begin(), more.end());
    for (const std::string& folder : arguments_.proto_paths) {
      command.push_back("--proto-path=" + folder);
    }
    for (const std::string& store : arguments_.assets) {
      command.push_back("--assets=" + store);
    }
    command.push_back(fs::absolute(arguments_.world).string());
    const CommandResult result =
        run_command(command, fs::current_path().string(), kMaxReadLines, KeptLines::Last);
    add(name, last_part(without_end_of_key(clean(printable_lines(result.output)))), "");
    is_ended_by_itself_ = WIFEXITED(result.wait_status);
    return describe_wait_status(result.wait_status);
  }

  // Returns the last lines, or the last bytes of a line that is too long.
  static std::string last_part(std::string text) {
    if (text.size() <= kMaxPrinted) {
      return text;
    }
    const std::size_t begin = text.size() - kMaxPrinted;
    const std::size_t line = text.find('\n', begin);
    return "...\n" +
           text.substr(line + 1 < text.size() && line != std::string::npos ? line + 1 : begin);
  }

  void print_contents() {
    std::string text;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      text += fmt::format("{:>8}  {}{}\n", size_text(entries_[i].content.size()), entries_[i].name,
                          sources_[i].empty() ? "" : "  from " + sources_[i]);
    }
    for (const LeftOutFile& file : left_out_) {
      text += fmt::format("left out  {}: {}\n", file.path, file.reason);
    }
    const std::size_t bytes = std::accumulate(
        entries_.begin(), entries_.end(), std::size_t{0},
        [](std::size_t sum, const assets::ZipEntry& entry) { return sum + entry.content.size(); });
    console_.print(text + fmt::format("{}, {}; {} left out\n", counted(entries_.size(), "file"),
                                      size_text(bytes), left_out_count_));
  }

  const ReportArguments& arguments_;
  Console& console_;
  ReportPlaces places_;
  std::vector<assets::ZipEntry> entries_;
  std::vector<std::string> sources_;   // path of each entry on this machine; may be empty
  std::vector<LeftOutFile> left_out_;  // at most kMaxLeftOut
  std::size_t left_out_count_ = 0;
  bool is_ended_by_itself_ = true;  // whether the last command was not ended by a signal
};

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Pack what a report of a problem has to say");
  const auto arguments = std::make_shared<ReportArguments>();
  command->callback([&action, arguments] {
    action = [arguments] {
      const SignalWatch signals;  // an interrupted run is reported
      return run_writer(
          [&arguments](Console& console) { ReportCommand(*arguments, console).execute(); });
    };
  });
  command->footer(kReportHelp);
  CLI::Option* world = command->add_option("WORLD", arguments->world, "World file (.wbt)");
  command->add_option("-o,--output", arguments->output, "The archive (servosim-report.zip)")
      ->type_name("FILE.zip");
  command->add_flag("--list", arguments->list, "Print what would be packed, and write nothing");
  command->add_option("--run", arguments->run, "Run the world for this simulated time")
      ->type_name("S")
      ->check(positive_number(1e6).description(""))
      ->needs(world);
  add_proto_path(*command, arguments->proto_paths);
  add_assets(*command, arguments->assets);
}

}  // namespace servosim
