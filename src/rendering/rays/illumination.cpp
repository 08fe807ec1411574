// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/illumination.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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
  beam_cosine_ = std::cos(beam_width_);
  cut_off_cosine_ = std::cos(cut_off_);
}

// Cosines tell without an angle whether a point is where the light fades.
float Lamp::share_at(float cosine) const {
  if (cosine <= cut_off_cosine_) {
    return 0.0f;
  }
  return cosine >= beam_cosine_ ? 1.0f : spot_share(std::acos(cosine), beam_width_, cut_off_);
}

ArrivingLight Lamp::at(const Float3& point) const {
  if (type_ == LightType::Directional) {
    return {against_, std::numeric_limits<float>::infinity(), 1.0f};
  }
  const Float3 way = position_ - point;
  const float distance = norm(way);
  if (!(distance <= radius_) || distance <= 0.0f) {
    return {};
  }
  const Float3 towards = (1.0f / distance) * way;
  const float spot = type_ == LightType::Spot ? share_at(dot(towards, against_)) : 1.0f;
  return {towards, distance, light_at(distance, radius_, attenuation_, spot)};
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

Float3 Illumination::sky_along(const Float3& direction) const {
  if (cube_ == nullptr || !cube_->is_seen()) {
    return sky_light_;
  }
  const Texel texel = cube_->at(in_sky(direction));
  return mixed(sky_light_, texel.color * texel.color, texel.alpha);
}

Float3 Illumination::sky_mirrored(const Float3& direction, float roughness) const {
  return cube_ == nullptr ? sky_uniform_
                          : luminosity_ * cube_->mirrored(in_sky(direction), roughness);
}

Float3 Illumination::sky_gathered(const Float3& normal) const {
  return cube_ == nullptr ? sky_uniform_ : luminosity_ * cube_->gathered(in_sky(normal));
}

float Illumination::fog_share(float distance) const {
  const float far = distance / static_cast<float>(fog_->range);
  const float left = fog_->law == FogLaw::Linear        ? 1.0f - far
                     : fog_->law == FogLaw::Exponential ? std::exp(-far)
                                                        : std::exp(-far * far);
  return std::pow(1.0f - std::clamp(left, 0.0f, 1.0f), 2.2f);
}

}  // namespace servosim::rays
