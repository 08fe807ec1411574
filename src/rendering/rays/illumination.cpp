// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/illumination.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "scene/light_law.h"

namespace servosim::rays {

namespace {

float in_unit(double x) { return static_cast<float>(std::clamp(x, 0.0, 1.0)); }

Float3 color_in_unit(const Vec3& c) { return {in_unit(c.x), in_unit(c.y), in_unit(c.z)}; }

// Webots' lights have a negative intensity of 1.
float intensity_of(const LightSpec& light) {
  return light.intensity < 0.0 ? 1.0f : static_cast<float>(light.intensity);
}

// A light that fades gives none that comes from everywhere.
float ambient_of(const LightSpec& light) {
  const bool fades =
      light.type != LightType::Directional && light.attenuation != Vec3{1.0, 0.0, 0.0};
  return fades ? 0.0f : in_unit(light.ambient_intensity);
}

}  // namespace

Lamp::Lamp(const LightSpec& light, const Pose& to_eye)
    : type_(light.type),
      position_(to_float(to_eye * light.location)),
      against_(to_float(-(to_eye.rotation * light.direction))),
      intensity_(intensity_of(light)),
      radius_(static_cast<float>(light.radius)),
      cut_off_(static_cast<float>(light.cut_off_angle)) {
  const Float3 a = to_float(light.attenuation);
  attenuation_ = {a.x, a.y, a.z};
  color_ = intensity_ * linear_of(color_in_unit(light.color));
  beam_width_ = std::min(static_cast<float>(light.beam_width), cut_off_);
  constexpr auto kBehind = std::numbers::pi_v<float>;  // no direction has a larger angle
  beam_cosine_ = std::cos(std::min(beam_width_, kBehind));
  cut_off_cosine_ = std::cos(std::min(cut_off_, kBehind));
}

// Cosines tell without an angle whether a point is where the light fades.
float Lamp::share_at(float cosine) const {
  const float c = std::max(-1.0f, cosine);  // rounding may make it less
  if (c < cut_off_cosine_) {
    return 0.0f;
  }
  return c >= beam_cosine_ ? 1.0f : spot_share(std::acos(c), beam_width_, cut_off_);
}

ArrivingLight Lamp::at(const Floats3& points, unsigned used) const {
  if (type_ == LightType::Directional) {
    return {all(against_), all(std::numeric_limits<float>::infinity()), all(1.0f)};
  }
  const Floats3 way = all(position_) - points;
  const Floats distance = norm(way);
  ArrivingLight light{(1.0f / distance) * way, distance, Floats{}};
  const Floats cosine = dot(light.towards, all(against_));
  const Ints reached = (light.distance <= radius_) & (light.distance > 0.0f);
  for_each_lane(used & set_of(reached), [&](int i) {
    const float spot = type_ == LightType::Spot ? share_at(cosine[i]) : 1.0f;
    light.share[i] = light_at(light.distance[i], radius_, attenuation_, spot);
  });
  return light;
}

bool Lamp::is_too_weak_for(const Float3& center, float radius) const {
  constexpr float kWeakest = 2000.0f;
  const float d = std::max(0.0f, norm(position_ - center) - radius);
  return type_ != LightType::Directional &&
         attenuation_[0] + d * (attenuation_[1] + d * attenuation_[2]) >= kWeakest;
}

Illumination::Illumination(const Looks& looks, const Pose& eye, SkyCubes& cubes) : fog_(looks.fog) {
  const Pose to_eye = inverse(eye);
  std::array<std::size_t, 3> counts{};
  for (const LightSpec& light : looks.lights) {
    ambient_ = ambient_ + ambient_of(light) * color_in_unit(light.color);
    has_shadows_ = has_shadows_ || light.casts_shadows;
    if (++counts[static_cast<std::size_t>(light.type)] > kMostLampsOfType) {
      continue;
    }
    Lamp lamp(light, to_eye);
    if (!(largest(lamp.color()) > 0.0f)) {
      continue;
    }
    if (light.casts_shadows && shadows_ < kMaxShadows) {
      lamp.shadow = shadows_++;
    }
    lamps_.push_back(lamp);
  }
  if (looks.sky) {
    set_sky(*looks.sky, eye, cubes);
  }
  if (fog_) {
    fog_color_ = linear_of(color_in_unit(fog_->color));
  }
}

void Illumination::set_sky(const Sky& sky, const Pose& eye, SkyCubes& cubes) {
  has_sky_ = true;
  // The light that the tone map of the Viewpoint turns into the colour.
  const auto light = [&sky](double coded) {
    const double c = std::clamp(coded, 0.0, 1.0);
    return static_cast<float>(-std::log(1.000000001 - std::pow(c, 2.2)) / sky.view_exposure);
  };
  sky_light_ = {light(sky.color.x), light(sky.color.y), light(sky.color.z)};
  luminosity_ = static_cast<float>(sky.luminosity);
  sky_uniform_ = luminosity_ * color_in_unit(sky.color);
  cube_ = cubes.of(sky);
  const Mat3 axes = transposed(eye.rotation) * sky.axes;
  sky_front_ = to_float({axes(0, 0), axes(1, 0), axes(2, 0)});
  sky_left_ = to_float({axes(0, 1), axes(1, 1), axes(2, 1)});
  sky_up_ = to_float({axes(0, 2), axes(1, 2), axes(2, 2)});
}

Floats3 Illumination::sky_along(const Floats3& directions) const {
  if (cube_ == nullptr || !cube_->is_seen()) {
    return all(sky_light_);
  }
  const Texels texels = cube_->at(in_sky(directions));
  return mixed(all(sky_light_), texels.color * texels.color, texels.alpha);
}

Floats3 Illumination::sky_mirrored(const Floats3& directions, const Floats& roughness,
                                   unsigned used) const {
  if (cube_ == nullptr) {
    return all(sky_uniform_);
  }
  const Floats3 in_cube = in_sky(directions);
  Floats3 light{};
  for_each_lane(used, [&](int i) {
    set_lane(light, i, luminosity_ * cube_->mirrored(of_lane(in_cube, i), roughness[i]));
  });
  return light;
}

Floats3 Illumination::sky_gathered(const Floats3& normals, unsigned used) const {
  if (cube_ == nullptr) {
    return all(sky_uniform_);
  }
  const Floats3 in_cube = in_sky(normals);
  Floats3 light{};
  for_each_lane(
      used, [&](int i) { set_lane(light, i, luminosity_ * cube_->gathered(of_lane(in_cube, i))); });
  return light;
}

Floats3 Illumination::through_fog(const Floats3& light, const Floats& distances,
                                  unsigned used) const {
  if (!fog_) {
    return light;
  }
  Floats share{};
  for_each_lane(used, [&](int i) { share[i] = fog_share(distances[i]); });
  return mixed(light, all(fog_color_), share);
}

float Illumination::fog_share(float distance) const {
  const float far = distance / static_cast<float>(fog_->range);
  const float left = fog_->law == FogLaw::Linear        ? 1.0f - far
                     : fog_->law == FogLaw::Exponential ? std::exp(-far)
                                                        : std::exp(-far * far);
  return std::pow(1.0f - std::clamp(left, 0.0f, 1.0f), 2.2f);
}

}  // namespace servosim::rays
