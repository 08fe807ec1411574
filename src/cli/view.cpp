// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <variant>

#include "base/child_process.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "recording/recorder.h"
#include "recording/recording_reader.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/process.h"
#include "run/signals.h"
#include "servosim/simulation.h"
#include "view/replay_page.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kViewHelp = R"(
Writes one HTML file that shows the recording in any browser, without network: the scene in 3D and
the curves of its joints, at one time. Of a world it shows the start: it is not run. A second
recording is drawn over the first, with the differences of each joint. '?' in the page shows its
keys.

With --png a browser of this machine (chromium or google-chrome) draws the scene as a picture
instead. VIEW is a list of what stands behind '#' in a link of the page:
  t=2.0              the time [s]
  camera=x           from an axis (x, -x, y, -y, z, -z), from the start, or as in a link:
  camera=2,-3,1,0,0,0.5          position and target
  show=axes,limits   what is drawn: axes, limits, contacts, masses, frames, bounding, grid
  follow=BODY        the camera goes along with a body
  theme=dark         or light
  size=1280x720      in pixels

Exit codes: 0 done; 1 this build has no page, there is no browser, or the output cannot be written;
2 the recording or an argument is wrong.

Examples:
  servosim run worlds/arm.wbt --record arm.svt
  servosim view arm.svt
  servosim view worlds/arm.wbt
  servosim view before.svt after.svt -o both.html
  servosim view arm.svt --png t=2.0,camera=x,show=axes -o still.png
)";

struct ViewArguments {
  std::vector<std::string> recordings;
  std::string output;
  std::string picture;  // value of VIEW
  std::vector<std::string> servo_paths;
  bool wants_picture = false;
};

/// The view that --png requests.
struct PictureView {
  std::string link;  // the part of the address after '#'
  int width = 1280;
  int height = 720;
};

std::string in_a_link(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~/,:").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

// Reads a size such as `1280x720`.
void read_size(const std::string& value, PictureView& view) {
  const std::size_t x = value.find('x');
  const auto number = [&](std::string_view digits) {
    int result = 0;
    for (const char c : digits) {
      result = c < '0' || c > '9' || result > 10000 ? -1 : 10 * result + (c - '0');
      if (result < 0) {
        break;
      }
    }
    if (digits.empty() || result < 16 || result > 8192) {
      throw InputError(fmt::format(
          "--png: size={}: a size is WIDTHxHEIGHT, each 16 to 8192, such as size=1280x720", value));
    }
    return result;
  };
  view.width = number(std::string_view(value).substr(0, x));
  view.height =
      number(x == value.npos ? std::string_view() : std::string_view(value).substr(x + 1));
}

// A comma separates two settings if a '=' follows, otherwise it is a part of the value:
// `t=2,camera=1,2,3,0,0,0`.
PictureView read_view(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    if (const std::size_t equals = part.find('='); equals != part.npos) {
      parts.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    } else if (!parts.empty()) {
      parts.back().second += ',' + part;
    } else if (!part.empty()) {
      throw InputError(
          fmt::format("--png: '{}' is no VIEW, which is such as t=2.0,camera=x", text));
    }
  }
  PictureView view;
  static constexpr std::array<std::string_view, 5> kKeys{"t", "camera", "show", "follow", "theme"};
  for (const auto& [key, value] : parts) {
    if (key == "size") {
      read_size(value, view);
    } else if (is_one_of(kKeys, key)) {
      view.link += key + '=' + in_a_link(value) + '&';
    } else {
      throw InputError(fmt::format(
          "--png: there is no '{}'; a VIEW has t, camera, show, follow, theme and size", key));
    }
  }
  view.link += "still";
  return view;
}

std::string extension_of(const ViewArguments& arguments) {
  return arguments.wants_picture ? ".png" : ".html";
}

// The default output is in the current folder, since the folder of the recordings may be read-only.
std::string view_output_of(const ViewArguments& arguments) {
  if (!arguments.output.empty()) {
    return arguments.output;
  }
  return fs::path(arguments.recordings.front())
      .filename()
      .replace_extension(extension_of(arguments))
      .string();
}

void check_output(const std::string& output, const ViewArguments& arguments) {
  const std::string extension = extension_of(arguments);
  const std::string given = fs::path(output).extension().string();
  if (given == ".png" && !arguments.wants_picture) {
    throw InputError(
        fmt::format("'{}': for a picture give --png VIEW, such as --png t=2.0", output));
  }
  if (given != extension && (given == ".svt" || arguments.wants_picture)) {
    throw InputError(fmt::format("the output is a {} file, not '{}'; did you mean '{}'?", extension,
                                 output, fs::path(output).replace_extension(extension).string()));
  }
  for (const std::string& recording : arguments.recordings) {
    if (std::error_code ignored; fs::equivalent(output, recording, ignored)) {
      throw InputError(
          fmt::format("'{}' is the recording itself; name the output with -o", output));
    }
  }
}

NamedRecording read_recording_file(const std::string& path, Console& console) {
  auto file = read_file(path);
  if (const auto* error = std::get_if<FileError>(&file)) {
    const std::string close = did_you_mean_file(path);
    throw InputError(fmt::format(
        "{}: {}{}", path, error->reason,
        close.empty() ? "; 'servosim run WORLD --record FILE.svt' writes a recording" : close));
  }
  std::string& bytes = std::get<std::string>(file);
  try {
    const Recording recording = read_recording(bytes);
    if (recording.frames.empty()) {
      throw InputError(fmt::format("{}: the recording ends before its first frame", path));
    }
    if (recording.truncated) {
      console.warn(
          fmt::format("{}: the recording is cut off at {:.3f} s, as of a run that was killed", path,
                      recording.frames.back().time));
    }
  } catch (const RecordingError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  return {fs::path(path).filename().string(), std::move(bytes)};
}

// Records a world in its initial state.
NamedRecording record_start(const std::string& world, const std::vector<std::string>& servo_paths,
                            Console& console) {
  LoadOptions options;
  options.servo_paths = servo_paths;
  options.notice = [&console](std::string_view text) { console.log(LogLevel::Warning, text); };
  try {
    const ProjectFile project = ProjectFile::of_world(world);
    options.proto_paths = project.values_unless({}, "proto_path");
    options.assets = project.values_unless({}, "assets");
    Simulation simulation = load(world, options);
    print_diagnostics(simulation.diagnostics(), false, console);
    const std::string name = fs::path(world).filename().string();
    return {name, record_state(simulation, name)};
  } catch (const LoadError& error) {
    print_diagnostics(error.list(), false, console);
    throw InputError(fmt::format("{}: the world cannot be shown", world));
  }
}

std::vector<std::string> browser_command(const std::string& browser, const PictureView& view,
                                         const std::string& folder) {
  std::vector<std::string> command{
      browser, "--headless", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--disable-extensions", "--hide-scrollbars", "--force-device-scale-factor=1",
      // SwiftShader draws without a graphics card.
      "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      // Waits until the page has read its recording.
      "--virtual-time-budget=20000", "--user-data-dir=" + folder + "/profile",
      fmt::format("--window-size={},{}", view.width, view.height),
      "--screenshot=" + folder + "/picture.png"};
  if (::geteuid() == 0) {
    command.push_back("--no-sandbox");  // otherwise it refuses to start as root
  }
  command.push_back("file://" + in_a_link(folder) + "/page.html#" + view.link);
  return command;
}

bool is_whole_png(std::string_view picture) {
  constexpr std::size_t kEnd = 12;  // size of the last chunk
  return picture.starts_with("\x89PNG") &&
         picture.substr(picture.size() - std::min(picture.size(), kEnd)).find("IEND") !=
             std::string_view::npos;
}

// Returns the scene of a page as a browser draws it.
std::string draw_picture(const std::string& page, const PictureView& view) {
  const TemporaryFolder folder("servosim_view");
  if (const auto error = write_file(folder.path() + "/page.html", page, true)) {
    throw std::runtime_error(fmt::format("'{}/page.html' {}", folder.path(), error->reason));
  }
  const SignalWatch signals;  // lets a signal end the browser, too
  for (const char* browser : {"chromium", "chromium-browser", "google-chrome"}) {
    const CommandResult result =
        run_command(browser_command(browser, view, folder.path()), folder.path(), 20);
    throw_if_interrupted();
    if (!result.started) {
      continue;
    }
    std::string picture = read_file_or_nothing(folder.path() + "/picture.png");
    if (!result.succeeded() || !is_whole_png(picture)) {
      throw std::runtime_error(fmt::format("{} {} and has drawn no picture\n{}", browser,
                                           describe_wait_status(result.wait_status),
                                           result.output));
    }
    return picture;
  }
  throw std::runtime_error(
      "--png needs a browser, but neither chromium nor google-chrome is installed; on Debian: sudo "
      "apt install chromium");
}

void view_recordings(const ViewArguments& arguments, Console& console) {
  if (!has_replay_page()) {
    throw std::runtime_error(kNoReplayPage);
  }
  if (arguments.recordings.size() > 2) {
    throw InputError(
        fmt::format("a page shows one recording or two, not {}", arguments.recordings.size()));
  }
  const std::string output = view_output_of(arguments);
  check_output(output, arguments);
  const PictureView view = read_view(arguments.picture);
  std::vector<NamedRecording> recordings;
  for (const std::string& path : arguments.recordings) {
    recordings.push_back(fs::path(path).extension() == ".wbt"
                             ? record_start(path, arguments.servo_paths, console)
                             : read_recording_file(path, console));
  }
  const std::string page = replay_page(recordings);
  const std::string text = arguments.wants_picture ? draw_picture(page, view) : page;
  if (const auto error = write_file(output, text, true)) {
    throw std::runtime_error(fmt::format("'{}' {}", output, error->reason));
  }
  console.print(
      arguments.wants_picture
          ? fmt::format("{}: {} x {} pixels\n", output, view.width, view.height)
          : fmt::format("{}: {} kB; open it in a browser\n", output, (text.size() + 500) / 1000));
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("view", "Show a recording or a world in a browser");
  const auto arguments = std::make_shared<ViewArguments>();
  command->footer(kViewHelp);
  command
      ->add_option("RECORDING", arguments->recordings,
                   "One or two of what `servosim run --record` wrote (.svt), or worlds (.wbt)")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "Instead of the name of RECORDING with .html or .png, in the present folder")
      ->type_name("FILE.html|.png");
  CLI::Option* picture =
      command->add_option("--png", arguments->picture, "Draw the scene as a picture")
          ->type_name("VIEW");
  add_servo_path(*command, arguments->servo_paths);
  command->callback([&action, arguments, picture] {
    arguments->wants_picture = picture->count() > 0;
    action = [arguments] {
      return run_writer([&arguments](Console& console) { view_recordings(*arguments, console); });
    };
  });
}

}  // namespace servosim
