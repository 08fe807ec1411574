// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/project_file.h"
#include "recording/recorder.h"
#include "recording/recording_reader.h"
#include "recording/scene_parts.h"
#include "robots/robot_file.h"
#include "run/console.h"
#include "run/launch_plan.h"
#include "run/signals.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "view/replay_page.h"
#include "view/still/still.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kViewHelp = R"(
Writes one HTML file that shows the recording in any browser, without network: the scene in 3D and
the curves of its joints, at one time. Of a world it shows the start: it is not run. A second
recording is drawn over the first, with the differences of each joint. '?' in the page shows its
keys.

With --png the renderer of Cameras draws the scene as a picture instead, without a browser. A world
is seen as its Cameras see it, from its Viewpoint; one without lights, and a recording, is lit from
above. Marks are drawn over it. Other than in the page, planes and meshes are seen from the front
alone, and no legend names two recordings. VIEW is a list of what is behind '#' in a link of the
page:
  t=2.0              the time [s]
  camera=x           from an axis (x, -x, y, -y, z, -z), from the start, or as in a link:
  camera=2,-3,1,0,0,0.5          position and target
  show=axes,limits   what is drawn: axes, limits, contacts, masses, frames, bounding, grid,
                     background (the sky); the page's pictures of sensors are not drawn
  follow=BODY        a camera from an axis or the start looks at a body
  theme=dark         or light: a plain background; without it a world has its sky
  size=1280x720      in pixels

Exit codes: 0 done; 1 this build has no page, the renderer cannot be loaded, or the output cannot be
written; 2 the recording or an argument is wrong.

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
  RobotFileOptions robot_file;
  bool wants_picture = false;
};

// Reads a size such as `1280x720`.
void read_size(const std::string& value, still::StillView& view) {
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

[[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view meaning) {
  throw InputError(fmt::format("--png: {}={}: {}", key, value, meaning));
}

std::vector<std::string> parts_of(const std::string& value) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    parts.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void read_camera(const std::string& value, still::StillView& view) {
  if (is_one_of(still::kCameras, value)) {
    view.camera = value;
    return;
  }
  std::array<double, 6> numbers{};
  const std::vector<std::string> parts = parts_of(value);
  bool fits = parts.size() == numbers.size();
  for (std::size_t i = 0; fits && i < numbers.size(); ++i) {
    const auto number = parse_number<double>(parts[i]);
    fits = number && std::abs(*number) <= 1e9;
    numbers[i] = number.value_or(0.0);
  }
  const bool looks_somewhere = !std::equal(numbers.begin(), numbers.begin() + 3, &numbers[3]);
  if (fits && !looks_somewhere) {
    refuse("camera", value, "the position and the target of a camera are two places");
  }
  if (!fits) {
    refuse("camera", value,
           "a camera is x, -x, y, -y, z, -z, start, or six numbers: position and target [m]");
  }
  view.camera = numbers;
}

void read_shown(const std::string& value, still::StillView& view) {
  view.shown.clear();
  for (std::string& part : parts_of(value)) {
    if (part == "pictures") {
      continue;  // links of the page may name its insets, which a still does not have
    }
    if (!part.empty() && !is_one_of(still::kShown, part)) {
      refuse("show", value,
             fmt::format("there is no '{}'; a picture shows {}", part,
                         fmt::join(still::kShown, ", ")));
    }
    view.shown.insert(std::move(part));
  }
}

void read_setting(const std::string& key, const std::string& value, still::StillView& view) {
  if (key == "size") {
    read_size(value, view);
  } else if (key == "t") {
    const auto time = parse_number<double>(value);
    if (!time || !(*time >= 0.0 && std::isfinite(*time))) {
      refuse(key, value, "a time is a number of seconds, 0 or more");
    }
    view.time = *time;
  } else if (key == "camera") {
    read_camera(value, view);
  } else if (key == "show") {
    read_shown(value, view);
  } else if (key == "follow") {
    view.follow = value;
  } else if (key == "theme") {
    if (value != "dark" && value != "light") {
      refuse(key, value, "a theme is dark or light");
    }
    view.theme = value == "dark" ? still::Theme::Dark : still::Theme::Light;
  } else {
    throw InputError(fmt::format(
        "--png: there is no '{}'; a VIEW has t, camera, show, follow, theme and size", key));
  }
}

// A comma separates two settings if a '=' follows, otherwise it is a part of the value:
// `t=2,camera=1,2,3,0,0,0`.
still::StillView read_view(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& part : parts_of(text)) {
    if (const std::size_t equals = part.find('='); equals != part.npos) {
      settings.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    } else if (!settings.empty()) {
      settings.back().second += ',' + part;
    } else if (!part.empty()) {
      throw InputError(
          fmt::format("--png: '{}' is no VIEW, which is such as t=2.0,camera=x", text));
    }
  }
  still::StillView view;
  for (const auto& [key, value] : settings) {
    read_setting(key, value, view);
  }
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

// A recording, or a world in its initial state.
struct ViewInput {
  std::string path;
  NamedRecording named;
  Recording recording;
  std::optional<Simulation> world;
};

ViewInput read_recording_file(const std::string& path, Console& console) {
  auto file = read_file(path);
  if (const auto* error = std::get_if<FileError>(&file)) {
    const std::string close = did_you_mean_file(path);
    throw InputError(fmt::format(
        "{}: {}{}", path, error->reason,
        close.empty() ? "; 'servosim run WORLD --record FILE.svt' writes a recording" : close));
  }
  ViewInput input{path, {fs::path(path).filename().string(), {}}, {}, {}};
  input.named.bytes = std::move(std::get<std::string>(file));
  try {
    input.recording = read_recording(input.named.bytes);
  } catch (const RecordingError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  if (input.recording.frames.empty()) {
    throw InputError(fmt::format("{}: the recording ends before its first frame", path));
  }
  if (input.recording.truncated) {
    console.warn(
        fmt::format("{}: the recording is cut off at {:.3f} s, as of a run that was killed", path,
                    input.recording.frames.back().time));
  }
  return input;
}

ViewInput read_world(const std::string& path, const std::vector<std::string>& servo_paths,
                     const RobotFileOptions& robot_file, Console& console) {
  LoadOptions options;
  options.servo_paths = servo_paths;
  options.robot_file = robot_file;
  options.notice = [&console](std::string_view text) { console.log(LogLevel::Warning, text); };
  ViewInput input{path, {fs::path(path).filename().string(), {}}, {}, {}};
  try {
    const ProjectFile project = ProjectFile::of_world(path);
    options.proto_paths = project.values_unless({}, "proto_path");
    options.assets = project.values_unless({}, "assets");
    input.world.emplace(load(path, options));
  } catch (const LoadError& error) {
    print_diagnostics(error.list(), false, console);
    throw InputError(fmt::format("{}: the world cannot be shown", path));
  }
  print_diagnostics(input.world->diagnostics(), false, console);
  input.named.bytes = record_state(*input.world, input.named.name);
  input.recording = read_recording(input.named.bytes);
  return input;
}

// As in the page, nothing is shown from the first frame without a finite place on. A recording that
// begins with such a frame is refused when it is drawn.
void cut_off_unplaced(ViewInput& input, Console& console) {
  std::vector<RecordedFrame>& frames = input.recording.frames;
  const std::size_t placed = count_placed_frames(input.recording);
  if (placed == 0 || placed == frames.size()) {
    return;
  }
  console.warn(
      fmt::format("{}: the frame at {:.3f} s has a place that is not finite; only the first "
                  "{} frames are shown",
                  input.path, frames[placed].time, placed));
  frames.resize(placed);
}

std::string draw_picture(std::vector<ViewInput>& inputs, const still::StillView& view,
                         Console& console) {
  const SignalWatch signals;  // an interruption ends it, and removes the temporary files
  for (ViewInput& input : inputs) {
    cut_off_unplaced(input, console);
  }
  ViewInput& first = inputs.front();
  const still::StillSource source{&first.recording, first.world ? &*first.world : nullptr,
                                  inputs.size() > 1 ? &inputs[1].recording : nullptr,
                                  throw_if_interrupted};
  try {
    still::Still still = draw_still(source, view);
    throw_if_interrupted();
    if (first.world) {
      for (const MissingPart& part : WorldControl(*first.world).take_missing()) {
        console.warn(fmt::format("{}: the picture lacks {}", first.path, part.subject));
      }
    }
    if (still.is_lit_by_view) {
      console.log(
          LogLevel::Info,
          fmt::format("{}: the world has no lights; the picture is lit from above", first.path));
    }
    return std::move(still.png);
  } catch (const RecordingError& error) {
    const bool is_alone = inputs.size() == 1;
    throw InputError(fmt::format(
        "{}: {}", is_alone ? first.path : first.path + " or " + inputs[1].path, error.what()));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("--png: {}", error.what()));
  }
}

std::string make_page(std::vector<ViewInput>& inputs) {
  std::vector<NamedRecording> recordings;
  for (ViewInput& input : inputs) {
    recordings.push_back(std::move(input.named));
  }
  return replay_page(recordings);
}

void view_recordings(const ViewArguments& arguments, Console& console) {
  if (!arguments.wants_picture && !has_replay_page()) {
    throw std::runtime_error(kNoReplayPage);
  }
  if (arguments.recordings.size() > 2) {
    throw InputError(
        fmt::format("a page shows one recording or two, not {}", arguments.recordings.size()));
  }
  const std::string output = view_output_of(arguments);
  check_output(output, arguments);
  const still::StillView view = read_view(arguments.picture);
  std::vector<ViewInput> inputs;
  for (const std::string& path : arguments.recordings) {
    inputs.push_back(fs::path(path).extension() == ".wbt" || robots::is_robot_file(path)
                         ? read_world(path, arguments.servo_paths, arguments.robot_file, console)
                         : read_recording_file(path, console));
  }
  const std::string text =
      arguments.wants_picture ? draw_picture(inputs, view, console) : make_page(inputs);
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
  add_robot_file(*command, arguments->robot_file);
  command->callback([&action, arguments, picture] {
    arguments->wants_picture = picture->count() > 0;
    action = [arguments] {
      return run_writer([&arguments](Console& console) { view_recordings(*arguments, console); });
    };
  });
}

}  // namespace servosim
