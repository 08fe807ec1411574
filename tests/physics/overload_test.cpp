// SPDX-License-Identifier: Apache-2.0
// Worlds in which more touches than the solver has memory for.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ode/ode.h>

#include <cstdlib>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include "physics/ode_library.h"
#include "sim/world_inspector.h"
#include "support/worlds.h"

#if defined(__SANITIZE_ADDRESS__)
#define SERVOSIM_LOOKS_FOR_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SERVOSIM_LOOKS_FOR_LEAKS 1
#endif
#endif
#if SERVOSIM_LOOKS_FOR_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

namespace servosim::test {
namespace physics_overload_test {

// Boxes of 0.1 m in a row along x.
std::string boxes(int count, double apart) {
  std::string text = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n";
  for (int k = 0; k < count; ++k) {
    text += fmt::format(
        "Solid {{ name \"b{}\" translation {} 0 1 boundingObject Box {{ size 0.1 0.1 0.1 }} "
        "physics Physics {{ }} }}\n",
        k, k * apart);
  }
  return text;
}

Simulation load_with(const std::string& text, std::size_t step_memory) {
  LoadOptions options;
  options.step_memory = step_memory;
  return Simulation::from_text(text, std::move(options));
}

std::string failure_of(Simulation& simulation) {
  try {
    simulation.step();
  } catch (const Diverged& diverged) {
    return std::string("diverged: ") + diverged.what();
  } catch (const StepFailed& failed) {
    return failed.what();
  }
  return "";
}

// 4 MB are 166 contacts for each body; two boxes in one place have 8.
TEST(Overload, OfOneBodyNamesItAndItsContacts) {
  Simulation simulation = load_with(boxes(60, 0.0), 4'000'000);
  const std::string failure = failure_of(simulation);
  EXPECT_EQ(
      failure.find("the step to 0.008 s failed: too much touches at Solid \"b0\" (0 0 1): 168 "
                   "contacts there, and 168 so far in all, are more than 0.004 GB can solve. "),
      0u)
      << failure;
  EXPECT_EQ(failure_of(simulation), failure) << "and again";
  EXPECT_TRUE(simulation.solid(0).contact_points(false).empty());
  simulation.reset();
  EXPECT_EQ(failure_of(simulation), failure) << "and after a reset";
}

// 0.4 MB are 16 666 pairs.
TEST(Overload, OfPairsNamesTheBodyWithMost) {
  Simulation simulation = load_with(boxes(200, 0.0), 400'000);
  const std::string failure = failure_of(simulation);
  EXPECT_NE(failure.find("pairs of shapes are near each other there, and 16667 so far in all, are "
                         "more than 0.0004 GB can list. "),
            std::string::npos)
      << failure;
  EXPECT_EQ(failure.find(": 0 pairs"), std::string::npos) << failure;
  EXPECT_EQ(failure_of(simulation), failure) << "and again";
  const OverlappingShapes heap =
      WorldInspector(load_with(boxes(200, 0.0), 400'000)).overlapping_shapes();
  EXPECT_GT(heap.count, 100) << "of the pairs that fit";
  EXPECT_LE(heap.count, 200);
}

// Thin rods side by side, at half a right angle to the axes: each is in the boxes around all
// others, 44 850 pairs. 16 MB are 40 000 contacts.
TEST(Overload, IsNotOfPairsThatDoNotTouch) {
  std::string rods = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n";
  for (int k = 0; k < 300; ++k) {
    rods += fmt::format(
        "Solid {{ name \"b{}\" translation {} {} 1 rotation 0 0 1 0.7853981 boundingObject Box {{ "
        "size 30 0.01 0.01 }} physics Physics {{ }} }}\n",
        k, 0.02 * k, -0.02 * k);
  }
  Simulation simulation = load_with(rods, 16'000'000);
  EXPECT_EQ(failure_of(simulation), "");
  EXPECT_LT(simulation.solid("b7").pose().translation.z, 1.0);
}

// Neighbours touch with 4 points: no body has many, but all are solved together.
TEST(Overload, OfManyBodiesIsWhatTheSolverAsksFor) {
  Simulation simulation = load_with(boxes(60, 0.09), 4'000'000);
  const std::string failure = failure_of(simulation);
  EXPECT_NE(failure.find("too much touches at Solid \"b"), std::string::npos) << failure;
  EXPECT_NE(failure.find(": 236 contacts hold 60 bodies together, and to solve them takes 0.00"),
            std::string::npos)
      << failure;
  EXPECT_NE(failure.find("more than the limit of 0.004 GB. "), std::string::npos) << failure;
  EXPECT_EQ(failure_of(simulation), failure) << "and again";
}

TEST(Overload, EndsWhenThingsMoveApart) {
  Simulation simulation = load_with(boxes(60, 0.09), 4'000'000);
  const SimulationState at_start = simulation.save();
  ASSERT_NE(failure_of(simulation), "");
  simulation.restore(at_start);
  for (int k = 0; k < 60; ++k) {
    simulation.solid(fmt::format("b{}", k)).set_pose({{}, {k * 0.2, 0, 1}});
  }
  EXPECT_EQ(failure_of(simulation), "");
  EXPECT_LT(simulation.solid("b7").pose().translation.z, 1.0) << "it falls";
}

TEST(Overload, OfPosesThatNoStepMeetsIsNone) {
  Simulation simulation = load_with(boxes(60, 0.0), 4'000'000);
  EXPECT_TRUE(simulation.solid(0).contact_points(false).empty());
  for (int k = 0; k < 60; ++k) {
    simulation.solid(fmt::format("b{}", k)).set_pose({{}, {k / 2 * 0.5 + k % 2 * 0.09, 0, 1}});
  }
  EXPECT_EQ(simulation.solid(0).contact_points(false).size(), 4u);
  EXPECT_EQ(failure_of(simulation), "");
}

// Only what touches something falls asleep; 60 in one place are too many.
TEST(Overload, IsFoundByTheStepWhenSleepersArePutIntoOnePlace) {
  Simulation simulation = load_with(boxes(80, 0.2) +
                                        "Solid { translation 8 0 0.9 boundingObject Box { size "
                                        "20 1 0.1 } }\n",
                                    4'000'000);
  simulation.step(500);
  for (int k = 0; k < 70; ++k) {
    simulation.solid(fmt::format("b{}", k)).set_pose({{}, {0, 0, 1}});
  }
  EXPECT_NE(failure_of(simulation).find("too much touches at Solid"), std::string::npos);
}

thread_local long allocations_left = -1;  // until one of ODE's fails; negative: none does

void count_down() {
  if (allocations_left >= 0 && allocations_left-- == 0) {
    throw std::bad_alloc();
  }
}
void* failing_alloc(dsizeint size) {
  count_down();
  return std::malloc(size);
}
void* failing_realloc(void* block, dsizeint, dsizeint size) {
  count_down();
  return std::realloc(block, size);
}

// Wherever it is in a step: in the search for pairs, in the making of contacts, in the solver.
TEST(Overload, ByAnyAllocationOfOdeIsAShortageOfMemory) {
#if SERVOSIM_LOOKS_FOR_LEAKS
  const __lsan::ScopedDisabler disabler;  // ODE's worlds that failed are not destroyed
#endif
  Simulation first = load_with(boxes(40, 0.09), 0);  // sets the handlers
  auto* const alloc = dGetAllocHandler();
  auto* const realloc = dGetReallocHandler();
  std::string failure = "none yet";
  int failures = -1;
  for (; !failure.empty(); ++failures) {
    Simulation simulation = load_with(boxes(40, 0.09), 0);
    dSetAllocHandler(failing_alloc);
    dSetReallocHandler(failing_realloc);
    allocations_left = failures + 1;
    failure = failure_of(simulation);
    allocations_left = -1;
    dSetAllocHandler(alloc);
    dSetReallocHandler(realloc);
    EXPECT_TRUE(failure.empty() || failure.ends_with("failed: out of memory") ||
                failure.find("too much touches at Solid \"b") < failure.size())
        << failures << ": " << failure;
    simulation.reset();
    EXPECT_EQ(failure_of(simulation), "") << failures << ": and after a reset";
  }
  EXPECT_GT(failures, 3);
}

// ODE crashes where it cannot list the islands; the list may always be made.
TEST(OdeStep, HasMemoryForTheListOfItsIslands) {
  Simulation simulation = load_with(boxes(2, 1.0), 1);
  EXPECT_EQ(failure_of(simulation), "");
  EXPECT_LT(simulation.solid("b0").pose().translation.z, 1.0);
}

TEST(OdeStep, HasMemoryForAListOfManyBodies) {
  std::string spheres = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n";
  for (int k = 0; k < 90'000; ++k) {  // 1.44 MB
    spheres +=
        fmt::format("Solid {{ name \"b{}\" translation {} 0 1 physics Physics {{ }} }}\n", k, k);
  }
  Simulation simulation = load_with(spheres, 1'200'000);
  EXPECT_EQ(failure_of(simulation), "");
  EXPECT_LT(simulation.solid("b7").pose().translation.z, 1.0);
}

struct OdeWorldSize {
  const char* name;
  int bodies;
  int joints_of_each;

  friend void PrintTo(const OdeWorldSize& size, std::ostream* out) { *out << size.name; }
};

class OdeList : public testing::TestWithParam<OdeWorldSize> {};

// 2.4 MB and more.
TEST_P(OdeList, IsNeverRefused) {
  use_ode();
  const dThreadingImplementationID threading = dThreadingAllocateSelfThreadedImplementation();
  const dWorldID world = create_ode_world();
  dWorldSetStepThreadingImplementation(world, dThreadingImplementationGetFunctions(threading),
                                       threading);
  std::vector<dBodyID> bodies;
  std::size_t joints = 0;
  for (int b = 0; b < GetParam().bodies; ++b) {
    bodies.push_back(dBodyCreate(world));
    for (int j = 0; j < GetParam().joints_of_each; ++j, ++joints) {
      const dJointID joint = dJointCreateBall(world, nullptr);
      dJointAttach(joint, bodies.back(), nullptr);
      dJointDisable(joint);
    }
  }
  EXPECT_TRUE(ode_step(world, 0.01, 0, {bodies.size(), joints}).done);
  dWorldDestroy(world);
  dThreadingFreeImplementation(threading);
}

INSTANTIATE_TEST_SUITE_P(Worlds, OdeList,
                         testing::Values(OdeWorldSize{"OfBodies", 150'000, 0},
                                         OdeWorldSize{"OfBodiesWithOneJoint", 75'000, 1},
                                         OdeWorldSize{"OfJoints", 20'000, 12}),
                         [](const auto& test) { return std::string(test.param.name); });

// Many, but in islands of two: each needs little.
TEST(Overload, IsOfBodiesThatTouchEachOtherOnly) {
  std::string pairs = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n";
  for (int k = 0; k < 120; ++k) {
    pairs += fmt::format(
        "Solid {{ name \"b{}\" translation {} 0 1 boundingObject Box {{ size 0.1 0.1 0.1 }} "
        "physics Physics {{ }} }}\n",
        k, k / 2 * 0.5 + k % 2 * 0.09);
  }
  Simulation limited = load_with(pairs, 4'000'000);
  Simulation free = load_with(pairs, 0);
  limited.step(5);
  free.step(5);
  EXPECT_EQ(limited.state_hash(), free.state_hash()) << "a limit changes nothing";
}

TEST(OverlappingShapes, AreCountedByHeap) {
  const std::string text =
      boxes(7, 0.09) +
      "Solid { boundingObject Plane { } translation 0 0 0.96 }\n"
      "Solid { name \"c\" translation 5 0 1 boundingObject Group { children [ Sphere { radius 0.2 "
      "} "
      "Pose { translation 0.3 0 0 children Sphere { radius 0.2 } } ] } physics Physics { } }\n"
      "Solid { name \"d\" translation 5 0.2 1 boundingObject Sphere { radius 0.2 } physics Physics "
      "{ } "
      "}\n";
  const Simulation simulation = Simulation::from_text(text);
  const OverlappingShapes heap = WorldInspector(simulation).overlapping_shapes();
  EXPECT_EQ(heap.count, 7);
  ASSERT_GE(heap.solid, 0);
  EXPECT_EQ(simulation.solid(heap.solid).name().front(), 'b');
  EXPECT_EQ(WorldInspector(Simulation::from_text(boxes(7, 0.11))).overlapping_shapes().count, 0);
  EXPECT_EQ(WorldInspector(Simulation::from_text(boxes(1, 0.0))).overlapping_shapes().solid, -1);
}

}  // namespace physics_overload_test
}  // namespace servosim::test
