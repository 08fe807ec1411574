// SPDX-License-Identifier: Apache-2.0
// What a world looks like: shapes, colours, pictures and meshes to be drawn.
#include "scene/drawing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scene/scene_builder.h"
#include "support/mesh_files.h"
#include "support/near.h"
#include "support/own_places.h"
#include "wbt/test_support.h"

namespace servosim::test {
namespace scene_drawing_test {

using Form = DrawnShape::Form;
using wbt::test::TemporaryProject;

Drawing drawn(const std::string& body, const std::string& version = "R2023b",
              const std::string& folder = ".") {
  Diagnostics diagnostics;
  const wbt::WorldFile file = wbt::read_world_text("#VRML_SIM " + version + " utf8\n" + body, "w",
                                                   folder, without_places_here({}), diagnostics);
  std::shared_ptr<const MeshStore> meshes;
  const Scene scene = build_scene(file, diagnostics, &meshes);
  DrawingStore store;
  return draw(file, scene, {}, meshes.get(), diagnostics.sources(), store);
}

std::string shape(const std::string& geometry, const std::string& appearance = "") {
  return "Shape { geometry " + geometry + ' ' +
         (appearance.empty() ? "" : "appearance " + appearance) + " }\n";
}

TEST(Drawing, HasFormsWithTheirSizes) {
  const Drawing drawing = drawn(
      "Solid { translation 9 9 9 children [ Pose { translation 1 2 3 children [" +
      shape("Box { size 0.1 0.2 0.3 }") + shape("Sphere { radius 0.4 }") +
      shape("Cylinder { radius 0.5 height 0.6 }") + shape("Capsule { radius 0.7 height 0.8 }") +
      shape("Cone { bottomRadius 0.9 height 1.1 }") + shape("Plane { size 1.2 1.3 }") + "] } ] }");
  ASSERT_EQ(drawing.shapes.size(), 6u);
  const std::array kForms{Form::Box,     Form::Sphere, Form::Cylinder,
                          Form::Capsule, Form::Cone,   Form::Plane};
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    const DrawnShape& s = drawing.shapes[i];
    EXPECT_EQ(s.form, kForms[i]);
    EXPECT_EQ(s.solid, 0);
    expect_near(s.pose.translation, {1, 2, 3});
    EXPECT_FALSE(s.bounding);
    EXPECT_FALSE(s.color || s.opacity);
  }
  expect_near(drawing.shapes[0].size, {0.1, 0.2, 0.3});
  EXPECT_EQ(drawing.shapes[1].radius, 0.4);
  EXPECT_EQ(drawing.shapes[2].height, 0.6);
  EXPECT_EQ(drawing.shapes[3].radius, 0.7);
  EXPECT_EQ(drawing.shapes[4].radius, 0.9);
  EXPECT_EQ(drawing.shapes[4].height, 1.1);
  expect_near(drawing.shapes[5].size, {1.2, 1.3, 0});
  EXPECT_TRUE(drawing.missing.empty());
}

// In old files the axis of a form is y.
TEST(Drawing, OfOldFilesStandsUpright) {
  const Drawing drawing = drawn(
      "Solid { scale 2 3 4 children [" + shape("Cylinder { radius 0.5 height 0.25 }") +
          shape("Cone { bottomRadius 0.5 height 0.25 }") + shape("Plane { size 1.5 0.5 }") + "] }",
      "R2021b");
  ASSERT_EQ(drawing.shapes.size(), 3u);
  for (const DrawnShape& s : drawing.shapes) {
    expect_near(s.pose.rotation * Vec3{0, 0, 1}, {0, 1, 0});
  }
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(drawing.shapes[i].height, 0.75);
    EXPECT_EQ(drawing.shapes[i].radius, 2.0);  // the larger scale across
  }
  expect_near(drawing.shapes[2].size, {3, 2, 0});
}

TEST(Drawing, HasColoursOfBothKindsOfAppearances) {
  const Drawing drawing =
      drawn(shape("Box { }",
                  "Appearance { material Material { diffuseColor 0.2 0.3 0.4 transparency "
                  "0.25 } }") +
            shape("Box { }", "PBRAppearance { baseColor 0.5 0.6 0.7 transparency 0.4 }") +
            shape("Box { }", "Appearance { }"));
  ASSERT_EQ(drawing.shapes.size(), 3u);
  EXPECT_EQ(drawing.shapes[0].solid, -1);
  EXPECT_EQ(drawing.shapes[0].color, (Vec3{0.2, 0.3, 0.4}));
  EXPECT_EQ(drawing.shapes[0].opacity, 0.75);
  EXPECT_EQ(drawing.shapes[1].color, (Vec3{0.5, 0.6, 0.7}));
  EXPECT_EQ(drawing.shapes[1].opacity, 0.6);
  EXPECT_FALSE(drawing.shapes[2].color);
}

TEST(Drawing, MarksBoundingObjects) {
  const Drawing drawing = drawn("Solid { boundingObject Pose { translation 1 2 3 children [" +
                                shape("Box { size 0.1 0.2 0.3 }") + "] } }");
  ASSERT_EQ(drawing.shapes.size(), 1u);
  EXPECT_TRUE(drawing.shapes[0].bounding);
  expect_near(drawing.shapes[0].pose.translation, {1, 2, 3});
}

TEST(Drawing, BelongsToTheSolidThatCarriesIt) {
  const Drawing drawing = drawn(
      "Robot { children [ HingeJoint { endPoint Solid { translation 1 0 0 name \"a\" children [" +
      shape("Sphere { radius 0.2 }") + "] } } Solid { name \"b\" children [ Group { children [" +
      shape("Sphere { radius 0.3 }") + "] } ] } ] }" + shape("Sphere { radius 0.4 }"));
  ASSERT_EQ(drawing.shapes.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(drawing.shapes[i].solid, (std::array<int, 3>{1, 2, -1}[i]));
    expect_near(drawing.shapes[i].pose.translation, {0, 0, 0});
  }
}

TEST(Drawing, OfFaceSetsHasPlacesInPicturesAndNormals) {
  const Drawing drawing = drawn(shape(R"(IndexedFaceSet {
      coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0 ] }
      normal Normal { vector [ 0 0 1 ] } normalIndex [ 0 0 0 0 -1 ]
      texCoord TextureCoordinate { point [ 0.1 0.2, 0.3 0.4, 0.5 0.6 ] }
      texCoordIndex [ 0 1 2 0 -1 ] coordIndex [ 0 1 2 3 -1 ] })"));
  ASSERT_EQ(drawing.shapes.size(), 1u);
  const DrawnMesh& mesh = *drawing.shapes[0].mesh;
  EXPECT_EQ(mesh.indices, (std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3}));
  EXPECT_EQ(mesh.positions.size(), 12u);
  EXPECT_EQ(mesh.normals, (std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(mesh.uvs, (std::vector<float>{0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.1F, 0.2F}));
}

TEST(Drawing, NamesWhatItCannotDraw) {
  const Drawing drawing = drawn(
      shape("IndexedFaceSet { coord Coordinate { point [ 0 0 0 ] } coordIndex [ 0 7 0 -1 ] }") +
      shape("IndexedLineSet { }") + shape("Mesh { url \"absent.stl\" }") +
      shape("Box { size 0 1 1 }") +
      shape("Box { }", "Appearance { texture ImageTexture { url \"absent.png\" } }"));
  ASSERT_EQ(drawing.shapes.size(), 1u);
  EXPECT_EQ(drawing.missing.size(), 4u) << fmt::format("{}", fmt::join(drawing.missing, "\n"));
  EXPECT_EQ(drawing.missing[0], "IndexedFaceSet: it has no triangle that can be drawn");
  EXPECT_EQ(drawing.missing[1], "IndexedLineSet: is not drawn");
  EXPECT_TRUE(drawing.missing[2].starts_with("picture 'absent.png': "));
  EXPECT_TRUE(drawing.missing[3].starts_with("mesh 'absent.stl': "));
}

TEST(Drawing, HasPicturesOfTwoKinds) {
  const TemporaryProject project;
  const std::string png = "\x89PNG\r\n\x1a\n and more";
  project.write("worlds/a.png", png);
  project.write("worlds/b.jpg", "\xff\xd8\xff\xe0 and more");
  project.write("worlds/c.png", "GIF89a");
  project.write("worlds/d.png", png + std::string(kMaxPictureSize, ' '));
  const auto textured = [](const std::string& name) {
    return shape("Box { }", "PBRAppearance { baseColorMap ImageTexture { url \"" + name +
                                "\" } textureTransform TextureTransform { scale 2 3 } }");
  };
  const Drawing drawing =
      drawn(textured("a.png") + textured("b.jpg") + textured("c.png") + textured("d.png") +
                textured("a.png") +
                shape("Box { }",
                      "Appearance { material Material { } texture ImageTexture { url "
                      "\"a.png\" } }"),
            "R2023b", project.path("worlds"));
  ASSERT_EQ(drawing.shapes.size(), 6u);
  EXPECT_EQ(drawing.shapes[0].picture->type, "image/png");
  EXPECT_EQ(drawing.shapes[0].picture->bytes, png);
  EXPECT_EQ(drawing.shapes[0].repeats, (std::array{2.0, 3.0}));
  EXPECT_EQ(drawing.shapes[1].picture->type, "image/jpeg");
  EXPECT_EQ(drawing.shapes[4].picture, drawing.shapes[0].picture);
  EXPECT_FALSE(drawing.shapes[5].color) << "the picture takes its place";
  EXPECT_EQ(drawing.missing,
            (std::vector<std::string>{"picture 'c.png': it is no PNG or JPEG file",
                                      "picture 'd.png': its 512 kB are more than 512 kB; use a "
                                      "smaller one"}));
}

TEST(Drawing, ReadsMeshFilesOnceAndWithTheirLook) {
  const TemporaryProject project;
  project.write("worlds/a.obj",
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0.5\nvt 0.75 0.5\nvt 0.25 1\nvn 0 0 1\n"
                "f 1/1/1 2/2/1 3/3/1\n");
  project.write("worlds/b.stl", stl_text(tetrahedron(0.5, 0.25, 0.75)));
  const std::string mesh = shape("Mesh { url \"a.obj\" }");
  const Drawing drawing = drawn(
      "Transform { scale 2 3 4 children [" + mesh + mesh + shape("Mesh { url \"b.stl\" }") + "] }",
      "R2023a", project.path("worlds"));
  ASSERT_EQ(drawing.shapes.size(), 3u);
  EXPECT_EQ(drawing.missing, std::vector<std::string>{});
  const DrawnMesh& obj = *drawing.shapes[0].mesh;
  EXPECT_EQ(obj.uvs, (std::vector<float>{0.25F, 0.5F, 0.75F, 0.5F, 0.25F, 1.0F}));
  EXPECT_EQ(obj.normals, (std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(drawing.shapes[0].mesh, drawing.shapes[1].mesh);
  expect_near(drawing.shapes[0].scale, {2, 3, 4});
  const DrawnMesh& stl = *drawing.shapes[2].mesh;
  EXPECT_EQ(stl.positions.size(), 12u) << "each point once: the triangles are flat";
  EXPECT_TRUE(stl.normals.empty());
}

TEST(Drawing, OfCadShapesHasTheColoursOfTheFile) {
  const TemporaryProject project;
  project.write("worlds/a.dae", R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><up_axis>Z_UP</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
    <diffuse><color>0.25 0.5 0.75 1</color></diffuse></lambert></technique></profile_COMMON></effect>
  </library_effects>
  <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="f" count="9">0 0 0 1 0 0 0 1 0</float_array>
      <technique_common><accessor source="#f" count="3" stride="3"><param name="X" type="float"/>
        <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>
    </source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles material="s" count="1"><input semantic="VERTEX" source="#v" offset="0"/>
      <p>0 1 2</p></triangles></mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g">
    <bind_material><technique_common><instance_material symbol="s" target="#m"/></technique_common>
    </bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#w"/></scene>
</COLLADA>)");
  const Drawing drawing = drawn("CadShape { url \"a.dae\" }", "R2023b", project.path("worlds"));
  ASSERT_EQ(drawing.shapes.size(), 1u) << fmt::format("{}", fmt::join(drawing.missing, "\n"));
  EXPECT_EQ(drawing.shapes[0].color, (Vec3{0.25, 0.5, 0.75}));
  EXPECT_EQ(drawing.shapes[0].mesh->indices, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Drawing, OfGridsIsTheirSurface) {
  const Drawing drawing = drawn(
      shape("ElevationGrid { xDimension 3 xSpacing 0.5 yDimension 2 ySpacing 0.25 height [ 0.1 0.2 "
            "0.3, 0.4 0.5 0.6 ] }"));
  ASSERT_EQ(drawing.shapes.size(), 1u);
  const DrawnMesh& mesh = *drawing.shapes[0].mesh;
  EXPECT_EQ(mesh.indices.size(), 12u);
  EXPECT_EQ(std::vector<float>(mesh.positions.end() - 3, mesh.positions.end()),
            (std::vector<float>{1.0F, 0.25F, 0.6F}));
}

TEST(Drawing, LeavesOutMeshesThatAreTooLarge) {
  const int side = 400;  // 2 · 399² triangles
  const std::string grid =
      shape(fmt::format("ElevationGrid {{ xDimension {0} yDimension {0} height [ {1} ] }}", side,
                        fmt::join(std::vector<int>(side * side, 1), " ")));
  const Drawing drawing = drawn(grid);
  EXPECT_TRUE(drawing.shapes.empty());
  ASSERT_EQ(drawing.missing.size(), 1u);
  EXPECT_EQ(
      drawing.missing[0],
      "ElevationGrid: 318402 triangles are more than the 300000 that are drawn of a mesh; use "
      "a coarser one");
}

}  // namespace scene_drawing_test
}  // namespace servosim::test
