// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "scene/ink_layer.h"
#include "scene/scene.h"
#include "scene/surface_look.h"
#include "servosim/math.h"

// What Cameras see of a world, but for the forms of its Shapes.

namespace servosim {

/// The law by which a Shape reflects light.
enum class ShadingLaw : std::uint8_t {
  Unlit,    ///< without Material and PBRAppearance: it is seen as it is, whatever shines on it
  Phong,    ///< an Appearance with a Material
  Physical  ///< a PBRAppearance
};

/// How a Shape reflects light and shines. Numbers are those of the file, within their ranges.
/// Colours are red, green and blue in [0, 1].
struct Finish {
  ShadingLaw law = ShadingLaw::Unlit;
  double transparency = 0.0;
  bool casts_shadows = true;
  TextureTransform transform;
  Vec3 color{1.0, 1.0, 1.0};                      ///< diffuseColor or baseColor
  Texture color_map;                              ///< `texture` or `baseColorMap`
  Vec3 emission;                                  ///< emissiveColor
  std::shared_ptr<const InkLayer> ink = nullptr;  ///< what Pens have written; null without ink

  // These are used by Phong.
  double ambient_intensity = 0.2;
  double shininess = 0.2;
  Vec3 specular;

  // These are used by Physical. A map replaces the number.
  double roughness = 0.0;
  double metalness = 1.0;
  double sky_strength = 1.0;  ///< IBLStrength
  double emission_strength = 1.0;
  double normal_strength = 1.0;
  double occlusion_strength = 1.0;
  Texture roughness_map;
  Texture metalness_map;
  Texture normal_map;
  Texture occlusion_map;
  Texture emission_map;
};

/// What is seen behind all Shapes, and lights those with a PBRAppearance.
struct Sky {
  using Faces = std::array<std::shared_ptr<const Image>, 6>;

  Vec3 color;                  ///< skyColor
  double view_exposure = 1.0;  ///< exposure of the Viewpoint, for which the colour is meant, > 0
  double luminosity = 1.0;
  /// The pictures of what is in front, behind, to the left, to the right, above and below, upright
  /// seen from inside, so that the lower edge of the one above and the upper edge of the one below
  /// meet that in front. All are square and have one size, or there are none.
  Faces faces = {};
  /// Pictures of the light that comes from there, as read_light() has their pixels; or none, and it
  /// comes from `faces` or `color`.
  Faces light = {};
  /// Where these are in the world: x in front, y to the left, z above.
  Mat3 axes;
};

enum class FogLaw : std::uint8_t { Linear, Exponential, SquareExponential };

struct Fog {
  FogLaw law = FogLaw::Linear;
  Vec3 color{1.0, 1.0, 1.0};
  double range = 1.0;  ///< visibilityRange [m], > 0
};

/// What Cameras see at one moment. The lists are valid as long as their owner says.
struct Looks {
  /// The finish of each shape of the Renderer, not null. One that changes gets another address.
  std::span<const std::shared_ptr<const Finish>> finishes;
  /// Lights that are on, with their present colours, in the frame of the world.
  std::span<const LightSpec> lights;
  std::optional<Sky> sky;  ///< none is black
  std::optional<Fog> fog;
};

}  // namespace servosim
