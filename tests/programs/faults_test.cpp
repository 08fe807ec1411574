// SPDX-License-Identifier: Apache-2.0
// If the n-th allocation, write, fork and so on fails, the program ends with 1 and says why, or
// ends well with the same result. Its files are old or new, and always complete.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "programs/program.h"
#include "support/mesh_files.h"
#include "support/repetitions.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Program;
using test::read_text;
using test::ScopedVariable;
using test::TempFolder;
using Words = std::vector<std::string>;

constexpr const char* kEarlier = "what was there before\n";

// A world with contacts, a motor, a template and a mesh file.
constexpr const char* kFallWorld = R"(#VRML_SIM R2023b utf8
EXTERNPROTO "../protos/Post.proto"
WorldInfo {
  basicTimeStep 8
}
Solid {
  name "floor"
  boundingObject Plane {
    size 9 7
  }
}
Solid {
  translation 0.5 0.3 0.0995
  name "ball"
  boundingObject Sphere {
    radius 0.1
  }
  physics Physics {
    density -1
    mass 0.7
  }
}
Solid {
  translation 3 2 1
  name "part"
  boundingObject Mesh {
    url "part.stl"
  }
  physics Physics {
    density -1
    mass 1.5
  }
}
Post {
}
Robot {
  name "arm"
  controller "<none>"
  supervisor TRUE
  children [
    HingeJoint {
      jointParameters HingeJointParameters {
        axis 0 1 0
        anchor 0 0 1
      }
      device RotationalMotor {
        name "shoulder"
      }
      endPoint Solid {
        translation 0 0 0.9
        name "hand"
        boundingObject Box {
          size 0.04 0.05 0.3
        }
        physics Physics {
          density -1
          mass 0.6
        }
      }
    }
  ]
}
)";

// The PROTO and the controller of this world have to be searched for in folders.
constexpr const char* kSearching = R"(#VRML_SIM R2023b utf8
RectangleArena {
}
Robot {
  controller "idle"
}
)";

constexpr const char* kPost = R"(#VRML_SIM R2023b utf8
# template language: lua
PROTO Post [
]
{
  Solid {
    translation -2 %{= 0.5 + 0.25 }% 0.4
    name "post"
    boundingObject Box {
      size 0.1 0.2 0.8
    }
  }
}
)";

// Returns the lines that do not depend on run time.
std::string lasting(const std::string& out) {
  std::string text;
  for (std::size_t begin = 0; begin < out.size();) {
    const std::size_t end = std::min(out.find('\n', begin), out.size() - 1) + 1;
    const std::string line = out.substr(begin, end - begin);
    if (!contains(line, "real time") && !contains(line, "127.0.0.1")) {
      text += line;
    }
    begin = end;
  }
  return text;
}

/// What a program does, in a folder of its own.
struct Work {
  const char* name;
  Words arguments;         // with WORLD, SEARCHING, OUT, TRACE, SAVED in place of files
  const char* kinds;       // kinds of the calls that it makes, as fail_nth.cpp names them
  const char* ready = "";  // what it prints when SIGTERM may end it; else it ends by itself
  const char* program = "servosim";  // the program whose calls fail
};

const Work kWorks[] = {
    {"run",
     {"run", "WORLD", "--steps", "5", "--quiet", "--trace", "OUT.csv"},
     "alloc open read write send fork socket ode"},
    {"save",
     {"run", "WORLD", "--steps", "3", "--quiet", "--controller", "arm=SAVER"},
     "alloc open read write send sync rename mkdir fork socket port ode"},
    {"check", {"check", "WORLD"}, "alloc open read write send fork socket ode"},
    {"search", {"check", "SEARCHING"}, "alloc open read write fork ode"},
    {"info", {"info", "WORLD", "--json"}, "alloc open read write send fork socket ode"},
    {"convert",
     {"convert", "WORLD", "OUT", "--force"},
     "alloc open read write send sync rename fork socket"},
    {"plot",
     {"plot", "TRACE", "-o", "OUT.svg"},
     "alloc open read write sync rename mkdir fork socket"},
    {"board",
     {"run", "WORLD", "--steps", "3", "--quiet", "--yarp", "arm=/a", "--yarp-nameserver=0"},
     "alloc open read write send fork socket port ode"},
    {"mcu",
     {"run", "WORLD", "--steps", "3", "--quiet", "--srvp", "arm", "--srvp-port", "0"},
     "alloc open read write send fork socket port ode"},
    {"nameserver",
     {"yarp", "nameserver", "--port", "0"},
     "alloc open write socket port",
     "127.0.0.1"},
    {"template", {"check", "WORLD"}, "alloc open read send fork", "", "template_expander"},
    {"mesh", {"check", "WORLD"}, "alloc open read write send fork", "", "mesh_reader"},
    {"database",
     {"srvp", "serve", "--port", "0", "--database", "DATABASE"},
     "alloc open read write sync fork socket port",
     "127.0.0.1"},
};

constexpr const char* kKinds[] = {"alloc",  "open",  "read", "write",  "send", "sync",
                                  "rename", "mkdir", "fork", "socket", "port", "ode"};

struct Ending {
  int status = 0;
  std::string out;
  std::string err;
  std::string file;         // content of OUT or of the saved world at the end
  int temporary_files = 0;  // those of write_file()
  std::uint64_t calls = 0;
};

class Bench {
 public:
  explicit Bench(const Work& work) : work_(work) {
    folder_.write("worlds/w.wbt", kFallWorld);
    folder_.write("worlds/part.stl", test::stl_text(test::tetrahedron(0.3, 0.2, 0.4)));
    folder_.write("worlds/searching.wbt", kSearching);
    folder_.write("protos/Post.proto", kPost);
    fs::permissions(folder_.write("controllers/idle/idle", "#!/bin/sh\n"), fs::perms::owner_all);
    folder_.write("t.csv", "time [s],r/a position [rad]\n0.5,0.25\n1,0.75\n");
    fs::create_directory(folder_ / "tmp");
  }

  // `fault` has the format that fail_nth.cpp reads.
  Ending run(const std::string& fault) const {
    const std::string counts = folder_.write("counts", std::string(8, '\0'));
    for (const char* name : {"out", "out.svg", "worlds/saved.wbt"}) {
      folder_.write(name, kEarlier);
    }
    fs::remove(folder_ / "out.csv");
    fs::remove(folder_ / "database");
    const ScopedVariable for_saver("FAULT_SAVED", folder_ / "worlds/saved.wbt");
    const ScopedVariable temporary("TMPDIR", folder_ / "tmp");
    const ScopedVariable for_program("SERVOSIM_FAULT_PROGRAM", work_.program);
    const ScopedVariable for_counts("SERVOSIM_FAULT_COUNTS", counts);
    const ScopedVariable preload("LD_PRELOAD", FAIL_NTH);
    const ScopedVariable for_fault("SERVOSIM_FAULT", fault);
    Program program(arguments(), {folder_.path().string()});
    const bool ends_itself = std::strlen(work_.ready) == 0;
    if (!ends_itself) {
      wait_until_ready(program);
      program.send_signal(SIGTERM);
    }
    Ending ending;
    ending.status = program.finish();
    ending.out = lasting(program.out());
    ending.err = program.err();
    ending.file = read_text(folder_ / file());
    const std::string counted = read_text(counts);
    std::memcpy(&ending.calls, counted.data(), 8);
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      ending.temporary_files += entry.path().filename().string().starts_with(".servosim-") ? 1 : 0;
    }
    return ending;
  }

 private:
  // The program may also have ended, or may have failed to print that it is ready.
  void wait_until_ready(Program& program) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!program.over() && !contains(program.out(), work_.ready) &&
           !contains(program.err(), "cannot write") && std::chrono::steady_clock::now() < end) {
      program.read_some();
    }
  }
  std::string file() const {
    const std::string name = work_.name;
    return name == "save"   ? "worlds/saved.wbt"
           : name == "plot" ? "out.svg"
           : name == "run"  ? "out.csv"
                            : "out";
  }
  Words arguments() const {
    const std::pair<const char*, std::string> places[]{
        {"WORLD", folder_ / "worlds/w.wbt"},
        {"SEARCHING", folder_ / "worlds/searching.wbt"},
        {"OUT.svg", folder_ / "out.svg"},
        {"OUT.csv", folder_ / "out.csv"},
        {"OUT", folder_ / "out"},
        {"TRACE", folder_ / "t.csv"},
        {"DATABASE", folder_ / "database"},
        {"arm=SAVER", "arm=" FAULT_SAVER}};
    Words words = work_.arguments;
    for (std::string& word : words) {
      for (const auto& [name, place] : places) {
        word = word == name ? place : word;
      }
    }
    return words;
  }

  const Work& work_;
  TempFolder folder_;
};

struct Case {
  Work work;
  const char* kind;
};

bool makes(const Work& work, const std::string& kind) {
  return contains(" " + std::string(work.kinds) + " ", " " + kind + " ");
}

// Kinds come first, so that the cases with the most calls are in different shards.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* kind : kKinds) {
    for (const Work& work : kWorks) {
      if (makes(work, kind)) {
        all.push_back({work, kind});
      }
    }
  }
  return all;
}

class Faults : public testing::TestWithParam<Case> {};

std::string text_of(const Ending& ending) {
  return "status " + std::to_string(ending.status) + "\n" + ending.out + "----\n" + ending.err;
}

// A trace is a stream, so it may end early.
void expect_documented(const Ending& ending, const Ending& sound, const Case& c) {
  const std::string name = c.work.name;
  const std::string kind = c.kind;
  EXPECT_EQ(ending.temporary_files, 0) << text_of(ending);
  if (std::string(c.work.program) != "servosim" && ending.status == 0 && ending.out != sound.out) {
    // The program may take the file or the template to be the cause of the lack of memory.
    EXPECT_TRUE(contains(ending.out, "warning: ")) << text_of(ending);
    return;
  }
  if (ending.status == sound.status) {
    EXPECT_EQ(ending.out, sound.out) << text_of(ending);
    EXPECT_TRUE(ending.file == sound.file) << text_of(ending);
    return;
  }
  // A failure in a helper or of a port does not tell whether the input asks for too much.
  const bool may_blame_input = std::string(c.work.program) != "servosim" || kind == "port";
  if (ending.status == 3) {  // a mesh or a template was not available
    EXPECT_TRUE(may_blame_input && contains(ending.out, "INCOMPLETE: ")) << text_of(ending);
    return;
  }
  EXPECT_TRUE(ending.status == 1 || (ending.status == 2 && may_blame_input)) << text_of(ending);
  EXPECT_TRUE(contains(ending.err + ending.out, "error") || kind == "write") << text_of(ending);
  if (name != "run") {
    EXPECT_TRUE(ending.file == kEarlier || ending.file == sound.file) << text_of(ending);
  }
}

// Returns all calls, or `most` calls at even distances, with the first and the last.
std::set<std::uint64_t> chosen(std::uint64_t calls, std::uint64_t most) {
  std::set<std::uint64_t> all;
  most = std::min(most, calls);
  for (std::uint64_t i = 0; i < most; ++i) {
    all.insert(1 + (most > 1 ? (calls - 1) * i / (most - 1) : 0));
  }
  return all;
}

TEST_P(Faults, EndWithAMessageOrWithTheSameResult) {
  const Case& c = GetParam();
  const Bench bench(c.work);
  const std::string kind = c.kind;
  const Ending sound = bench.run(kind + ":0");
  ASSERT_EQ(sound.status, 0) << text_of(sound);
  const auto all = static_cast<int>(sound.calls);
  for (const char* later : {"", "+"}) {
    if (std::strlen(c.work.ready) > 0 && kind == "write" && *later != 0) {
      continue;  // it could print neither that it is ready nor that it has failed
    }
    // If many calls fail, the first of them ends nearly every program, as it does alone.
    const int most = test::repetitions(4, kind == "alloc" && *later != 0 ? 250 : all);
    for (const std::uint64_t n : chosen(sound.calls, static_cast<std::uint64_t>(most))) {
      SCOPED_TRACE(kind + ":" + std::to_string(n) + later);
      const Ending ending = bench.run(kind + ":" + std::to_string(n) + later);
      expect_documented(ending, sound, c);
    }
  }
}

class FaultKinds : public testing::TestWithParam<Work> {};

// Otherwise the cases above would inject nothing, or leave out a kind.
TEST_P(FaultKinds, AreAllThoseOfItsCalls) {
  const Work& work = GetParam();
  const Bench bench(work);
  std::string kinds;
  for (const std::string kind : kKinds) {
    const Ending sound = bench.run(kind + ":0");
    EXPECT_EQ(sound.status, 0) << text_of(sound);
    if (sound.calls > 0) {
      kinds += (kinds.empty() ? "" : " ") + kind;
    }
  }
  EXPECT_EQ(kinds, work.kinds);
}

INSTANTIATE_TEST_SUITE_P(Program, FaultKinds, testing::ValuesIn(kWorks),
                         [](const testing::TestParamInfo<Work>& test) {
                           return std::string(test.param.name);
                         });

void PrintTo(const Work& work, std::ostream* out) { *out << work.name; }

INSTANTIATE_TEST_SUITE_P(Program, Faults, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& test) {
                           return std::string(test.param.work.name) + "_" + test.param.kind;
                         });

void PrintTo(const Case& c, std::ostream* out) { *out << c.work.name << " " << c.kind; }

}  // namespace
}  // namespace servosim
