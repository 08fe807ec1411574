// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/shading.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace servosim::rays {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;

// The points that the light of this number may reach, as a set of lanes.
unsigned bright(const Illumination& illumination, std::size_t number, const SurfacePoints& points,
                const ShadowSets& shadows) {
  const Lamp& lamp = illumination.lamps()[number];
  if (points.left_out != nullptr && (*points.left_out)[number]) {
    return 0;
  }
  return lamp.shadow >= 0 ? points.used & ~unsigned{shadows[lamp.shadow]} : points.used;
}

Floats in_unit_range(const Floats& x) { return clamped(x, 0.0f, 1.0f); }

Floats fifth_power(const Floats& x) { return x * x * (x * x) * x; }

Floats3 shade_phong(const SurfacePoints& points, const Floats3& texture,
                    const Illumination& illumination, const ShadowSets& shadows) {
  const SeenSurface& surface = *points.surface;
  // On a picture ink replaces the picture, else the colour in which a light is scattered.
  const Floats3 base = surface.color_map ? all(surface.base)
                                         : mixed(all(surface.base), points.ink, points.ink_density);
  Floats3 light = all(surface.emission + illumination.ambient() * surface.ambient);
  const bool shines = largest(surface.specular) > 0.0f;
  for (std::size_t i = 0; i < illumination.lamps().size(); ++i) {
    const Lamp& lamp = illumination.lamps()[i];
    const ArrivingLight arriving = lamp.at(points.position, points.used);
    const Floats nl = dot(points.normal, arriving.towards);
    const Ints lit =
        (arriving.share > 0.0f) & (nl > 0.0f) & mask_of(bright(illumination, i, points, shadows));
    const unsigned lit_set = set_of(lit);
    if (lit_set == 0) {
      continue;
    }
    Floats3 reflected = nl * base;
    if (shines) {
      const Floats3 half = unit_or(arriving.towards + points.to_eye, points.normal);
      const Floats nh = greater(Floats{}, dot(points.normal, half));
      Floats mirrored{};
      for_each_lane(lit_set,
                    [&](int lane) { mirrored[lane] = std::pow(nh[lane], surface.exponent); });
      reflected = reflected + mirrored * all(surface.specular);
    }
    light = choose(lit, light + arriving.share * all(lamp.color()) * reflected, light);
  }
  return texture * light;
}

// The numbers of a PBRAppearance at points.
struct PhysicalPoints {
  Floats3 f0;
  Floats f90;
  Floats3 diffuse;
  Floats nv;
  Floats roughness;
};

Floats3 reflected_by(const PhysicalPoints& physical, const SurfacePoints& points, const Lamp& lamp,
                     const ArrivingLight& arriving) {
  const Floats3 half = unit_or(arriving.towards + points.to_eye, points.normal);
  const Floats nl = clamped(dot(points.normal, arriving.towards), 1e-4f, 1.0f);
  const Floats nh = in_unit_range(dot(points.normal, half));
  const Floats vh = in_unit_range(dot(points.to_eye, half));
  const Floats a = physical.roughness * physical.roughness;
  const Floats a2 = a * a;
  const auto seen = [&a2](const Floats& x) {
    return 2.0f * x / (x + square_root(a2 + (1.0f - a2) * x * x));
  };
  const Floats fall = (nh * a2 - nh) * nh + 1.0f;
  const Floats mirrored =
      seen(nl) * seen(physical.nv) * a2 / (kPi * fall * fall) / (4.0f * nl * physical.nv);
  const Floats3 f90{physical.f90, physical.f90, physical.f90};
  const Floats3 fresnel = physical.f0 + fifth_power(1.0f - vh) * (f90 - physical.f0);
  // Webots up to R2025a multiplies the diffuse part by the intensity twice.
  const Floats3 dull =
      all(lamp.intensity() / kPi) * (all(Float3{1.0f, 1.0f, 1.0f}) - fresnel) * physical.diffuse;
  return arriving.share * nl * all(lamp.color()) * (dull + mirrored * fresnel);
}

Floats3 shade_physical(const SurfacePoints& points, const Floats3& texture,
                       const Illumination& illumination, const ShadowSets& shadows) {
  const SeenSurface& surface = *points.surface;
  const auto value = [&points](const PictureMap& map, float without) {
    return map ? map.at(points.place).color.x : all(without);
  };
  const Floats3 base = mixed(all(surface.base) * texture, points.ink, points.ink_density);
  const Floats metalness = value(surface.metalness_map, surface.metalness);
  PhysicalPoints physical;
  physical.roughness = clamped(value(surface.roughness_map, surface.roughness), 0.04f, 1.0f);
  physical.f0 = mixed(all(Float3{0.04f, 0.04f, 0.04f}), base, metalness);
  physical.f90 = lesser(all(1.0f), 25.0f * largest(physical.f0));
  physical.diffuse = 0.96f * (1.0f - metalness) * base;
  const Floats nv = dot(points.normal, points.to_eye);
  physical.nv = absolute(nv) + 1e-4f;
  Floats3 light{};
  for (std::size_t i = 0; i < illumination.lamps().size(); ++i) {
    const Lamp& lamp = illumination.lamps()[i];
    const ArrivingLight arriving = lamp.at(points.position, points.used);
    const Ints lit = (arriving.share > 0.0f) & mask_of(bright(illumination, i, points, shadows));
    if (set_of(lit) != 0) {
      light = choose(lit, light + reflected_by(physical, points, lamp, arriving), light);
    }
  }
  if (illumination.has_sky()) {
    const MirrorShare share = mirror_share(absolute(nv), physical.roughness);
    const Floats3 away = 2.0f * nv * points.normal - points.to_eye;
    const Floats3 mirrored =
        illumination.sky_mirrored(away, physical.roughness, points.used) *
        (share.scale * physical.f0 + Floats3{share.offset, share.offset, share.offset});
    Floats strength = all(surface.sky_strength);
    if (surface.occlusion_map) {
      const Floats open = value(surface.occlusion_map, 1.0f);
      strength *= 1.0f + surface.occlusion_strength * (open - 1.0f);
    }
    light = light +
            strength * (illumination.sky_gathered(points.normal, points.used) * physical.diffuse +
                        mirrored);
  }
  const Floats3 emission =
      surface.emission_map ? surface.emission_map.at(points.place).color : all(surface.emission);
  // Webots leaves the strength out where it draws shadows.
  const bool is_plain = illumination.has_shadows() && !surface.is_translucent;
  return light + all(is_plain ? 1.0f : surface.emission_strength) * emission;
}

}  // namespace

SeenLight shade(const SurfacePoints& points, const Illumination& illumination,
                const ShadowSets& shadows) {
  const SeenSurface& surface = *points.surface;
  const Texels texels = surface.color_map ? surface.color_map.at(points.place) : Texels{};
  const Floats opacity = surface.opacity * texels.alpha;
  if (surface.law == ShadingLaw::Unlit) {
    return {mixed(texels.color, points.ink, points.ink_density), opacity};
  }
  const Floats3 texture =
      surface.color_map ? linear_of(texels.color) : all(Float3{1.0f, 1.0f, 1.0f});
  const bool is_phong = surface.law == ShadingLaw::Phong;
  const bool is_written_on = is_phong && surface.color_map;
  const Floats3 light =
      is_phong
          ? shade_phong(points,
                        is_written_on ? mixed(texture, points.ink, points.ink_density) : texture,
                        illumination, shadows)
          : shade_physical(points, texture, illumination, shadows);
  return {illumination.through_fog(light, points.distance, points.used), opacity};
}

}  // namespace servosim::rays
