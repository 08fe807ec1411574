// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/batch_thread.h"
#include "base/bytes.h"
#include "base/growing_file.h"
#include "base/scoped.h"
#include "recording/picture_record.h"
#include "recording/recording_stream.h"
#include "recording/scene_record.h"
#include "wbt/node.h"

namespace servosim {

class Simulation;

/// Recordings are .svt files.
const GrowingFileKind& recording_kind();

struct RecordingOptions {
  double rate = 25.0;  ///< frames per second of simulated time; > 0
  std::string world;   ///< name of the file, shown on the page
  /// Pictures of each enabled Camera and RangeFinder per second of simulated time, up to
  /// kMaxPictureRate; 0: none.
  double picture_rate = 0.0;
};

/// The rate of pictures where nothing else is asked for, and the largest one [Hz].
inline constexpr double kPictureRate = 5.0;
inline constexpr double kMaxPictureRate = 1e6;

/// Makes records of a simulation's states: scenes and frames. It does not change the state of the
/// simulation.
///
/// Threads: one at a time, with the Simulation.
class RecordSource {
 public:
  /// `simulation` must outlive this object.
  RecordSource(Simulation& simulation, RecordingInfo info);

  /// Appends the present state as a frame, after the scene if that is new. `time` [s]
  void add_frame(double time, Writer& records);
  /// Continues with another simulation of the world: its scene comes with the next frame.
  void go_on_with(Simulation& simulation);
  /// Returns whether go_on_with() was called after the last frame.
  bool lacks_scene() const { return file_ == nullptr; }

  const Simulation& simulation() const { return *simulation_; }
  const RecordingInfo& info() const { return info_; }

 private:
  bool scene_has_changed();
  void add_scene(Writer& records);
  template <typename Item>
  void write(const Item& item);
  void write_pose(int solid);
  void write_joint(int number);
  void write_servo(int number);
  void write_contacts();

  Simulation* simulation_;  // not null
  RecordingInfo info_;
  DrawingStore store_;
  SceneRecord scene_;
  // Nodes of Solids that move although nothing in the scene moves them.
  std::set<std::uint32_t> moved_;
  std::uint64_t version_ = 0;             // version of the tree that scene_ describes
  std::shared_ptr<const void> file_;      // the file that scene_ describes
  std::vector<wbt::NodePtr> seen_nodes_;  // nodes that affect how scene_ looks
  Writer frame_;
};

/// Appends the record of the end. `time` [s]; `reason` tells why there is nothing more.
void append_end(const Simulation& simulation, double time, std::string_view reason,
                Writer& records);

/// Records what a replay needs: the scene, and poses at a given rate. It does not change the state
/// of the simulation. Its own thread compresses and sends each frame at once, so that a killed
/// process leaves the frame in the file. Pictures become PNG and JPEG files in step().
///
/// Threads: one at a time, with the Simulation.
class Recorder {
 public:
  /// Begins with the scene and the present state. `simulation` and what `sink` refers to must
  /// outlive this object. What `sink` throws reaches the caller of a later function.
  Recorder(Simulation& simulation, const RecordingOptions& options, RecordingStream::Sink sink);

  /// Adds a frame if one is due. Call it after each step. `time` is the time since the recording
  /// began, over all episodes [s].
  void step(double time);
  /// Continues with another simulation of the world: its scene comes with the next frame.
  void go_on_with(Simulation& simulation) {
    source_.go_on_with(simulation);
    pictures_.go_on();
  }
  /// Waits until the sink has all frames so far.
  void flush() { sender_.wait(); }
  /// Adds the last state and the end; nothing may follow. `reason` tells why there is nothing more.
  void end(double time, std::string_view reason);

  std::int64_t frames() const { return frames_; }
  const PictureSource& pictures() const { return pictures_; }
  /// Call this only after end().
  const RecordingStream& stream() const { return stream_; }

 private:
  /// Contains whole records.
  struct Batch {
    Writer records;

    void swap(Batch& other) { std::swap(records, other.records); }
    void clear() { records.clear(); }
    bool empty() const { return records.size() == 0; }
  };

  void add_frame(double time);
  void add_pictures(double time);

  RecordSource source_;
  PictureSource pictures_;
  const double picture_interval_;  // [s]; infinite: no pictures
  std::int64_t last_picture_ = 0;  // number of the last pictures, counted in intervals from time 0
  RecordingStream stream_;
  Batch filling_;
  BatchThread<Batch> sender_;
  std::int64_t frames_ = 0;
  std::int64_t last_number_ = 0;  // number of the last frame, counted in intervals from time 0
  double last_time_ = 0.0;
};

/// A Recorder that writes a file.
class FileRecorder {
 public:
  /// @throws std::invalid_argument from check_growing_file(); std::runtime_error with the path and
  ///   the reason if the file cannot be written
  FileRecorder(Simulation& simulation, std::string path, const RecordingOptions& options);

  /// These functions do the same as those of Recorder. @throws std::runtime_error with the path and
  /// the reason if the file cannot be written
  void step(double time) { recorder_->step(time); }
  void go_on_with(Simulation& simulation) { recorder_->go_on_with(simulation); }
  void flush() { recorder_->flush(); }
  void end(double time, std::string_view reason);

  Recorder& recorder() const { return *recorder_; }
  const std::string& path() const { return path_; }

 private:
  void write(std::string_view bytes);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  Descriptor file_;
  std::unique_ptr<Recorder> recorder_;
};

/// Returns the bytes of a recording of the present state alone. `reason` tells why there is nothing
/// more.
std::string record_state(
    Simulation& simulation, const std::string& world,
    std::string_view reason = "this is the start of the world; nothing was run");

}  // namespace servosim
