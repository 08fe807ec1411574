// SPDX-License-Identifier: Apache-2.0
#include "recording/scene_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/bytes.h"
#include "devices/measuring.h"
#include "physics/physics_world.h"
#include "recording/recording_format.h"
#include "scene/rolling.h"
#include "scene/scene.h"
#include "servosim/servo_model.h"
#include "servosim/simulation.h"
#include "sim/report.h"
#include "sim/world_inspector.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Vec3& v) { return {v.x + 0.0, v.y + 0.0, v.z + 0.0}; }  // adding 0.0 avoids -0

Json json_of(const Pose& pose) {
  const Vec3& at = pose.translation;
  const auto [x, y, z, w] = quaternion_of(pose.rotation);
  return {at.x, at.y, at.z, x, y, z, w};
}

std::string base64(Bytes bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

template <typename T>
std::string base64_of(const std::vector<T>& numbers) {
  return base64(std::as_bytes(std::span(numbers)));
}

// Collects meshes and textures by their contents, so that equal ones are stored once.
class Attachments64 {
 public:
  int mesh(const std::shared_ptr<const DrawnMesh>& mesh) {
    return number(mesh.get(), meshes_, [&] {
      Json json{{"positions", base64_of(mesh->positions)}, {"indices", base64_of(mesh->indices)}};
      if (!mesh->normals.empty()) {
        json["normals"] = base64_of(mesh->normals);
      }
      if (!mesh->uvs.empty()) {
        json["uvs"] = base64_of(mesh->uvs);
      }
      return json;
    });
  }
  int texture(const std::shared_ptr<const Picture>& picture) {
    return number(picture.get(), textures_, [&] {
      return Json{{"type", picture->type}, {"data", base64(as_bytes(picture->bytes))}};
    });
  }

  Json take_meshes() { return std::move(meshes_.list); }
  Json take_textures() { return std::move(textures_.list); }

 private:
  struct List {
    Json list = Json::array();
    std::map<std::string, int> by_content;
  };

  template <typename Make>
  int number(const void* object, List& in, const Make& make) {
    const auto [known, is_new] = by_object_.try_emplace(object, 0);
    if (is_new) {
      Json json = make();
      const auto [same, is_other] =
          in.by_content.try_emplace(json.dump(), static_cast<int>(in.list.size()));
      if (is_other) {
        in.list.push_back(std::move(json));
      }
      known->second = same->second;
    }
    return known->second;
  }

  List meshes_;
  List textures_;
  std::map<const void*, int> by_object_;
};

class SceneDescription {
 public:
  SceneDescription(Simulation& simulation, const RecordingInfo& info,
                   const std::set<std::uint32_t>& moved, DrawingStore& store)
      : simulation_(simulation),
        inspector_(simulation),
        scene_(inspector_.scene()),
        moved_(moved),
        heads_(turning_heads(scene_)),
        drawing_(draw(*inspector_.world_file(), scene_, inspector_.far_solids(),
                      inspector_.meshes().get(), inspector_.sources(), store)) {
    number_joints();
    Json joints = joints_json();
    Json json{
        {scene_keys::kFormat, record_.servos.empty() ? kRecordingFormat : kServoRecordingFormat},
        {"servosim", SERVOSIM_VERSION},
        {"world", std::filesystem::path(info.world).filename().string()},
        {"title", scene_.world.title},
        {"up", json_of(scene_.world.up)},
        {"gravity", json_of(scene_.world.gravity)},
        {"time_step", scene_.world.basic_time_step_ms / 1000.0},
        {"frame_interval", info.frame_interval}};
    if (drawing_.background) {
      json["background"] = json_of(*drawing_.background);
    }
    Json bodies = bodies_json();
    json[scene_keys::kMeshes] = files_.take_meshes();
    json[scene_keys::kTextures] = files_.take_textures();
    json[scene_keys::kBodies] = std::move(bodies);
    json[scene_keys::kJoints] = std::move(joints);
    json["missing"] = missing_json();
    record_.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  SceneRecord take() { return std::move(record_); }

 private:
  void number_joints() {
    record_.joints.assign(scene_.joints.size(), -1);
    for (int number = 0; number < simulation_.joints().size(); ++number) {
      if (const int joint = inspector_.joint_in_scene(number); joint >= 0) {
        record_.joints[joint] = number;
      }
    }
  }

  bool moves(int solid) const {
    const Bodies& bodies = inspector_.physics().bodies();
    if (const int carrier = bodies.carrying_body(solid);
        carrier >= 0 && body_hold(scene_, bodies[carrier].solid) != BodyHold::World) {
      return true;
    }
    for (int s = solid; s >= 0; s = scene_.solids[s].parent) {
      const SolidSpec& spec = scene_.solids[s];
      const bool is_driven =
          (spec.robot >= 0 && scene_.robots[spec.robot].solid == s &&
           scene_.robots[spec.robot].drive) ||
          std::ranges::find(scene_.rolling, s, &RollingSpec::solid) != scene_.rolling.end() ||
          std::ranges::find(heads_, s) != heads_.end();
      if (spec.joint >= 0 || is_driven || spec.linear_velocity != Vec3{} ||
          spec.angular_velocity != Vec3{} || moved_.contains(spec.node)) {
        return true;
      }
    }
    return false;
  }

  Json bodies_json() {
    Json list = Json::array();
    const std::vector<std::string> names = body_names(scene_);
    for (int s = 0; s < static_cast<int>(scene_.solids.size()); ++s) {
      const SolidSpec& solid = scene_.solids[s];
      const bool is_moving = moves(s);
      const Pose pose = simulation_.solid(s).pose();
      list.push_back({{scene_keys::kName, names[s]},
                      {"parent", solid.parent},
                      {scene_keys::kMoves, is_moving},
                      {"pose", json_of(pose)}});
      if (is_moving) {
        record_.moving.push_back(s);
      } else {
        record_.fixed.push_back({s, pose});
      }
    }
    for (const RigidBody& body : inspector_.bodies()) {
      list[body.owner()]["mass"] = body.mass.mass;
      list[body.owner()]["center_of_mass"] = json_of(body.mass.center);
    }
    for (const DrawnShape& shape : drawing_.shapes) {
      if (shape.solid < 0 && list.size() == scene_.solids.size()) {
        list.push_back({{scene_keys::kName, "world"},
                        {"parent", -1},
                        {scene_keys::kMoves, false},
                        {"pose", json_of(Pose{})}});
      }
      const std::size_t body =
          shape.solid >= 0 ? static_cast<std::size_t>(shape.solid) : scene_.solids.size();
      list[body]["shapes"].push_back(shape_json(shape));
    }
    for (Json& body : list) {
      if (!body.contains("shapes")) {
        body["shapes"] = Json::array();
      }
    }
    return list;
  }

  Json geometry_json(const DrawnShape& shape) {
    switch (shape.form) {
      case DrawnShape::Form::Box:
        return {{"type", "box"}, {"size", json_of(shape.size)}};
      case DrawnShape::Form::Plane:
        return {{"type", "plane"}, {"size", {shape.size.x, shape.size.y}}};
      case DrawnShape::Form::Sphere:
        return {{"type", "sphere"}, {"radius", shape.radius}};
      case DrawnShape::Form::Cylinder:
        return {{"type", "cylinder"}, {"radius", shape.radius}, {"height", shape.height}};
      case DrawnShape::Form::Capsule:
        return {{"type", "capsule"}, {"radius", shape.radius}, {"height", shape.height}};
      case DrawnShape::Form::Cone:
        return {{"type", "cone"}, {"radius", shape.radius}, {"height", shape.height}};
      case DrawnShape::Form::Mesh:
        break;
    }
    return {{"type", "mesh"}, {"mesh", files_.mesh(shape.mesh)}};
  }

  Json shape_json(const DrawnShape& shape) {
    Json json{{"geometry", geometry_json(shape)}, {"pose", json_of(shape.pose)}};
    if (shape.scale != Vec3{1.0, 1.0, 1.0}) {
      json["scale"] = json_of(shape.scale);
    }
    if (shape.color) {
      json["color"] = json_of(*shape.color);
    }
    if (shape.opacity) {
      json["opacity"] = *shape.opacity;
    }
    if (shape.picture != nullptr) {
      json["texture"] = files_.texture(shape.picture);
      if (shape.repeats != std::array{1.0, 1.0}) {
        json["texture_repeat"] = {shape.repeats[0], shape.repeats[1]};
      }
    }
    if (shape.wheel) {
      json["wheel"] = {{"joint", shape.wheel->joint},
                       {"axis", json_of(shape.wheel->axis)},
                       {"center", json_of(shape.wheel->center)},
                       {"radius", shape.wheel->radius}};
    }
    json["bounding"] = shape.bounding;
    return json;
  }

  // Returns a direction perpendicular to the axis. It points towards the endpoint if that is not on
  // the axis.
  Vec3 zero_of(const JointSpec& spec) const {
    const auto across = [&spec](const Vec3& v) {
      return unit_or(v - dot(v, spec.axis) * spec.axis, {});
    };
    const Vec3 to_child = spec.zero_pose.translation - spec.anchor;
    if (const Vec3 zero = across(to_child);
        norm(to_child) > 1e-6 && norm(zero) > 0.5 && norm(cross(to_child, spec.axis)) > 1e-6) {
      return zero;
    }
    return across(std::abs(spec.axis.x) < 0.7 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0});
  }

  // It also lists the joints that have a servo.
  Json joints_json() {
    Json list = Json::array();
    for (std::size_t j = 0; j < scene_.joints.size(); ++j) {
      const JointSpec& spec = scene_.joints[j];
      const bool turns = spec.type == JointType::Rotational;
      Json json{{scene_keys::kName, spec.name},
                {"type", spec.belt ? "belt" : name_of_kind(spec)},
                {scene_keys::kUnit, turns ? "rad" : "m"},
                {"parent", spec.parent},
                {"body", spec.child},
                {"anchor", json_of(turns ? spec.anchor : spec.zero_pose.translation)},
                {"axis", json_of(spec.axis)},
                {"zero", json_of(zero_of(spec))}};
      const Motor* const motor = inspector_.motor_of(static_cast<int>(j));
      const auto add = [&json](const char* key, double value) {
        if (std::isfinite(value)) {
          json[key] = value;
        }
      };
      if (const std::optional<JointRange> range = range_of(spec, motor)) {
        add("min", range->lower);
        add("max", range->upper);
      }
      if (motor != nullptr) {
        add("max_effort", motor->limits().max_force);
        add("max_velocity", motor->limits().max_velocity);
        if (const ServoModel* const servo = motor->servo().model()) {
          json[scene_keys::kServo] = {{"model", servo->name}};
          record_.servos.push_back(record_.joints[j]);
        }
      }
      list.push_back(std::move(json));
    }
    return list;
  }

  static const char* name_of_kind(const JointSpec& spec) { return servosim::name_of(spec.kind); }

  Json missing_json() const {
    Json list = Json::array();
    std::set<std::string> known;
    const auto add = [&](std::string text) {
      if (known.insert(text).second) {
        list.push_back(std::move(text));
      }
    };
    for (const Diagnostic& diagnostic : simulation_.diagnostics()) {
      if (diagnostic.missing && (diagnostic.missing->kind == Missing::Bodies ||
                                 diagnostic.missing->kind == Missing::Protos ||
                                 diagnostic.missing->kind == Missing::Meshes)) {
        add(diagnostic.missing->subject + ": " + diagnostic.missing->remedy);
      } else if (diagnostic.only_looks) {
        add(diagnostic.message);
      }
    }
    for (const std::string& text : drawing_.missing) {
      add(text);
    }
    return list;
  }

  Simulation& simulation_;
  const WorldInspector inspector_;
  const Scene& scene_;
  const std::set<std::uint32_t>& moved_;
  const std::vector<int> heads_;
  Drawing drawing_;
  Attachments64 files_;
  SceneRecord record_;
};

}  // namespace

SceneRecord describe_scene(Simulation& simulation, const RecordingInfo& info,
                           const std::set<std::uint32_t>& moved, DrawingStore& store) {
  return SceneDescription(simulation, info, moved, store).take();
}

}  // namespace servosim
