// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rendering/rays/float3.h"
#include "rendering/rays/sky_light.h"
#include "scene/looks.h"

namespace servosim::rays {

/// The light of a lamp that arrives at points.
struct ArrivingLight {
  Floats3 towards;  ///< direction to the light, of length one where some arrives
  Floats distance;  ///< infinite for a DirectionalLight [m]
  Floats share;     ///< what distance and direction leave of it; 0 for none
};

/// The most lights of one type that shine.
inline constexpr std::size_t kMostLampsOfType = 48;
/// A set of lights, by their places in Illumination::lamps().
using LampSet = std::bitset<3 * kMostLampsOfType>;

/// A light in the frame of an eye.
class Lamp {
 public:
  /// @param light  in the frame of the world
  Lamp(const LightSpec& light, const Pose& to_eye);

  /// @param used  the points that matter, as a set of lanes
  ArrivingLight at(const Floats3& points, unsigned used) const;
  /// Whether Webots leaves it out for a Shape in a sphere, where it draws shadows, since it is weak
  /// there.
  bool is_too_weak_for(const Float3& center, float radius) const;
  /// The linear colour times the intensity.
  const Float3& color() const { return color_; }
  float intensity() const { return intensity_; }
  /// The number among the lights that cast shadows, or -1.
  int shadow = -1;

 private:
  float share_at(float cosine) const;

  LightType type_;
  Float3 position_;
  Float3 against_;  // the direction from which it shines
  Float3 color_;
  float intensity_;
  std::array<float, 3> attenuation_{};
  float radius_;
  float beam_width_;
  float cut_off_;
  float beam_cosine_;
  float cut_off_cosine_;
};

/// All light around an eye at one moment.
class Illumination {
 public:
  /// At most this many lights cast shadows; further ones cast none.
  static constexpr int kMaxShadows = 64;

  Illumination(const Looks& looks, const Pose& eye, SkyCubes& cubes);

  const std::vector<Lamp>& lamps() const { return lamps_; }
  /// Whether a light casts shadows, even one that gives no light.
  bool has_shadows() const { return has_shadows_; }
  /// The light from everywhere that a Material reflects.
  const Float3& ambient() const { return ambient_; }
  bool has_sky() const { return has_sky_; }
  /// The light that is seen where nothing else is.
  Floats3 sky_along(const Floats3& directions) const;
  /// The light of the surroundings, times the luminosity of the Background.
  /// @param used  here and below: the rays that matter, as a set of lanes
  Floats3 sky_mirrored(const Floats3& directions, const Floats& roughness, unsigned used) const;
  Floats3 sky_gathered(const Floats3& normals, unsigned used) const;
  /// What fog leaves of the light of surfaces at distances.
  Floats3 through_fog(const Floats3& light, const Floats& distances, unsigned used) const;

 private:
  float fog_share(float distance) const;
  void set_sky(const Sky& sky, const Pose& eye, SkyCubes& cubes);
  Floats3 in_sky(const Floats3& d) const {
    return {dot(all(sky_front_), d), dot(all(sky_left_), d), dot(all(sky_up_), d)};
  }

  std::vector<Lamp> lamps_;
  int shadows_ = 0;
  bool has_shadows_ = false;
  Float3 ambient_{};
  bool has_sky_ = false;
  Float3 sky_light_{};    // linear, of the colour
  Float3 sky_uniform_{};  // the colour as it is coded, times the luminosity
  float luminosity_ = 1.0f;
  std::shared_ptr<const SkyCube> cube_;
  Float3 sky_front_{};  // the axes of the sky in the frame of the eye
  Float3 sky_left_{};
  Float3 sky_up_{};
  std::optional<Fog> fog_;
  Float3 fog_color_{};
};

}  // namespace servosim::rays
