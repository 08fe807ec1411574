// SPDX-License-Identifier: Apache-2.0
#include "recording/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/shortage.h"
#include "devices/measuring.h"
#include "physics/physics_world.h"
#include "recording/recording_format.h"
#include "servosim/simulation.h"
#include "sim/report.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

// Collects the nodes that affect a drawing, apart from poses and bodies.
void collect_seen(const wbt::NodePtr& node, std::vector<wbt::NodePtr>& seen) {
  const std::string_view type = node->type->name;
  if (type == "Shape" || type == "CadShape" || type == "Background") {
    seen.push_back(node);
    return;
  }
  wbt::for_each_child(*node, [&seen](const wbt::NodePtr& child) { collect_seen(child, seen); });
}

std::vector<wbt::NodePtr> seen_nodes(const wbt::WorldFile& file) {
  std::vector<wbt::NodePtr> seen;
  for (const wbt::NodePtr& node : file.nodes) {
    collect_seen(node, seen);
  }
  return seen;
}

std::array<float, 3> array_of(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

std::uint16_t body_number(int solid) {
  return solid >= 0 && solid < kNoBody ? static_cast<std::uint16_t>(solid) : kNoBody;
}

}  // namespace

const GrowingFileKind& recording_kind() {
  static constexpr std::string_view kEndings[]{".svt"};
  static constexpr std::string_view kBeginnings[]{kRecordingMagic};
  static constexpr GrowingFileKind kKind{"recording", kEndings, kBeginnings};
  return kKind;
}

RecordSource::RecordSource(Simulation& simulation, RecordingInfo info)
    : simulation_(&simulation), info_(std::move(info)) {
  WorldControl(simulation).keep_contact_forces();
}

void RecordSource::go_on_with(Simulation& simulation) {
  simulation_ = &simulation;
  info_.world = WorldInspector(simulation).scene().world_path;
  WorldControl(simulation).keep_contact_forces();
  moved_.clear();
  store_ = {};
  file_.reset();
}

void RecordSource::add_frame(double time, Writer& records) {
  if (scene_has_changed()) {
    add_scene(records);
  }
  frame_.clear();
  frame_.f64(time);
  for (const int solid : scene_.moving) {
    write_pose(solid);
  }
  for (const int number : scene_.joints) {
    write_joint(number);
  }
  for (const int number : scene_.servos) {
    write_servo(number);
  }
  write_contacts();
  RecordingStream::append(records, kFrameRecord, frame_.bytes());
}

// Returns whether the scene of the last frames is out of date.
bool RecordSource::scene_has_changed() {
  const WorldInspector inspector(*simulation_);
  bool changed = file_ == nullptr || inspector.tree_version() != version_;
  if (!changed && inspector.world_file() != file_) {
    file_ = inspector.world_file();
    changed = seen_nodes(*inspector.world_file()) != seen_nodes_;
  }
  for (std::size_t i = 0; !changed && i < scene_.fixed.size(); ++i) {
    changed = simulation_->solid(scene_.fixed[i].solid).pose() != scene_.fixed[i].pose;
  }
  return changed;
}

void RecordSource::add_scene(Writer& records) {
  const WorldInspector inspector(*simulation_);
  if (file_ != nullptr && inspector.tree_version() == version_) {
    for (const SceneRecord::Fixed& fixed : scene_.fixed) {
      if (simulation_->solid(fixed.solid).pose() != fixed.pose) {
        moved_.insert(inspector.scene().solids[fixed.solid].node);
      }
    }
  }
  scene_ = describe_scene(*simulation_, info_, moved_, store_);
  version_ = inspector.tree_version();
  file_ = inspector.world_file();
  seen_nodes_ = seen_nodes(*inspector.world_file());
  RecordingStream::append(records, kSceneRecord, as_bytes(scene_.json));
  scene_.json = {};
}

template <typename Item>
void RecordSource::write(const Item& item) {
  Item::for_each(item, [this](const auto& number) { frame_.number(number); });
}

void RecordSource::write_pose(int solid) {
  const Pose pose = simulation_->solid(solid).pose();
  RecordedPose recorded{array_of(pose.translation), {}};
  const auto quaternion = quaternion_of(pose.rotation);
  for (std::size_t i = 0; i < quaternion.size(); ++i) {
    recorded.quaternion[i] = static_cast<std::int16_t>(
        std::lround(kQuaternionScale * std::clamp(quaternion[i], -1.0, 1.0)));
  }
  write(recorded);
}

void RecordSource::write_joint(int number) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  RecordedJoint recorded{kNone, kNone, kNone, kNone, kNone};
  if (number >= 0) {
    const Joint joint = simulation_->joint(number);
    const JointReading reading = joint.reading();
    const JointCommand command = command_of(joint.motor(), reading);
    recorded.position = static_cast<float>(reading.position);
    recorded.velocity = static_cast<float>(reading.velocity);
    recorded.effort = static_cast<float>(reading.effort);
    recorded.target_position = static_cast<float>(command.position);
    recorded.target_velocity = static_cast<float>(command.velocity);
  }
  write(recorded);
}

void RecordSource::write_servo(int number) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  RecordedServo recorded{kNone, kNone, kNone, kNone, kNone};
  const auto reading = number >= 0 ? simulation_->joint(number).servo_reading() : std::nullopt;
  if (reading) {
    recorded.current = static_cast<float>(reading->current);
    recorded.voltage = static_cast<float>(reading->voltage);
    recorded.duty = static_cast<float>(reading->duty);
    recorded.max_duty = static_cast<float>(reading->max_duty);
    recorded.temperature = static_cast<float>(reading->temperature);
  }
  write(recorded);
}

void RecordSource::write_contacts() {
  const std::vector<ContactForce>& contacts =
      WorldInspector(*simulation_).physics().contacts().forces();
  frame_.u32(static_cast<std::uint32_t>(contacts.size()));
  for (const ContactForce& contact : contacts) {
    write(RecordedContact{array_of(contact.point), array_of(contact.force),
                          body_number(contact.solid), body_number(contact.other)});
  }
}

Recorder::Recorder(Simulation& simulation, const RecordingOptions& options,
                   RecordingStream::Sink sink)
    : source_(simulation, {options.world, 1.0 / options.rate}),
      picture_interval_(options.picture_rate > 0.0 ? 1.0 / options.picture_rate
                                                   : std::numeric_limits<double>::infinity()),
      stream_(std::move(sink)),
      sender_([this](const Batch& batch) { stream_.send_records(batch.records.bytes()); }) {
  add_frame(0.0);
}

void Recorder::step(double time) {
  // The time at the end of a step has a rounding error, so a frame that is due may seem not to be
  // due.
  const auto number_of = [time](double interval) {
    return static_cast<std::int64_t>(std::floor(time / interval + 1e-6));
  };
  if (const std::int64_t number = number_of(source_.info().frame_interval); number > last_number_) {
    last_number_ = number;
    add_frame(time);
  }
  if (const std::int64_t number = number_of(picture_interval_); number > last_picture_) {
    last_picture_ = number;
    add_pictures(time);
  }
}

void Recorder::add_pictures(double time) {
  pictures_.add_pictures(source_.simulation(), time, filling_.records);
  if (!filling_.empty()) {
    sender_.hand_over(filling_);
  }
}

void Recorder::end(double time, std::string_view reason) {
  // A world that has diverged has no state to show.
  if ((time > last_time_ || source_.lacks_scene()) &&
      !WorldInspector(source_.simulation()).is_over()) {
    add_frame(time);
  }
  append_end(source_.simulation(), time, reason, filling_.records);
  sender_.finish(filling_);
  stream_.finish();
}

void Recorder::add_frame(double time) {
  source_.add_frame(time, filling_.records);
  last_time_ = time;
  ++frames_;
  sender_.hand_over(filling_);
}

void append_end(const Simulation& simulation, double time, std::string_view reason,
                Writer& records) {
  const nlohmann::ordered_json json{
      {"reason", reason},
      {"time", time},
      {"state_hash", fmt::format("{:016x}", simulation.state_hash())}};
  RecordingStream::append(
      records, kEndRecord,
      as_bytes(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

FileRecorder::FileRecorder(Simulation& simulation, std::string path,
                           const RecordingOptions& options)
    : path_(std::move(path)) {
  check_growing_file(path_, recording_kind());
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file_) {
    fail(errno);
  }
  recorder_ = std::make_unique<Recorder>(simulation, options,
                                         [this](std::string_view bytes) { write(bytes); });
}

void FileRecorder::end(double time, std::string_view reason) {
  recorder_->end(time, reason);
  if (::close(file_.release()) != 0) {
    fail(errno);
  }
}

void FileRecorder::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void FileRecorder::fail(int error) const {
  throw_if_short(error, "cannot write the recording " + path_);
  throw std::runtime_error(
      fmt::format("cannot write the recording {}: {}", path_, std::strerror(error)));
}

std::string record_state(Simulation& simulation, const std::string& world,
                         std::string_view reason) {
  std::string bytes;
  RecordingOptions options;
  options.world = world;
  Recorder recorder(simulation, options, [&bytes](std::string_view piece) { bytes += piece; });
  recorder.end(0.0, reason);
  return bytes;
}

}  // namespace servosim
