// SPDX-License-Identifier: Apache-2.0
#include "servosim/recognition.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/device_command.h"
#include "devices/camera_fields.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/device_types.h"
#include "devices/object_box.h"
#include "devices/object_search.h"
#include "devices/sight.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

Recognition::Recognition(const DeviceBinding& binding) : CameraSight(Turn::Recognition, binding) {
  Recognition::rebind(binding);
}

void Recognition::rebind(const DeviceBinding& binding) {
  CameraSight::rebind(binding);
  scene_ = binding.world != nullptr ? &binding.world->scene : nullptr;
}

CommandEffect Recognition::command(const DeviceCommand& command, double now_ms) {
  switch (command.kind) {
    case CommandKind::Recognition:
      enable(command.integer, now_ms);
      return {true};
    case CommandKind::Segmentation:
      set_segmentation(command.integer != 0);
      return {true};
    case CommandKind::Sampling:
      return {};  // of the Camera
    default:
      return CameraSight::command(command, now_ms);
  }
}

bool Recognition::can_segment() const {
  return spec().recognition && spec().recognition->segmentation;
}

void Recognition::set_segmentation(bool on) {
  segments_ = on && can_segment();
  segments_ ? clear() : picture_.clear();
}

std::function<void()> Recognition::keep_settings() {
  return [this, segments = segments_, others = CameraSight::keep_settings()] {
    segments_ = segments;
    others();
  };
}

void Recognition::clear() { blacken(picture_, segments_ ? pixels_of(spec()) : 0); }

void Recognition::archive_state(DeviceArchive& archive) {
  CameraSight::archive_state(archive);
  archive.unhashed(segments_);
  if (archive.restores()) {
    objects_.clear();
    clear();
  }
}

void Recognition::measure(double now_ms) {
  if (!is_in_tree() || !spec().recognition) {
    return;
  }
  recognize();
  if (segments_) {
    paint();
  }
  note_picture();
  sampler_.store(0.0, now_ms);
}

// The Camera, its robot, and what the robot carries are not recognised.
bool Recognition::is_candidate(std::size_t solid) const {
  if (sight().solid_looks()[solid].colors.empty()) {
    return false;
  }
  const int robot = scene_->solids[static_cast<std::size_t>(spec().solid)].robot;
  const int own = robot >= 0 ? scene_->robots[static_cast<std::size_t>(robot)].solid : spec().solid;
  for (int above = static_cast<int>(solid); above >= 0;
       above = scene_->solids[static_cast<std::size_t>(above)].parent) {
    if (above == own || above == spec().solid) {
      return false;
    }
  }
  return true;
}

void Recognition::recognize() {
  objects_.clear();
  const Pose solid = physics().solid_pose(spec().solid);
  const Pose camera{solid.rotation * spec().axes, solid.translation};
  const ViewOfObjects view{spec().projection, width(), height(), field_of_view(), spec().lens};
  const RecognitionSpec& rule = *spec().recognition;
  ObjectSearch search(*scene_, physics(), sight(), spec().solid, camera);
  for (std::size_t s = 0; s < scene_->solids.size(); ++s) {
    if (!is_candidate(s)) {
      continue;
    }
    search.choose(s);
    const std::optional<BoundingSphere> around = search.sphere();
    if (around && norm(around->center - camera.translation) > rule.max_range + around->radius) {
      continue;
    }
    ObjectBox box(view);
    search.add_to(box);
    if (box.is_empty() || std::abs(box.center().x) > rule.max_range + 0.5 * box.size().x) {
      continue;
    }
    const std::optional<ObjectFrame> frame = frame_of(box, view);
    if (!frame) {
      continue;
    }
    const Pose pose = physics().solid_pose(static_cast<int>(s));
    const SolidLook& look = sight().solid_looks()[s];
    RecognizedObject object;
    object.node = scene_->solids[s].node;
    object.position = spec().axes * box.center();
    object.orientation = axis_angle(transposed(solid.rotation) * pose.rotation);
    // Webots' source sends these two, while its page says width and height.
    object.size = {box.size().x, box.size().y};
    object.middle = frame->middle;
    object.frame_size = frame->size;
    object.colors = look.colors;
    object.model = look.model;
    const bool is_hidden = rule.occlusion == 1 ? search.hides_origin(box)
                                               : rule.occlusion == 2 && search.hides_box(box);
    if (!is_hidden) {
      objects_.push_back(std::move(object));
    }
  }
  if (rule.max_objects > 0) {
    std::stable_sort(objects_.begin(), objects_.end(),
                     [](const RecognizedObject& a, const RecognizedObject& b) {
                       return static_cast<std::int64_t>(a.frame_size[0]) * a.frame_size[1] >
                              static_cast<std::int64_t>(b.frame_size[0]) * b.frame_size[1];
                     });
    objects_.resize(std::min(objects_.size(), static_cast<std::size_t>(rule.max_objects)));
  }
}

void Recognition::paint() {
  Eye& eye = this->eye();
  const Glance glance = this->glance({}, spec().far);
  seen_.resize(pixels_of(spec()));
  eye.find_shapes(glance, seen_);
  find_shades(glance.shapes.size());
  clear();
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i] >= 0) {
      const Shade& shade = shades_[static_cast<std::size_t>(seen_[i])];
      std::copy(shade.begin(), shade.end(), picture_.begin() + 4 * i);
    }
  }
}

// A shape has the first colour of the nearest Solid above it that has one, and is black without.
void Recognition::find_shades(std::size_t shapes) {
  const auto byte = [](double value) {
    return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(value, 0.0, 1.0)));
  };
  const std::span<const SolidLook> looks = sight().solid_looks();
  shades_.assign(shapes, Shade{0, 0, 0});
  for (std::size_t i = 0; i < shapes; ++i) {
    int solid = sight().solid_of_shape(i);
    while (solid >= 0 && looks[static_cast<std::size_t>(solid)].colors.empty()) {
      solid = scene_->solids[static_cast<std::size_t>(solid)].parent;
    }
    if (solid >= 0) {
      const Vec3& color = looks[static_cast<std::size_t>(solid)].colors.front();
      shades_[i] = {byte(color.z), byte(color.y), byte(color.x)};
    }
  }
}

SERVOSIM_MAKE_SENSOR(Recognition)

}  // namespace servosim
