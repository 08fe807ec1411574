// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/surface.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace servosim::rays {

namespace {

PictureMap map_of(const Texture& texture, Pyramids& pyramids) {
  return {pyramids.of(texture.image), texture.repeats_u, texture.repeats_v, texture.is_smooth};
}

}  // namespace

SeenSurface::SeenSurface(const Finish& finish, Pyramids& pyramids)
    : law(finish.law),
      is_hidden(finish.transparency >= 1.0),
      casts_shadows(finish.casts_shadows),
      opacity(static_cast<float>(1.0 - finish.transparency)),
      base(linear_of(to_float(finish.color))),
      emission(to_float(finish.emission)),
      color_map(map_of(finish.color_map, pyramids)),
      roughness(static_cast<float>(finish.roughness)),
      metalness(static_cast<float>(finish.metalness)),
      sky_strength(static_cast<float>(finish.sky_strength)),
      emission_strength(static_cast<float>(finish.emission_strength)),
      normal_strength(static_cast<float>(finish.normal_strength)),
      occlusion_strength(static_cast<float>(finish.occlusion_strength)),
      roughness_map(map_of(finish.roughness_map, pyramids)),
      metalness_map(map_of(finish.metalness_map, pyramids)),
      normal_map(map_of(finish.normal_map, pyramids)),
      occlusion_map(map_of(finish.occlusion_map, pyramids)),
      emission_map(map_of(finish.emission_map, pyramids)) {
  is_translucent = opacity < 1.0f || (color_map && color_map.pyramid->is_translucent());
  for (const PictureMap* const map :
       {&color_map, &roughness_map, &metalness_map, &normal_map, &occlusion_map, &emission_map}) {
    has_pictures = has_pictures || *map;
  }
  if (law == ShadingLaw::Phong) {
    emission = linear_of(emission);  // that of a PBRAppearance is linear in the file
    const auto share = static_cast<float>(finish.ambient_intensity);
    // A picture takes the place of the colours.
    ambient = linear_of(color_map ? Float3{share, share, share} : share * to_float(finish.color));
    base = color_map ? Float3{1.0f, 1.0f, 1.0f} : base;
    specular = color_map ? Float3{} : linear_of(to_float(finish.specular));
    exponent = static_cast<float>(128.0 * finish.shininess);
  }
  const std::array<double, 2> origin = finish.transform.apply({0.0, 0.0});
  const std::array<double, 2> right = finish.transform.apply({1.0, 0.0});
  const std::array<double, 2> below = finish.transform.apply({0.0, 1.0});
  const auto row = [&](int i) {
    return Row{static_cast<float>(right[i] - origin[i]), static_cast<float>(below[i] - origin[i]),
               static_cast<float>(origin[i])};
  };
  u_ = row(0);
  v_ = row(1);
  stretch_ = std::sqrt(std::abs(u_.u * v_.v - u_.v * v_.u));
}

}  // namespace servosim::rays
