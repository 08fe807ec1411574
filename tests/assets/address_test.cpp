// SPDX-License-Identifier: Apache-2.0
#include "assets/address.h"

#include <gtest/gtest.h>

#include "assets/digest.h"

namespace servosim::assets {
namespace {

const std::string kFloor = "projects/objects/floors/protos/Floor.proto";
const std::string kPublished = "https://raw.githubusercontent.com/cyberbotics/webots/";

// The expected values come from the programs sha1sum and sha256sum.
TEST(Digest, IsThatOfOtherPrograms) {
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string million(1'000'000, 'a');
  EXPECT_EQ(sha1(million), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  EXPECT_EQ(sha256(million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Address, NamesAFileOfACacheByTheSha1OfTheWholeAddress) {
  EXPECT_EQ(cache_name(kPublished + "R2025a/" + kFloor),
            "feffb186a796e658c63a6dcd961d4449201341a9");
  EXPECT_EQ(cache_name(kPublished + "R2023b/" + kFloor),
            "43adf06818f656051221726cf7f5f4a5f0de985b");
  EXPECT_EQ(cache_name("https://example.org/\u00e4 b/x.stl"),
            "5b7162a66d6f8eb34a48b9daf6143adc4895fca6");
}

TEST(Address, OfWebotsTreeHasATagAndAPath) {
  const auto expect = [](const std::string& address, const std::string& tag,
                         const std::string& path) {
    const auto file = webots_file(address);
    ASSERT_TRUE(file) << address;
    EXPECT_EQ(file->tag, tag) << address;
    EXPECT_EQ(file->path, path) << address;
  };
  expect("webots://projects/a.proto", "", "projects/a.proto");
  expect(kPublished + "R2023b/projects/a.proto", "R2023b", "projects/a.proto");
  expect("http://raw.githubusercontent.com/cyberbotics/webots/R2023b/b/../a.stl", "R2023b",
         "a.stl");
  expect(kPublished + "refs/tags/R2025a/projects/a.proto", "R2025a", "projects/a.proto");
  expect(kPublished + "refs/heads/released/projects/a.proto", "released", "projects/a.proto");
  expect("webots://../../../etc/passwd", "", "etc/passwd");
  for (const char* other : {"https://example.org/cyberbotics/webots/R2023b/a.proto", "a.proto", "",
                            "https://raw.githubusercontent.com/cyberbotics/webots-x/R2023b/a",
                            "https://raw.githubusercontent.com/someone/webots/R2023b/a.proto"}) {
    EXPECT_FALSE(webots_file(other)) << other;
  }
}

TEST(Address, OfAReferenceIsJoinedToWhatNamesIt) {
  const std::string folder = kPublished + "R2023b/projects/robots/x/protos";
  EXPECT_EQ(resolve(folder, "../Y.proto", "R2025a"),
            kPublished + "R2023b/projects/robots/x/Y.proto");
  EXPECT_EQ(resolve(folder, "meshes\\a.stl", "R2025a"), folder + "/meshes/a.stl");
  EXPECT_EQ(resolve(folder, "./a//b.stl", ""), folder + "/a/b.stl");
  EXPECT_EQ(resolve(folder, "/top.stl", ""), "https://raw.githubusercontent.com/top.stl");
  EXPECT_EQ(resolve("https://example.org", "../../a.stl", ""), "https://example.org/a.stl");
  EXPECT_EQ(resolve(folder, "https://example.org/a.stl", ""), "https://example.org/a.stl");
  EXPECT_EQ(resolve("/home/w", "../p/./Y.proto", ""), "/home/p/Y.proto");
  EXPECT_EQ(resolve("/home/w", "/p/Y.proto", ""), "/p/Y.proto");
}

// The release is the one in the address of the PROTO that names the file, else the version of the
// world.
TEST(Address, OfWebotsSchemeHasTheReleaseOfWhatNamesIt) {
  EXPECT_EQ(resolve(kPublished + "R2023a/projects/p", "webots://" + kFloor, "R2025a"),
            kPublished + "R2023a/" + kFloor);
  for (const char* folder : {"/home/worlds", "https://example.org/protos"}) {
    EXPECT_EQ(resolve(folder, "webots://" + kFloor, "R2025a"), kPublished + "R2025a/" + kFloor);
  }
}

TEST(Address, OfOtherReleasesComesAfterTheExactOne) {
  const std::vector<std::string> all = equal_addresses(kPublished + "R2023b/" + kFloor);
  EXPECT_EQ(all.at(0), kPublished + "R2023b/" + kFloor);
  EXPECT_EQ(all.at(1), kPublished + "R2025a/" + kFloor);
  EXPECT_EQ(all.at(2), kPublished + "R2023a/" + kFloor);
  EXPECT_EQ(all.back(), kPublished + "R2019a/" + kFloor);
  EXPECT_EQ(std::count(all.begin(), all.end(), all[0]), 1);
  EXPECT_EQ(equal_addresses(kPublished + "refs/heads/R2022b/" + kFloor).at(1),
            kPublished + "R2022b/" + kFloor);
  EXPECT_EQ(equal_addresses("https://example.org/a.proto"),
            std::vector<std::string>{"https://example.org/a.proto"});
}

TEST(Address, HasAFolder) {
  EXPECT_EQ(folder_of("https://example.org/a/b.proto"), "https://example.org/a");
  EXPECT_EQ(folder_of("https://example.org/b.proto"), "https://example.org");
  EXPECT_EQ(folder_of("https://example.org"), "https://example.org");
  EXPECT_EQ(folder_of("/a/b.proto"), "/a");
}

// Newer releases come first, since a name in an old world had not been removed before that world's
// release.
TEST(Address, OfReleasesNearAWorldsOwn) {
  const std::vector<std::string> near = releases_near("R2021b");
  EXPECT_EQ(near.size(), 15u);
  EXPECT_EQ(std::vector<std::string>(near.begin(), near.begin() + 8),
            (std::vector<std::string>{"R2021b", "R2022a", "R2022b", "R2023a", "R2023b", "R2025a",
                                      "R2021a", "R2020b-rev1"}));
  EXPECT_EQ(near.back(), "R2019a");
  EXPECT_EQ(releases_near("master").front(), "R2025a");
  EXPECT_EQ(releases_near("R2019a").at(1), "R2019a-rev1");
}

TEST(StandardProtos, AreKnownByName) {
  using Places = std::vector<std::string>;
  EXPECT_EQ(standard_protos("E-puck"),
            Places{"projects/robots/gctronic/e-puck/protos/E-puck.proto"});
  EXPECT_EQ(standard_protos("DARwInOP"), Places{"projects/robots/darwin-op/protos/DARwInOP.proto"});
  EXPECT_EQ(standard_protos("AcousticFoam"),
            Places{"projects/appearances/protos/AcousticFoam.proto"});
  EXPECT_EQ(standard_protos("Barn"), (Places{"projects/objects/animals/protos/Barn.proto",
                                             "projects/objects/buildings/protos/Barn.proto"}));
  EXPECT_EQ(standard_protos("Tiago++").size(), 3u);
  for (const char* name : {"Appl", "pple", "", "~", "Apple FruitBowl", "protos", "Folders", "#"}) {
    EXPECT_EQ(standard_protos(name), Places{}) << name;
  }
  EXPECT_EQ(later_name("EPuck"), "E-puck");
  EXPECT_EQ(later_name("E-puck"), "");
}

}  // namespace
}  // namespace servosim::assets
