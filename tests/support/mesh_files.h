// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "servosim/math.h"

namespace servosim::test {

using Triangles = std::vector<std::array<Vec3, 3>>;

/// Returns the tetrahedron between the origin and a point on each axis.
inline Triangles tetrahedron(double a, double b, double c) {
  const Vec3 o{};
  const Vec3 x{a, 0, 0};
  const Vec3 y{0, b, 0};
  const Vec3 z{0, 0, c};
  return {{o, y, x}, {o, x, z}, {o, z, y}, {x, y, z}};
}

inline std::string stl_text(const Triangles& triangles) {
  std::string text = "solid s\n";
  for (const auto& triangle : triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const Vec3& v : triangle) {
      text += fmt::format("vertex {} {} {}\n", v.x, v.y, v.z);
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid s\n";
}

/// `count` is the number of triangles in the header, right or wrong.
inline std::string binary_stl(const Triangles& triangles, std::uint32_t count) {
  std::string bytes(80, ' ');
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  for (const auto& triangle : triangles) {
    std::array<float, 12> numbers{};
    std::size_t i = 3;  // after the normal
    for (const Vec3& v : triangle) {
      for (const double x : {v.x, v.y, v.z}) {
        numbers[i++] = static_cast<float>(x);
      }
    }
    bytes.append(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
    bytes.append(2, '\0');
  }
  return bytes;
}

inline std::string obj_text(const Triangles& triangles) {
  std::string text;
  for (const auto& triangle : triangles) {
    for (const Vec3& v : triangle) {
      text += fmt::format("v {} {} {}\n", v.x, v.y, v.z);
    }
    text += "f -3 -2 -1\n";
  }
  return text;
}

/// A Collada file whose geometry "g" consists of the triangles.
struct Dae {
  Triangles triangles = {};
  std::string scene = "<node id=\"n\"><instance_geometry url=\"#g\"/></node>";
  std::string library_nodes = {};
  std::string unit = "1";
  std::string up = "Y_UP";
  std::string prologue = {};       ///< text after the XML declaration
  std::size_t more = 0;            ///< points that the accessor has in addition to the real ones
  std::string last_index = {};     ///< replaces the last index
  std::string first_numbers = {};  ///< replaces the first coordinate
};

inline std::string dae_text(const Dae& dae) {
  std::string numbers;
  std::string indices;
  std::size_t points = 0;
  for (const auto& triangle : dae.triangles) {
    for (const Vec3& v : triangle) {
      numbers += points == 0 && !dae.first_numbers.empty()
                     ? fmt::format("{} {} {} ", dae.first_numbers, v.y, v.z)
                     : fmt::format("{} {} {} ", v.x, v.y, v.z);
      const bool last = points + 1 == 3 * dae.triangles.size();
      indices += last && !dae.last_index.empty() ? dae.last_index : fmt::format("{} ", points);
      ++points;
    }
  }
  return fmt::format(
      R"(<?xml version="1.0" encoding="utf-8"?>
{}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{}"/><up_axis>{}</up_axis></asset>
<library_geometries><geometry id="g" name="g"><mesh>
<source id="p"><float_array id="a" count="{}">{}</float_array><technique_common>
<accessor source="#a" count="{}" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{}"><input semantic="VERTEX" source="#v" offset="0"/><p>{}</p></triangles>
</mesh></geometry></library_geometries>
<library_nodes>{}</library_nodes>
<library_visual_scenes><visual_scene id="s">{}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
)",
      dae.prologue, dae.unit, dae.up, 3 * points, numbers, points + dae.more, dae.triangles.size(),
      indices, dae.library_nodes, dae.scene);
}

}  // namespace servosim::test
