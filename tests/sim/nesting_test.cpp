// SPDX-License-Identifier: Apache-2.0
// The deepest worlds that are read need a part of a small stack only, whatever is done with them.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <ostream>
#include <string>

#include "support/worlds.h"
#include "wbt/convert/convert.h"
#include "wbt/proto/proto.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"
#include "wbt/writer.h"

namespace servosim::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SERVOSIM_LARGE_FRAMES
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SERVOSIM_LARGE_FRAMES
#endif
#endif
#ifdef SERVOSIM_LARGE_FRAMES
constexpr std::size_t kStack = std::size_t{6} << 20;  // of the 8 MB that a process has
#else
// The library takes 0.8 KB a level, 640 KB. This program destroys nodes by functions of its own,
// not optimised: 1.4 KB a level.
constexpr std::size_t kStack = std::size_t{1280} << 10;
#endif

void with_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread{};
  const auto run = [](void* it) -> void* {
    (*static_cast<std::function<void()>*>(it))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

struct DeepWorld {
  const char* name;
  int levels;  // of nodes in each turn
  std::string open;
  std::string close;
  std::string root = {};
  std::string end = {};
  int outer = 0;  // levels of root

  friend void PrintTo(const DeepWorld& world, std::ostream* out) { *out << world.name; }

  std::string text(int turns) const {
    std::string text = "#VRML_SIM R2021b utf8\n" + root;
    for (int i = 0; i < turns; ++i) {
      text += open;
    }
    for (int i = 0; i < turns; ++i) {
      text += close;
    }
    return text + end;
  }
};

const DeepWorld kWorlds[] = {
    {"Transforms", 1, "Transform { scale 2 1 1 children [ ", "] }"},
    {"Shapes", 1, "Group { children [ ", "] }", "Solid { boundingObject ", "}", 1},
    {"Joints", 2,
     "HingeJoint { endPoint Solid { physics Physics { } boundingObject Sphere { radius 1e-3 } "
     "children [ ",
     "] } }", "Robot { name \"r\" children [ ", "] }", 1},
    {"Solids", 1, "Solid { children [ ", "] }"},
    {"Instances", 2, "P { children [ ", "] }"},
    {"Lost", 1, "Unheard { children [ ", "] }"},
};

class Nesting : public testing::TestWithParam<DeepWorld> {};

TEST_P(Nesting, OfAllThatIsReadFitsASmallStack) {
  const DeepWorld& world = GetParam();
  const wbt::test::TemporaryProject project;
  project.write("protos/P.proto",
                "PROTO P [ field MFNode children [ ] ] { Solid { children [ Pose { children IS "
                "children } ] } }");
  // The last level is that of a Sphere or Physics.
  const int turns = (wbt::kMaxNodeDepth - world.outer - 1) / world.levels;
  with_small_stack([&] {
    const wbt::test::ReadWorld read =
        wbt::test::read_text(world.text(turns), project.path("worlds"));
    EXPECT_EQ(read.errors, 0u);
    Diagnostics diagnostics;
    const wbt::WorldFile converted = convert(read.file, diagnostics);
    wbt::write_world(converted);
    wbt::write_saved_world(read.file);
    EXPECT_TRUE(wbt::equal(read.file, read.file));
    LoadOptions options;
    options.notice = [](std::string_view) {};
    Simulation simulation =
        Simulation::from_text(world.text(turns), std::move(options), project.path("worlds"));
    simulation.step(2);
    simulation.restore(simulation.save());
    const Simulation twin = simulation.clone();
    EXPECT_EQ(twin.state_hash(), simulation.state_hash());
  });
}

TEST_P(Nesting, BeyondTheLimitIsAnError) {
  with_small_stack([] {
    const wbt::test::ReadWorld read =
        wbt::test::read_text(GetParam().text(50'000), "/nowhere/worlds");
    const bool lost = std::string_view(GetParam().name) == "Lost" ||
                      std::string_view(GetParam().name) == "Instances";
    EXPECT_EQ(read.errors, 1u);
    EXPECT_NE(read.messages.back().find(lost ? "nest too deep" : "nodes nest deeper than 800"),
              std::string::npos)
        << read.messages.back();
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, Nesting, testing::ValuesIn(kWorlds),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace servosim::test
