// SPDX-License-Identifier: Apache-2.0
#include "recording/recording_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "base/bytes.h"
#include "recording/recording_format.h"
#include "recording/scene_reader.h"

namespace servosim {
namespace {

constexpr const char* kNoRecording =
    "is no recording: 'servosim run WORLD --record FILE.svt' writes one";

// Unpacks a zlib stream as far as it is complete.
class Unpacked {
 public:
  Unpacked(std::string_view packed, std::size_t max_size) {
    if (::inflateInit(&state_) != Z_OK) {
      throw std::bad_alloc();
    }
    try {
      inflate_all(packed, max_size);
    } catch (...) {
      static_cast<void>(::inflateEnd(&state_));
      throw;
    }
    static_cast<void>(::inflateEnd(&state_));
  }

  std::string take() { return std::move(text_); }
  bool truncated() const { return truncated_; }

 private:
  void inflate_all(std::string_view packed, std::size_t max_size) {
    constexpr std::size_t kPiece = 1 << 16;
    constexpr std::size_t kMaxInput = 1 << 30;  // the largest number that zlib can count
    int result = Z_OK;
    std::size_t given = 0;
    while (result == Z_OK) {
      if (state_.avail_in == 0) {
        const std::size_t next = std::min(kMaxInput, packed.size() - given);
        state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + given));
        state_.avail_in = static_cast<uInt>(next);
        given += next;
        if (next == 0) {
          truncated_ = true;
          return;
        }
      }
      const std::size_t old = text_.size();
      text_.resize(old + kPiece);
      state_.next_out = reinterpret_cast<Bytef*>(text_.data() + old);
      state_.avail_out = kPiece;
      result = ::inflate(&state_, Z_NO_FLUSH);
      text_.resize(old + kPiece - state_.avail_out);
      if (text_.size() > max_size) {
        throw RecordingError(
            fmt::format("is larger than {} MB when it is unpacked", max_size >> 20));
      }
      if (result == Z_BUF_ERROR) {
        result = Z_OK;  // no input is left
      }
    }
    if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    }
    if (result != Z_STREAM_END) {
      throw RecordingError(fmt::format("byte {}: is damaged ({}); record it again",
                                       kRecordingMagic.size() + given - state_.avail_in,
                                       state_.msg != nullptr ? state_.msg : "no zlib stream"));
    }
    if (given - state_.avail_in != packed.size()) {
      throw RecordingError(fmt::format("byte {}: something follows its end; record it again",
                                       kRecordingMagic.size() + given - state_.avail_in));
    }
  }

  z_stream state_{};
  std::string text_;
  bool truncated_ = false;
};

class RecordReader {
 public:
  RecordReader(std::string_view records, bool truncated, const RecordingLimits& limits)
      : records_(records), limits_(limits) {
    recording_.truncated = truncated;
  }

  Recording read() {
    while (next()) {
    }
    if (recording_.scenes.empty()) {
      throw RecordingError(recording_.truncated
                               ? "is cut off before its scene is whole; record it again"
                               : "has no scene; record it again");
    }
    return std::move(recording_);
  }

 private:
  // Returns false at the end.
  bool next() {
    const std::string_view left = records_.substr(at_);
    if (left.empty()) {
      return false;
    }
    Reader head(as_bytes(left));
    const char kind = static_cast<char>(head.u8());
    const std::size_t length = head.u32();
    if (!head.ok() || length > left.size() - kRecordHead) {
      if (!recording_.truncated) {
        fail("the record is longer than the file");
      }
      return false;
    }
    const std::string_view content = left.substr(kRecordHead, length);
    ++number_;
    if (kind == kSceneRecord) {
      read_scene(content);
    } else if (kind == kFrameRecord) {
      read_frame(content);
    } else if (kind == kPictureRecord) {
      read_picture(content);
    } else if (kind == kEndRecord) {
      if (!nlohmann::json::accept(content)) {
        fail("the end is no JSON");
      }
      recording_.end = content;
    }
    at_ += kRecordHead + length;
    return true;
  }

  void read_scene(std::string_view content) {
    scene_bytes_ += content.size();
    if (scene_bytes_ > limits_.scene_bytes) {
      fail(fmt::format("the scenes have more than {} MB", limits_.scene_bytes >> 20));
    }
    try {
      recording_.scenes.push_back(servosim::read_scene(content));
    } catch (const RecordingError& error) {
      fail(error.what());
    }
  }

  void read_frame(std::string_view content) {
    if (recording_.scenes.empty()) {
      fail("a frame comes before the scene");
    }
    if (recording_.frames.size() == limits_.frames) {
      fail(fmt::format("there are more than {} frames; record fewer by --record-rate",
                       limits_.frames));
    }
    const RecordedScene& scene = recording_.scenes.back();
    RecordedFrame frame;
    frame.scene = recording_.scenes.size() - 1;
    const std::size_t head = sizeof(double) + kBodyBytes * scene.moving +
                             kJointBytes * scene.joints.size() + kServoBytes * scene.servos + 4;
    if (content.size() < head || (content.size() - head) % kContactBytes != 0) {
      fail(fmt::format(
          "a frame of {} bytes does not fit a scene of {} moving bodies and {} joints{}",
          content.size(), scene.moving, scene.joints.size(),
          scene.servos > 0 ? fmt::format(", {} with a servo", scene.servos) : ""));
    }
    Reader in(as_bytes(content));
    frame.time = in.f64();
    if (!std::isfinite(frame.time) ||
        (!recording_.frames.empty() && frame.time < recording_.frames.back().time)) {
      fail(fmt::format("a frame has the time {}", frame.time));
    }
    frame.poses.resize(scene.moving);
    read(in, frame.poses);
    frame.joints.resize(scene.joints.size());
    read(in, frame.joints);
    frame.servos.resize(scene.servos);
    read(in, frame.servos);
    const std::size_t contacts = in.u32();
    if (contacts != (content.size() - head) / kContactBytes) {
      fail(fmt::format("a frame says that it has {} contacts", contacts));
    }
    frame.contacts.resize(contacts);
    read(in, frame.contacts);
    for (const RecordedContact& contact : frame.contacts) {
      for (const std::uint16_t body : {contact.body, contact.other_body}) {
        if (body != kNoBody && body >= scene.bodies.size()) {
          fail(fmt::format("a contact is of body {} of {}", body, scene.bodies.size()));
        }
      }
    }
    recording_.frames.push_back(std::move(frame));
  }

  void read_picture(std::string_view content) {
    if (picture_count_++ == limits_.pictures) {
      fail(fmt::format("there are more than {} pictures; record fewer by --record-images",
                       limits_.pictures));
    }
    RecordedPicture head;
    Reader in(as_bytes(content));
    read(in, head);
    const std::string_view name = as_text(in.take(head.name));
    const std::string_view file = as_text(in.take(in.left()));
    const auto is_side = [](std::uint16_t side) { return side >= 1 && side <= kMaxPictureSide; };
    if (!in.ok() || name.empty() || file.empty() || !is_side(head.width) || !is_side(head.height) ||
        !std::isfinite(head.time)) {
      fail("a picture has a wrong head");
    }
    if (limits_.keeps_pictures) {
      recording_.pictures.push_back({head, std::string(name), std::string(file)});
    }
  }

  template <typename Item>
  static void read(Reader& in, Item& item) {
    Item::for_each(item, [&in](auto& number) {
      number = in.number<std::remove_reference_t<decltype(number)>>();
    });
  }
  template <typename Item>
  static void read(Reader& in, std::vector<Item>& items) {
    for (Item& item : items) {
      read(in, item);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw RecordingError(
        fmt::format("record {}, at byte {} when it is unpacked: {}", number_, at_, what));
  }

  std::string_view records_;
  const RecordingLimits& limits_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
  std::size_t scene_bytes_ = 0;
  std::size_t picture_count_ = 0;
  Recording recording_;
};

}  // namespace

Recording read_recording(std::string_view bytes, const RecordingLimits& limits) {
  if (!bytes.starts_with(kRecordingMagic)) {
    throw RecordingError(kNoRecording);
  }
  Unpacked unpacked(bytes.substr(kRecordingMagic.size()), limits.bytes);
  const bool truncated = unpacked.truncated();
  const std::string records = unpacked.take();
  return RecordReader(records, truncated, limits).read();
}

}  // namespace servosim
