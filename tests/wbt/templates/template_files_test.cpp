// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "run/test_support.h"
#include "wbt/proto/proto.h"
#include "wbt/templates/template_expansion.h"
#include "wbt/templates/template_support.h"

namespace servosim::wbt::test {
namespace {

class FileTemplate : public Template {
 protected:
  // Returns the name of the Solid, or the only message.
  std::string written(const std::string& expression) const {
    const ReadWorld w = javascript(
        "PROTO P [ ] {\n%< import * as wbfile from 'wbfile.js'; >%\nSolid { name \"%<= " +
        expression + " >%\" } }");
    return w.messages.empty() ? w.node().string("name") : w.messages[0];
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(FileTemplate, ReadsFilesOfItsProject) {
  project.write("protos/sizes.json", "{\"wheel\": 0.25}");
  project.write("data/ä.txt", "größer\n");
  std::filesystem::create_symlink("../data", project.path("protos/link"));
  EXPECT_EQ(written("JSON.parse(wbfile.readTextFile('sizes.json')).wheel"), "0.25");
  for (const char* path :
       {"'../data/ä.txt'", "'link/ä.txt'", "context.project_path + '/data/../data/ä.txt'",
        "context.proto.replace('P.proto', '../data/ä.txt')"}) {
    EXPECT_EQ(written("wbfile.readTextFile(" + std::string(path) + ").trim()"), "größer") << path;
  }
  EXPECT_EQ(written("[wbfile.isFileExisting('sizes.json'), wbfile.isFileExisting('none.json'), "
                    "wbfile.isFileExisting('../data')]"),
            "true,false,false");
}

TEST_F(FileTemplate, ReadsNoFilesOfOthers) {
  const TemporaryProject others;
  others.write("secret.txt", "secret");
  project.write("protos/P.proto", "");  // makes its folder, too
  std::filesystem::create_symlink(others.path("secret.txt"), project.path("protos/link.txt"));
  std::filesystem::create_symlink(others.path(""), project.path("protos/folder"));
  const std::string own = std::filesystem::path(project.path("")).parent_path().string();
  const std::string other =
      std::filesystem::path(others.path("")).parent_path().filename().string();
  for (const std::string& path :
       {std::string("/etc/passwd"), std::string("/proc/self/environ"), others.path("secret.txt"),
        "../../" + other + "/secret.txt", std::string("link.txt"), std::string("folder/secret.txt"),
        std::string("folder/none.txt"), std::string("folder/../P.proto"), std::string("../.."),
        own + "2"}) {
    for (const std::string function : {"readTextFile", "isFileExisting"}) {
      const std::string said = written("wbfile." + function + "('" + path + "')");
      EXPECT_TRUE(has(said, "file '" + path + "' is outside of '" + own + "',"))
          << function << ": " << said;
    }
  }
  // The operating system follows a path element by element.
  EXPECT_TRUE(has(written("wbfile.readTextFile('none/../link.txt')"), "No such file"));
  EXPECT_EQ(written("'' + wbfile.isFileExisting('none/../link.txt')"), "false");
}

// A PROTO in the home folder, in a folder that happens to be called protos/, must not read all of
// the home folder.
TEST_F(FileTemplate, DoesNotReadTheHomeFolder) {
  project.write("secret.txt", "secret");
  project.write("protos/f.txt", "f");
  const servosim::test::ScopedVariable home("HOME", project.path(""));
  EXPECT_EQ(written("wbfile.readTextFile('f.txt')"), "f");
  EXPECT_TRUE(has(written("wbfile.readTextFile('../secret.txt')"), "is outside of"));
}

TEST_F(FileTemplate, InAFolderThatManyShareReadsNothing) {
  project.write("protos/f.txt", "f");
  const servosim::test::ScopedVariable home("HOME", project.path(""));
  std::filesystem::permissions(std::filesystem::path(project.path("protos/f.txt")).parent_path(),
                               std::filesystem::perms::sticky_bit,
                               std::filesystem::perm_options::add);
  EXPECT_TRUE(has(written("wbfile.readTextFile('f.txt')"), "in a folder that others share"));
}

TEST_F(FileTemplate, MayNotAskForEver) {
  project.write("protos/f.txt", "f");
  EXPECT_TRUE(has(written("(() => { try { for (;;) wbfile.isFileExisting('f.txt'); } catch (e) { "
                          "return e.message; } })()"),
                  "is too much with all that templates have read before"));
  EXPECT_TRUE(
      has(written("(() => { try { return wbfile.isFileExisting('a/'.repeat(1e6)); } catch (e) { "
                  "return e.message.slice(-60); } })()"),
          "has a name of 4096 bytes or more"));
}

TEST_F(FileTemplate, ThatCannotReadAFileIsLeftOut) {
  project.write("protos/large.txt", "");
  // The file is sparse.
  std::filesystem::resize_file(project.path("protos/large.txt"), (16u << 20) + 1);
  project.write("protos/bytes.txt", "\xff\xfe");
  ASSERT_EQ(::mkfifo(project.path("protos/pipe").c_str(), 0600), 0);
  for (const auto& [path, reason] :
       {std::pair("none.txt", "cannot be read: No such file or directory"),
        std::pair(".", "is a directory"), std::pair("pipe", "is not a regular file"),
        std::pair("large.txt", "is larger than 16 MB"), std::pair("a\\0b", "NUL byte"),
        std::pair("bytes.txt", "UTF-8")}) {
    const std::string said = written("wbfile.readTextFile('" + std::string(path) + "')");
    EXPECT_TRUE(has(said, reason)) << path << ": " << said;
  }
  EXPECT_EQ(written("(() => { try { return wbfile.readTextFile('none.txt'); } catch { return "
                    "'instead'; } })()"),
            "instead");
}

TEST_F(FileTemplate, ReadsNoMoreThanAllMayTogether) {
  project.write("protos/P.proto", "");
  project.write("protos/some.txt", std::string(1000, 'x'));
  Proto proto;
  proto.source.folder = std::filesystem::path(project.path("protos/P.proto")).parent_path();
  std::size_t room = 40'000;
  std::size_t read = 0;
  TemplateFileReply reply;
  do {
    reply = answer_of({TemplateFileQuestion::Kind::Text, "some.txt"}, proto, room);
    read += reply.is_refused ? 0 : 1;
  } while (!reply.is_refused && read < 100);
  EXPECT_EQ(read, 2u);  // each costs 16 KiB in addition to its bytes
  EXPECT_EQ(reply.text, "is too much with all that templates have read before");
  EXPECT_EQ(room, 40'000u - 2 * ((16u << 10) + 1000));

  room = (16u << 10) + 999;
  reply = answer_of({TemplateFileQuestion::Kind::Text, "some.txt"}, proto, room);
  EXPECT_TRUE(reply.is_refused);
  EXPECT_EQ(reply.text, "is too much with all that templates have read before");
}

TEST_F(FileTemplate, WritesNone) {
  const ReadWorld w = javascript(R"(PROTO P [ ] {
%< import * as wbfile from 'wbfile.js'; >%
Solid { name "%<= wbfile.writeTextFile('made.txt', 'text') >%" } })");
  EXPECT_EQ(w.messages.size(), 1u);
  EXPECT_TRUE(has(w.messages.at(0), "templates write no files: 'made.txt' is not written"));
  EXPECT_EQ(w.node().string("name"), "false");
  EXPECT_FALSE(std::filesystem::exists(project.path("protos/made.txt")));
}

}  // namespace
}  // namespace servosim::wbt::test
