// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/shape_key.h"
#include "scene/surface_look.h"
#include "servosim/math.h"

// What a Shape of a world looks like, for pages that draw it and for sensors that see it.

namespace servosim {

/// Triangles to be drawn, counter-clockwise seen from outside.
struct DrawnMesh {
  std::vector<float> positions;        ///< x, y, z of each vertex [m]
  std::vector<std::uint32_t> indices;  ///< three for each triangle
  std::vector<float> normals;          ///< x, y, z of each vertex; empty if triangles are flat
  std::vector<float> uvs;              ///< u, v of each vertex; empty without places in a picture
  bool is_spread = false;              ///< whether these lay a picture over the box around it
  // Only Cameras see these.
  std::vector<std::uint32_t> lines = {};  ///< two vertices for each line
  std::vector<std::uint32_t> dots = {};   ///< one vertex for each point of a PointSet
  std::vector<float> colors = {};         ///< red, green and blue of each vertex, or empty
};

struct Finish;

/// The bytes of a picture.
struct Picture {
  std::string type;  ///< image/png or image/jpeg
  std::string bytes;
};

/// A wheel of a Track, which turns by the position of the belt [m] over its radius.
struct DrawnWheel {
  int joint = 0;        ///< the belt, among the scene's joints
  Vec3 axis;            ///< in the frame of the shape's Solid, length one
  Vec3 center;          ///< in the same frame [m]
  double radius = 1.0;  ///< > 0 [m]
};

/// The devices that change the look of a Shape, each -1 without one.
struct ShapeDevices {
  int led = -1;      ///< LedSpec::number of the LED in whose colour it shines
  int laser = -1;    ///< BodySensorSpec::laser whose spot it is, for Cameras alone
  int display = -1;  ///< DisplaySpec::number of the Display that is shown on it
};

struct DrawnShape {
  enum class Form : std::uint8_t { Box, Sphere, Cylinder, Capsule, Cone, Plane, Mesh };

  int solid = -1;          ///< the Solid that carries it, or -1 for the world
  std::uint32_t node = 0;  ///< wbt::Node::id of its Shape or CadShape; 0 in a boundingObject
  Form form = Form::Box;
  Pose pose;                  ///< in that Solid's frame; the axis of a form is z
  Vec3 scale{1.0, 1.0, 1.0};  ///< of a Mesh, and for sensors of any form, along its own axes
  Vec3 size;                  ///< Box; Plane in x and y [m]
  double radius = 0.0;        ///< Sphere, Cylinder, Capsule, Cone [m]
  double height = 0.0;        ///< height of the last three [m]; a Capsule's has no
                              ///< ends
  /// How fine the triangles of a round form are: flat sides about its axis, or how often the faces
  /// of an icosahedron are divided for a Sphere.
  int subdivision = 0;
  bool icosahedron = false;  ///< whether a Sphere is made from one
  bool top = true;           ///< which parts a Cylinder, Capsule and Cone have
  bool side = true;
  bool bottom = true;
  std::shared_ptr<const DrawnMesh> mesh;    ///< set for a Mesh
  std::optional<Vec3> color;                ///< red, green, blue in [0, 1]
  std::optional<double> opacity;            ///< in [0, 1]
  std::shared_ptr<const Picture> picture;   ///< null without a picture
  std::array<double, 2> repeats{1.0, 1.0};  ///< repetitions of the picture along u and v
  std::shared_ptr<const Finish> finish;     ///< for Cameras alone
  ShapeDevices devices;
  ShapeKey key;                     ///< which Shape of the world it is
  InkForm ink = InkForm::Whole;     ///< how its ink layer is divided
  bool bounding = false;            ///< part of a boundingObject
  std::optional<DrawnWheel> wheel;  ///< the wheel that it is a part of
};

}  // namespace servosim
