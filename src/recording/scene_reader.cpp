// SPDX-License-Identifier: Apache-2.0
#include "recording/scene_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording_format.h"

namespace servosim {
namespace {

constexpr std::size_t kMaxDepth = 32;  // our scenes have 7 levels
constexpr std::size_t kMaxValues = 20'000'000;
constexpr std::size_t kMaxListed = 1'000'000;  // bodies, or joints
constexpr std::array<std::string_view, 4> kLists{scene_keys::kMeshes, scene_keys::kTextures,
                                                 scene_keys::kBodies, scene_keys::kJoints};

// Reads the scene value by value. A level is an open object or list: level 1 is the scene, level 2
// a list in it, and level 3 a body or a joint in such a list.
class SceneReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  RecordedScene take() {
    if (!has_format_) {
      throw RecordingError("the scene is no JSON object with a format");
    }
    for (const std::string_view list : kLists) {
      if (const auto count = std::count(lists_.begin(), lists_.end(), list); count != 1) {
        throw RecordingError(
            fmt::format("the scene has {} list '{}'", count == 0 ? "no" : "more than one", list));
      }
    }
    return std::move(scene_);
  }

  bool null() override { return value(); }
  bool boolean(bool is_true) override {
    if (level_ == 3 && of_bodies() && key_ == scene_keys::kMoves) {
      body_moves_ = is_true;
    }
    return value();
  }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t number) override {
    if (level_ == 1 && key_ == scene_keys::kFormat) {
      check_format(number == kRecordingFormat || number == kServoRecordingFormat,
                   std::to_string(number));
    }
    return value();
  }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t& text) override {
    if (level_ == 3 && of_bodies() && key_ == scene_keys::kName) {
      scene_.bodies.back().name = text;
    } else if (level_ == 3 && of_joints() && key_ == scene_keys::kName) {
      scene_.joints.back().name = text;
    } else if (level_ == 3 && of_joints() && key_ == scene_keys::kUnit) {
      scene_.joints.back().turns = text == "rad";
    }
    return value();
  }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return enter(false); }
  bool end_object() override {
    if (level_ == 3 && of_bodies()) {
      end_body();
    }
    return leave();
  }
  bool start_array(std::size_t) override { return enter(true); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    (level_ == 1 ? list_ : key_).assign(name, 0, kLongestKey);
    if (level_ == 1) {
      key_ = list_;
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    throw RecordingError("the scene is no JSON object with a format");
  }

 private:
  static constexpr std::size_t kLongestKey = 16;  // all relevant keys are shorter

  bool of_bodies() const { return list_ == scene_keys::kBodies; }
  bool of_joints() const { return list_ == scene_keys::kJoints; }

  // Called when a value of any kind begins.
  bool value(bool is_object = false, bool is_list = false) {
    if (level_ == 0 && !is_object) {
      throw RecordingError("the scene is no JSON object with a format");
    }
    if (++values_ > kMaxValues) {
      throw RecordingError(fmt::format("the scene has more than {} values", kMaxValues));
    }
    if (level_ == 1 && key_ == scene_keys::kFormat && !has_format_) {
      check_format(false, "another");
    }
    if (level_ == 1 && is_list) {
      lists_.push_back(list_);
      if (lists_.size() > kMaxLists) {
        throw RecordingError("the scene has too many lists");
      }
    }
    if (level_ == 3 && of_joints() && key_ == scene_keys::kServo && is_object &&
        !scene_.joints.back().has_servo) {
      scene_.joints.back().has_servo = true;
      ++scene_.servos;
    }
    if (level_ == 2 && of_bodies()) {
      if (!is_object) {
        refuse_body();
      }
      body_moves_.reset();
      add(scene_.bodies);
    } else if (level_ == 2 && of_joints()) {
      if (!is_object) {
        throw RecordingError(
            fmt::format("joint {} of the scene is no object", scene_.joints.size() + 1));
      }
      add(scene_.joints);
    }
    return true;
  }

  bool enter(bool is_list) {
    value(!is_list, is_list);
    if (++level_ > kMaxDepth) {
      throw RecordingError(fmt::format("the scene nests deeper than {} levels", kMaxDepth));
    }
    return true;
  }
  bool leave() {
    --level_;
    return true;
  }

  void end_body() {
    if (!body_moves_) {
      scene_.bodies.pop_back();
      refuse_body();
    }
    scene_.bodies.back().moves = *body_moves_;
    scene_.moving += *body_moves_ ? 1 : 0;
  }
  [[noreturn]] void refuse_body() const {
    throw RecordingError(
        fmt::format("body {} of the scene does not say whether it moves", scene_.bodies.size()));
  }
  void check_format(bool is_ours, const std::string& format) {
    if (!is_ours) {
      throw RecordingError(fmt::format("it has format {}; a newer servosim may read it", format));
    }
    has_format_ = true;
  }

  template <typename Item>
  static void add(std::vector<Item>& list) {
    if (list.size() == kMaxListed) {
      throw RecordingError(fmt::format("the scene has more than {} bodies or joints", kMaxListed));
    }
    list.emplace_back();
  }

  static constexpr std::size_t kMaxLists = 100;

  RecordedScene scene_;
  std::vector<std::string> lists_;  // lists that are values of the scene
  std::string list_;                // key of the scene whose value is being read
  std::string key_;                 // the last key
  std::optional<bool> body_moves_;
  std::size_t level_ = 0;
  std::size_t values_ = 0;
  bool has_format_ = false;
};

}  // namespace

RecordedScene read_scene(std::string_view json) {
  SceneReader reader;
  nlohmann::json::sax_parse(json, &reader);
  RecordedScene scene = reader.take();
  scene.json = json;
  return scene;
}

}  // namespace servosim
