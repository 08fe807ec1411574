// SPDX-License-Identifier: Apache-2.0
#include "view/still/stage.h"

#include <cmath>

namespace servosim::still {
namespace {

constexpr double kFarAway = 5.0;  // a multiple of the size of what moves

StageBox extent_of(const DrawnShape& shape) {
  using Form = DrawnShape::Form;
  StageBox extent;
  const auto add_box = [&extent](const Vec3& half) {
    extent.add(half);
    extent.add(-half);
  };
  switch (shape.form) {
    case Form::Mesh:
      for (std::size_t i = 0; i + 2 < shape.mesh->positions.size(); i += 3) {
        const float* const p = &shape.mesh->positions[i];
        extent.add(Vec3{p[0], p[1], p[2]});
      }
      break;
    case Form::Box:
    case Form::Plane:
      add_box(0.5 * shape.size);
      break;
    case Form::Sphere:
      add_box({shape.radius, shape.radius, shape.radius});
      break;
    default:
      add_box({shape.radius, shape.radius,
               0.5 * shape.height + (shape.form == Form::Capsule ? shape.radius : 0.0)});
  }
  StageBox scaled_extent;
  if (!extent.is_empty()) {
    scaled_extent.add(scaled(extent.low, shape.scale));
    scaled_extent.add(scaled(extent.high, shape.scale));
  }
  return scaled_extent.placed(shape.pose);
}

// The size of a cell of the grid, 0.1, 1, 10 ..., of which about a dozen fit [m].
double cell_for(double size) { return std::pow(10.0, std::round(std::log10(size / 12.0))); }

// The 95th percentile of contact forces, of at most a few thousand of them [N].
double large_force(const Recording& recording) {
  std::vector<double> forces;
  const std::size_t step = std::max<std::size_t>(1, recording.frames.size() / 200);
  for (std::size_t i = 0; i < recording.frames.size(); i += step) {
    const auto& contacts = recording.frames[i].contacts;
    for (std::size_t k = 0; k < std::min<std::size_t>(100, contacts.size()); ++k) {
      const auto& [x, y, z] = contacts[k].force;
      if (const double force = std::hypot(x, y, z); std::isfinite(force)) {
        forces.push_back(force);
      }
    }
  }
  if (forces.empty()) {
    return 0.0;
  }
  std::sort(forces.begin(), forces.end());
  return forces[static_cast<std::size_t>(0.95 * static_cast<double>(forces.size() - 1))];
}

class StageFinder {
 public:
  StageFinder(const Recording& recording, const SceneParts& parts)
      : recording_(recording),
        parts_(parts),
        extents_(body_extents(parts)),
        has_motion_(std::any_of(parts.bodies.begin(), parts.bodies.end(),
                                [](const PartBody& body) { return body.moves; })) {}

  void find(double time, Stage& stage) const {
    const RecordedMoment first = moment_at(recording_, parts_, time);
    stage.around = extent_at(first);
    if (stage.around.is_empty()) {
      stage.around.add(Vec3{-0.5, -0.5, -0.5});
      stage.around.add(Vec3{0.5, 0.5, 0.5});
    }
    StageBox whole = stage.around;
    const double last = recording_.frames.back().time;
    const int times = last > time ? 20 : 0;  // a world that is not run has one moment
    for (int k = 0; k <= times; ++k) {
      const double at = k == 0 ? time : time + (last - time) * k / times;
      if (recording_.frames[frame_at(recording_, at)].scene != first.scene) {
        continue;
      }
      const RecordedMoment moment = moment_at(recording_, parts_, at);
      whole.add(extent_at(moment));
      if (k % 5 == 0) {
        add_places(moment, stage.places);
      }
    }
    stage.travels = whole.size() >= kFarAway * stage.around.size();
    if (!stage.travels) {
      stage.around = whole;
    }
  }

 private:
  StageBox extent_at(const RecordedMoment& moment) const {
    StageBox all;
    for (std::size_t i = 0; i < parts_.bodies.size(); ++i) {
      if (!parts_.bodies[i].moves && has_motion_) {
        continue;
      }
      if (extents_[i].is_empty()) {
        all.add(moment.bodies[i].translation);
      } else {
        all.add(extents_[i].placed(moment.bodies[i]));
      }
    }
    return all;
  }

  void add_places(const RecordedMoment& moment, std::vector<Vec3>& places) const {
    std::vector<Vec3> moving;
    for (std::size_t i = 0; i < parts_.bodies.size(); ++i) {
      if (parts_.bodies[i].moves) {
        moving.push_back(moment.bodies[i].translation);
      }
    }
    const std::size_t step = moving.size() / 12 + 1;
    for (std::size_t i = 0; i < moving.size(); i += step) {
      places.push_back(moving[i]);
    }
  }

  const Recording& recording_;
  const SceneParts& parts_;
  const std::vector<StageBox> extents_;
  const bool has_motion_;
};

}  // namespace

StageBox StageBox::placed(const Pose& pose) const {
  StageBox around;
  for (unsigned corner = 0; !is_empty() && corner < 8; ++corner) {
    around.add(pose * Vec3{(corner & 1u) != 0 ? high.x : low.x, (corner & 2u) != 0 ? high.y : low.y,
                           (corner & 4u) != 0 ? high.z : low.z});
  }
  return around;
}

std::vector<StageBox> body_extents(const SceneParts& parts) {
  std::vector<StageBox> extents(parts.bodies.size());
  for (const std::size_t i : shown_shapes(parts)) {
    const DrawnShape& shape = parts.shapes[i];
    extents[static_cast<std::size_t>(shape.solid)].add(extent_of(shape));
  }
  return extents;
}

std::vector<double> Stage::mark_sizes(const SceneParts& parts) const {
  const auto moving = static_cast<double>(std::count_if(
      parts.bodies.begin(), parts.bodies.end(), [](const PartBody& body) { return body.moves; }));
  const double least = 0.02 * size() / std::sqrt(std::max(1.0, moving / 4.0));
  std::vector<double> sizes;
  for (const StageBox& extent : body_extents(parts)) {
    sizes.push_back(std::min(0.5 * size(), std::max(least, 0.75 * extent.size())));
  }
  return sizes;
}

Stage find_stage(const Recording& recording, const SceneParts& parts, double time) {
  Stage stage;
  StageFinder(recording, parts).find(time, stage);
  stage.up = parts.up;
  const Vec3 across = std::abs(stage.up.x) > 0.9 ? Vec3{0.0, 1.0, 0.0} : Vec3{1.0, 0.0, 0.0};
  stage.right = unit_or(across - dot(across, stage.up) * stage.up, {0.0, 1.0, 0.0});
  stage.near = cross(stage.right, stage.up);
  stage.cell = cell_for(stage.size());
  const double force = large_force(recording);
  stage.force_scale = force > 0.0 ? 0.35 * stage.size() / force : 0.0;
  return stage;
}

}  // namespace servosim::still
