// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "wbt/eras/legacy.h"
#include "wbt/proto/proto.h"
#include "wbt/proto/stand_ins.h"

namespace servosim::wbt {
namespace {

constexpr const char* kAtOrigin = R"(
  field SFVec3f translation 0 0 0
)";

constexpr const char* kFloorFields = R"(
  field SFVec2f size 10 10
  field SFVec2f tileSize 0.5 0.5
  field SFNode appearance NULL
)";

constexpr const char* kFloorOfArenaFields = R"(
  field SFVec2f floorTileSize 0.5 0.5
  field SFNode floorAppearance NULL
  field SFFloat wallThickness 0.01
  field SFFloat wallHeight 0.1
  field SFVec2f wallTileSize 0.5 0.5
  field SFNode wallAppearance NULL
)";

constexpr const char* kRectangleFields = R"(
  field SFVec2f floorSize 1 1
)";

constexpr const char* kCircleFields = R"(
  field SFFloat radius 1
  field SFInt32 subdivision 48
)";

constexpr const char* kAppearanceField = R"(
  field SFNode appearance NULL
)";

constexpr const char* kMovableFields = R"(
  field SFNode physics NULL
  field SFBool enableBoundingObject TRUE
)";

constexpr std::array<const char*, 2> kSolidBoxFields{R"(
  field SFVec3f translation 0 0 1
  field SFVec3f size 2 2 2
)",
                                                     R"(
  field SFVec3f translation 0 1 0
  field SFVec3f size 2 2 2
)"};

constexpr std::array<const char*, 2> kWallFields{R"(
  field SFVec3f translation 0 0 0
  field SFVec3f size 0.2 1 2.4
)",
                                                 R"(
  field SFVec3f translation 0 0 0
  field SFVec3f size 1 2.4 0.2
)"};

constexpr const char* kTerrainFields = R"(
  field SFInt32 xDimension 50
  field SFInt32 randomSeed 1
  field SFInt32 perlinNOctaves 3
)";

constexpr std::array<const char*, 2> kTerrainSizes{R"(
  field SFVec3f translation 0 0 0
  field SFVec3f size 50 50 5
  field SFInt32 yDimension 50
)",
                                                   R"(
  field SFVec3f translation 0 0 0
  field SFVec3f size 50 5 50
  field SFInt32 zDimension 50
)"};

/// Writes the shapes of one built-in PROTO in the axes of its file. Coordinates are passed with the
/// third one pointing up.
class ShapeWriter {
 public:
  explicit ShapeWriter(const Environment& environment)
      : z_up_(geometry_axis_is_z(environment.proto.source.version)),
        pose_(environment.proto.source.version < Version{2023, 1, 0} ? "Transform" : "Pose") {}

  void floor(const Vec2& size) {
    shapes_ += fmt::format("Plane {{ size {} {} }}\n", size.x, size.y);
  }

  /// Returns the size that the file sets, in the order of these coordinates.
  Vec3 size(const Environment& environment) const {
    const Vec3 v = std::get<Vec3>(environment.value("size"));
    return z_up_ ? v : Vec3{v.x, v.z, v.y};
  }

  void box(const Vec3& centre, const Vec3& size) {
    shapes_ += fmt::format("{} {{ translation {} children [ Box {{ size {} }} ] }}\n", pose_,
                           vector(centre), vector(size));
  }

  /// Writes a ground around the vertical through the origin. Missing heights are reported where the
  /// ElevationGrid is read.
  void ground(const Vec3& size, int columns, int rows, const std::vector<double>& heights) {
    const char across = z_up_ ? 'y' : 'z';
    shapes_ += fmt::format(
        "{} {{ translation {} children [ ElevationGrid {{ xDimension {} xSpacing {} {}Dimension {} "
        "{}Spacing {} height [",
        pose_, vector({-0.5 * size.x, -0.5 * size.y, 0.0}), columns,
        size.x / (std::max(columns, 2) - 1), across, rows, across,
        size.y / (std::max(rows, 2) - 1));
    for (const double height : heights) {
      fmt::format_to(std::back_inserter(shapes_), " {:.7g}", size.z * height);
    }
    shapes_ += " ] } ] }\n";
  }

  /// Writes a wall on the floor. It has this centre, and this size before it is turned by `angle`
  /// [rad] about the vertical.
  void wall(const Vec2& centre, const Vec3& size, double angle) {
    if (size.x > 0.0 && size.y > 0.0 && size.z > 0.0) {
      shapes_ +=
          fmt::format("{} {{ translation {} rotation {} {} children [ Box {{ size {} }} ] }}\n",
                      pose_, vector({centre.x, centre.y, 0.5 * size.z}), z_up_ ? "0 0 1" : "0 1 0",
                      z_up_ ? angle : -angle, vector(size));
    }
  }

  std::string solid(std::string_view more = "") const {
    return fmt::format(
        R"(Solid {{
translation IS translation
rotation IS rotation
name IS name
contactMaterial IS contactMaterial
{}boundingObject Group {{ children [
{}] }}
}}
)",
        more, shapes_);
  }

 private:
  std::string vector(const Vec3& v) const {
    return z_up_ ? fmt::format("{} {} {}", v.x, v.y, v.z) : fmt::format("{} {} {}", v.x, v.z, v.y);
  }

  bool z_up_;
  std::string_view pose_;
  std::string shapes_;
};

double number(const Environment& environment, std::string_view name) {
  return std::get<double>(environment.value(name));
}

std::string write_floor(const Environment& environment) {
  ShapeWriter arena(environment);
  arena.floor(std::get<Vec2>(environment.value("size")));
  return arena.solid();
}

// The walls are outside the edge of the floor.
std::string write_rectangle(const Environment& environment) {
  const auto size = std::get<Vec2>(environment.value("floorSize"));
  const double thickness = number(environment, "wallThickness");
  const double height = number(environment, "wallHeight");
  const double x = 0.5 * (size.x + thickness);
  const double y = 0.5 * (size.y + thickness);
  ShapeWriter arena(environment);
  arena.floor(size);
  arena.wall({x, 0.0}, {thickness, size.y, height}, 0.0);
  arena.wall({-x, 0.0}, {thickness, size.y, height}, 0.0);
  arena.wall({0.0, y}, {size.x + 2.0 * thickness, thickness, height}, 0.0);
  arena.wall({0.0, -y}, {size.x + 2.0 * thickness, thickness, height}, 0.0);
  return arena.solid();
}

// The walls are a ring of boxes that touch the circle from outside.
std::string write_circle(const Environment& environment) {
  const double radius = number(environment, "radius");
  const double thickness = number(environment, "wallThickness");
  const double height = number(environment, "wallHeight");
  const int count = std::clamp(std::get<std::int32_t>(environment.value("subdivision")), 3, 1000);
  const double length = 2.0 * (radius + thickness) * std::tan(std::numbers::pi / count);
  const double distance = radius + 0.5 * thickness;
  ShapeWriter arena(environment);
  arena.floor({2.0 * radius, 2.0 * radius});
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / count;
    arena.wall({distance * std::cos(angle), distance * std::sin(angle)},
               {thickness, length, height}, angle);
  }
  return arena.solid();
}

std::string write_solid_box(const Environment& environment) {
  ShapeWriter writer(environment);
  writer.box({}, writer.size(environment));
  return writer.solid("physics IS physics\n");  // show_shapes() removes the colliding shapes
}

// The wall is on the ground.
std::string write_wall(const Environment& environment) {
  ShapeWriter writer(environment);
  const Vec3 size = writer.size(environment);
  writer.box({0.0, 0.0, 0.5 * size.z}, size);
  return writer.solid();
}

int integer(const Environment& environment, std::string_view name) {
  return std::get<std::int32_t>(environment.value(name));
}

std::string write_uneven_terrain(const Environment& environment) {
  constexpr std::int64_t kMaxGridPoints = 1 << 20;
  const bool z_up = geometry_axis_is_z(environment.proto.source.version);
  const int columns = integer(environment, "xDimension");
  const int rows = integer(environment, z_up ? "yDimension" : "zDimension");
  std::vector<double> heights;
  if (columns >= 2 && rows >= 2 && std::int64_t{columns} * rows <= kMaxGridPoints) {
    heights = uneven_terrain(columns, rows, integer(environment, "randomSeed"),
                             std::clamp(integer(environment, "perlinNOctaves"), 1, 8));
  }
  ShapeWriter writer(environment);
  writer.ground(writer.size(environment), columns, rows, heights);
  return writer.solid();
}

struct BuiltinProto {
  std::string_view name;
  std::string_view solid_name;
  std::array<const char*, 2> fields;
  std::array<const char*, 2> of_era;  // further fields for files with z up and with y up
  BodyWriter write;
  BuiltinNote note;
};

constexpr std::array<const char*, 2> kBothAtOrigin{kAtOrigin, kAtOrigin};

constexpr BuiltinProto kBuiltinProtos[] = {
    {"Floor",
     "floor",
     {kFloorFields, ""},
     kBothAtOrigin,
     write_floor,
     {"a plane of its size, from the manual of Webots", "the look of its appearance", true}},
    {"RectangleArena",
     "rectangle arena",
     {kRectangleFields, kFloorOfArenaFields},
     kBothAtOrigin,
     write_rectangle,
     {"a floor and four walls outside of it, from the manual of Webots",
      "the look of its appearances", true}},
    {"SquareArena",
     "square arena",
     {kRectangleFields, kFloorOfArenaFields},
     kBothAtOrigin,
     write_rectangle,
     {"a floor and four walls like those of RectangleArena", "the look of its appearances", true}},
    {"CircleArena",
     "circle arena",
     {kCircleFields, kFloorOfArenaFields},
     kBothAtOrigin,
     write_circle,
     {"a square floor and a ring of boxes that touch the circle, from the manual of Webots",
      "the look of its appearances; the floor reaches beyond the walls", true}},
    {"SolidBox",
     "box",
     {kAppearanceField, kMovableFields},
     kSolidBoxFields,
     write_solid_box,
     {"a box of its size, from the manual of Webots", "the look of its appearance", true}},
    {"Wall",
     "wall",
     {kAppearanceField, ""},
     kWallFields,
     write_wall,
     {"a box of its size; numbers read in a copy of the PROTO of Webots R2023b",
      "the look of its appearance", true}},
    {"UnevenTerrain",
     "uneven terrain",
     {kAppearanceField, kTerrainFields},
     kTerrainSizes,
     write_uneven_terrain,
     {"size and grid from the manual of Webots",
      "the ground of Webots, whose noise is not known: the hills are servosim's own, as high as "
      "those and elsewhere",
      false}},
};

const BuiltinProto* find_builtin_proto(std::string_view name) {
  const auto found = std::find_if(std::begin(kBuiltinProtos), std::end(kBuiltinProtos),
                                  [&](const BuiltinProto& s) { return s.name == name; });
  return found == std::end(kBuiltinProtos) ? nullptr : &*found;
}

}  // namespace

const BuiltinNote& builtin_note(std::string_view name) {
  const BuiltinProto* builtin = find_builtin_proto(name);
  if (builtin == nullptr) {
    throw std::out_of_range(fmt::format("no built-in PROTO is called '{}'", name));
  }
  return builtin->note;
}

std::string builtin_interface(std::string_view name, const Version& version) {
  const BuiltinProto* builtin = find_builtin_proto(name);
  if (builtin == nullptr) {
    return {};
  }
  const bool z_up = geometry_axis_is_z(version);
  return fmt::format(R"(PROTO {} [
  field SFRotation rotation {} 0
  field SFString name "{}"
  field SFString contactMaterial "default"{}{}{}] {{)",
                     name, z_up ? "0 0 1" : "0 1 0", builtin->solid_name, builtin->fields[0],
                     builtin->fields[1], builtin->of_era[z_up ? 0 : 1]);
}

BodyWriter builtin_body_writer(std::string_view name) {
  const BuiltinProto* builtin = find_builtin_proto(name);
  return builtin == nullptr ? nullptr : builtin->write;
}

namespace {

constexpr Vec3 kFloorColor{0.55, 0.6, 0.55};
constexpr Vec3 kWallColor{0.8, 0.7, 0.55};

void count(Node& above, const NodePtr& node) {
  above.height = std::max(above.height, node->height + 1);
  above.expanded += node->expanded;
}

NodePtr made(std::string_view type, const Node& origin,
             std::initializer_list<std::pair<std::string_view, Value>> fields) {
  Node node;
  node.type = find_node_type(type);
  node.where = origin.where;
  node.version = origin.version;
  for (const auto& [name, value] : fields) {
    if (const auto* child = std::get_if<NodePtr>(&value); child != nullptr && *child) {
      count(node, *child);
    }
    set_field(node, *node.type->field(name, node.version), origin.where, value);
  }
  return std::make_shared<const Node>(std::move(node));
}

// The looks that an instance defines for its shapes.
struct Looks {
  NodePtr floor;  // null means plain
  NodePtr walls;
  std::optional<Vec2> tile;  // size of a picture on the floor [m]
};

template <typename T>
std::optional<T> given(const ProtoInstance& instance, std::string_view name) {
  const std::vector<InterfaceField>& fields = instance.interface->fields;
  const auto field = std::ranges::find(fields, name, &InterfaceField::name);
  if (field == fields.end()) {
    return std::nullopt;
  }
  const T* const value =
      std::get_if<T>(&instance.value(static_cast<std::size_t>(field - fields.begin())));
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

Looks looks_of(const ProtoInstance& instance) {
  const auto first_of = [&](std::string_view own, std::string_view common) {
    const auto node = given<NodePtr>(instance, own);
    return node ? *node : given<NodePtr>(instance, common).value_or(NodePtr());
  };
  const auto tile = given<Vec2>(instance, "floorTileSize");
  return {first_of("floorAppearance", "appearance"), first_of("wallAppearance", "appearance"),
          tile ? tile : given<Vec2>(instance, "tileSize")};
}

// Returns the same rectangle as a Plane, with texture coordinates for each corner.
NodePtr tiled(const Node& plane, const Vec2& tile) {
  const auto& size = std::get<Vec2>(plane.value("size"));
  const bool z_up = geometry_axis_is_z(plane.version);
  std::vector<Vec3> points;
  std::vector<Vec2> places;
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}}) {
    const double along = (x - 0.5) * size.x;
    const double across = (y - 0.5) * size.y;
    points.push_back(z_up ? Vec3{along, across, 0.0} : Vec3{along, 0.0, -across});
    places.push_back({x * size.x / tile.x, y * size.y / tile.y});
  }
  const std::vector<std::int32_t> corners{0, 1, 2, 3, -1};
  return made("IndexedFaceSet", plane,
              {{"coord", made("Coordinate", plane, {{"point", std::move(points)}})},
               {"texCoord", made("TextureCoordinate", plane, {{"point", std::move(places)}})},
               {"coordIndex", corners},
               {"texCoordIndex", corners}});
}

NodePtr shown(const NodePtr& shape, const Looks& looks);

void set_children(Node& node, const std::vector<NodePtr>& shapes, const Looks& looks) {
  std::vector<NodePtr> children;
  for (const NodePtr& shape : shapes) {
    children.push_back(shown(shape, looks));
    count(node, children.back());
  }
  set_field(node, *node.type->field("children", node.version), node.where, std::move(children));
}

// Turns a geometry into a Shape, in the same Pose if it has one.
NodePtr shown(const NodePtr& shape, const Looks& looks) {
  if (shape->has("children")) {
    auto pose = std::make_shared<Node>(*shape);
    pose->height = pose->expanded = 1;
    set_children(*pose, shape->nodes("children"), looks);
    return pose;
  }
  const std::string_view type = shape->type->name;
  const bool is_floor = type == "Plane" || type == "ElevationGrid";
  const NodePtr& given = is_floor ? looks.floor : looks.walls;
  if (given) {
    const bool has_tiles =
        type == "Plane" && looks.tile && looks.tile->x > 0.0 && looks.tile->y > 0.0;
    return made(
        "Shape", *shape,
        {{"appearance", given}, {"geometry", has_tiles ? tiled(*shape, *looks.tile) : shape}});
  }
  const NodePtr appearance = made("PBRAppearance", *shape,
                                  {{"baseColor", is_floor ? kFloorColor : kWallColor},
                                   {"baseColorMap", given},  // NULL, and perhaps lost
                                   {"roughness", 0.9},
                                   {"metalness", 0.0}});
  return made("Shape", *shape, {{"appearance", appearance}, {"geometry", shape}});
}

}  // namespace

void show_shapes(Node& solid) {
  const ProtoInstance& instance = *solid.proto.instance;
  if (const NodePtr& shapes = solid.node("boundingObject")) {
    set_children(solid, shapes->nodes("children"), looks_of(instance));
  }
  if (given<bool>(instance, "enableBoundingObject") == std::optional(false)) {
    std::erase_if(solid.fields,
                  [](const Field& field) { return field.type->name == "boundingObject"; });
  }
}

bool is_of_own_proto(const SourceMap& sources, SourceLocation where) {
  if (where.file == SourceLocation::kNoFile) {
    return false;
  }
  std::string_view name = sources.label(sources.origin(where).file);
  if (!name.starts_with('<') || !name.ends_with('>')) {
    return false;
  }
  name = name.substr(1, name.size() - 2);
  return find_builtin_proto(name) != nullptr || !stand_in_text(name).empty();
}

bool is_parameter(const SourceMap& sources, const Field& field) {
  if (field.where.file == SourceLocation::kNoFile) {
    return false;
  }
  std::string_view text = sources.text(field.where.file);
  text.remove_prefix(std::min<std::size_t>(field.where.offset, text.size()));
  if (!text.starts_with(field.type->name)) {
    return false;
  }
  text.remove_prefix(field.type->name.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with("IS ");
}

namespace {

constexpr double kCells = 6.0;  // number of the widest hills along a side of the terrain

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Returns a number in [0, 1) for each point of a lattice.
double at_lattice(std::uint64_t layer, int i, int j) {
  const std::uint64_t point =
      (std::uint64_t{static_cast<std::uint32_t>(i)} << 32) | static_cast<std::uint32_t>(j);
  return static_cast<double>(mixed(mixed(layer) ^ point) >> 11) * 0x1p-53;
}

double smooth(double t) { return t * t * t * (t * (6.0 * t - 15.0) + 10.0); }

// Interpolates between the points of the lattice with continuous slope and curvature.
double noise(std::uint64_t layer, double x, double y) {
  const int i = static_cast<int>(x);
  const int j = static_cast<int>(y);
  const double u = smooth(x - i);
  const double v = smooth(y - j);
  return std::lerp(std::lerp(at_lattice(layer, i, j), at_lattice(layer, i + 1, j), u),
                   std::lerp(at_lattice(layer, i, j + 1), at_lattice(layer, i + 1, j + 1), u), v);
}

}  // namespace

std::vector<double> uneven_terrain(int columns, int rows, std::int32_t seed, int octaves) {
  std::vector<double> heights;
  heights.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      double height = 0.0;
      double finer = 1.0;
      for (int octave = 0; octave < octaves; ++octave, finer *= 2.0) {
        const std::uint64_t layer =
            (std::uint64_t{static_cast<std::uint32_t>(seed)} << 8) + static_cast<unsigned>(octave);
        height +=
            noise(layer, finer * kCells * i / (columns - 1), finer * kCells * j / (rows - 1)) /
            finer;
      }
      heights.push_back(height);
    }
  }
  const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
  const double low = *least;
  const double range = *most - low;
  for (double& height : heights) {
    height = range > 0.0 ? (height - low) / range : 0.0;
  }
  return heights;
}

}  // namespace servosim::wbt
