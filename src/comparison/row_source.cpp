// SPDX-License-Identifier: Apache-2.0
#include "comparison/row_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "base/files.h"
#include "base/shortage.h"
#include "base/text.h"
#include "recording/recording_reader.h"
#include "run/launch_plan.h"
#include "sim/trace/trace_reader.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

class TraceRows : public RowSource {
 public:
  explicit TraceRows(const std::string& path) try : path_(path), file_(open(path)), reader_(file_) {
  } catch (const TraceError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }

  const std::vector<TraceItem>& items() const override { return reader_.items(); }
  bool next(std::vector<double>& row) override try {
    return reader_.next(row);
  } catch (const TraceError& error) {
    throw InputError(fmt::format("{}: {}", path_, error.what()));
  }
  int episode() const override { return reader_.episode(); }
  bool cut_off() const override { return reader_.cut_off(); }

 private:
  static std::ifstream open(const std::string& path) {
    if (std::error_code ignored; fs::is_directory(path, ignored)) {
      throw InputError(fmt::format("{}: is a directory", path));
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      throw_if_short(errno, fmt::format("'{}' cannot be read", path));
      const std::string reason = std::strerror(errno);
      throw InputError(
          fmt::format("{}: cannot be read: {}{}", path, reason, did_you_mean_file(path)));
    }
    return file;
  }

  std::string path_;
  std::ifstream file_;
  TraceReader reader_;
};

class RecordingRows : public RowSource {
 public:
  explicit RecordingRows(const std::string& path) {
    auto bytes = read_file(path);
    if (const auto* error = std::get_if<FileError>(&bytes)) {
      throw InputError(fmt::format("{}: {}", path, error->reason));
    }
    try {
      recording_ = read_recording(std::get<std::string>(bytes));
    } catch (const RecordingError& error) {
      throw InputError(fmt::format("{}: {}", path, error.what()));
    }
    items_ = items_of(recording_.scenes.front());
    for (const RecordedScene& scene : recording_.scenes) {
      const std::vector<TraceItem> now = items_of(scene);
      if (!std::equal(now.begin(), now.end(), items_.begin(), items_.end(),
                      [](const TraceItem& a, const TraceItem& b) {
                        return a.name == b.name && a.columns.size() == b.columns.size();
                      })) {
        throw InputError(
            fmt::format("{}: what moves changes during the recording, so its frames "
                        "are no table; compare traces instead",
                        path));
      }
    }
  }

  const std::vector<TraceItem>& items() const override { return items_; }
  bool cut_off() const override { return recording_.truncated; }

  bool next(std::vector<double>& row) override {
    if (at_ == recording_.frames.size()) {
      return false;
    }
    const RecordedFrame& frame = recording_.frames[at_++];
    row = {frame.time};
    const RecordedScene& scene = recording_.scenes[frame.scene];
    auto servo = frame.servos.begin();
    for (std::size_t j = 0; j < frame.joints.size(); ++j) {
      const RecordedJoint& joint = frame.joints[j];
      row.insert(row.end(), {joint.position, joint.target_position, joint.velocity,
                             joint.target_velocity, joint.effort});
      if (scene.joints[j].has_servo) {
        row.insert(row.end(), {servo->current, servo->voltage, servo->duty, servo->temperature});
        ++servo;
      }
    }
    for (const RecordedPose& pose : frame.poses) {
      row.insert(row.end(), pose.position.begin(), pose.position.end());
      for (const std::int16_t part : pose.quaternion) {
        row.push_back(static_cast<float>(part / kQuaternionScale));
      }
    }
    return true;
  }

 private:
  static std::vector<TraceItem> items_of(const RecordedScene& scene) {
    std::vector<TraceItem> items;
    for (const RecordedAxis& joint : scene.joints) {
      const std::string unit = joint.turns ? "rad" : "m";
      items.push_back({TraceKind::Joint,
                       joint.name,
                       {{"position", unit},
                        {"target", unit},
                        {"velocity", unit + "/s"},
                        {"commanded velocity", unit + "/s"},
                        {"effort", joint.turns ? "N m" : "N"}}});
      if (joint.has_servo) {
        std::ranges::copy(servo_trace_columns(), std::back_inserter(items.back().columns));
      }
    }
    for (const RecordedBody& body : scene.bodies) {
      if (body.moves) {
        items.push_back(
            {TraceKind::Body,
             body.name + ".pose",
             {{"x", "m"}, {"y", "m"}, {"z", "m"}, {"qx", ""}, {"qy", ""}, {"qz", ""}, {"qw", ""}}});
      }
    }
    return items;
  }

  Recording recording_;
  std::vector<TraceItem> items_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> open_rows(const std::string& path) {
  if (fs::path(path).extension() == ".wbt") {
    throw InputError(
        fmt::format("{} is a world; `servosim run {} --trace FILE.csv` writes a trace "
                    "of its run",
                    path, path));
  }
  if (read_beginning(path, kRecordingMagic.size()) == kRecordingMagic) {
    return std::make_unique<RecordingRows>(path);
  }
  return std::make_unique<TraceRows>(path);
}

std::string column_name(const TraceItem& item, const TraceColumn& column) {
  return column.unit.empty() ? fmt::format("{} {}", item.name, column.quantity)
                             : fmt::format("{} {} [{}]", item.name, column.quantity, column.unit);
}

}  // namespace servosim
