// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads arbitrary bytes as a recording, and as the records of one, because zlib's
// checksums would refuse most inputs.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "recording/recording_reader.h"
#include "recording/recording_stream.h"
#include "recording/scene_parts.h"

namespace {

constexpr std::size_t kMaxUnpackedHere = 64u << 20;

// A scene may be refused whose frames are right.
void read_parts(const servosim::Recording& recording) {
  constexpr std::size_t kMaxFramesHere = 10;
  for (std::size_t i = 0; i < std::min(recording.frames.size(), kMaxFramesHere); ++i) {
    const servosim::RecordedFrame& frame = recording.frames[i];
    const auto parts = servosim::read_scene_parts(recording.scenes.at(frame.scene));
    const auto moment = servosim::moment_at(recording, parts, frame.time + 0.01);
    if (moment.bodies.size() != parts.bodies.size() ||
        moment.positions.size() != parts.joints.size()) {
      std::abort();
    }
  }
}

void read(std::string_view bytes) {
  try {
    const servosim::Recording recording = servosim::read_recording(bytes, {kMaxUnpackedHere});
    for (const servosim::RecordedFrame& frame : recording.frames) {
      const servosim::RecordedScene& scene = recording.scenes.at(frame.scene);
      if (frame.poses.size() != scene.moving || frame.joints.size() != scene.joints.size()) {
        std::abort();
      }
    }
    read_parts(recording);
  } catch (const servosim::RecordingError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  read(input);
  std::string packed;
  servosim::RecordingStream stream([&packed](std::string_view piece) { packed += piece; });
  stream.send_records(servosim::as_bytes(input));
  stream.finish();
  read(packed);
  return 0;
}
