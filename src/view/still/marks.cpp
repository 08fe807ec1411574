// SPDX-License-Identifier: Apache-2.0
#include "view/still/marks.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "recording/recording_format.h"

namespace servosim::still {
namespace {

constexpr double kPi = std::numbers::pi;

// The colours of web/src/marks.ts.
constexpr Vec3 kAxisInk = hex_color(0x4a7dd8);
constexpr Vec3 kLimitInk = hex_color(0x8b98a8);
constexpr Vec3 kHandInk = hex_color(0xe8822a);
constexpr Vec3 kForceInk = hex_color(0xe5484d);
constexpr Vec3 kBoundingInk = hex_color(0x2f9e8f);
constexpr Vec3 kGridInk = hex_color(0x76828f);
constexpr std::array<Vec3, 3> kFrameInks{hex_color(0xd9484d), hex_color(0x3f9a5a),
                                         hex_color(0x3d73d6)};

Vec3 across_to(const Vec3& along) {
  const Vec3 across = cross({1.0, 0.0, 0.0}, along);
  return norm(across) < 0.1 * norm(along) ? cross({0.0, 1.0, 0.0}, along) : across;
}

class MarkFinder {
 public:
  MarkFinder(const SceneParts& parts, const RecordedMoment& moment, const Stage& stage)
      : parts_(parts), moment_(moment), stage_(stage), sizes_(stage.mark_sizes(parts)) {}

  Marks take() { return std::move(marks_); }

  void add_joints(bool axes, bool limits) {
    for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
      const PartJoint& joint = parts_.joints[j];
      const Pose parent = joint.parent >= 0 ? pose_of_body(joint.parent) : Pose{};
      const Vec3 anchor = parent * joint.anchor;
      const Vec3 axis = parent.rotation * joint.axis;
      const double size = joint.body >= 0 ? sizes_[static_cast<std::size_t>(joint.body)] : 0.1;
      if (axes) {
        const Vec3 reach = 0.6 * size * axis;
        add_arrow(anchor - reach, anchor + reach, kAxisInk);
      }
      if (!limits || (!joint.min && !joint.max)) {
        continue;
      }
      if (!joint.turns) {
        add_slide(joint, anchor, axis, 0.12 * size);
      } else if (joint.zero) {
        add_arc(joint, anchor, axis, parent.rotation * *joint.zero, 0.55 * size,
                moment_.positions[j]);
      }
    }
  }

  void add_frames() {
    for (std::size_t i = 0; i < parts_.bodies.size(); ++i) {
      if (!parts_.bodies[i].moves) {
        continue;
      }
      const Pose& pose = moment_.bodies[i];
      const std::array<Vec3, 3> axes{Vec3{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
      for (std::size_t k = 0; k < axes.size(); ++k) {
        add(pose.translation, pose * (0.7 * sizes_[i] * axes[k]), kFrameInks[k], 2.0);
      }
    }
  }

  void add_masses() {
    for (std::size_t i = 0; i < parts_.bodies.size(); ++i) {
      const PartBody& body = parts_.bodies[i];
      if (body.center_of_mass && body.mass.value_or(0.0) != 0.0) {
        marks_.dots.push_back({moment_.bodies[i] * *body.center_of_mass, MarkDot::Sign::Mass});
      }
    }
  }

  // An arrow begins at what moves: a floor under pressure says less than what it carries.
  void add_contacts(const RecordedFrame& frame) {
    const auto moves = [this](std::uint16_t body) {
      return body != kNoBody && parts_.bodies[body].moves;
    };
    for (const RecordedContact& contact : frame.contacts) {
      const Vec3 point{contact.point[0], contact.point[1], contact.point[2]};
      const Vec3 force{contact.force[0], contact.force[1], contact.force[2]};
      if (!is_finite(point)) {
        continue;
      }
      marks_.dots.push_back({point, MarkDot::Sign::Contact});
      if (is_finite(force)) {
        const bool is_first = moves(contact.body) || !moves(contact.other_body);
        const double scale = is_first ? stage_.force_scale : -stage_.force_scale;
        add_arrow(point, point + scale * force, kForceInk);
      }
    }
  }

  void add_bounding() {
    for (const DrawnShape& shape : parts_.shapes) {
      if (shape.bounding) {
        outline_ = moment_.bodies[static_cast<std::size_t>(shape.solid)] * shape.pose;
        scale_ = shape.scale;
        add_outline(shape);
      }
    }
  }

  // The grid is on the ground at 0, or below what is lower. Its lines fade out towards the rim.
  void add_grid() {
    const StageBox& around = stage_.around;
    const double size = stage_.size();
    const double lowest = std::min(dot(around.low, stage_.up), dot(around.high, stage_.up));
    const double height = (lowest < -0.15 * size ? lowest : 0.0) + 2e-3 * size;
    const int cells = static_cast<int>(std::min(100.0, std::ceil(3.0 * size / stage_.cell)));
    const auto snapped = [this](double x) { return std::round(x / stage_.cell) * stage_.cell; };
    const Vec3 center = around.center();
    const Vec3 origin = snapped(dot(center, stage_.right)) * stage_.right +
                        snapped(dot(center, stage_.near)) * stage_.near + height * stage_.up;
    for (int i = -cells; i <= cells; ++i) {
      const double opacity = i % 10 == 0 ? 0.5 : 0.22;
      add_fading(origin, i, stage_.right, stage_.near, cells, opacity);
      add_fading(origin, i, stage_.near, stage_.right, cells, opacity);
    }
  }

 private:
  const Pose& pose_of_body(int body) const {
    return moment_.bodies[static_cast<std::size_t>(body)];
  }

  void add(const Vec3& from, const Vec3& to, const Vec3& color, double width,
           double opacity = 1.0) {
    marks_.lines.push_back({from, to, color, width, opacity, opacity});
  }

  void add_arrow(const Vec3& from, const Vec3& to, const Vec3& color) {
    constexpr double kWidth = 2.5;
    const Vec3 along = to - from;
    const double length = norm(along);
    if (!(length > 0.0)) {
      return;
    }
    add(from, to, color, kWidth);
    const Vec3 side = 0.09 * length * unit_or(across_to(along), {});
    const Vec3 other = 0.09 * length * unit_or(cross(side, along), {});
    const Vec3 base = from + 0.8 * along;
    for (const Vec3& wing : {side, -side, other, -other}) {
      add(to, base + wing, color, kWidth);
    }
  }

  // Draws a slider: its way, and a bar at each limit.
  void add_slide(const PartJoint& joint, const Vec3& anchor, const Vec3& axis, double width) {
    const Vec3 bar = width * unit_or(across_to(axis), {});
    const Vec3 low = anchor + joint.min.value_or(0.0) * axis;
    const Vec3 high = anchor + joint.max.value_or(0.0) * axis;
    add(low, high, kLimitInk, 2.0);
    for (const Vec3& end : {low, high}) {
      add(end - bar, end + bar, kLimitInk, 2.0);
    }
  }

  // Draws a hinge: the arc from one limit to the other, and a hand at the present position.
  void add_arc(const PartJoint& joint, const Vec3& anchor, const Vec3& axis, const Vec3& zero,
               double radius, double position) {
    const auto at = [&](double angle, double r) {
      return anchor + r * (rotation_matrix({axis, angle}) * zero);
    };
    constexpr int kSteps = 24;
    const double from = joint.min.value_or(joint.max.value_or(0.0) - kPi);
    const double to = joint.max.value_or(joint.min.value_or(0.0) + kPi);
    for (int step = 0; step < kSteps; ++step) {
      add(at(from + (to - from) * step / kSteps, radius),
          at(from + (to - from) * (step + 1) / kSteps, radius), kLimitInk, 2.0);
    }
    if (joint.min) {
      add(anchor, at(from, radius), kLimitInk, 2.0);
    }
    if (joint.max) {
      add(anchor, at(to, radius), kLimitInk, 2.0);
    }
    if (std::isfinite(position)) {
      add(anchor, at(position, 1.12 * radius), kHandInk, 2.0);
    }
  }

  void add_fading(const Vec3& origin, int number, const Vec3& aside, const Vec3& along, int cells,
                  double opacity) {
    constexpr int kPieces = 16;
    const double reach = cells * stage_.cell;
    const auto point = [&](int piece) {
      return origin + number * stage_.cell * aside + reach * (2.0 * piece / kPieces - 1.0) * along;
    };
    const auto seen = [&](const Vec3& p) {
      const double far = std::min(1.0, norm(p - origin) / reach);
      return opacity * (1.0 - far * far);
    };
    for (int piece = 0; piece < kPieces; ++piece) {
      const Vec3 from = point(piece);
      const Vec3 to = point(piece + 1);
      marks_.lines.push_back({from, to, kGridInk, 1.0, seen(from), seen(to), true});
    }
  }

  // Adds a line of the outline of a shape, in its frame.
  void add_edge(const Vec3& from, const Vec3& to) {
    add(outline_ * scaled(from, scale_), outline_ * scaled(to, scale_), kBoundingInk, 1.5, 0.7);
  }

  // Adds an arc around a centre, from `from` towards `to`, which have its radius.
  void add_turn(const Vec3& center, const Vec3& from, const Vec3& to, double angle) {
    constexpr int kSteps = 24;
    const auto at = [&](int step) {
      const double a = angle * step / kSteps;
      return center + std::cos(a) * from + std::sin(a) * to;
    };
    for (int step = 0; step < kSteps; ++step) {
      add_edge(at(step), at(step + 1));
    }
  }

  void add_outline(const DrawnShape& shape) {
    using Form = DrawnShape::Form;
    switch (shape.form) {
      case Form::Box:
      case Form::Plane:
        add_box(0.5 * shape.size, shape.form == Form::Plane);
        break;
      case Form::Mesh:
        add_triangles(*shape.mesh);
        break;
      case Form::Sphere:
        add_round(shape.radius, 0.0, true);
        break;
      case Form::Capsule:
        add_round(shape.radius, 0.5 * shape.height, true);
        break;
      case Form::Cylinder:
        add_round(shape.radius, 0.5 * shape.height, false);
        break;
      case Form::Cone:
        add_turn({0.0, 0.0, -0.5 * shape.height}, {shape.radius, 0.0, 0.0},
                 {0.0, shape.radius, 0.0}, 2.0 * kPi);
        for (const auto& [x, y] : kSides) {
          add_edge({x * shape.radius, y * shape.radius, -0.5 * shape.height},
                   {0.0, 0.0, 0.5 * shape.height});
        }
    }
  }

  void add_box(const Vec3& half, bool is_flat) {
    for (const double z : {-half.z, half.z}) {
      const std::array<Vec3, 4> corners{Vec3{half.x, half.y, z},
                                        {-half.x, half.y, z},
                                        {-half.x, -half.y, z},
                                        {half.x, -half.y, z}};
      for (std::size_t i = 0; i < corners.size(); ++i) {
        add_edge(corners[i], corners[(i + 1) % corners.size()]);
        if (z > 0.0) {
          add_edge(corners[i], corners[i] - Vec3{0.0, 0.0, 2.0 * z});
        }
      }
      if (is_flat) {
        return;
      }
    }
  }

  void add_triangles(const DrawnMesh& mesh) {
    const auto corner = [&mesh](std::size_t i) {
      const float* const p = &mesh.positions[std::size_t{3} * mesh.indices[i]];
      return Vec3{p[0], p[1], p[2]};
    };
    for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3) {
      add_edge(corner(i), corner(i + 1));
      add_edge(corner(i + 1), corner(i + 2));
      add_edge(corner(i + 2), corner(i));
    }
  }

  // A Cylinder, or with ends a Capsule, or a Sphere.
  void add_round(double radius, double half, bool has_ends) {
    const Vec3 x{radius, 0.0, 0.0};
    const Vec3 y{0.0, radius, 0.0};
    const Vec3 z{0.0, 0.0, radius};
    for (const double side : {-1.0, 1.0}) {
      const Vec3 center{0.0, 0.0, side * half};
      add_turn(center, x, y, 2.0 * kPi);
      if (has_ends) {
        add_turn(center, x, side * z, kPi);
        add_turn(center, y, side * z, kPi);
      }
    }
    for (const auto& [u, v] : kSides) {
      add_edge({u * radius, v * radius, -half}, {u * radius, v * radius, half});
    }
  }

  static constexpr std::array<std::array<double, 2>, 4> kSides{
      {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}}};

  const SceneParts& parts_;
  const RecordedMoment& moment_;
  const Stage& stage_;
  const std::vector<double> sizes_;
  Marks marks_;
  Pose outline_;  // of the shape that is outlined, in the world
  Vec3 scale_;
};

}  // namespace

Marks find_marks(const SceneParts& parts, const RecordedMoment& moment, const RecordedFrame& frame,
                 const Stage& stage, const MarkNames& shown) {
  MarkFinder finder(parts, moment, stage);
  if (shown.contains("grid")) {
    finder.add_grid();
  }
  if (shown.contains("bounding")) {
    finder.add_bounding();
  }
  if (shown.contains("axes") || shown.contains("limits")) {
    finder.add_joints(shown.contains("axes"), shown.contains("limits"));
  }
  if (shown.contains("frames")) {
    finder.add_frames();
  }
  if (shown.contains("contacts")) {
    finder.add_contacts(frame);
  }
  if (shown.contains("masses")) {
    finder.add_masses();
  }
  return finder.take();
}

}  // namespace servosim::still
