// SPDX-License-Identifier: Apache-2.0
#include "scene/finish_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "scene/solid_builders.h"

namespace servosim {
namespace {

Vec3 color_in_range(const Vec3& color) {
  const auto part = [](double x) { return std::isfinite(x) ? std::clamp(x, 0.0, 1.0) : 0.0; };
  return {part(color.x), part(color.y), part(color.z)};
}

double not_negative(const wbt::Node& node, std::string_view field, double otherwise) {
  const double value = node.number(field);
  return std::isfinite(value) && value >= 0.0 ? value : otherwise;
}

bool throws_shadows(const wbt::Node& node) {
  return !node.has("castShadows") || node.boolean("castShadows");
}

}  // namespace

std::shared_ptr<const Finish> FinishReader::read(const wbt::Node& shape) {
  auto finish = std::make_shared<Finish>();
  finish->casts_shadows = throws_shadows(shape);
  if (const wbt::NodePtr& appearance = shape.node("appearance")) {
    read_appearance(*appearance, *finish);
  }
  return finish;
}

void FinishReader::read_appearance(const wbt::Node& appearance, Finish& finish) {
  if (appearance.type->name == "PBRAppearance") {
    read_physical(appearance, finish);
  } else if (appearance.type->name == "Appearance") {
    finish.color_map = textures_.texture(appearance, "texture");
    const wbt::NodePtr& material = appearance.node("material");
    if (is_of_type(material, "Material")) {
      finish.law = ShadingLaw::Phong;
      finish.color = color_in_range(material->vec3("diffuseColor"));
      finish.emission = color_in_range(material->vec3("emissiveColor"));
      finish.specular = color_in_range(material->vec3("specularColor"));
      finish.ambient_intensity = fraction_of(*material, "ambientIntensity");
      finish.shininess = fraction_of(*material, "shininess");
      finish.transparency = fraction_of(*material, "transparency");
    }
  } else {
    return;
  }
  finish.transform = TextureReader::transform(appearance);
}

void FinishReader::read_physical(const wbt::Node& appearance, Finish& finish) {
  finish.law = ShadingLaw::Physical;
  finish.color = color_in_range(appearance.vec3("baseColor"));
  finish.emission = color_in_range(appearance.vec3("emissiveColor"));
  finish.transparency = fraction_of(appearance, "transparency");
  finish.roughness = fraction_of(appearance, "roughness");
  finish.metalness = fraction_of(appearance, "metalness");
  finish.sky_strength = not_negative(appearance, "IBLStrength", 1.0);
  finish.emission_strength = not_negative(appearance, "emissiveIntensity", 1.0);
  finish.normal_strength = not_negative(appearance, "normalMapFactor", 1.0);
  finish.occlusion_strength = not_negative(appearance, "occlusionMapStrength", 1.0);
  finish.color_map = textures_.texture(appearance, "baseColorMap");
  finish.roughness_map = textures_.texture(appearance, "roughnessMap");
  finish.metalness_map = textures_.texture(appearance, "metalnessMap");
  finish.normal_map = textures_.texture(appearance, "normalMap");
  finish.occlusion_map = textures_.texture(appearance, "occlusionMap");
  finish.emission_map = textures_.texture(appearance, "emissiveColorMap");
}

std::shared_ptr<const Finish> FinishReader::read(const wbt::Node& cad_shape, const MeshPart& part,
                                                 const std::string& picture) {
  auto finish = std::make_shared<Finish>();
  finish->law = ShadingLaw::Physical;
  finish->casts_shadows = throws_shadows(cad_shape);
  const double shininess = part.shininess.empty() ? 0.0 : part.shininess[0];
  finish->roughness =
      std::isfinite(shininess) ? std::clamp(1.0 - shininess / 255.0, 0.0, 1.0) : 1.0;
  finish->metalness = 0.0;
  if (part.emission.size() == 3) {
    finish->emission = color_in_range({part.emission[0], part.emission[1], part.emission[2]});
  }
  if (part.color.size() == 4) {
    finish->color = color_in_range({part.color[0], part.color[1], part.color[2]});
    finish->transparency = 1.0 - std::clamp(part.color[3], 0.0, 1.0);
  }
  if (!part.picture.empty()) {
    finish->color_map.image = textures_.image(picture, part.picture, cad_shape.where_of("url"));
  }
  return finish;
}

std::optional<Sky> FinishReader::read_sky(const wbt::WorldFile& file, bool y_is_up) {
  const wbt::Node* const background = first_of_type(file, "Background");
  if (background == nullptr) {
    return std::nullopt;
  }
  Sky sky;
  const std::vector<Vec3>& colors = background->vec3s("skyColor");
  sky.color = colors.empty() ? Vec3{} : color_in_range(colors.front());
  sky.luminosity = not_negative(*background, "luminosity", 1.0);
  if (const wbt::Node* const view = first_of_type(file, "Viewpoint")) {
    const double exposure = view->number("exposure");
    sky.view_exposure = std::isfinite(exposure) && exposure > 0.0 ? exposure : 1.0;
  }
  sky.axes = y_is_up ? Mat3{{0.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0}}
                     : Mat3{{-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0}};
  sky.faces = faces_of(*background, false);
  if (background->type->field("frontIrradianceUrl") != nullptr) {
    sky.light = faces_of(*background, true);
  }
  return sky;
}

// Returns all six pictures, or none, with a warning if some are given.
Sky::Faces FinishReader::faces_of(const wbt::Node& background, bool is_light) {
  constexpr std::array<std::string_view, 6> kNames{"front", "back", "left",
                                                   "right", "top",  "bottom"};
  Sky::Faces faces;
  bool has_any = false;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::string field = fmt::format("{}{}", kNames[i], is_light ? "IrradianceUrl" : "Url");
    faces[i] = is_light ? textures_.light(background, field) : textures_.image(background, field);
    const std::vector<std::string>& urls = background.strings(field);
    has_any = has_any || (!urls.empty() && !urls[0].empty());
  }
  const bool fit = std::all_of(faces.begin(), faces.end(), [&](const auto& face) {
    return face != nullptr && face->width == face->height && face->width == faces[0]->width;
  });
  if (fit) {
    return faces;
  }
  if (has_any) {
    const std::string subject =
        is_light ? "the light of the Background's pictures" : "the sky of the Background";
    const std::string seen = is_light ? "it comes from the sky" : "Cameras see its skyColor";
    const std::string remedy = fmt::format("{}; give six square pictures of one size", seen);
    findings_.warning(background.where,
                      fmt::format("{} does not have six square pictures of one size that can be "
                                  "read: {}",
                                  subject, seen),
                      MissingPart{Missing::Pictures, subject, remedy});
  }
  return {};
}

std::optional<Fog> FinishReader::read_fog(const wbt::WorldFile& file) {
  const wbt::Node* const node = first_of_type(file, "Fog");
  const double range = node != nullptr ? not_negative(*node, "visibilityRange", 0.0) : 0.0;
  if (!(range > 0.0)) {
    return std::nullopt;
  }
  const std::string& type = node->string("fogType");
  Fog fog;
  fog.law = type == "EXPONENTIAL"    ? FogLaw::Exponential
            : type == "EXPONENTIAL2" ? FogLaw::SquareExponential
                                     : FogLaw::Linear;
  fog.color = color_in_range(node->vec3("color"));
  fog.range = range;
  return fog;
}

}  // namespace servosim
