// SPDX-License-Identifier: Apache-2.0
// Mesh nodes and the files that they name.
#include "scene/mesh_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "assets/address.h"
#include "physics/mass.h"
#include "scene/mesh_triangles.h"
#include "support/mesh_files.h"
#include "support/near.h"
#include "support/pictures.h"
#include "support/scenes.h"
#include "support/zip_files.h"
#include "wbt/test_support.h"

namespace servosim::test {
namespace {

using wbt::test::TemporaryProject;

// These numbers and their products are exact in single precision.
constexpr double kA = 0.5;
constexpr double kB = 0.25;
constexpr double kC = 0.75;
const Triangles kTetrahedron = tetrahedron(kA, kB, kC);

class MeshFile : public testing::Test {
 protected:
  LoadedScene load(const std::string& bounding_object, const std::string& version = "R2023b") {
    return load_scene(
        "Solid { boundingObject\n" + bounding_object + " physics Physics { density 800 } }",
        version, project.path("worlds"));
  }
  LoadedScene load_file(const std::string& name, const std::string& text) {
    project.write("worlds/" + name, text);
    return load("Mesh { url \"" + name + "\" }");
  }
  Mesh mesh(const LoadedScene& loaded) {
    EXPECT_EQ(loaded.messages, Messages{});
    const auto& shapes = loaded.scene.solids.at(0).shapes;
    return shapes.empty() ? Mesh{} : *shapes[0].mesh;
  }
  // Returns the message about a file that must be left out. FILE takes the place of its path.
  std::string message_about(const std::string& name) {
    const LoadedScene loaded = load("Mesh { url \"" + name + "\" }");
    EXPECT_TRUE(loaded.scene.solids.at(0).shapes.empty());
    std::string text = loaded.messages.empty() ? "" : loaded.messages[0];
    const std::string path = "'" + project.path("worlds/" + name) + "'";
    if (const auto at = text.find(path); at != std::string::npos) {
      text.replace(at, path.size(), "FILE");
    }
    return text;
  }
  std::string message_about(const std::string& name, const std::string& text) {
    project.write("worlds/" + name, text);
    return message_about(name);
  }

  TemporaryProject project;
};

constexpr const char* kEnd = "; the Mesh is left out";

// The volume is V = abc/6, the centre is at a quarter of each length, and about the corner ∫x² =
// V·a²/10 and ∫xy = V·ab/20.
void expect_tetrahedron(const LoadedScene& loaded) {
  ASSERT_EQ(loaded.messages, Messages{});
  const double m = 800.0 * kA * kB * kC / 6.0;
  Diagnostics diagnostics;
  const MassProperties mass = solid_mass(loaded.scene.solids.at(0), diagnostics);
  constexpr double kRounding = 1e-13;  // some dozen operations on numbers below 100
  EXPECT_NEAR(mass.mass, m, kRounding * m);
  expect_near(mass.center, {kA / 4.0, kB / 4.0, kC / 4.0});
  const double s = 3.0 / 80.0 * m;
  const double p = m / 80.0;
  const Mat3 inertia{{s * (kB * kB + kC * kC), p * kA * kB, p * kA * kC,  //
                      p * kA * kB, s * (kA * kA + kC * kC), p * kB * kC,  //
                      p * kA * kC, p * kB * kC, s * (kA * kA + kB * kB)}};
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(mass.inertia.m[i], inertia.m[i], kRounding) << i;
  }
}

TEST_F(MeshFile, OfEachFormatHasTheMassOfItsShape) {
  expect_tetrahedron(load_file("text.stl", stl_text(kTetrahedron)));
  expect_tetrahedron(load_file("binary.STL", binary_stl(kTetrahedron, 4)));
  expect_tetrahedron(load_file("m.obj", obj_text(kTetrahedron)));
  expect_tetrahedron(load_file("m.dae", dae_text({kTetrahedron})));
}

TEST_F(MeshFile, HasOneVertexPerPosition) {
  for (const auto& [name, text] :
       {std::pair<std::string, std::string>{"m.stl", stl_text(kTetrahedron)},
        {"m.obj", obj_text(kTetrahedron)},
        {"m.dae", dae_text({kTetrahedron})}}) {
    EXPECT_EQ(mesh(load_file(name, text)).vertices.size(), 4u) << name;
  }
}

TEST_F(MeshFile, OfPolygonsIsCutIntoTriangles) {
  const Mesh square = mesh(load_file("m.obj", "v 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\nf 1 2 3 4\n"));
  ASSERT_EQ(square.triangles.size(), 2u);
  for (const auto& [a, b, c] : square.triangles) {
    const Vec3& corner = square.vertices[a];
    expect_near(cross(square.vertices[b] - corner, square.vertices[c] - corner), {0, 0, 6});
  }
}

TEST_F(MeshFile, IsReversedWhereItIsClockwise) {
  project.write("worlds/m.stl", stl_text({kTetrahedron[3]}));
  const Mesh out = mesh(load("Mesh { url \"m.stl\" }"));
  const Mesh in = mesh(load("Mesh { url \"m.stl\" ccw FALSE }"));
  const auto [a, b, c] = out.triangles.at(0);
  EXPECT_EQ(in.triangles.at(0), (std::array<std::uint32_t, 3>{a, c, b}));
}

TEST_F(MeshFile, IsScaled) {
  project.write("worlds/m.stl", stl_text(kTetrahedron));
  const Mesh m =
      mesh(load("Transform { scale 2 3 4 children [ Mesh { url \"m.stl\" } ] }", "R2021b"));
  Vec3 most;
  for (const Vec3& v : m.vertices) {
    most = {std::max(most.x, v.x), std::max(most.y, v.y), std::max(most.z, v.z)};
  }
  EXPECT_EQ(most, (Vec3{2 * kA, 3 * kB, 4 * kC}));
}

// assimp turns the z axis of such files to y, and lengths into metres.
TEST_F(MeshFile, OfColladaHasItsUnitAndAxis) {
  const Mesh m = mesh(
      load_file("m.dae", dae_text({.triangles = {{Vec3{0, 0, 0}, Vec3{100, 0, 0}, Vec3{0, 0, 300}}},
                                   .unit = "0.01",
                                   .up = "Z_UP"})));
  ASSERT_EQ(m.vertices.size(), 3u);
  constexpr double kSingle = 1e-6;  // for numbers below 4 in single precision
  EXPECT_NEAR(norm(m.vertices[1] - Vec3{1, 0, 0}), 0.0, kSingle);
  EXPECT_NEAR(norm(m.vertices[2] - Vec3{0, 3, 0}), 0.0, kSingle);
}

TEST_F(MeshFile, OfColladaHasThePoseOfItsNodes) {
  Dae dae{.triangles = kTetrahedron};
  dae.scene =
      "<node id=\"n\"><translate>2 0 0</translate><node id=\"o\"><scale>1 1 -1</scale>"
      "<translate>0 3 0</translate><instance_geometry url=\"#g\"/></node></node>";
  const LoadedScene loaded = load_file("m.dae", dae_text(dae));
  Diagnostics diagnostics;
  ASSERT_EQ(loaded.messages, Messages{});
  const MassProperties mass = solid_mass(loaded.scene.solids.at(0), diagnostics);
  expect_near(mass.center, {2 + kA / 4, 3 + kB / 4, -kC / 4});
  // The mirror reversed its triangles, and the reader reversed them again.
  const Mesh& m = *loaded.scene.solids[0].shapes[0].mesh;
  double volume = 0.0;
  for (const auto& [a, b, c] : m.triangles) {
    volume += dot(m.vertices[a], cross(m.vertices[b], m.vertices[c])) / 6.0;
  }
  EXPECT_NEAR(volume, kA * kB * kC / 6.0, 1e-6) << "of differences in single precision";
}

constexpr const char* kTwoNodes =
    "<node id=\"left\"><instance_geometry url=\"#g\"/></node>"
    "<node id=\"right\"><translate>4 0 0</translate><instance_geometry url=\"#g\"/></node>";

TEST_F(MeshFile, OfColladaYieldsTheNamedObject) {
  project.write("worlds/m.dae", dae_text({.triangles = kTetrahedron, .scene = kTwoNodes}));
  EXPECT_EQ(mesh(load("Mesh { url \"m.dae\" }")).triangles.size(), 8u);
  const Mesh right = mesh(load("Mesh { url \"m.dae\" name \"right\" materialIndex 0 }"));
  EXPECT_EQ(right.triangles.size(), 4u);
  for (const Vec3& v : right.vertices) {
    EXPECT_GE(v.x, 4.0);
  }
  const std::string path = "'" + project.path("worlds/m.dae") + "'";
  EXPECT_EQ(load("Mesh { url \"m.dae\"\nname \"middle\" }").messages.at(0),
            "4:1: warning: " + path +
                " has no object \"middle\"; its objects are \"left\", \"right\"" + kEnd);
  EXPECT_EQ(load("Mesh { url \"m.dae\"\nmaterialIndex 7 }").messages.at(0),
            "4:1: warning: " + path +
                " has no triangle of material 7; its objects are \"left\", \"right\"" + kEnd);
}

TEST_F(MeshFile, OfOtherFormatsHasNoObjects) {
  project.write("worlds/m.stl", stl_text(kTetrahedron));
  const LoadedScene loaded = load("Mesh { url \"m.stl\" name \"left\" }");
  EXPECT_EQ(loaded.messages,
            Messages{"3:1: warning: name and materialIndex of a Mesh select parts of a DAE file "
                     "only; the whole file is used"});
  EXPECT_EQ(loaded.scene.solids.at(0).shapes.at(0).mesh->triangles.size(), 4u);
}

TEST_F(MeshFile, OfSeveralNodesIsReadOnce) {
  project.write("worlds/m.stl", stl_text(kTetrahedron));
  const auto world = wbt::test::read_text(
      "#VRML_SIM R2023b utf8\nMesh { url \"m.stl\" } Mesh { url \"./m.stl\" ccw FALSE }",
      project.path("worlds"));
  Diagnostics diagnostics;
  diagnostics.sources().add("w.wbt", "");
  MeshFiles files(project.path("worlds"), diagnostics);
  ASSERT_NE(files.read(world.node(0), {1, 1, 1}), nullptr);
  std::filesystem::remove(project.path("worlds/m.stl"));
  EXPECT_NE(files.read(world.node(1), {1, 1, 1}), nullptr);
}

// Four pictures use the limit of memory, so no other picture is read. A picture beyond the limit of
// their number is not read either.
TEST_F(MeshFile, PicturesAreNotReadWhereThereIsNoRoom) {
  const std::string name = project.path("absent.png");
  const auto fault = [&](const MeshStore& known, MeshUse use = MeshUse::Form) {
    Diagnostics diagnostics;
    MeshFiles files(project.path("worlds"), diagnostics, known, nullptr, use);
    for (const auto& [shown, image] : known.images) {
      static_cast<void>(files.image(shown));
    }
    return std::get<std::string>(files.image(name));
  };
  EXPECT_EQ(fault({}).find("is one too many"), std::string::npos);
  MeshStore many;
  for (std::size_t i = 0; i < kMaxPictures; ++i) {
    many.images.emplace(std::to_string(i), "cannot be read");
  }
  EXPECT_EQ(fault(many), fmt::format("is one too many: a world has at most {}", kMaxPictures));
  const auto image = std::make_shared<Image>(Image{4096, 4096, {}});
  image->pixels.resize(4 * kMaxPixels);
  MeshStore large;
  for (std::size_t i = 0; i < kMaxPixelsInAll / kMaxPixels; ++i) {
    EXPECT_EQ(fault(large).find("is one too many"), std::string::npos) << i;
    large.images.emplace(std::to_string(i), image);
  }
  EXPECT_NE(fault(large).find("is one too many"), std::string::npos);
  EXPECT_EQ(fault(large, MeshUse::Look).find("is one too many"), std::string::npos);
}

// A program that gives a world other pictures again and again fills neither limit: those that the
// world no longer shows are dropped where there is no room.
TEST_F(MeshFile, PicturesThatAreNoLongerShownMakeRoom) {
  project.write("a.png", small_png());
  const auto image = std::make_shared<Image>(Image{4096, 4096, {}});
  image->pixels.resize(4 * kMaxPixels);
  MeshStore former;
  for (std::size_t i = 0; i < kMaxPixelsInAll / kMaxPixels; ++i) {
    former.images.emplace(std::to_string(i), image);
  }
  Diagnostics diagnostics;
  MeshFiles files(project.path("worlds"), diagnostics, former);
  static_cast<void>(files.image("2"));
  EXPECT_TRUE(
      std::holds_alternative<std::shared_ptr<const Image>>(files.image(project.path("a.png"))));
  EXPECT_EQ(files.known().images.size(), 2u);
  EXPECT_TRUE(files.known().images.contains("2")) << "it is shown";
}

TEST_F(MeshFile, IsFoundRelativeToTheFileThatNamesIt) {
  const std::string solid = "Solid { boundingObject Mesh { url ";
  project.write("protos/Own.proto", "PROTO Own [ ] { " + solid + "\"own.stl\" } } }");
  project.write("protos/own.stl", stl_text(kTetrahedron));
  project.write("protos/Any.proto",
                "PROTO Any [ field MFString url [ ] ] { " + solid + "IS url } } }");
  project.write("worlds/mine.stl", stl_text(kTetrahedron));
  for (const std::string node :
       {"Own { }", "Any { url \"mine.stl\" }", "Any { url \"..\\\\protos/own.stl\" }"}) {
    const LoadedScene loaded = load_scene(node, "R2023b", project.path("worlds"));
    EXPECT_EQ(loaded.messages, Messages{}) << node;
    EXPECT_EQ(loaded.scene.solids.at(0).shapes.size(), 1u) << node;
  }
  mesh(load("Mesh { url \"" + project.path("protos/own.stl") + "\" }"));
}

// The file is in a folder, as in Webots' cache, and in the archive of a release.
TEST_F(MeshFile, IsFoundInACacheByTheAddressOfItsProto) {
  const std::string release = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/";
  const std::string proto =
      "#VRML_SIM R2023b utf8\nPROTO P [ field MFString url \"meshes/own.stl\" ] { Solid { "
      "boundingObject Mesh { url IS url } } }";
  const std::string own = assets::cache_name(release + "projects/p/protos/P.proto");
  const std::string beside = assets::cache_name(release + "projects/p/protos/meshes/own.stl");
  const std::string other = assets::cache_name(release + "projects/other.stl");
  for (const auto& [name, text] : {std::pair{own, proto}, std::pair{beside, stl_text(kTetrahedron)},
                                   std::pair{other, stl_text(kTetrahedron)}}) {
    project.write("cache/" + name, text);
  }
  write_zip(project.path("assets.zip"),
            {{own, proto}, {beside, stl_text(kTetrahedron)}, {other, stl_text(kTetrahedron)}});
  for (const char* store : {"cache", "assets.zip"}) {
    wbt::ReadOptions options;
    options.assets = {project.path(store)};
    const std::string declared = "EXTERNPROTO \"webots://projects/p/protos/P.proto\"\n";
    for (const char* node : {"P { }", "P { url \"webots://projects/other.stl\" }"}) {
      const LoadedScene loaded =
          load_scene(declared + node, "R2023b", project.path("worlds"), options);
      EXPECT_EQ(loaded.messages, Messages{}) << store << node;
      EXPECT_EQ(loaded.scene.solids.at(0).shapes.size(), 1u) << store << node;
    }
  }
}

TEST_F(MeshFile, OfAProtoOfACacheSaysWhereItWouldBe) {
  project.write("cache/" + assets::cache_name("https://example.org/P.proto"),
                "#VRML_SIM R2023b utf8\nPROTO P [ ] { Solid { boundingObject Mesh { url "
                "\"m/own.stl\" } } }");
  wbt::ReadOptions options;
  options.assets = {project.path("cache")};
  const LoadedScene loaded = load_scene("EXTERNPROTO \"https://example.org/P.proto\"\nP { }",
                                        "R2023b", project.path("worlds"), options);
  ASSERT_EQ(loaded.messages.size(), 1u);
  EXPECT_NE(loaded.messages[0].find("'m/own.stl' is not on this machine: 'servosim fetch WORLD' "
                                    "looks for it at https://example.org/m/own.stl" +
                                    std::string(kEnd)),
            std::string::npos)
      << loaded.messages[0];
}

TEST_F(MeshFile, WithAnInvalidUrlIsLeftOut) {
  const std::string where = "3:8: warning: ";
  EXPECT_EQ(load("Mesh { }").messages.at(0),
            "3:1: warning: Mesh has no url: name an STL, OBJ or DAE file" + std::string(kEnd));
  EXPECT_EQ(message_about("https://example.org/m.stl"),
            where +
                "'https://example.org/m.stl' is not on this machine: 'servosim fetch WORLD' "
                "looks for it at https://example.org/m.stl" +
                kEnd);
  EXPECT_EQ(message_about("webots://projects/m.obj"),
            where +
                "'webots://projects/m.obj' is not on this machine: 'servosim fetch WORLD' "
                "looks for it at https://raw.githubusercontent.com/cyberbotics/webots/R2023b/"
                "projects/m.obj, and so does a run with an installation of Webots "
                "(WEBOTS_HOME), a clone of it (--proto-path) or its archive of assets "
                "(--assets)" +
                kEnd);
  for (const std::string url : {"m.fbx", "stl", "m.stl.gz"}) {
    EXPECT_EQ(message_about(url),
              where + "'" + url + "' is no STL, OBJ or DAE file: convert it" + kEnd);
  }
}

TEST_F(MeshFile, ThatCannotBeReadIsLeftOut) {
  const auto expected = [](const std::string& what) { return "3:8: warning: FILE " + what + kEnd; };
  EXPECT_EQ(message_about("none.stl"), expected("cannot be read: No such file or directory"));
  std::filesystem::create_directory(project.path("worlds/folder.stl"));
  EXPECT_EQ(message_about("folder.stl"), expected("is a directory"));
  ASSERT_EQ(::mkfifo(project.path("worlds/fifo.obj").c_str(), 0600), 0);
  EXPECT_EQ(message_about("fifo.obj"), expected("is not a regular file"));
  project.write("worlds/huge.dae", "");
  std::filesystem::resize_file(project.path("worlds/huge.dae"), (256u << 20) + 1);
  EXPECT_EQ(message_about("huge.dae"), expected("is larger than 256 MB"));
}

TEST_F(MeshFile, WithoutTrianglesIsLeftOut) {
  const auto is_empty = "3:8: warning: FILE has no triangle" + std::string(kEnd);
  const Vec3 p{1, 2, 3};
  EXPECT_EQ(message_about("flat.stl", stl_text({{p, p, p}, {p, Vec3{2, 4, 6}, Vec3{3, 6, 9}}})),
            is_empty);
  EXPECT_EQ(message_about("lines.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2 3\n"), is_empty);
  EXPECT_EQ(
      message_about("far.dae", dae_text({.triangles = tetrahedron(0.5, 2e6, 0.5)})),
      "3:8: warning: FILE has a point that is not between -1e6 and 1e6 m" + std::string(kEnd));
  EXPECT_NE(message_about("unused.dae", dae_text({.triangles = kTetrahedron, .scene = ""})), "");
}

// If a file makes assimp fail in any way, its Mesh is left out with a reason, and the world is
// loaded.
TEST_F(MeshFile, ThatIsMaliciousIsLeftOut) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::string stl = binary_stl(kTetrahedron, 4);
  std::string deep;
  for (int i = 0; i < 200000; ++i) {
    deep += "<node>";
  }
  for (int i = 0; i < 200000; ++i) {
    deep += "</node>";
  }
  const std::pair<const char*, std::string> files[] = {
      {"empty.stl", ""},
      {"empty.obj", ""},
      {"empty.dae", ""},
      {"truncated.stl", stl.substr(0, stl.size() - 30)},
      {"truncated.dae", dae_text({kTetrahedron}).substr(0, 700)},
      {"short.stl", "solid s\nfacet normal 0 0 1\nouter loop\nvertex 1 2"},
      {"many.stl", binary_stl(kTetrahedron, 4000000000u)},
      {"nan.stl", binary_stl({{Vec3{kNan, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}}, 1)},
      {"other.dae", stl},
      {"picture.obj", std::string("\x89PNG\r\n\x1a\n\0\0\0", 11)},
      {"index.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 99999\n"},
      {"count.dae", dae_text({.triangles = kTetrahedron, .last_index = "4000000"})},
      {"beyond.dae",
       dae_text({.triangles = kTetrahedron, .more = 400000000, .last_index = "390000000"})},
      {"circle.dae", dae_text({.triangles = kTetrahedron,
                               .scene = "<node><instance_node url=\"#b\"/></node>",
                               .library_nodes = "<node id=\"b\"><instance_node url=\"#c\"/></node>"
                                                "<node id=\"c\"><instance_node url=\"#b\"/>"
                                                "</node>"})},
      {"deep.dae", dae_text({.triangles = kTetrahedron, .scene = deep})},
  };
  for (const auto& [name, text] : files) {
    const std::string message = message_about(name, text);
    EXPECT_EQ(message.substr(0, 19), "3:8: warning: FILE ") << name << ": " << message;
    EXPECT_TRUE(message.ends_with(kEnd)) << message;
  }
}

// The program that reads several files goes on after one on which assimp crashes.
TEST_F(MeshFile, ThatCrashesItsReaderLeavesTheOthers) {
  project.write("crash.dae",
                dae_text({.triangles = kTetrahedron,
                          .scene = "<node><instance_node url=\"#b\"/></node>",
                          .library_nodes = "<node id=\"b\"><instance_node url=\"#c\"/></node>"
                                           "<node id=\"c\"><instance_node url=\"#b\"/></node>"}));
  project.write("good.stl", stl_text(kTetrahedron));
  MeshHelper helper;
  for (int i = 0; i < 2; ++i) {
    const auto crashed = read_triangles(project.path("crash.dae"), helper);
    const auto* const reason = std::get_if<std::string>(crashed.get());
    ASSERT_NE(reason, nullptr);
    // With sanitizers the reader ends with a status, else by a signal.
    EXPECT_TRUE(reason->starts_with("is damaged (its reader ")) << *reason;
    project.write("good.stl", stl_text(kTetrahedron) + std::string(1 + i, '\n'));
    const auto good = read_triangles(project.path("good.stl"), helper);
    ASSERT_TRUE(std::holds_alternative<std::vector<MeshPart>>(*good));
    EXPECT_EQ(std::get<std::vector<MeshPart>>(*good).at(0).mesh.triangles.size(), 4u);
  }
}

// What was read is kept for all of the process, whoever reads, as long as the file is the same.
TEST_F(MeshFile, ThatIsTheSameIsReadOnce) {
  const std::string path = project.path("m.stl");
  const auto read = [&] {
    MeshHelper helper;
    return read_triangles(path, helper);
  };
  project.write("m.stl", stl_text(kTetrahedron));
  const auto first = read();
  EXPECT_EQ(read(), first);
  project.write("m.stl", stl_text(tetrahedron(kB, kA, kC)));  // of the same size
  const auto second = read();
  ASSERT_NE(second, first);
  ASSERT_TRUE(std::holds_alternative<std::vector<MeshPart>>(*second));
  const Mesh& mesh = std::get<std::vector<MeshPart>>(*second).at(0).mesh;
  EXPECT_EQ(std::ranges::max(mesh.vertices, {}, &Vec3::x).x, kB);
  project.write("m.stl", "solid");
  EXPECT_TRUE(std::holds_alternative<std::string>(*read()));
}

// Neither an entity nor a material makes the reader open another file, which could be a FIFO that
// blocks it.
TEST_F(MeshFile, ReadsNoOtherFiles) {
  ASSERT_EQ(::mkfifo(project.path("worlds/fifo.mtl").c_str(), 0600), 0);
  const std::string fifo = project.path("worlds/fifo.mtl");
  mesh(load_file("m.obj", "mtllib " + fifo + "\nusemtl m\n" + obj_text(kTetrahedron)));
  const LoadedScene loaded = load_file(
      "m.dae",
      dae_text({.triangles = kTetrahedron,
                .prologue = "<!DOCTYPE x [ <!ENTITY e SYSTEM \"file://" + fifo + "\"> ]>\n",
                .first_numbers = "&e;"}));
  EXPECT_EQ(loaded.messages.size(), 1u) << "an entity is no number";
}

TEST_F(MeshFile, WithTooManyTrianglesIsLeftOut) {
  std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
  for (std::size_t i = 0; i < kMaxTriangles + 1; ++i) {
    text += "f 1 2 3\n";
  }
  EXPECT_EQ(
      message_about("m.obj", text),
      "3:8: warning: FILE has more than 1000000 triangles: use a coarser one" + std::string(kEnd));
}

// assimp cuts these polygons into triangles corner by corner, each in linear time. This takes about
// 3 s of the processor for each polygon.
std::string obj_of_large_polygons(int count) {
  constexpr int kCorners = 30000;
  std::string text;
  std::string face = "f";
  for (int i = 1; i <= kCorners; ++i) {
    text += fmt::format("v {} {} 0\n", i % 2, i);
    face += fmt::format(" {}", i);
  }
  for (int i = 0; i < count; ++i) {
    text += face + "\n";
  }
  return text;
}

// A limit of this process also applies to the reader, so the test need not wait for the reader's 30
// s, which are not exceeded on every machine.
TEST_F(MeshFile, ThatTakesTooLongIsReportedAsSlow) {
  const std::string text = obj_of_large_polygons(50);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_CPU, &before), 0);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const rlim_t seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 3;
  const rlimit little{seconds, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_CPU, &little), 0);
  const std::string message = message_about("star.obj", text);
  ::setrlimit(RLIMIT_CPU, &before);
  EXPECT_EQ(message,
            fmt::format("3:8: warning: FILE takes more than {} s to read: use a coarser one{}",
                        std::min<rlim_t>(seconds, 30), kEnd));
}

TEST(MeshParts, AreTheSameAfterEncodingAndDecoding) {
  const std::vector<MeshPart> parts{
      {"left", 3, {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, {{{0, 1, 2}}, {{2, 1, 0}}}}}, {"", -1, {}}};
  const std::string bytes = encode(parts);
  const auto back = std::get<std::vector<MeshPart>>(decode_mesh_parts(bytes).value());
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].name, "left");
  EXPECT_EQ(back[0].material, 3);
  EXPECT_EQ(back[0].mesh.vertices, parts[0].mesh.vertices);
  EXPECT_EQ(back[0].mesh.triangles, parts[0].mesh.triangles);
  EXPECT_EQ(std::get<std::string>(decode_mesh_parts(encode("is bad")).value()), "is bad");
}

TEST(MeshParts, ThatAreTruncatedOrInvalidAreRefused) {
  const std::string bytes = encode(
      std::vector<MeshPart>{{"left", 3, {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, {{{0, 1, 2}}}}}});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    if (length != 1) {  // a length of 1 gives no parts
      EXPECT_FALSE(decode_mesh_parts(std::string_view(bytes).substr(0, length))) << length;
    }
  }
  EXPECT_FALSE(decode_mesh_parts("M" + std::string(8, '\xff')));
  EXPECT_FALSE(decode_mesh_parts("?" + bytes.substr(1)));
  EXPECT_FALSE(decode_mesh_parts(
      encode(std::vector<MeshPart>{{"left", 3, {{{1, 2, 3}, {4, 5, 6}}, {{{0, 1, 2}}}}}})))
      << "a vertex that is not there";
}

}  // namespace
}  // namespace servosim::test
