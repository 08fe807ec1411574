// SPDX-License-Identifier: Apache-2.0
#include "assets/library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "assets/address.h"
#include "base/files.h"
#include "run/test_support.h"
#include "support/zip_files.h"

namespace servosim::assets {
namespace {

namespace fs = std::filesystem;

const std::string kPlace = "projects/objects/a/protos/A.proto";
const std::string kOwn = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/" + kPlace;
const std::string kOther = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/" + kPlace;
const std::string kElsewhere = "https://example.org/meshes/m.stl";

class Assets : public testing::Test {
 protected:
  std::string path(const std::string& below) const { return folder_.path() + '/' + below; }
  std::string write(const std::string& below, const std::string& text) const {
    fs::create_directories(fs::path(path(below)).parent_path());
    std::ofstream(path(below)) << text;
    return path(below);
  }
  void keep(const std::string& store, const std::string& address) const {
    write(store + '/' + cache_name(address), "of " + store);
  }
  void remove(const std::string& below) const { fs::remove_all(path(below)); }

  Places places() const {
    return {{path("clone/projects")},
            {path("none"), path("webots")},
            {path("named"), path("assets.zip")},
            {path("downloads")},
            {path("own")}};
  }
  static std::string text_of(const Library& library, const std::string& name) {
    const auto read = library.read(name);
    const auto* error = std::get_if<FileError>(&read);
    return error != nullptr ? error->reason : std::get<std::string>(read);
  }

  TemporaryFolder folder_{"servosim_assets_"};
};

TEST_F(Assets, AreLookedForInAnOrder) {
  const std::string around = write("around/" + kPlace, "of around");
  const std::string clone = write("clone/" + kPlace, "of clone");
  const std::string installed = write("webots/" + kPlace, "of webots");
  for (const char* store : {"named", "downloads", "own"}) {
    keep(store, kOwn);
  }
  test::write_zip(path("assets.zip"), {{cache_name(kOwn), "of zip"}});
  const auto text = [&] {
    const Library library(places());
    return text_of(library, library.find(kOwn, path("around/projects/worlds")));
  };
  EXPECT_EQ(text(), "of around");
  remove("around");
  EXPECT_EQ(text(), "of clone");
  remove("clone");
  EXPECT_EQ(text(), "of webots");
  remove("webots");
  EXPECT_EQ(text(), "of named");
  remove("named");
  EXPECT_EQ(text(), "of zip");
  remove("assets.zip");
  EXPECT_EQ(text(), "of downloads");
  remove("downloads");
  EXPECT_EQ(text(), "of own");
  remove("own");
  EXPECT_EQ(Library(places()).find(kOwn, path("around")), "");
}

TEST_F(Assets, InACacheHaveTheNameOfTheirAddress) {
  keep("downloads", kElsewhere);
  const Library library(places());
  EXPECT_EQ(library.find(kElsewhere, "/"), kElsewhere);
  EXPECT_EQ(text_of(library, kElsewhere), "of downloads");
  EXPECT_EQ(library.find("https://example.org/meshes/M.stl", "/"), "");
}

TEST_F(Assets, OfAnotherReleaseAreTakenLast) {
  keep("named", kOther);
  keep("own", kOwn);
  EXPECT_EQ(Library(places()).find(kOwn, "/"), kOwn);
  remove("own");
  EXPECT_EQ(Library(places()).find(kOwn, "/"), kOther);
  EXPECT_EQ(
      Library(places()).find(kOwn, "/", [](const std::string& name) { return name != kOther; }),
      "");
}

TEST_F(Assets, OpenAsFilesAlsoFromAnArchive) {
  test::write_zip(path("assets.zip"), {{cache_name(kElsewhere), "bytes of a mesh"}});
  const Library library(places());
  auto opened = library.open(library.find(kElsewhere, "/"));
  ASSERT_TRUE(std::holds_alternative<Descriptor>(opened));
  char text[100] = {};
  EXPECT_EQ(::read(std::get<Descriptor>(opened).get(), text, sizeof text), 15);
  EXPECT_STREQ(text, "bytes of a mesh");
}

TEST_F(Assets, MayBeGoneLater) {
  keep("own", kElsewhere);
  const Library library(places());
  ASSERT_EQ(library.find(kElsewhere, "/"), kElsewhere);
  remove("own");
  EXPECT_EQ(text_of(library, kElsewhere), "is in no cache any more");
  EXPECT_TRUE(std::holds_alternative<FileError>(library.open(kElsewhere)));
}

TEST_F(Assets, FaultsAreOfPlacesThatAUserNames) {
  write("assets.zip", "no zip");
  const Library library(places());
  EXPECT_EQ(library.faults(),
            (std::vector<std::string>{
                "'" + path("named") + "' does not exist",
                "'" + path("assets.zip") + "' is no zip archive, or a damaged one"}));
}

TEST_F(Assets, ArePlacedByTheEnvironment) {
  const test::ScopedVariable home("HOME", "/home/u");
  const test::ScopedVariable cache("XDG_CACHE_HOME", "/cache");
  const test::ScopedVariable webots("WEBOTS_HOME", "/opt/webots");
  const test::ScopedVariable listed("SERVOSIM_ASSETS", "/a.zip::/b");
  const test::ScopedVariable temporary("TMPDIR", folder_.path());
  const Places here = places_here({"/lib"}, {"/given"});
  EXPECT_EQ(here.proto_paths, std::vector<std::string>{"/lib"});
  EXPECT_EQ(here.installations.at(0), "/opt/webots");
  EXPECT_EQ(here.installations.at(1), "/usr/local/webots");
  EXPECT_EQ(here.named_stores, (std::vector<std::string>{"/given", "/a.zip", "/b"}));
  EXPECT_EQ(here.webots_caches.at(0), "/cache/Cyberbotics/Webots/assets");
  EXPECT_EQ(here.webots_caches.at(1), "/home/u/.cache/Cyberbotics/Webots/assets");
  EXPECT_EQ(here.own_caches, std::vector<std::string>{"/cache/servosim/assets"});
  const test::ScopedVariable none("XDG_CACHE_HOME", "");
  EXPECT_EQ(places_here({}, {}).own_caches,
            std::vector<std::string>{"/home/u/.cache/servosim/assets"});
}

TEST_F(Assets, SayHowToGetThem) {
  EXPECT_EQ(how_to_get("file:///etc/x.stl"),
            "'servosim fetch WORLD' does not download it, since file:///etc/x.stl is neither an "
            "http nor an https address");
  EXPECT_EQ(how_to_get(kElsewhere), "'servosim fetch WORLD' looks for it at " + kElsewhere);
  EXPECT_EQ(how_to_get(kOwn),
            "'servosim fetch WORLD' looks for it at " + kOwn +
                ", and so does a run with an installation of Webots (WEBOTS_HOME), "
                "a clone of it (--proto-path) or its archive of assets (--assets)");
}

}  // namespace
}  // namespace servosim::assets
