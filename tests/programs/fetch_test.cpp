// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assets/address.h"
#include "assets/digest.h"
#include "programs/program.h"
#include "programs/shell.h"
#include "programs/web_server.h"
#include "support/mesh_files.h"

// `servosim fetch` with a web server on the loopback device.

namespace servosim::test {
namespace {

namespace fs = std::filesystem;
constexpr const char* kFree =
    "# license: Apache License 2.0\n# license url: https://example.org/a\n";
constexpr const char* kBound =
    "# license: Copyright Cyberbotics Ltd. Licensed for use only with Webots.\n"
    "# license url: https://cyberbotics.com/webots_assets_license\n";

// Returns a PROTO of that name with a Solid of mass 2.5 kg.
std::string proto(const std::string& name, const std::string& head = kFree,
                  const std::string& body = {}) {
  return "#VRML_SIM R2023b utf8\n" + head + "PROTO " + name + " [ ] { Solid { name \"" + name +
         "\" physics Physics { density -1 mass 2.5 } boundingObject Box { size 0.5 0.25 0.75 } " +
         body + " } }\n";
}

class Fetch : public testing::Test {
 protected:
  // Writes a world that uses P from `path` of the server.
  std::string world(const std::string& path, const std::string& name = "P") const {
    return folder_.write("worlds/w.wbt", "#VRML_SIM R2023b utf8\nEXTERNPROTO \"" +
                                             server_.address(path) + "\"\nWorldInfo { }\n" + name +
                                             " { }\n");
  }
  fs::path cached(const std::string& address) const {
    return folder_ / ("cache/servosim/assets/" + assets::cache_name(address));
  }
  fs::path cached_path(const std::string& path) const { return cached(server_.address(path)); }
  // Returns the files of the cache except for the index.
  std::set<std::string> cached_files() const {
    std::set<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_ / "cache/servosim/assets", none)) {
      if (entry.path().filename() != "index.jsonl") {
        names.insert(entry.path().filename().string());
      }
    }
    return names;
  }
  nlohmann::json index_of(const std::string& address) const {
    nlohmann::json found;
    for (const std::string& line :
         lines_of(read_text(folder_ / "cache/servosim/assets/index.jsonl"))) {
      const auto entry = nlohmann::json::parse(line);
      found = entry["url"] == address ? entry : found;
    }
    return found;
  }
  // Expects a command to fail with this reason for the only file.
  void expect_failure(const std::string& path, const std::string& reason,
                      const Lines& options = {}) const {
    Lines arguments{"fetch", world(path)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    Program program(arguments);
    EXPECT_EQ(program.finish(), 1) << path;
    EXPECT_TRUE(contains(program.out(), server_.address(path) + ": " + reason)) << program.out();
    EXPECT_TRUE(contains(program.out(), "0 files fetched, 0 here, 0 left out, 1 failed"))
        << program.out();
    EXPECT_FALSE(fs::exists(cached_path(path)));
  }

  TempFolder folder_;
  ScopedVariable cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
  ScopedVariable no_proxy_{"no_proxy", "127.0.0.1"};
  WebServer server_{folder_};
};

TEST_F(Fetch, GetsWhatAWorldLeadsTo) {
  server_.serve("p/P.proto", proto("P", std::string(kFree) + "EXTERNPROTO \"../q/Q.proto\"\n",
                                   "children [ Q { } ]"));
  server_.serve("q/Q.proto", proto("Q", kFree,
                                   "children [ Solid { physics Physics { } boundingObject Mesh { "
                                   "url \"meshes/m.stl\" } } Shape { "
                                   "appearance PBRAppearance { baseColorMap ImageTexture { url "
                                   "\"textures/t.png\" } } } ]"));
  server_.serve("q/meshes/m.stl", stl_text(tetrahedron(0.5, 0.25, 0.75)));
  server_.serve("q/textures/t.png", "picture");
  const std::string path = world("files/p/P.proto");
  Program before({"check", path});
  EXPECT_EQ(before.finish(), 3);
  EXPECT_TRUE(contains(
      before.out(), "'servosim fetch WORLD' looks for it at " + server_.address("files/p/P.proto")))
      << before.out();
  Program program({"fetch", path});
  EXPECT_EQ(program.finish(), 0) << program.out() << program.err();
  EXPECT_TRUE(contains(program.out(), "3 files fetched, 0 here, 0 left out, 0 failed; into " +
                                          (folder_ / "cache/servosim/assets").string()))
      << program.out();
  EXPECT_TRUE(contains(program.out(), server_.address("files/q/Q.proto") +
                                          "  licence: Apache License 2.0 (https://example.org/a)"))
      << program.out();
  for (const char* file : {"p/P.proto", "q/Q.proto", "q/meshes/m.stl"}) {
    EXPECT_EQ(read_text(cached_path(std::string("files/") + file)),
              read_text(folder_ / (std::string("served/") + file)));
  }
  EXPECT_EQ(cached_files().size(), 3u);
  Program after({"check", path});
  EXPECT_EQ(after.finish(), 0);
  EXPECT_EQ(after.last_line(), "1 world: 0 errors, 0 warnings\n") << after.out();
  Program with_textures({"fetch", "--textures", path});
  EXPECT_EQ(with_textures.finish(), 0);
  EXPECT_TRUE(contains(with_textures.out(), "1 file fetched, 3 here")) << with_textures.out();
  EXPECT_EQ(read_text(cached_path("files/q/textures/t.png")), "picture");
}

// fetch runs the template, as a run does.
TEST_F(Fetch, GetsWhatATemplateComputes) {
  server_.serve("P.proto",
                "#VRML_SIM R2023b utf8\n# license: MIT\n# template language: javascript\n"
                "PROTO P [ field SFString size \"large\" ] { Solid { boundingObject Mesh "
                "{ url \"m_%<= fields.size.value >%.stl\" } } }\n");
  server_.serve("m_large.stl", stl_text(tetrahedron(0.5, 0.25, 0.75)));
  const std::string path = world("files/P.proto");
  Program listed({"fetch", "--dry-run", path});
  EXPECT_EQ(listed.finish(), 0);
  EXPECT_TRUE(contains(listed.out(), "m_large.stl  licence: MIT")) << listed.out();
  Program program({"fetch", path});
  EXPECT_EQ(program.finish(), 0) << program.out();
  EXPECT_TRUE(contains(program.out(), "2 files fetched, 0 here")) << program.out();
  EXPECT_TRUE(fs::exists(cached_path("files/m_large.stl")));
}

TEST_F(Fetch, RecordsWhatItGets) {
  const std::string text = proto("P");
  server_.serve("P.proto", text);
  Program program({"fetch", world("files/P.proto")});
  ASSERT_EQ(program.finish(), 0) << program.out();
  const auto entry = index_of(server_.address("files/P.proto"));
  EXPECT_EQ(entry["size"], text.size());
  EXPECT_EQ(entry["sha256"], assets::sha256(text));
  EXPECT_EQ(entry["file"], assets::cache_name(server_.address("files/P.proto")));
  EXPECT_EQ(entry["licence"], "Apache License 2.0");
  EXPECT_EQ(entry["licence_url"], "https://example.org/a");
  EXPECT_EQ(entry["date"].get<std::string>().size(), 20u);
}

TEST_F(Fetch, AsksForNothingThatIsThere) {
  server_.serve("P.proto", proto("P"));
  const std::string path = world("files/P.proto");
  Program first({"fetch", path});
  EXPECT_EQ(first.finish(), 0);
  Program second({"fetch", path});
  EXPECT_EQ(second.finish(), 0);
  EXPECT_TRUE(contains(second.out(), "0 files fetched, 1 here")) << second.out();
  EXPECT_EQ(server_.requests().size(), 1u);
  // A file that has changed since its download is no longer valid.
  std::ofstream(cached_path("files/P.proto")) << "broken";
  Program third({"fetch", path});
  EXPECT_EQ(third.finish(), 0);
  EXPECT_TRUE(contains(third.out(), "1 file fetched, 0 here")) << third.out();
  EXPECT_EQ(read_text(cached_path("files/P.proto")), proto("P"));
  // Files that are found on this machine are not fetched.
  folder_.write("protos/P.proto", proto("P"));
  fs::remove_all(folder_ / "cache");
  Program fourth({"fetch", path});
  EXPECT_EQ(fourth.finish(), 0);
  EXPECT_TRUE(contains(fourth.out(), "0 files fetched, 0 here")) << fourth.out();
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(Fetch, OfADryRunKeepsNothing) {
  server_.serve("P.proto", proto("P", std::string(kFree) + "EXTERNPROTO \"Q.proto\"\n",
                                 "boundingObject Mesh { url \"m.stl\" } children Q { }"));
  server_.serve("Q.proto", proto("Q", kBound));
  server_.serve("m.stl", stl_text(tetrahedron(0.5, 0.25, 0.75)));
  const std::string path = world("files/P.proto");
  Program program({"fetch", "--dry-run", path});
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_EQ(program.last_line(),
            "What is left out may be used with Webots only. If you hold that licence, "
            "--accept-licence webots fetches it.\n");
  EXPECT_TRUE(contains(program.out(), path + ": 2 files would be fetched, 0 here, 1 left out, 0 "
                                             "failed\n"))
      << program.out();
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
  EXPECT_EQ(server_.requests(), (Lines{"/files/P.proto", "/files/Q.proto"}));
  // For a file in the cache it prints what was recorded.
  Program real({"fetch", path});
  EXPECT_EQ(real.finish(), 0);
  Program again({"fetch", "--dry-run", path});
  EXPECT_EQ(again.finish(), 0);
  EXPECT_TRUE(contains(again.out(), server_.address("files/P.proto") +
                                        "  licence: Apache License 2.0 (https://example.org/a)"))
      << again.out();
}

TEST_F(Fetch, LeavesOutWhatIsForWebotsOnly) {
  server_.serve("P.proto", proto("P", kBound, "boundingObject Mesh { url \"m.stl\" }"));
  server_.serve("m.stl", stl_text(tetrahedron(0.5, 0.25, 0.75)));
  const std::string path = world("files/P.proto");
  Program without({"fetch", path});
  EXPECT_EQ(without.finish(), 0);
  EXPECT_TRUE(contains(without.out(), "left out")) << without.out();
  EXPECT_TRUE(contains(without.out(),
                       "licence: Copyright Cyberbotics Ltd. Licensed for use only with Webots. "
                       "(https://cyberbotics.com/webots_assets_license)"))
      << without.out();
  EXPECT_TRUE(contains(without.out(), "0 files fetched, 0 here, 1 left out, 0 failed"));
  EXPECT_EQ(cached_files(), std::set<std::string>{});
  Program with({"fetch", "--accept-licence", "webots", path});
  EXPECT_EQ(with.finish(), 0);
  EXPECT_TRUE(contains(with.out(), "2 files fetched, 0 here, 0 left out, 0 failed")) << with.out();
  // The meshes of a PROTO in the cache have the PROTO's licence.
  fs::remove(cached_path("files/m.stl"));
  Program mesh({"fetch", path});
  EXPECT_EQ(mesh.finish(), 0);
  EXPECT_TRUE(contains(mesh.out(), "0 files fetched, 1 here, 1 left out, 0 failed")) << mesh.out();
}

TEST_F(Fetch, FollowsRedirects) {
  server_.serve("P.proto", proto("P", std::string(kFree) + "EXTERNPROTO \"Q.proto\"\n"));
  // The address that the world names counts, also for addresses that are relative to it.
  server_.serve("Q.proto", proto("Q"));
  Program program({"fetch", world("redirect/3/files/P.proto")});
  EXPECT_EQ(program.finish(), 0) << program.out();
  EXPECT_EQ(read_text(cached_path("redirect/3/files/P.proto")),
            read_text(folder_ / "served/P.proto"));
  EXPECT_TRUE(fs::exists(cached_path("redirect/3/files/Q.proto"))) << program.out();
}

TEST_F(Fetch, EndsWithBadAnswers) {
  server_.serve("P.proto", proto("P"));
  const auto is_empty = [&] { EXPECT_EQ(cached_files(), std::set<std::string>{}); };
  expect_failure("files/none/P.proto", "the server answers with status 404");
  expect_failure("error/500/P.proto", "the server answers with status 500");
  expect_failure("circle/P.proto", "more than 10 redirects");
  expect_failure("redirect/11/files/P.proto", "more than 10 redirects");
  expect_failure("local/P.proto",
                 "a redirect leads to what is neither an http nor an https address");
  expect_failure("page/P.proto", "the server sends a page for browsers in its place");
  expect_failure("garbage/P.proto", "the answer is no HTTP");
  expect_failure("headers/P.proto", "the answer has too long a header");
  expect_failure("huge/P.proto", "it is larger than the limit of 100000000 bytes");
  expect_failure("endless/P.proto", "it is larger than the limit of 3000000 bytes",
                 {"--max-size", "3"});
  is_empty();
  server_.serve("P.proto", "WorldInfo { }");
  expect_failure("files/P.proto", "is no PROTO file");
  is_empty();
}

TEST_F(Fetch, AsksABusyServerAgainAfterAWhile) {
  server_.serve("P.proto", proto("P"));
  for (const std::string path : {"busy/503/P.proto", "busy/429/P.proto"}) {
    Program program({"fetch", world(path)});
    EXPECT_EQ(program.finish(), 0) << program.out();
    EXPECT_GE(program.seconds(), 1.0) << path;
  }
  EXPECT_EQ(server_.requests().size(), 4u);
}

// Files from strangers may not make fetch send requests into the user's network.
TEST_F(Fetch, AsksServersOfThisMachineOnlyIfTheUserNamesThem) {
  const ScopedVariable no_proxy("no_proxy", "*");
  const std::string refusal = "of 127.0.0.2, of this machine or of a network that is not public";
  const std::string address = server_.address("");
  const std::string port = address.substr(address.rfind(':') + 1);
  const std::string of_other = "it leads to port " + port.substr(0, port.find('/')) + ' ' + refusal;
  expect_failure("host/127.0.0.2/files/P.proto", of_other);
  const std::string other =
      "http://127.0.0.2" +
      server_.address("files/Q.proto").substr(std::string("http://127.0.0.1").size());
  server_.serve("P.proto", proto("P", std::string(kFree) + "EXTERNPROTO \"" + other + "\"\n",
                                 "children Q { }"));
  Program program({"fetch", world("files/P.proto")});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.out(), other + ": " + of_other)) << program.out();
  // An address that the world itself names is not refused.
  folder_.write("worlds/w.wbt",
                "#VRML_SIM R2023b utf8\nEXTERNPROTO \"" + other + "\"\nWorldInfo { }\nQ { }\n");
  Program named({"fetch", (folder_ / "worlds/w.wbt").string()});
  EXPECT_EQ(named.finish(), 1);
  EXPECT_FALSE(contains(named.out(), refusal)) << named.out();
}

// The program that listens there may be the user's own, behind a firewall.
TEST_F(Fetch, FollowsNoRedirectToAnotherPortOfThisMachine) {
  const TempFolder elsewhere;
  const WebServer other(elsewhere);
  other.serve("P.proto", proto("P"));
  const std::string address = other.address("");
  const std::string port = std::to_string(std::stoi(address.substr(address.rfind(':') + 1)));
  expect_failure("port/" + port + "/files/P.proto",
                 "it leads to port " + port + " of 127.0.0.1, of this machine");
  EXPECT_EQ(other.requests().size(), 0u);
}

TEST_F(Fetch, RemovesTheFolderOfADryRunWhenItIsInterrupted) {
  server_.serve("P.proto", proto("P"));
  fs::create_directories(folder_ / "tmp");
  const ScopedVariable temporary("TMPDIR", (folder_ / "tmp").string());
  Program program({"fetch", "--dry-run", world("pausing/P.proto")});
  for (int i = 0; i < 1000 && server_.requests().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(fs::is_empty(folder_ / "tmp"));
  program.send_signal(SIGINT);
  EXPECT_EQ(program.finish(), 128 + SIGINT);
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
}

TEST_F(Fetch, ReadsTheWorldFromStandardInputToo) {
  server_.serve("P.proto", proto("P"));
  static_cast<void>(world("files/P.proto"));
  const ShellResult result = shell("servosim fetch - < worlds/w.wbt 2>&1", folder_.path());
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(contains(result.output, "-: 1 file fetched, 0 here")) << result.output;
}

TEST_F(Fetch, EndsWithSlowAnswers) {
  server_.serve("P.proto", proto("P"));
  expect_failure("slow/P.proto", "the answer is too slow: ", {"--timeout", "1"});
}

TEST_F(Fetch, EndsWithoutAServer) {
  folder_.write("worlds/w.wbt",
                "#VRML_SIM R2023b utf8\nEXTERNPROTO \"http://127.0.0.1:1/P.proto\"\nEXTERNPROTO "
                "\"http://127.0.0.1:1/Q.proto\"\nEXTERNPROTO \"ftp://127.0.0.1/R.proto\"\n"
                "EXTERNPROTO \"http://me:word@127.0.0.1/S.proto\"\nP { }\n");
  Program program({"fetch", (folder_ / "worlds/w.wbt").string()});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(
      contains(program.out(), "http://127.0.0.1:1/P.proto: the server accepts no connection"))
      << program.out();
  EXPECT_TRUE(
      contains(program.out(), "http://127.0.0.1:1/Q.proto: is of a server that cannot be reached"));
  EXPECT_TRUE(
      contains(program.out(), "ftp://127.0.0.1/R.proto: is neither an http nor an https address"));
  EXPECT_TRUE(contains(program.out(), "S.proto: has a user name in its address"));
}

TEST_F(Fetch, GoesOnWhereAnAnswerBrokeOff) {
  server_.serve("P.proto", proto("P"));
  const std::size_t half = proto("P").size() / 2;
  Program program({"fetch", world("once/P.proto")});
  EXPECT_EQ(program.finish(), 0) << program.out();
  EXPECT_EQ(read_text(cached_path("once/P.proto")), proto("P"));
  EXPECT_EQ(server_.requests(),
            (Lines{"/once/P.proto", "/once/P.proto bytes=" + std::to_string(half) + "-"}));
}

TEST_F(Fetch, KeepsAPartForTheNextCall) {
  server_.serve("P.proto", proto("P"));
  const std::string path = world("truncated/P.proto");
  Program program({"fetch", path});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.out(), "the answer ended after " +
                                          std::to_string(proto("P").size() / 2) +
                                          " bytes, too early; the next call goes on from there"))
      << program.out();
  EXPECT_EQ(server_.requests().size(), 3u);
  EXPECT_TRUE(fs::exists(cached_path("truncated/P.proto").string() + ".part"));
  EXPECT_FALSE(fs::exists(cached_path("truncated/P.proto")));
  Program check({"check", path});  // a partial download is no file
  EXPECT_EQ(check.finish(), 3);
  EXPECT_TRUE(contains(check.out(), "PROTO 'P' not found")) << check.out();
}

TEST_F(Fetch, GoesOnAfterItWasKilled) {
  std::string large = proto("P");
  for (int i = 0; i < 20'000; ++i) {
    large += "# line " + std::to_string(i) + '\n';
  }
  server_.serve("P.proto", large);
  const std::string part = cached_path("pausing/P.proto").string() + ".part";
  const std::string path = world("pausing/P.proto");
  {
    Program program({"fetch", path});
    std::error_code none;
    for (int i = 0; i < 1000 && (!fs::exists(part) || fs::file_size(part, none) < large.size() / 2);
         ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    program.send_signal(SIGKILL);
    EXPECT_EQ(program.finish(), -SIGKILL);
  }
  ASSERT_EQ(fs::file_size(part), large.size() / 2);
  Program program({"fetch", path});
  EXPECT_EQ(program.finish(), 0) << program.out();
  EXPECT_EQ(read_text(cached_path("pausing/P.proto")), large);
  EXPECT_EQ(server_.requests().back(),
            "/pausing/P.proto bytes=" + std::to_string(large.size() / 2) + "-");
  EXPECT_EQ(cached_files().size(), 1u);
}

// Then the part is not the beginning of the file that the server has now.
TEST_F(Fetch, BeginsAnewWhenTheFileHasChanged) {
  server_.serve("P.proto", proto("P"));
  const std::string path = world("truncated/P.proto");
  Program first({"fetch", path});
  EXPECT_EQ(first.finish(), 1);
  // From now on the same address gives a complete answer with another text.
  const std::string part = cached_path("truncated/P.proto").string() + ".part";
  const std::string part_of_files = cached_path("files/P.proto").string() + ".part";
  fs::copy_file(part, part_of_files);
  std::string notes = read_text(part + ".json");
  notes.replace(notes.find("truncated"), 9, "files");
  std::ofstream(part_of_files + ".json") << notes;
  const std::string other = proto("P", "# license: other\n");
  server_.serve("P.proto", other);
  Program second({"fetch", world("files/P.proto")});
  EXPECT_EQ(second.finish(), 0) << second.out();
  EXPECT_EQ(read_text(cached_path("files/P.proto")), other);
  // A server without ranges sends all of the file.
  Program plain({"fetch", world("plain/P.proto")});
  EXPECT_EQ(plain.finish(), 0) << plain.out();
  EXPECT_EQ(read_text(cached_path("plain/P.proto")), other);
}

TEST_F(Fetch, IsLimited) {
  std::string externs;
  for (int i = 2; i < 6; ++i) {
    server_.serve("P" + std::to_string(i) + ".proto", proto("P" + std::to_string(i)));
    externs += "EXTERNPROTO \"P" + std::to_string(i) + ".proto\"\n";
  }
  server_.serve("P.proto", proto("P", kFree + externs));
  Program files({"fetch", "--max-files", "3", world("files/P.proto")});
  EXPECT_EQ(files.finish(), 1);
  EXPECT_TRUE(contains(files.out(), "3 files fetched, 0 here, 0 left out, 1 failed"))
      << files.out();
  EXPECT_TRUE(contains(files.out(),
                       "is beyond the limit of 3 files, --max-files; nothing more is fetched"));
  fs::remove_all(folder_ / "cache");
  server_.serve("P2.proto", proto("P2") + std::string(1'000'000, '#'));
  Program bytes({"fetch", "--max-total", "0.9", world("files/P.proto")});
  EXPECT_EQ(bytes.finish(), 1);
  EXPECT_TRUE(contains(bytes.out(), "P2.proto: it is larger than the limit of ")) << bytes.out();
}

TEST_F(Fetch, EndsAtItsTimeForAll) {
  server_.serve("Q.proto", proto("Q"));
  server_.serve("P.proto",
                proto("P", std::string(kFree) + "EXTERNPROTO \"" + server_.address("slow/Q.proto") +
                               "\"\nEXTERNPROTO \"" + server_.address("files/Q2.proto") + "\"\n"));
  Program program({"fetch", "--max-time", "3", world("files/P.proto")});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.out(), server_.address("slow/Q.proto") + ": ")) << program.out();
  EXPECT_TRUE(contains(program.out(),
                       "Q2.proto: is beyond the limit of 3 s for all files, "
                       "--max-time; nothing more is fetched"))
      << program.out();
}

// A cache may have the file of another release only, which a run uses then.
TEST_F(Fetch, SaysWhereItUsesAnotherRelease) {
  const std::string place = "projects/objects/fruits/protos/Apple.proto";
  const std::string published =
      "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/" + place;
  const std::string path =
      folder_.write("worlds/w.wbt", "#VRML_SIM R2025a utf8\nEXTERNPROTO \"webots://" + place +
                                        "\"\nWorldInfo { }\nApple { }\n");
  const std::string used = published + ", in place of that of R2025a  licence: Apache License 2.0";
  folder_.write("store/" + assets::cache_name(published), proto("Apple"));
  Program store({"fetch", "--assets", folder_ / "store", path});
  EXPECT_EQ(store.finish(), 0) << store.out();
  EXPECT_TRUE(contains(store.out(), used)) << store.out();
  EXPECT_TRUE(contains(store.out(), "0 files fetched, 1 here")) << store.out();
  folder_.write("cache/servosim/assets/" + assets::cache_name(published), proto("Apple"));
  Program own({"fetch", "--dry-run", path});
  EXPECT_EQ(own.finish(), 0) << own.out();
  EXPECT_TRUE(contains(own.out(), published + ", in place of that of R2025a")) << own.out();
  EXPECT_EQ(server_.requests(), Lines{});
}

// Worlds before EXTERNPROTO use the table of PROTOs that come with Webots.
TEST_F(Fetch, GetsWhatAnOldWorldNames) {
  const std::string place = "R2021b/projects/objects/fruits/protos/Apple.proto";
  server_.serve(place, proto("Apple"));
  const std::string path = folder_.write("worlds/w.wbt",
                                         "#VRML_SIM R2021b utf8\nWorldInfo { }\nApple { }\n"
                                         "Unknown { }\n");
  const std::string canonical = "https://raw.githubusercontent.com/cyberbotics/webots/" + place;
  Program check({"check", path});
  EXPECT_EQ(check.finish(), 3);
  EXPECT_TRUE(contains(check.out(),
                       "PROTO 'Unknown' not found; the node is left out; Webots has none of this "
                       "name; --proto-path FOLDER names its folder\n"))
      << check.out();
  Program program({"fetch", "--mirror", server_.address("files"), path});
  EXPECT_EQ(program.finish(), 0) << program.out();
  EXPECT_TRUE(contains(program.out(), "1 file fetched, 0 here")) << program.out();
  EXPECT_TRUE(fs::exists(cached(canonical)));
  EXPECT_EQ(server_.requests(), Lines{"/files/" + place});
  EXPECT_TRUE(contains(program.out(), canonical + " from " + server_.address("files/" + place)))
      << program.out();
  // A file that Webots publishes without a licence of its own has the licence of Webots' assets.
  fs::remove_all(folder_ / "cache");
  server_.serve(place, proto("Apple", ""));
  Program bound({"fetch", "--mirror", server_.address("files"), path});
  EXPECT_EQ(bound.finish(), 0);
  EXPECT_TRUE(contains(bound.out(), "0 files fetched, 0 here, 1 left out")) << bound.out();
}

// In another release than that of the world, the PROTO was in another folder.
TEST_F(Fetch, AsksForAnOldNameInTheReleasesNearTheWorlds) {
  const std::string of_old = "projects/objects/gear/protos/Gear.proto";
  const std::string of_new = "projects/objects/gears/protos/Gear.proto";
  const std::string text = proto("Gear");
  const std::string of_2021 = "#VRML_SIM R2021b utf8" + text.substr(text.find('\n'));
  server_.serve("R2022b/" + of_new, text);  // has other axes than the world, so it is not requested
  server_.serve("R2020b/" + of_new, of_2021);
  server_.serve("R2020a/" + of_old, of_2021);
  const std::string path =
      folder_.write("worlds/w.wbt", "#VRML_SIM R2021b utf8\nWorldInfo { }\nGear { }\nGear { }\n");
  Program check({"check", path});
  EXPECT_EQ(check.finish(), 3);
  const std::string said = check.out() + check.err();
  EXPECT_TRUE(contains(said,
                       "PROTO 'Gear' not found; the node is left out; it is a PROTO of "
                       "Webots: 'servosim fetch WORLD' downloads it"))
      << said;
  Program program({"run", "--fetch", "--mirror", server_.address("files"), "--steps", "1", path});
  EXPECT_EQ(program.finish(), 0) << program.out() << program.err();
  const std::string used = "https://raw.githubusercontent.com/cyberbotics/webots/R2020b/" + of_new;
  EXPECT_TRUE(contains(program.out(), used + " from ")) << program.out();
  EXPECT_TRUE(fs::exists(cached(used)));
  const Lines asked = server_.requests();
  ASSERT_GE(asked.size(), 4u);
  EXPECT_EQ(asked[0], "/files/R2021b/" + of_old);
  EXPECT_EQ(asked[1], "/files/R2021b/" + of_new);
  EXPECT_EQ(asked[2], "/files/R2021a/" + of_old);
  EXPECT_EQ(asked.back(), "/files/R2020b/" + of_new);
  EXPECT_EQ(std::count_if(asked.begin(), asked.end(),
                          [](const auto& request) { return contains(request, "/R2022"); }),
            0);
  Program again({"run", "--fetch", "--quiet", "--steps", "1", path});
  EXPECT_EQ(again.finish(), 0) << again.out() << again.err();
  EXPECT_EQ(server_.requests().size(), asked.size());
}

TEST_F(Fetch, GetsForEachUserAReleaseWithItsAxes) {
  const std::string gear = "projects/objects/gears/protos/Gear.proto";
  const std::string text = proto("Gear");
  const std::string body = text.substr(text.find('\n'));
  server_.serve("R2022a/" + gear, "#VRML_SIM R2022a utf8" + body);
  server_.serve("R2021b/" + gear, "#VRML_SIM R2021b utf8" + body);
  folder_.write("protos/Old.proto",
                "#VRML_SIM R2021b utf8\nPROTO Old [ ] { Group { children [ Gear { } ] } }\n");
  const std::string path =
      folder_.write("worlds/w.wbt", "#VRML_SIM R2022a utf8\nWorldInfo { }\nGear { }\nOld { }\n");
  Program program({"fetch", "--mirror", server_.address("files"), path});
  EXPECT_EQ(program.finish(), 0) << program.out() << program.err();
  for (const char* release : {"R2022a/", "R2021b/"}) {
    const std::string address =
        std::string("https://raw.githubusercontent.com/cyberbotics/webots/") + release + gear;
    EXPECT_TRUE(fs::exists(cached(address))) << release << program.out();
  }
}

TEST_F(Fetch, SaysThatNoReleaseHasAnOldName) {
  const std::string path =
      folder_.write("worlds/w.wbt", "#VRML_SIM R2019a utf8\nWorldInfo { }\nBlimp { }\n");
  server_.serve("R2023b/projects/robots/epfl/lis/protos/Blimp.proto", proto("Blimp"));
  Program program({"fetch", "--mirror", server_.address("files"), path});
  EXPECT_EQ(program.finish(), 1);
  EXPECT_TRUE(contains(program.out(), "/projects/robots/epfl/lis/protos/Blimp.proto"))
      << program.out();
  EXPECT_TRUE(contains(program.out(),
                       ": is in none of the releases of Webots with the axes of this world (10 "
                       "files were"))
      << program.out();
  EXPECT_TRUE(contains(program.out(), "0 files fetched, 0 here, 0 left out, 1 failed"))
      << program.out();
  // Worlds since R2022a read the files of all releases.
  server_.serve("R2019b/projects/robots/epfl/lis/protos/Blimp.proto",
                "#VRML_SIM R2019b utf8\n" + std::string(kFree) + "PROTO Blimp [ ] { Solid { } }\n");
  server_.serve("R2020a/projects/robots/epfl/lis/protos/Blimp.proto",
                "#VRML_SIM R2020a utf8\n" + std::string(kFree) + "PROTO Blimp [ ] { Solid { } }\n");
  fs::remove(folder_ / "served/R2023b/projects/robots/epfl/lis/protos/Blimp.proto");
  const std::string newer =
      folder_.write("worlds/new.wbt", "#VRML_SIM R2022a utf8\nWorldInfo { }\nBlimp { }\n");
  Program one({"fetch", "--mirror", server_.address("files"), newer});
  EXPECT_EQ(one.finish(), 0) << one.out();
  EXPECT_TRUE(contains(one.out(), "/R2020a/")) << one.out();
  EXPECT_TRUE(contains(one.out(), "1 file fetched, 0 here, 0 left out, 0 failed")) << one.out();
}

TEST_F(Fetch, BeforeARunObeysTheLicence) {
  server_.serve(
      "R2021b/projects/robots/epfl/lis/protos/Blimp.proto",
      "#VRML_SIM R2021b utf8\n" + std::string(kBound) + "PROTO Blimp [ ] { Solid { } }\n");
  const std::string path =
      folder_.write("worlds/w.wbt", "#VRML_SIM R2021b utf8\nWorldInfo { }\nBlimp { }\n");
  const Lines command{"run", "--fetch", "--mirror", server_.address("files"), "--steps", "1", path};
  Program without(command);
  EXPECT_EQ(without.finish(), 3);
  EXPECT_TRUE(contains(without.out(), "1 left out")) << without.out();
  Lines with = command;
  with.insert(with.end(), {"--accept-licence", "webots"});
  Program holder(with);
  EXPECT_EQ(holder.finish(), 0) << holder.out() << holder.err();
  Program unasked({"run", "--accept-licence", "webots", path});
  EXPECT_EQ(unasked.finish(), 2);
}

TEST_F(Fetch, WaitsForAnotherOne) {
  server_.serve("P.proto", proto("P"));
  const std::string path = world("pausing/P.proto");
  Program first({"fetch", path});
  const std::string part = cached_path("pausing/P.proto").string() + ".part";
  for (int i = 0; i < 1000 && !fs::exists(part); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  Program second({"fetch", path});
  EXPECT_TRUE(second.wait_for_errors("another 'servosim fetch' writes into the cache"))
      << second.err();
  first.send_signal(SIGKILL);
  EXPECT_EQ(first.finish(), -SIGKILL);
  EXPECT_EQ(second.finish(), 0) << second.out();
  EXPECT_TRUE(contains(second.out(), "1 file fetched, 0 here")) << second.out();
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(Fetch, SaysWhatIsWrong) {
  Program none({"fetch", "/nowhere/w.wbt"});
  EXPECT_EQ(none.finish(), 2);
  EXPECT_EQ(none.err(),
            "servosim: error: '/nowhere/w.wbt' cannot be read: No such file or directory\n");
  Program no_mirror({"fetch", "--mirror", "nonsense", "/nowhere/w.wbt"});
  EXPECT_EQ(no_mirror.finish(), 2);
  EXPECT_TRUE(
      contains(no_mirror.err(), "--mirror: 'nonsense' is neither an http nor an https address"))
      << no_mirror.err();
  Program no_world({"fetch", folder_.write("x.wbt", "text").string()});
  EXPECT_EQ(no_world.finish(), 2);
  EXPECT_TRUE(contains(no_world.err(), "is no Webots world")) << no_world.err();
  const std::string path =
      folder_.write("worlds/w.wbt", "#VRML_SIM R2023b utf8\nEXTERNPROTO \"P.proto\"\nP { }\n");
  Program lost({"fetch", path});
  EXPECT_EQ(lost.finish(), 1);
  EXPECT_TRUE(contains(lost.out(),
                       "P: is not where its EXTERNPROTO line says, and that names no "
                       "address"))
      << lost.out();
  const ScopedVariable blocked("XDG_CACHE_HOME", folder_.write("blocked", "a file").string());
  const TempFolder temporary;
  const ScopedVariable tmp("TMPDIR", temporary.path());
  Program no_cache({"fetch", path});
  EXPECT_EQ(no_cache.finish(), 1);
  EXPECT_TRUE(contains(no_cache.err(), "cannot be written to (Not a directory)")) << no_cache.err();
}

// Only fetch uses the network: other commands send no request.
TEST_F(Fetch, IsTheOnlyCommandThatAsks) {
  server_.serve("P.proto", proto("P"));
  const std::string path = world("files/P.proto");
  for (const Lines& command : {Lines{"check", path}, Lines{"info", path},
                               Lines{"run", "--steps", "2", path}, Lines{"convert", path, "-"}}) {
    Program program(command);
    EXPECT_EQ(program.finish(), command[0] == "check" || command[0] == "run" ? 3 : 0) << command[0];
  }
  EXPECT_EQ(server_.requests(), Lines{});
}

}  // namespace
}  // namespace servosim::test
