// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rendering/rays/float3.h"
#include "rendering/rays/pyramid.h"
#include "scene/looks.h"

namespace servosim::rays {

/// Places in the pictures of a surface, one for each of several rays.
struct PicturePlaces {
  Floats u;
  Floats v;
  Floats width;  ///< how much of the picture a ray covers there
};

/// A picture on a surface.
struct PictureMap {
  std::shared_ptr<const Pyramid> pyramid;  ///< null without a picture
  bool repeats_u = true;
  bool repeats_v = true;
  bool is_smooth = true;

  explicit operator bool() const { return pyramid != nullptr; }
  Texels at(const PicturePlaces& places) const {
    return is_smooth ? pyramid->smooth(places.u, places.v, repeats_u, repeats_v, places.width)
                     : pyramid->nearest(places.u, places.v, repeats_u, repeats_v);
  }
};

/// A Finish in the numbers with which light is computed. Colours are linear.
struct SeenSurface {
  ShadingLaw law = ShadingLaw::Unlit;
  bool is_hidden = false;       ///< fully transparent
  bool is_translucent = false;  ///< what is behind shines through
  bool casts_shadows = true;
  bool has_pictures = false;
  float opacity = 1.0f;
  Float3 base;      ///< diffuse or base colour
  Float3 emission;  ///< without its strength
  PictureMap color_map;

  // These are used by Phong.
  Float3 ambient{};
  Float3 specular{};
  float exponent = 0.0f;

  // These are used by Physical.
  float roughness = 0.0f;
  float metalness = 1.0f;
  float sky_strength = 1.0f;
  float emission_strength = 1.0f;
  float normal_strength = 1.0f;
  float occlusion_strength = 1.0f;
  PictureMap roughness_map;
  PictureMap metalness_map;
  PictureMap normal_map;
  PictureMap occlusion_map;
  PictureMap emission_map;

  SeenSurface(const Finish& finish, Pyramids& pyramids);

  /// Returns the places of points of the Shape in its pictures.
  PicturePlaces place(const PicturePlaces& p) const {
    return {u_.u * p.u + u_.v * p.v + u_.one, v_.u * p.u + v_.v * p.v + v_.one, stretch_ * p.width};
  }
  /// Returns how the places change along changes of the points'.
  PicturePlaces change(const PicturePlaces& p) const {
    return {u_.u * p.u + u_.v * p.v, v_.u * p.u + v_.v * p.v, Floats{}};
  }

 private:
  struct Row {
    float u = 0.0f;
    float v = 0.0f;
    float one = 0.0f;
  };
  Row u_;
  Row v_;
  float stretch_ = 1.0f;
};

}  // namespace servosim::rays
