// SPDX-License-Identifier: Apache-2.0
// The look of a world: shapes, colours, pictures and meshes.
#include "scene/drawing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scene/drawing_support.h"
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
  return drawing_of(body, DrawingUse::Page, version, folder);
}

std::string shape(const std::string& geometry, const std::string& appearance = "") {
  return "Shape { geometry " + geometry + ' ' +
         (appearance.empty() ? "" : "appearance " + appearance) + " }\n";
}

TEST(Drawing, TellsHowFineRoundFormsAreAndWhichPartsTheyHave) {
  const Drawing drawing =
      drawn(shape("Sphere { }") + shape("Sphere { ico FALSE subdivision 17 }") +
            shape("Cylinder { top FALSE }") + shape("Capsule { subdivision 8 side FALSE }") +
            shape("Cone { subdivision 5 bottom FALSE }") + shape("Box { }"));
  ASSERT_EQ(drawing.shapes.size(), 6u);
  const std::vector<DrawnShape>& s = drawing.shapes;
  EXPECT_EQ((std::array{s[0].subdivision, s[1].subdivision, s[2].subdivision, s[3].subdivision,
                        s[4].subdivision}),
            (std::array{1, 17, 36, 8, 5}));
  EXPECT_TRUE(s[0].icosahedron && !s[1].icosahedron);
  EXPECT_TRUE(!s[2].top && s[2].side && s[2].bottom);
  EXPECT_TRUE(s[3].top && !s[3].side && s[3].bottom);
  EXPECT_TRUE(s[4].top && s[4].side && !s[4].bottom);
  EXPECT_TRUE(s[5].top && s[5].side && s[5].bottom);
  // Before R2022a the axis was y.
  expect_near(drawn(shape("Sphere { }"), "R2021b").shapes[0].pose.rotation * Vec3{0, 0, 1},
              {0, 1, 0});
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
    EXPECT_EQ(drawing.shapes[i].radius, 2.0);  // the larger scale of the two across the axis
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

// Returns twice the area of the triangles of a mesh in the plane z = 0. Triangles that cannot be
// seen from the side `up`, 1 or -1, count as negative. `wrong` gets the number of these.
double doubled_area(const DrawnMesh& mesh, double up, int& wrong) {
  double sum = 0.0;
  wrong = 0;
  for (std::size_t t = 0; t < mesh.indices.size(); t += 3) {
    const auto at = [&](std::size_t k) {
      const float* const p = &mesh.positions[3 * mesh.indices[t + k]];
      return Vec3{p[0], p[1], p[2]};
    };
    const double area = up * cross(at(1) - at(0), at(2) - at(0)).z;
    wrong += area < 0.0 ? 1 : 0;
    sum += area;
  }
  return sum;
}

// The faces are an arrow, a U with a collinear point and a frame with a slit. No triangle may
// extend beyond them.
TEST(Drawing, CutsConcaveFacesIntoTriangles) {
  const struct {
    const char* points;
    int count;
    double area;
  } kFaces[]{{"0 0 0, 2 1 0, 0 2 0, 0.5 1 0", 4, 1.5},
             {"0 0 0, 3 0 0, 3 3 0, 2 3 0, 2 1 0, 1.5 1 0, 1 1 0, 1 3 0, 0 3 0", 9, 7.0},
             {"0 0 0, 4 0 0, 4 4 0, 0 4 0, 0 0 0, 1 1 0, 1 3 0, 3 3 0, 3 1 0, 1 1 0", 10, 12.0}};
  for (const auto& face : kFaces) {
    for (const bool ccw : {true, false}) {
      // The face starts at each of its corners, because a fan from one of them can be right by
      // chance.
      for (int first = 0; first < face.count; ++first) {
        std::string indices;
        for (int i = 0; i < face.count; ++i) {
          indices += std::to_string((first + i) % face.count) + ' ';
        }
        const Drawing drawing =
            drawn(shape(fmt::format("IndexedFaceSet {{ ccw {} coord Coordinate {{ point [ {} ] }} "
                                    "coordIndex [ {} -1 ] }}",
                                    ccw ? "TRUE" : "FALSE", face.points, indices)));
        ASSERT_EQ(drawing.shapes.size(), 1u);
        int wrong = 0;
        const double area = doubled_area(*drawing.shapes[0].mesh, ccw ? 1.0 : -1.0, wrong);
        EXPECT_NEAR(area, 2.0 * face.area, 1e-6) << face.points << " from " << first;
        EXPECT_EQ(wrong, 0) << face.points << " from " << first;
      }
    }
  }
}

// A roof whose two sides meet at a right angle.
TEST(Drawing, SmoothsEdgesFlatterThanTheCreaseAngle) {
  const auto normals = [](const std::string& angle) {
    const Drawing drawing =
        drawn(shape("IndexedFaceSet { coord Coordinate { point [ 0 0 1, 0 2 1, 1 2 0, 1 0 0, -1 2 "
                    "0, -1 0 0 ] } "
                    "coordIndex [ 0 3 2 1 -1 0 1 4 5 -1 ] creaseAngle " +
                    angle + " }"));
    return drawing.shapes.at(0).mesh->normals;
  };
  EXPECT_TRUE(normals("0").empty()) << "flat";
  const float half = std::sqrt(0.5F);
  const std::vector<float> sharp = normals("1.5");
  ASSERT_EQ(sharp.size(), 3u * 8u) << "the two corners of the ridge are there twice";
  for (std::size_t i = 0; i < sharp.size(); i += 3) {
    EXPECT_NEAR(std::abs(sharp[i]), half, 1e-6);
    EXPECT_NEAR(sharp[i + 2], half, 1e-6);
  }
  const std::vector<float> smooth = normals("1.6");
  ASSERT_EQ(smooth.size(), 3u * 6u);
  int up = 0;
  for (std::size_t i = 0; i < smooth.size(); i += 3) {
    up += std::abs(smooth[i]) < 1e-6 && std::abs(smooth[i + 2] - 1.0F) < 1e-6 ? 1 : 0;
  }
  EXPECT_EQ(up, 2) << "the corners of the ridge";
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

// The upper side of a belt moves along x. An inner wheel turns with it, like a wheel that drives
// along x.
TEST(Drawing, WheelsOfATrackTurnWithItsBelt) {
  const auto wheel = [](const char* fields) {
    return fmt::format("TrackWheel {{ position 0.5 -0.25 radius 0.1 {} children [ {} ] }} ", fields,
                       shape("Box { }"));
  };
  const Drawing drawing =
      drawn("Robot { children [ Track { device [ LinearMotor { } ] children [ " + wheel("") +
            wheel("inner FALSE") + shape("Box { }") + " ] } ] }");
  ASSERT_EQ(drawing.shapes.size(), 3u);
  for (const std::size_t i : {0, 1}) {
    ASSERT_TRUE(drawing.shapes[i].wheel);
    EXPECT_EQ(drawing.shapes[i].wheel->joint, 0);
    EXPECT_EQ(drawing.shapes[i].wheel->center, (Vec3{0.5, 0.0, -0.25}));
    EXPECT_EQ(drawing.shapes[i].wheel->radius, 0.1);
  }
  EXPECT_EQ(drawing.shapes[0].wheel->axis, (Vec3{0.0, 1.0, 0.0}));
  EXPECT_EQ(drawing.shapes[1].wheel->axis, (Vec3{0.0, -1.0, 0.0}));
  EXPECT_FALSE(drawing.shapes[2].wheel);
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

TEST(Drawing, OfObjFilesHasThePicturesOfTheirMaterials) {
  const TemporaryProject project;
  project.write("worlds/a.obj",
                "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl wood\n"
                "f 1/1 2/2 3/3\nusemtl far\nf 1/1 3/3 2/2\nusemtl gone\nf 2/2 3/3 1/1\n");
  project.write("worlds/a.mtl",
                "newmtl wood\nKd 0.5 0.5 0.5\nmap_Kd looks/wood.png\nnewmtl far\nmap_Kd "
                "../far.png\nnewmtl gone\nmap_Kd gone.png\n");
  const std::string png = "\x89PNG and so on";
  project.write("worlds/looks/wood.png", png);
  project.write("far.png", png);
  const Drawing drawing = drawn("CadShape { url \"a.obj\" }", "R2023b", project.path("worlds"));
  ASSERT_EQ(drawing.shapes.size(), 3u) << fmt::format("{}", fmt::join(drawing.missing, "\n"));
  ASSERT_NE(drawing.shapes[0].picture, nullptr);
  EXPECT_EQ(drawing.shapes[0].picture->bytes, png);
  EXPECT_EQ(drawing.shapes[0].color, (Vec3{0.5, 0.5, 0.5})) << "by which it is multiplied";
  EXPECT_EQ(drawing.shapes[0].mesh->uvs.size(), 6u);
  EXPECT_EQ(drawing.shapes[1].picture, nullptr) << "outside of the folder";
  EXPECT_EQ(drawing.shapes[2].picture, nullptr);
  EXPECT_EQ(drawing.missing,
            (std::vector<std::string>{"picture '../far.png': it is not on this machine",
                                      "picture 'gone.png': it is not on this machine"}));
}

// A Mesh without an appearance of its own, and a CadShape, have the colours of the MTL file.
TEST(Drawing, OfObjFilesHasTheColoursOfTheirMaterials) {
  const TemporaryProject project;
  const std::string triangles =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nusemtl glass\nf 1 3 2\n";
  project.write("worlds/a.obj", "mtllib  parts/b.mtl parts/a.mtl \r\n" + triangles);
  project.write("worlds/parts/b.mtl", "newmtl other\nKd 0 0 0\n");
  project.write("worlds/parts/a.mtl",
                "newmtl red\nKd 0.75 0.25 0.125\nnewmtl glass\nKd 0.25 0.5 0.75\nd 0.5\n");
  project.write("worlds/absent.obj", "mtllib absent.mtl\n" + triangles);
  project.write("outside.mtl", "newmtl red\nKd 0.75 0.25 0.125\n");
  project.write("worlds/outside.obj", "mtllib ../outside.mtl\n" + triangles);
  const std::string red = "PBRAppearance { baseColor 1 0 0 }";
  const Drawing drawing =
      drawn("CadShape { url \"a.obj\" }" + shape("Mesh { url \"a.obj\" }") +
                shape("Mesh { url \"a.obj\" }", red) + "CadShape { url \"absent.obj\" }" +
                "CadShape { url \"outside.obj\" }",
            "R2023b", project.path("worlds"));
  ASSERT_EQ(drawing.shapes.size(), 10u) << fmt::format("{}", fmt::join(drawing.missing, "\n"));
  for (const std::size_t i : {0, 2}) {
    ASSERT_TRUE(drawing.shapes[i].color && drawing.shapes[i + 1].color) << i;
    expect_near(*drawing.shapes[i].color, {0.75, 0.25, 0.125});
    EXPECT_EQ(drawing.shapes[i].opacity, 1.0);
    expect_near(*drawing.shapes[i + 1].color, {0.25, 0.5, 0.75});
    EXPECT_EQ(drawing.shapes[i + 1].opacity, 0.5);
  }
  for (const std::size_t i : {4, 5}) {
    EXPECT_EQ(drawing.shapes[i].color, (Vec3{1.0, 0.0, 0.0}));
  }
  for (std::size_t i = 6; i < 10; ++i) {
    EXPECT_FALSE(drawing.shapes[i].color) << "no file, or one that is elsewhere";
  }
  EXPECT_EQ(drawing.missing,
            (std::vector<std::string>{
                "materials 'absent.mtl' of mesh 'absent.obj': no such file .mtl that can be read "
                "is in its "
                "folder or below; what it lacks has the colours of no material",
                "materials '../outside.mtl' of mesh 'outside.obj': no such file .mtl that can be "
                "read is in "
                "its folder or below; what it lacks has the colours of no material"}));
  const Drawing other =
      drawn(shape("Mesh { url \"absent.obj\" }", red), "R2023b", project.path("worlds"));
  EXPECT_TRUE(other.missing.empty()) << "its own appearance takes their place";
}

// A file that is named again and again is read once. Of names of files that may not be there, at
// most 1000 are looked for.
TEST(Drawing, OfObjFilesReadsEachOfTheirMaterialsOnce) {
  const TemporaryProject project;
  const std::string triangles = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";
  std::string again = "mtllib";
  std::string many;
  for (int i = 0; i < 3000; ++i) {
    again += " a.mtl";
    many += fmt::format("mtllib {}.mtl\n", i);
  }
  project.write("worlds/again.obj", again + "\nmtllib red.mtl\n" + triangles);
  project.write("worlds/many.obj", many + "mtllib red.mtl\n" + triangles);
  // 3000 times its size is more than what is read in all.
  project.write("worlds/a.mtl", "newmtl other\nKd 0 0 1\n" + std::string(1500, '#') + '\n');
  project.write("worlds/red.mtl", "newmtl red\nKd 1 0 0\n");
  const Drawing drawing = drawn("CadShape { url \"again.obj\" } CadShape { url \"many.obj\" }",
                                "R2023b", project.path("worlds"));
  ASSERT_EQ(drawing.shapes.size(), 2u) << fmt::format("{}", fmt::join(drawing.missing, "\n"));
  EXPECT_EQ(drawing.shapes[0].color, (Vec3{1.0, 0.0, 0.0}));
  EXPECT_FALSE(drawing.shapes[1].color);
  ASSERT_EQ(drawing.missing.size(), 1u) << fmt::format("{}", fmt::join(drawing.missing, "\n"));
  EXPECT_TRUE(drawing.missing[0].starts_with("materials '0.mtl' of mesh 'many.obj'"))
      << drawing.missing[0];
}

TEST(Drawing, OfGridsIsTheirSurface) {
  const Drawing drawing = drawn(
      shape("ElevationGrid { xDimension 3 xSpacing 0.5 yDimension 2 ySpacing 0.25 height [ 0.1 0.2 "
            "0.3, 0.4 0.5 0.6 ] }"));
  ASSERT_EQ(drawing.shapes.size(), 1u);
  const DrawnMesh& mesh = *drawing.shapes[0].mesh;
  EXPECT_EQ(mesh.indices, (std::vector<std::uint32_t>{0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4}));
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
