// SPDX-License-Identifier: Apache-2.0
#include "scene/face_set.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>

#include "scene/mesh_file.h"

namespace servosim {
namespace {

// Returns the normal of a polygon, with the length of its area.
Vec3 area_of(const std::vector<Vec3>& polygon) {
  Vec3 sum;
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    sum = sum + 0.5 * cross(polygon[i - 1] - polygon[0], polygon[i] - polygon[0]);
  }
  return sum;
}

// Cuts a polygon into triangles, in the plane of the two axes in which it has the largest area.
class EarCutter {
 public:
  using Triangle = std::array<std::size_t, 3>;

  explicit EarCutter(const std::vector<Vec3>& polygon) : left_(polygon.size()) {
    std::iota(left_.begin(), left_.end(), std::size_t{0});
    const Vec3 area = area_of(polygon);
    const std::array<double, 3> size{std::abs(area.x), std::abs(area.y), std::abs(area.z)};
    const auto axis = std::max_element(size.begin(), size.end()) - size.begin();
    for (const Vec3& p : polygon) {
      const double u = axis == 0 ? p.y : axis == 1 ? p.z : p.x;
      const double v = axis == 0 ? p.z : axis == 1 ? p.x : p.y;
      points_.push_back({u, v});
    }
    const double along = axis == 0 ? area.x : axis == 1 ? area.y : area.z;
    for (auto& [u, v] : points_) {
      u = along < 0.0 ? -u : u;  // counter-clockwise
    }
  }

  std::vector<Triangle> cut() {
    constexpr std::size_t kMaxCorners = 256;  // the time may grow with the third power of this
    while (left_.size() >= 3) {
      if (left_.size() > kMaxCorners || is_fan() || !cut_one()) {
        for (std::size_t i = 2; i < left_.size(); ++i) {
          triangles_.push_back({left_[0], left_[i - 1], left_[i]});
        }
        break;
      }
    }
    return std::move(triangles_);
  }

 private:
  // Returns twice the area of a triangle, negative if it is clockwise.
  double area(std::size_t a, std::size_t b, std::size_t c) const {
    const auto& p = points_[a];
    const auto& q = points_[b];
    const auto& r = points_[c];
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  }

  bool is_fan() const {
    for (std::size_t i = 2; i < left_.size(); ++i) {
      if (area(left_[0], left_[i - 1], left_[i]) < 0.0) {
        return false;
      }
    }
    return true;
  }

  // Returns false if there is no ear.
  bool cut_one() {
    const std::size_t count = left_.size();
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t i = (first_ + n) % count;
      const Triangle ear{left_[(i + count - 1) % count], left_[i], left_[(i + 1) % count]};
      const double size = area(ear[0], ear[1], ear[2]);
      if (size < 0.0 || (size > 0.0 && !is_free(ear))) {
        continue;
      }
      if (size > 0.0) {
        triangles_.push_back(ear);
      }
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(i));
      first_ = i;
      return true;
    }
    return false;
  }

  // Returns whether no other corner is in the ear. A slit has corners at the same places as others.
  bool is_free(const Triangle& ear) const {
    return std::none_of(left_.begin(), left_.end(), [&](std::size_t i) {
      const auto is_at_corner = [&](std::size_t corner) { return points_[corner] == points_[i]; };
      return std::none_of(ear.begin(), ear.end(), is_at_corner) && area(ear[0], ear[1], i) >= 0.0 &&
             area(ear[1], ear[2], i) >= 0.0 && area(ear[2], ear[0], i) >= 0.0;
    });
  }

  std::vector<std::array<double, 2>> points_;
  std::vector<std::size_t> left_;
  std::size_t first_ = 0;  // the search continues here
  std::vector<Triangle> triangles_;
};

// Collects corners. Equal corners become one vertex.
class CornerMesh {
 public:
  // Indices in the lists of positions, normals and uvs; -1 means none.
  using Corner = std::array<int, 3>;

  CornerMesh(const std::vector<Vec3>& positions, const std::vector<Vec3>& normals,
             const std::vector<wbt::Vec2>& uvs)
      : positions_(positions), normals_(normals), uvs_(uvs) {}

  void add(const Corner& a, const Corner& b, const Corner& c) {
    for (const Corner& corner : {a, b, c}) {
      mesh_->indices.push_back(vertex(corner));
    }
  }
  std::shared_ptr<DrawnMesh> take() { return std::move(mesh_); }

 private:
  std::uint32_t vertex(const Corner& corner) {
    const auto [known, is_new] =
        numbers_.try_emplace(corner, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) {
      append(mesh_->positions, positions_[corner[0]]);
      if (corner[1] >= 0) {
        append(mesh_->normals, normals_[corner[1]]);
      }
      if (corner[2] >= 0) {
        mesh_->uvs.push_back(static_cast<float>(uvs_[corner[2]].x));
        mesh_->uvs.push_back(static_cast<float>(uvs_[corner[2]].y));
      }
    }
    return known->second;
  }

  static void append(std::vector<float>& list, const Vec3& v) {
    for (const double x : {v.x, v.y, v.z}) {
      list.push_back(static_cast<float>(x));
    }
  }

  const std::vector<Vec3>& positions_;
  const std::vector<Vec3>& normals_;
  const std::vector<wbt::Vec2>& uvs_;
  std::map<Corner, std::uint32_t> numbers_;
  std::shared_ptr<DrawnMesh> mesh_ = std::make_shared<DrawnMesh>();
};

// Reads an IndexedFaceSet with its normals and places in a picture.
class FaceSetReader {
 public:
  using Face = std::vector<CornerMesh::Corner>;

  explicit FaceSetReader(const wbt::Node& node) : node_(node) {
    positions_ = vectors("coord", "Coordinate", "point");
    if (node.type->field("normal") != nullptr) {
      normals_ = vectors("normal", "Normal", "vector");
      has_normal_per_face_ = !normals_.empty() && !node.boolean("normalPerVertex");
    }
    if (const wbt::NodePtr& places = node.node("texCoord");
        places && places->type->name == "TextureCoordinate") {
      uvs_ = std::get<std::vector<wbt::Vec2>>(places->value("point"));
    }
  }

  // Returns null if an index or a point is out of range, or if no triangle has an area.
  std::shared_ptr<const DrawnMesh> read() {
    if (!std::all_of(positions_.begin(), positions_.end(), is_in_range)) {
      return nullptr;
    }
    const std::vector<std::int32_t>& indices = node_.integers("coordIndex");
    const auto* normals =
        has_normal_per_face_ ? nullptr : indices_of("normalIndex", normals_.size());
    const std::size_t places = uvs_.size();
    const auto* uvs = indices_of("texCoordIndex", places);
    if (places > 0) {
      uvs_.push_back({0.5, 0.5});  // the place of corners without one, as in Webots
    }
    std::vector<Face> faces(1);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] == -1) {
        faces.emplace_back();
        continue;
      }
      const auto at = [i](const std::vector<std::int32_t>* list, std::size_t count) {
        const int index = list != nullptr && i < list->size() ? (*list)[i] : -1;
        return index >= 0 && static_cast<std::size_t>(index) < count ? index : -1;
      };
      CornerMesh::Corner corner{at(&indices, positions_.size()), at(normals, normals_.size()),
                                at(uvs, places)};
      if (corner[0] < 0) {
        return nullptr;
      }
      if (places > 0 && corner[2] < 0) {
        corner[2] = static_cast<int>(places);
      }
      faces.back().push_back(corner);
    }
    if (has_normal_per_face_) {
      give_normals(faces);
    }
    if (!node_.boolean("ccw")) {
      for (Face& face : faces) {
        std::reverse(face.begin(), face.end());
      }
    }
    keep_whole_normals(faces);
    if (const double angle = node_.number("creaseAngle"); normals_.empty() && angle > 0.0) {
      smooth(faces, angle);
    }
    CornerMesh mesh(positions_, normals_, uvs_);
    bool has_area = false;
    for (const Face& face : faces) {
      const std::vector<Vec3> points = points_of(face);
      for (const auto& [a, b, c] : triangles_of(points)) {
        mesh.add(face[a], face[b], face[c]);
        has_area = has_area || area_of({points[a], points[b], points[c]}) != Vec3{};
      }
    }
    return has_area ? mesh.take() : nullptr;
  }

 private:
  std::vector<Vec3> vectors(std::string_view field, std::string_view type,
                            std::string_view values) const {
    const wbt::NodePtr& list = node_.node(field);
    return list && list->type->name == type ? list->vec3s(values) : std::vector<Vec3>{};
  }

  // A list without indices of its own uses those of the points. Returns null if there is no list.
  const std::vector<std::int32_t>* indices_of(std::string_view field, std::size_t count) const {
    if (count == 0) {
      return nullptr;
    }
    const std::vector<std::int32_t>& own = node_.integers(field);
    return own.empty() ? &node_.integers("coordIndex") : &own;
  }

  // Gives the corners of each face the normal of the face.
  void give_normals(std::vector<Face>& faces) const {
    const std::vector<std::int32_t>& own = node_.integers("normalIndex");
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const int index = f < own.size() ? own[f] : own.empty() ? static_cast<int>(f) : -1;
      for (CornerMesh::Corner& corner : faces[f]) {
        corner[1] = index >= 0 && static_cast<std::size_t>(index) < normals_.size() ? index : -1;
      }
    }
  }

  std::vector<Vec3> points_of(const Face& face) const {
    std::vector<Vec3> points;
    for (const CornerMesh::Corner& corner : face) {
      points.push_back(positions_[corner[0]]);
    }
    return points;
  }

  // Gives each corner the mean normal of the faces around its point whose normals are within the
  // angle of its own. As in Webots, equal normals count once, however large their faces are.
  void smooth(std::vector<Face>& faces, double angle) {
    constexpr std::size_t kMaxAround = 256;  // a point with more faces stays flat
    constexpr double kSameNormal = 1e-4;
    std::vector<Vec3> units;
    std::vector<std::vector<std::size_t>> around(positions_.size());
    for (const Face& face : faces) {
      for (const CornerMesh::Corner& corner : face) {
        around[corner[0]].push_back(units.size());
      }
      units.push_back(unit_or(area_of(points_of(face)), {}));
    }
    const double least = std::cos(std::min(angle, std::numbers::pi));
    std::map<std::array<double, 3>, int> numbers;
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const Vec3 own = units[f] == Vec3{} ? Vec3{0.0, 0.0, 1.0} : units[f];
      for (CornerMesh::Corner& corner : faces[f]) {
        const std::vector<std::size_t>& all = around[corner[0]];
        Vec3 sum;
        std::vector<Vec3> counted;
        for (std::size_t i = 0; i < all.size() && all.size() <= kMaxAround; ++i) {
          const Vec3& unit = units[all[i]];
          const bool is_known = std::any_of(counted.begin(), counted.end(), [&](const Vec3& other) {
            return norm(unit - other) <= kSameNormal;
          });
          if (!is_known && unit != Vec3{} && dot(own, unit) > least) {
            sum = sum + unit;
            counted.push_back(unit);
          }
        }
        const Vec3 normal = unit_or(sum, own);
        const auto [known, is_new] =
            numbers.try_emplace({normal.x, normal.y, normal.z}, static_cast<int>(normals_.size()));
        if (is_new) {
          normals_.push_back(normal);
        }
        corner[1] = known->second;
      }
    }
  }

  // Normals that some corners do not have are dropped.
  static void keep_whole_normals(std::vector<Face>& faces) {
    const bool whole = std::all_of(faces.begin(), faces.end(), [](const Face& face) {
      return std::all_of(face.begin(), face.end(),
                         [](const CornerMesh::Corner& corner) { return corner[1] >= 0; });
    });
    for (Face& face : faces) {
      for (CornerMesh::Corner& corner : face) {
        corner[1] = whole ? corner[1] : -1;
      }
    }
  }

  const wbt::Node& node_;
  std::vector<Vec3> positions_;
  std::vector<Vec3> normals_;
  bool has_normal_per_face_ = false;
  std::vector<wbt::Vec2> uvs_;
};

}  // namespace

std::vector<std::array<std::size_t, 3>> triangles_of(const std::vector<Vec3>& polygon) {
  return EarCutter(polygon).cut();
}

std::shared_ptr<const DrawnMesh> drawn_face_set(const wbt::Node& node) {
  return FaceSetReader(node).read();
}

}  // namespace servosim
