// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/shading.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace servosim::rays {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;

// Whether the light of this number does not reach a point.
bool is_dark(const Illumination& illumination, std::size_t number, const SurfacePoint& point,
             ShadowSet shadows) {
  const Lamp& lamp = illumination.lamps()[number];
  return (lamp.shadow >= 0 && (shadows >> lamp.shadow & 1u) != 0) ||
         (point.left_out != nullptr && (*point.left_out)[number]);
}

float in_unit_range(float x) { return std::clamp(x, 0.0f, 1.0f); }

float fifth_power(float x) { return x * x * (x * x) * x; }

Float3 shade_phong(const SurfacePoint& point, const Float3& texture,
                   const Illumination& illumination, ShadowSet shadows) {
  const SeenSurface& surface = *point.surface;
  // On a picture ink replaces the picture, else the colour in which a light is scattered.
  const Float3 base =
      surface.color_map ? surface.base : mixed(surface.base, point.ink, point.ink_density);
  Float3 light = surface.emission + illumination.ambient() * surface.ambient;
  const bool shines = largest(surface.specular) > 0.0f;
  for (std::size_t i = 0; i < illumination.lamps().size(); ++i) {
    const Lamp& lamp = illumination.lamps()[i];
    const ArrivingLight arriving = lamp.at(point.position);
    const float nl = dot(point.normal, arriving.towards);
    if (!(arriving.share > 0.0f) || !(nl > 0.0f) || is_dark(illumination, i, point, shadows)) {
      continue;
    }
    Float3 reflected = nl * base;
    if (shines) {
      const Float3 half = unit_or(arriving.towards + point.to_eye, point.normal);
      const float nh = std::max(0.0f, dot(point.normal, half));
      reflected = reflected + std::pow(nh, surface.exponent) * surface.specular;
    }
    light = light + arriving.share * lamp.color() * reflected;
  }
  return texture * light;
}

// The numbers of a PBRAppearance at a point.
struct PhysicalPoint {
  Float3 f0;
  float f90;
  Float3 diffuse;
  float nv;
  float roughness;
};

Float3 reflected_by(const PhysicalPoint& physical, const SurfacePoint& point, const Lamp& lamp,
                    const ArrivingLight& arriving) {
  const Float3 half = unit_or(arriving.towards + point.to_eye, point.normal);
  const float nl = std::clamp(dot(point.normal, arriving.towards), 1e-4f, 1.0f);
  const float nh = in_unit_range(dot(point.normal, half));
  const float vh = in_unit_range(dot(point.to_eye, half));
  const float a = physical.roughness * physical.roughness;
  const float a2 = a * a;
  const auto seen = [a2](float x) { return 2.0f * x / (x + std::sqrt(a2 + (1.0f - a2) * x * x)); };
  const float fall = (nh * a2 - nh) * nh + 1.0f;
  const float mirrored =
      seen(nl) * seen(physical.nv) * a2 / (kPi * fall * fall) / (4.0f * nl * physical.nv);
  const Float3 f90{physical.f90, physical.f90, physical.f90};
  const Float3 fresnel = physical.f0 + fifth_power(1.0f - vh) * (f90 - physical.f0);
  // Webots up to R2025a multiplies the diffuse part by the intensity twice.
  const Float3 dull =
      (lamp.intensity() / kPi) * (Float3{1.0f, 1.0f, 1.0f} - fresnel) * physical.diffuse;
  return arriving.share * nl * lamp.color() * (dull + mirrored * fresnel);
}

Float3 shade_physical(const SurfacePoint& point, const Float3& texture,
                      const Illumination& illumination, ShadowSet shadows) {
  const SeenSurface& surface = *point.surface;
  const Float3 base = mixed(surface.base * texture, point.ink, point.ink_density);
  const float metalness =
      surface.metalness_map ? surface.metalness_map.at(point.place).color.x : surface.metalness;
  PhysicalPoint physical;
  physical.roughness = std::clamp(
      surface.roughness_map ? surface.roughness_map.at(point.place).color.x : surface.roughness,
      0.04f, 1.0f);
  physical.f0 = mixed({0.04f, 0.04f, 0.04f}, base, metalness);
  physical.f90 = std::min(1.0f, 25.0f * largest(physical.f0));
  physical.diffuse = 0.96f * (1.0f - metalness) * base;
  const float nv = dot(point.normal, point.to_eye);
  physical.nv = std::abs(nv) + 1e-4f;
  Float3 light;
  for (std::size_t i = 0; i < illumination.lamps().size(); ++i) {
    const Lamp& lamp = illumination.lamps()[i];
    const ArrivingLight arriving = lamp.at(point.position);
    if (arriving.share > 0.0f && !is_dark(illumination, i, point, shadows)) {
      light = light + reflected_by(physical, point, lamp, arriving);
    }
  }
  if (illumination.has_sky()) {
    const MirrorShare share = mirror_share(std::abs(nv), physical.roughness);
    const Float3 away = 2.0f * nv * point.normal - point.to_eye;
    const Float3 mirrored =
        illumination.sky_mirrored(away, physical.roughness) *
        (share.scale * physical.f0 + Float3{share.offset, share.offset, share.offset});
    float strength = surface.sky_strength;
    if (surface.occlusion_map) {
      const float open = surface.occlusion_map.at(point.place).color.x;
      strength *= 1.0f + surface.occlusion_strength * (open - 1.0f);
    }
    light =
        light + strength * (illumination.sky_gathered(point.normal) * physical.diffuse + mirrored);
  }
  const Float3 emission =
      surface.emission_map ? surface.emission_map.at(point.place).color : surface.emission;
  // Webots leaves the strength out where it draws shadows.
  const bool is_plain = illumination.has_shadows() && !surface.is_translucent;
  return light + (is_plain ? 1.0f : surface.emission_strength) * emission;
}

}  // namespace

SeenLight shade(const SurfacePoint& point, const Illumination& illumination, ShadowSet shadows) {
  const SeenSurface& surface = *point.surface;
  const Texel texel = surface.color_map ? surface.color_map.at(point.place) : Texel{};
  const float opacity = surface.opacity * texel.alpha;
  if (surface.law == ShadingLaw::Unlit) {
    return {mixed(texel.color, point.ink, point.ink_density), opacity};
  }
  const Float3 texture = surface.color_map ? linear_of(texel.color) : Float3{1.0f, 1.0f, 1.0f};
  const bool is_phong = surface.law == ShadingLaw::Phong;
  const bool is_written_on = is_phong && surface.color_map;
  const Float3 light =
      is_phong ? shade_phong(point,
                             is_written_on ? mixed(texture, point.ink, point.ink_density) : texture,
                             illumination, shadows)
               : shade_physical(point, texture, illumination, shadows);
  return {illumination.through_fog(light, point.distance), opacity};
}

}  // namespace servosim::rays
