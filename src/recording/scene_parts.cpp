// SPDX-License-Identifier: Apache-2.0
#include "recording/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/limits.h"
#include "base/quaternion.h"
#include "recording/recording_format.h"

namespace servosim {
namespace {

using SceneJson = nlohmann::json;

// A value of a scene, and its place for messages.
class ScenePart {
 public:
  ScenePart(const SceneJson& json, std::string where) : json_(&json), where_(std::move(where)) {}

  [[noreturn]] void refuse(std::string_view what) const {
    throw RecordingError(fmt::format("the scene is wrong: {} {}", where_, what));
  }

  ScenePart operator[](const char* key) const {
    static const SceneJson kNothing;
    if (!json_->is_object()) {
      refuse("is no object");
    }
    const auto found = json_->find(key);
    return {found != json_->end() ? *found : kNothing,
            where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key)};
  }
  bool is_there() const { return !json_->is_null(); }

  std::vector<ScenePart> list() const {
    std::vector<ScenePart> parts;
    if (is_there() && !json_->is_array()) {
      refuse("is no list");
    }
    for (std::size_t i = 0; is_there() && i < json_->size(); ++i) {
      parts.emplace_back((*json_)[i], fmt::format("{}[{}]", where_, i));
    }
    return parts;
  }
  std::string text() const {
    if (is_there() && !json_->is_string()) {
      refuse("is no text");
    }
    return is_there() ? json_->get<std::string>() : "";
  }
  bool is_true() const { return json_->is_boolean() && json_->get<bool>(); }
  double number() const {
    const double value = json_->is_number() ? json_->get<double>() : NAN;
    if (!(std::abs(value) <= kMaxCoordinate)) {
      refuse("is no number from -1e9 to 1e9");
    }
    return value;
  }
  int index(std::size_t count) const {
    const double value = number();
    if (value != std::floor(value) || value < 0.0 || value >= static_cast<double>(count)) {
      refuse(fmt::format("is not in the list of {}", count));
    }
    return static_cast<int>(value);
  }
  int index_or_none(std::size_t count) const {
    return !is_there() || (json_->is_number() && json_->get<double>() == -1.0) ? -1 : index(count);
  }
  template <std::size_t kCount>
  std::array<double, kCount> numbers() const {
    if (!json_->is_array() || json_->size() != kCount) {
      refuse(fmt::format("is no list of {} numbers", kCount));
    }
    std::array<double, kCount> values{};
    for (std::size_t i = 0; i < kCount; ++i) {
      values[i] = ScenePart((*json_)[i], fmt::format("{}[{}]", where_, i)).number();
    }
    return values;
  }
  Vec3 vector() const {
    const auto [x, y, z] = numbers<3>();
    return {x, y, z};
  }
  Vec3 direction() const {
    const Vec3 unit = unit_or(vector(), {});
    if (unit == Vec3{}) {
      refuse("has no direction");
    }
    return unit;
  }
  Pose pose() const {
    const auto [x, y, z, qx, qy, qz, qw] = numbers<7>();
    if (!(std::hypot(std::hypot(qx, qy), std::hypot(qz, qw)) > 1e-6)) {
      refuse("has a quaternion of zeros");
    }
    return {quaternion_matrix({qx, qy, qz, qw}), {x, y, z}};
  }
  template <typename Read>
  auto optional(const Read& read) const {
    return is_there() ? std::optional(read(*this)) : std::nullopt;
  }

  std::string bytes() const {
    std::optional<std::string> decoded = decoded_base64(text());
    if (!decoded) {
      refuse("is no base64");
    }
    return std::move(*decoded);
  }
  template <typename Word>
  std::vector<Word> words(std::size_t per_item) const {
    const std::string data = bytes();
    if (data.size() % (sizeof(Word) * per_item) != 0) {
      refuse(
          fmt::format("has {} bytes, not a multiple of {}", data.size(), sizeof(Word) * per_item));
    }
    std::vector<Word> values(data.size() / sizeof(Word));
    if (!data.empty()) {
      std::memcpy(values.data(), data.data(), data.size());
    }
    return values;
  }
  std::vector<float> floats(std::size_t per_item) const {
    std::vector<float> values = words<float>(per_item);
    const auto fits = [](float x) { return std::abs(x) <= static_cast<float>(kMaxCoordinate); };
    if (!std::all_of(values.begin(), values.end(), fits)) {
      refuse("has a number that is not from -1e9 to 1e9");
    }
    return values;
  }

 private:
  const SceneJson* json_;  // not null
  std::string where_;
};

std::shared_ptr<const DrawnMesh> mesh_in(const ScenePart& part) {
  auto mesh = std::make_shared<DrawnMesh>();
  mesh->positions = part["positions"].floats(3);
  mesh->indices = part["indices"].words<std::uint32_t>(3);
  const std::size_t vertices = mesh->positions.size() / 3;
  if (std::any_of(mesh->indices.begin(), mesh->indices.end(),
                  [vertices](std::uint32_t i) { return i >= vertices; })) {
    part["indices"].refuse(fmt::format("name a vertex beyond the {}", vertices));
  }
  const auto read = [&](const char* key, std::size_t per_vertex, std::vector<float>& values) {
    if (part[key].is_there()) {
      values = part[key].floats(per_vertex);
      if (values.size() != per_vertex * vertices) {
        part[key].refuse(fmt::format("are not for {} vertices", vertices));
      }
    }
  };
  read("normals", 3, mesh->normals);
  read("uvs", 2, mesh->uvs);
  return mesh;
}

// The lists to which shapes refer.
struct SceneFiles {
  std::vector<std::shared_ptr<const DrawnMesh>> meshes;
  std::vector<std::shared_ptr<const Picture>> pictures;
  std::size_t joints = 0;
};

void read_form(const ScenePart& geometry, const SceneFiles& files, DrawnShape& shape) {
  using Form = DrawnShape::Form;
  const std::string type = geometry["type"].text();
  if (type == "box") {
    shape.form = Form::Box;
    shape.size = geometry["size"].vector();
  } else if (type == "plane") {
    const auto [x, y] = geometry["size"].numbers<2>();
    shape.form = Form::Plane;
    shape.size = {x, y, 0.0};
  } else if (type == "mesh") {
    shape.form = Form::Mesh;
    shape.mesh =
        files.meshes[static_cast<std::size_t>(geometry["mesh"].index(files.meshes.size()))];
  } else if (type == "sphere") {
    constexpr int kFineSphere = 3;  // 1280 faces
    shape.form = Form::Sphere;
    shape.radius = geometry["radius"].number();
    shape.icosahedron = true;
    shape.subdivision = kFineSphere;
  } else if (type == "cylinder" || type == "capsule" || type == "cone") {
    constexpr int kFineRound = 48;
    shape.form = type == "cylinder"  ? Form::Cylinder
                 : type == "capsule" ? Form::Capsule
                                     : Form::Cone;
    shape.radius = geometry["radius"].number();
    shape.height = geometry["height"].number();
    shape.subdivision = kFineRound;
  } else {
    geometry["type"].refuse(fmt::format("is '{}'", type));
  }
}

bool has_extent(const DrawnShape& shape) {
  using Form = DrawnShape::Form;
  const Vec3& s = shape.size;
  const bool is_scaled = shape.scale.x != 0.0 && shape.scale.y != 0.0 && shape.scale.z != 0.0;
  switch (shape.form) {
    case Form::Box:
      return is_scaled && s.x > 0.0 && s.y > 0.0 && s.z > 0.0;
    case Form::Plane:
      return is_scaled && s.x > 0.0 && s.y > 0.0;
    case Form::Mesh:
      return is_scaled && !shape.mesh->indices.empty();
    case Form::Sphere:
      return is_scaled && shape.radius > 0.0;
    default:
      return is_scaled && shape.radius > 0.0 && shape.height > 0.0;
  }
}

DrawnShape shape_in(const ScenePart& part, int body, const SceneFiles& files) {
  DrawnShape shape;
  shape.solid = body;
  read_form(part["geometry"], files, shape);
  const auto vector = [](const ScenePart& value) { return value.vector(); };
  shape.pose =
      part["pose"].optional([](const ScenePart& value) { return value.pose(); }).value_or(Pose{});
  shape.scale = part["scale"].optional(vector).value_or(Vec3{1.0, 1.0, 1.0});
  shape.color = part["color"].optional(vector);
  shape.opacity = part["opacity"].optional(
      [](const ScenePart& value) { return std::clamp(value.number(), 0.0, 1.0); });
  if (part["texture"].is_there()) {
    shape.picture =
        files.pictures[static_cast<std::size_t>(part["texture"].index(files.pictures.size()))];
  }
  shape.repeats = part["texture_repeat"]
                      .optional([](const ScenePart& value) { return value.numbers<2>(); })
                      .value_or(std::array{1.0, 1.0});
  shape.bounding = part["bounding"].is_true();
  if (const ScenePart wheel = part["wheel"]; wheel.is_there()) {
    shape.wheel = DrawnWheel{wheel["joint"].index(files.joints), wheel["axis"].direction(),
                             wheel["center"].vector(), wheel["radius"].number()};
    if (!(shape.wheel->radius > 0.0)) {
      wheel["radius"].refuse("is not above 0");
    }
  }
  return shape;
}

PartJoint joint_in(const ScenePart& part, std::size_t bodies) {
  const auto number = [](const ScenePart& value) { return value.number(); };
  PartJoint joint;
  joint.name = part["name"].text();
  joint.turns = part["unit"].text() != "m";
  joint.parent = part["parent"].index_or_none(bodies);
  joint.body = part["body"].index_or_none(bodies);
  joint.anchor = part["anchor"]
                     .optional([](const ScenePart& value) { return value.vector(); })
                     .value_or(Vec3{});
  joint.axis = part["axis"].direction();
  joint.zero = part["zero"].optional([](const ScenePart& value) { return value.direction(); });
  joint.min = part["min"].optional(number);
  joint.max = part["max"].optional(number);
  return joint;
}

// Whether a body that is there can be drawn.
bool is_place(const Vec3& place) { return is_finite(place) && norm(place) <= kMaxCoordinate; }

Pose pose_of(const RecordedPose& recorded) {
  const auto& [x, y, z] = recorded.position;
  const auto& q = recorded.quaternion;
  return {quaternion_matrix({static_cast<double>(q[0]), static_cast<double>(q[1]),
                             static_cast<double>(q[2]), static_cast<double>(q[3])}),
          {x, y, z}};
}

// The pose between two others. Rotations take the shorter arc.
Pose between(const Pose& from, const Pose& to, double share) {
  const AxisAngle way = axis_angle(transposed(from.rotation) * to.rotation);
  return {from.rotation * rotation_matrix({way.axis, share * way.angle}),
          from.translation + share * (to.translation - from.translation)};
}

}  // namespace

SceneParts read_scene_parts(const RecordedScene& scene) {
  const SceneJson json = SceneJson::parse(scene.json);
  const ScenePart all(json, "");
  SceneFiles files;
  for (const ScenePart& part : all[scene_keys::kMeshes.data()].list()) {
    files.meshes.push_back(mesh_in(part));
  }
  for (const ScenePart& part : all[scene_keys::kTextures.data()].list()) {
    files.pictures.push_back(
        std::make_shared<const Picture>(Picture{part["type"].text(), part["data"].bytes()}));
  }
  const std::vector<ScenePart> joints = all[scene_keys::kJoints.data()].list();
  const std::vector<ScenePart> bodies = all[scene_keys::kBodies.data()].list();
  // Two keys of one name are two lists, of which this reader and the one of frames may take
  // another.
  const auto moves = [](const ScenePart& body) { return body["moves"].is_true(); };
  if (bodies.size() != scene.bodies.size() || joints.size() != scene.joints.size() ||
      static_cast<std::size_t>(std::count_if(bodies.begin(), bodies.end(), moves)) !=
          scene.moving) {
    throw RecordingError("the scene is wrong: it has a list twice");
  }
  files.joints = joints.size();
  const auto vector = [](const ScenePart& value) { return value.vector(); };
  SceneParts parts;
  parts.world = all["world"].text();
  parts.up = all["up"]
                 .optional([](const ScenePart& value) { return value.direction(); })
                 .value_or(parts.up);
  parts.background = all["background"].optional(vector);
  for (const ScenePart& part : bodies) {
    PartBody& body = parts.bodies.emplace_back();
    body.name = part["name"].text();
    body.parent = part["parent"].index_or_none(bodies.size());
    body.moves = part["moves"].is_true();
    body.pose = part["pose"].pose();
    body.mass = part["mass"].optional([](const ScenePart& value) { return value.number(); });
    body.center_of_mass = part["center_of_mass"].optional(vector);
    for (const ScenePart& shape : part["shapes"].list()) {
      DrawnShape read = shape_in(shape, static_cast<int>(parts.bodies.size()) - 1, files);
      if (has_extent(read)) {
        parts.shapes.push_back(std::move(read));
      }
    }
  }
  for (const ScenePart& part : joints) {
    parts.joints.push_back(joint_in(part, bodies.size()));
  }
  return parts;
}

std::vector<std::size_t> shown_shapes(const SceneParts& parts) {
  std::vector<char> has_look(parts.bodies.size(), 0);
  for (const DrawnShape& shape : parts.shapes) {
    if (!shape.bounding) {
      has_look[static_cast<std::size_t>(shape.solid)] = 1;
    }
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < parts.shapes.size(); ++i) {
    const DrawnShape& shape = parts.shapes[i];
    if (!shape.bounding || has_look[static_cast<std::size_t>(shape.solid)] == 0) {
      shown.push_back(i);
    }
  }
  return shown;
}

std::size_t frame_at(const Recording& recording, double time) {
  const auto after =
      std::upper_bound(recording.frames.begin(), recording.frames.end(), time,
                       [](double t, const RecordedFrame& frame) { return t < frame.time; });
  return after == recording.frames.begin()
             ? 0
             : static_cast<std::size_t>(after - recording.frames.begin()) - 1;
}

std::size_t count_placed_frames(const Recording& recording) {
  const auto is_placed = [](const RecordedPose& pose) {
    const auto& [x, y, z] = pose.position;
    return is_place({x, y, z});
  };
  const auto wrong = std::find_if_not(
      recording.frames.begin(), recording.frames.end(), [&](const RecordedFrame& frame) {
        return std::all_of(frame.poses.begin(), frame.poses.end(), is_placed);
      });
  return static_cast<std::size_t>(wrong - recording.frames.begin());
}

RecordedMoment moment_at(const Recording& recording, const SceneParts& parts, double time) {
  RecordedMoment moment;
  moment.frame = frame_at(recording, time);
  const RecordedFrame& frame = recording.frames.at(moment.frame);
  // Another scene has other bodies, so that there is nothing in between.
  const bool is_last = moment.frame + 1 >= recording.frames.size() ||
                       recording.frames[moment.frame + 1].scene != frame.scene;
  const RecordedFrame& next = is_last ? frame : recording.frames[moment.frame + 1];
  const double span = next.time - frame.time;
  const double share = span > 0.0 ? std::clamp((time - frame.time) / span, 0.0, 1.0) : 0.0;
  moment.scene = frame.scene;
  moment.time = frame.time + share * span;
  std::size_t slot = 0;
  for (const PartBody& body : parts.bodies) {
    Pose pose = body.pose;
    if (body.moves) {
      pose = between(pose_of(frame.poses.at(slot)), pose_of(next.poses.at(slot)), share);
      ++slot;
    }
    if (!is_place(pose.translation)) {
      throw RecordingError(
          fmt::format("at {} s there is no finite place of '{}'", frame.time, body.name));
    }
    moment.bodies.push_back(pose);
  }
  for (std::size_t j = 0; j < frame.joints.size(); ++j) {
    const double from = frame.joints[j].position;
    const double to = next.joints[j].position;
    moment.positions.push_back(std::isfinite(to) ? from + share * (to - from) : from);
  }
  return moment;
}

}  // namespace servosim
