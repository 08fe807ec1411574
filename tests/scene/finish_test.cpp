// SPDX-License-Identifier: Apache-2.0
// What Cameras see of appearances, Backgrounds and Fog.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "scene/drawing.h"
#include "scene/drawing_support.h"
#include "support/mesh_files.h"
#include "support/own_places.h"
#include "support/pictures.h"
#include "wbt/test_support.h"

namespace servosim::test {
namespace finish_test {

using wbt::test::TemporaryProject;

Drawing seen_by_cameras(const std::string& body, const std::string& folder = ".",
                        const std::string& version = "R2023b") {
  return drawing_of(body, DrawingUse::Cameras, version, folder);
}

Finish finish_of(const std::string& appearance, const std::string& more = "") {
  const Drawing drawing =
      seen_by_cameras("Shape { geometry Box { } appearance " + appearance + ' ' + more + " }");
  return *drawing.shapes.at(0).finish;
}

TEST(Finish, IsUnlitWithoutALook) {
  EXPECT_EQ(finish_of("NULL").law, ShadingLaw::Unlit);
  EXPECT_EQ(finish_of("Appearance { }").law, ShadingLaw::Unlit);
  EXPECT_TRUE(finish_of("NULL").casts_shadows);
  EXPECT_FALSE(finish_of("NULL", "castShadows FALSE").casts_shadows);
}

TEST(Finish, HasTheNumbersOfAMaterial) {
  const Finish finish = finish_of(
      "Appearance { material Material { diffuseColor 0.1 0.2 0.3 ambientIntensity 0.4 "
      "specularColor 0.5 0.6 0.7 shininess 0.8 emissiveColor 0.9 0.15 0.25 transparency "
      "0.35 } textureTransform TextureTransform { scale 2 3 } }");
  EXPECT_EQ(finish.law, ShadingLaw::Phong);
  EXPECT_EQ(finish.color, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(finish.ambient_intensity, 0.4);
  EXPECT_EQ(finish.specular, (Vec3{0.5, 0.6, 0.7}));
  EXPECT_EQ(finish.shininess, 0.8);
  EXPECT_EQ(finish.emission, (Vec3{0.9, 0.15, 0.25}));
  EXPECT_EQ(finish.transparency, 0.35);
  EXPECT_EQ(finish.transform.scale, (std::array{2.0, 3.0}));
}

TEST(Finish, HasTheNumbersOfAPhysicalAppearance) {
  const Finish finish = finish_of(
      "PBRAppearance { baseColor 0.1 0.2 0.3 transparency 0.4 roughness 0.5 metalness 0.6 "
      "IBLStrength 0.7 normalMapFactor 0.8 occlusionMapStrength 0.9 emissiveColor 0.15 0.25 0.35 "
      "emissiveIntensity 4.5 }");
  EXPECT_EQ(finish.law, ShadingLaw::Physical);
  EXPECT_EQ(finish.color, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(finish.transparency, 0.4);
  EXPECT_EQ(finish.roughness, 0.5);
  EXPECT_EQ(finish.metalness, 0.6);
  EXPECT_EQ(finish.sky_strength, 0.7);
  EXPECT_EQ(finish.normal_strength, 0.8);
  EXPECT_EQ(finish.occlusion_strength, 0.9);
  EXPECT_EQ(finish.emission, (Vec3{0.15, 0.25, 0.35}));
  EXPECT_EQ(finish.emission_strength, 4.5);
}

TEST(Finish, HasItsPictures) {
  const TemporaryProject project;
  project.write("a.png", small_png());
  const auto texture = [](const std::string& more = "") {
    return "ImageTexture { url \"a.png\" " + more + " }";
  };
  const Drawing drawing = seen_by_cameras(
      "Shape { geometry Box { } appearance PBRAppearance { baseColorMap " +
          texture("repeatS FALSE filtering 0") + " roughnessMap " + texture("repeatT FALSE") +
          " metalnessMap " + texture() + " normalMap " + texture() + " occlusionMap " + texture() +
          " emissiveColorMap " + texture() +
          " } } Shape { geometry Box { } appearance Appearance { texture " + texture() + " } }",
      project.path("."));
  const Finish& finish = *drawing.shapes.at(0).finish;
  ASSERT_NE(finish.color_map.image, nullptr);
  EXPECT_EQ(finish.color_map.image->width, 2);
  EXPECT_FALSE(finish.color_map.repeats_u);
  EXPECT_TRUE(finish.color_map.repeats_v);
  EXPECT_FALSE(finish.color_map.is_smooth);
  EXPECT_FALSE(finish.roughness_map.repeats_v);
  EXPECT_TRUE(finish.roughness_map.is_smooth);
  // One file is read once.
  for (const Texture* const map :
       {&finish.roughness_map, &finish.metalness_map, &finish.normal_map, &finish.occlusion_map,
        &finish.emission_map, &drawing.shapes.at(1).finish->color_map}) {
    EXPECT_EQ(map->image, finish.color_map.image);
  }
  EXPECT_EQ(drawing.shapes.at(1).finish->law, ShadingLaw::Unlit);
  EXPECT_TRUE(drawing.missing.empty());
}

TEST(Finish, MissesPicturesThatCannotBeRead) {
  const TemporaryProject project;
  project.write("bad.png", "\x89PNG\r\n\x1a\nand then nothing");
  const Drawing drawing = seen_by_cameras(
      "Shape { geometry Box { } appearance PBRAppearance { baseColor 0.1 0.2 0.3 baseColorMap "
      "ImageTexture { url \"absent.png\" } normalMap ImageTexture { url \"bad.png\" } } }",
      project.path("."));
  EXPECT_EQ(drawing.shapes.at(0).finish->color, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(drawing.shapes.at(0).finish->color_map.image, nullptr);
  ASSERT_EQ(drawing.missing.size(), 2u);
  EXPECT_TRUE(drawing.missing[0].starts_with("picture 'absent.png': it "));
  EXPECT_TRUE(drawing.missing[1].starts_with("picture 'bad.png': it cannot be read"));
}

TEST(Finish, OfSensorsOfDistancesIsNotRead) {
  Diagnostics diagnostics;
  const wbt::WorldFile file = wbt::read_world_text(
      "#VRML_SIM R2023b utf8\nShape { geometry Box { } appearance Appearance { texture "
      "ImageTexture { url \"absent.png\" } } }",
      "w", ".", without_places_here({}), diagnostics);
  const Scene scene = build_scene(file, diagnostics);
  DrawingStore store;
  const Drawing drawing =
      draw(file, scene, {}, nullptr, diagnostics.sources(), store, DrawingUse::Sensors);
  EXPECT_EQ(drawing.shapes.at(0).finish, nullptr);
  EXPECT_TRUE(drawing.missing.empty());
  EXPECT_TRUE(store.looks.images.empty());
}

TEST(Finish, OfTheFirstBackgroundIsTheSky) {
  EXPECT_FALSE(seen_by_cameras("").sky);
  const Drawing drawing = seen_by_cameras(
      "Viewpoint { exposure 1.5 } Background { skyColor [ 0.1 0.2 0.3, 1 1 1 ] luminosity 0.7 } "
      "Background { skyColor [ 0.9 0.9 0.9 ] }");
  ASSERT_TRUE(drawing.sky);
  EXPECT_EQ(drawing.sky->color, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(drawing.sky->luminosity, 0.7);
  EXPECT_EQ(drawing.sky->view_exposure, 1.5);
  EXPECT_EQ(drawing.sky->axes * (Vec3{1.0, 0.0, 0.0}), (Vec3{-1.0, 0.0, 0.0})) << "front";
  const Drawing upright = seen_by_cameras(
      "WorldInfo { coordinateSystem \"NUE\" } Background { skyColor [ 0.1 0.2 0.3 ] }");
  EXPECT_EQ(upright.sky->axes * (Vec3{1.0, 0.0, 0.0}), (Vec3{0.0, 0.0, -1.0})) << "front";
  EXPECT_EQ(upright.sky->axes * (Vec3{0.0, 0.0, 1.0}), (Vec3{0.0, 1.0, 0.0})) << "above";
}

TEST(Finish, OfASkyHasAllSixPicturesOrNone) {
  const TemporaryProject project;
  project.write("a.png", small_png());
  std::string all = "Background { skyColor [ 0.1 0.2 0.3 ] ";
  for (const char* const side : {"front", "back", "left", "right", "top"}) {
    all += std::string(side) + "Url \"a.png\" ";
  }
  EXPECT_EQ(seen_by_cameras(all + "}", project.path(".")).sky->faces[0], nullptr);
  EXPECT_NE(seen_by_cameras(all + "bottomUrl \"a.png\" }", project.path(".")).sky->faces[5],
            nullptr);
  const auto missing = [&project](const std::string& body) {
    return seen_by_cameras(body, project.path(".")).missing;
  };
  const std::vector<std::string> lost{
      "the sky of the Background: Cameras see its skyColor; give six square pictures of one size"};
  EXPECT_EQ(missing(all + "}"), lost);
  EXPECT_TRUE(missing(all + "bottomUrl \"a.png\" }").empty());
  EXPECT_TRUE(missing("Background { skyColor [ 0.1 0.2 0.3 ] }").empty());
}

TEST(Finish, HasLinesPointsInkAndDisplays) {
  const auto missing = [](const std::string& body) { return seen_by_cameras(body).missing; };
  const std::string points = "{ coord Coordinate { point [ 0 0 0, 1 0 0 ] } ";
  EXPECT_TRUE(missing("Shape { geometry PointSet " + points + "} }").empty());
  EXPECT_TRUE(
      missing("Shape { geometry IndexedLineSet " + points + "coordIndex [ 0 1 ] } }").empty());
  EXPECT_TRUE(missing("Robot { children [ Pen { } Display { children [ Shape { geometry Box { } "
                      "appearance Appearance { texture ImageTexture { } } } ] } ] }")
                  .empty());
}

// A Radiance file of four pixels: each has red, green, blue, and an exponent.
TEST(Finish, OfASkyHasPicturesOfItsLight) {
  const TemporaryProject project;
  const std::string pixels = "\x80\x40\x20\x81\x01\xc8\x02\x7e\x80\x80\x80\x85";
  const std::string header = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 2\n";
  project.write("a.hdr", header + pixels + std::string(4, '\0'));
  project.write("cut.hdr", header + pixels);
  project.write("broken.hdr", "#?RADIANCE\nno size");
  project.write("a.png", small_png());
  const auto seen = [&project](const std::string& last, const std::string& more = "") {
    std::string all = "Background { skyColor [ 0.1 0.2 0.3 ] ";
    for (const char* const side : {"front", "back", "left", "right", "top"}) {
      all += std::string(side) + "IrradianceUrl \"a.hdr\" ";
    }
    return seen_by_cameras(all + "bottomIrradianceUrl \"" + last + "\" }" + more,
                           project.path("."));
  };
  const Drawing drawing = seen("a.hdr");
  EXPECT_TRUE(drawing.missing.empty());
  EXPECT_EQ(drawing.sky->faces[0], nullptr);
  ASSERT_NE(drawing.sky->light[5], nullptr);
  EXPECT_EQ(drawing.sky->light[5]->width, 2);
  const std::vector<std::uint8_t>& read = drawing.sky->light[5]->pixels;
  EXPECT_EQ(std::string(read.begin(), read.end()), pixels + std::string(4, '\0'));
  for (const std::string last : {"broken.hdr", "absent.hdr", "a.png"}) {
    const Drawing dark = seen(last);
    EXPECT_EQ(dark.sky->light[0], nullptr) << last;
    ASSERT_EQ(dark.missing.size(), 2u) << last;
    EXPECT_TRUE(dark.missing[0].starts_with("picture '" + last + "': it ")) << dark.missing[0];
    EXPECT_EQ(dark.missing[1],
              "the light of the Background's pictures: it comes from the sky; give six square "
              "pictures of one size");
  }
  seen("cut.hdr");  // whatever stb makes of it, nothing breaks
  // A picture of light is no texture.
  const Drawing texture = seen("a.hdr",
                               " Shape { appearance Appearance { texture ImageTexture { url "
                               "\"a.hdr\" } } geometry Box { } }");
  ASSERT_EQ(texture.missing.size(), 1u);
  EXPECT_TRUE(texture.missing[0].starts_with("picture 'a.hdr': it is no PNG or JPEG file"));
}

TEST(Finish, OfTheWorldHasFog) {
  EXPECT_FALSE(seen_by_cameras("Fog { }").fog) << "the range is 0";
  const auto law = [](const std::string& type) {
    return seen_by_cameras("Fog { color 0.1 0.2 0.3 visibilityRange 7 fogType \"" + type + "\" }")
        .fog.value();
  };
  EXPECT_EQ(law("LINEAR").law, FogLaw::Linear);
  EXPECT_EQ(law("EXPONENTIAL").law, FogLaw::Exponential);
  EXPECT_EQ(law("EXPONENTIAL2").law, FogLaw::SquareExponential);
  EXPECT_EQ(law("THICK").law, FogLaw::Linear);
  EXPECT_EQ(law("LINEAR").color, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(law("LINEAR").range, 7.0);
}

// Sensors see a place in a picture for each vertex of a mesh, also where the file has none.
TEST(Finish, HasPlacesOnMeshes) {
  const Drawing drawing = seen_by_cameras(
      "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 1 0 0, 5 0 0, 5 2 0, 1 2 0 ] } "
      "coordIndex [ 0 1 2 3 -1 ] } }");
  const DrawnMesh& mesh = *drawing.shapes.at(0).mesh;
  // u grows along the longest side, and v, which points upwards here, along the second one. Both
  // are shares of the longest side, so that a picture is not stretched.
  ASSERT_EQ(mesh.uvs.size(), mesh.positions.size() / 3 * 2);
  for (std::size_t i = 0; i < mesh.positions.size() / 3; ++i) {
    EXPECT_NEAR(mesh.uvs[2 * i], (mesh.positions[3 * i] - 1.0f) / 4.0f, 1e-6);
    EXPECT_NEAR(mesh.uvs[2 * i + 1], mesh.positions[3 * i + 1] / 4.0f, 1e-6);
  }
}

// A corner without a place has the middle of the picture, and the others keep theirs.
TEST(Finish, HasTheMiddleOfAPictureAtCornersWithoutAPlace) {
  const Drawing drawing = seen_by_cameras(
      "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0 ] } "
      "coordIndex [ 0 1 2 -1 ] texCoord TextureCoordinate { point [ 0.1 0.2, 0.3 0.4 ] } "
      "texCoordIndex [ 0 1 7 -1 ] } }");
  EXPECT_EQ(drawing.shapes.at(0).mesh->uvs,
            (std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.5f}));
}

// A ramp has the normal of its slope everywhere, and the middle of a ridge points up.
TEST(Finish, SmoothsElevationGrids) {
  const auto normals = [](const std::string& heights) {
    const Drawing drawing = seen_by_cameras(
        "Shape { geometry ElevationGrid { xDimension 3 yDimension 2 xSpacing 0.5 ySpacing 2 height "
        "[ " +
        heights + " ] } }");
    return drawing.shapes.at(0).mesh->normals;
  };
  const std::vector<float> ramp = normals("0 0.5 1 0 0.5 1");
  ASSERT_EQ(ramp.size(), 18u);
  for (std::size_t i = 0; i < ramp.size(); i += 3) {
    EXPECT_NEAR(ramp[i], -std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(ramp[i + 1], 0.0, 1e-6);
    EXPECT_NEAR(ramp[i + 2], std::sqrt(0.5), 1e-6);
  }
  const std::vector<float> ridge = normals("0 0.5 0 0 0.5 0");
  EXPECT_NEAR(ridge[3], 0.0, 1e-6);
  EXPECT_NEAR(ridge[5], 1.0, 1e-6);
}

// Equal normals count once: two faces of one plane do not pull the normal of a corner to them.
TEST(Finish, CountsEqualNormalsOnce) {
  const Drawing drawing = seen_by_cameras(
      "Shape { geometry IndexedFaceSet { creaseAngle 2 coord Coordinate { point [ 0 0 0, 1 0 0, 1 "
      "1 "
      "0, 0 1 0, 0 0 1, 0 1 1 ] } coordIndex [ 0 1 2 -1 0 2 3 -1 0 3 5 4 -1 ] } }");
  const DrawnMesh& mesh = *drawing.shapes.at(0).mesh;
  for (std::size_t i = 0; i < mesh.positions.size(); i += 3) {
    if (mesh.positions[i] == 0.0f && mesh.positions[i + 1] == 0.0f &&
        mesh.positions[i + 2] == 0.0f) {
      EXPECT_NEAR(mesh.normals[i], std::sqrt(0.5), 1e-6);
      EXPECT_NEAR(mesh.normals[i + 2], std::sqrt(0.5), 1e-6);
    }
  }
}

TEST(Finish, TakesOneNormalForEachFace) {
  const Drawing drawing = seen_by_cameras(
      "Shape { geometry IndexedFaceSet { normalPerVertex FALSE normal Normal { vector [ 1 0 0, 0 1 "
      "0 ] } normalIndex [ 1 0 ] coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 3 0 0, 4 0 0, 4 1 "
      "0 ] } coordIndex [ 0 1 2 -1 3 4 5 -1 ] } }");
  const DrawnMesh& mesh = *drawing.shapes.at(0).mesh;
  ASSERT_EQ(mesh.normals.size(), mesh.positions.size());
  for (std::size_t i = 0; i < mesh.positions.size(); i += 3) {
    EXPECT_EQ(mesh.normals[i], mesh.positions[i] < 2.0f ? 0.0f : 1.0f);
  }
}

}  // namespace finish_test
}  // namespace servosim::test
