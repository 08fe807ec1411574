// SPDX-License-Identifier: Apache-2.0
// What a list in a file costs grows as the list does: for each list that a file can make long, two
// times the items cost about two times the memory, and eight times far less than 64 times the time
// of the processor: that of this thread, and the shortest of several tries.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <ostream>
#include <string>

#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "support/counted_malloc.h"
#include "support/worlds.h"
#include "wbt/convert/convert.h"
#include "wbt/test_support.h"
#include "wbt/world_file.h"
#include "wbt/writer.h"

namespace servosim::test {
namespace {

struct GrowingList {
  const char* name;
  std::function<std::string(int)> world;  // with n items
  int items = 1000;
  std::function<std::string(int)> proto = {};  // P.proto in the folder of the world, if any
  int steps = 2;  // none where ODE solves n joints of one robot at once, which costs n^3

  friend void PrintTo(const GrowingList& list, std::ostream* out) { *out << list.name; }
};

std::string each(int n, const std::function<std::string(int)>& item) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += item(i);
  }
  return text;
}

std::string robot(const std::string& children) {
  return "Robot { name \"r\" boundingObject Box { } physics Physics { } children [ " + children +
         " ] }";
}

std::string hinge(const std::string& device, const std::string& name, double x,
                  const char* physics = "NULL") {
  return fmt::format(
      "HingeJoint {{ jointParameters HingeJointParameters {{ anchor {0} 0 0 }} device [ {1} ] "
      "endPoint Solid {{ name \"{2}\" translation {0} 0 0 boundingObject Sphere {{ radius 0.1 }} "
      "physics {3} }} }}\n",
      x, device, name, physics);
}

const GrowingList kLists[] = {
    {"ExternProtos",
     [](int n) {
       return each(n,
                   [](int i) { return fmt::format("EXTERNPROTO \"https://a/P{}.proto\"\n", i); }) +
              each(n, [](int i) { return fmt::format("P{} {{ }}\n", i); });
     }},
    {"ExternProtosOfOneName",
     [](int n) {
       return each(n, [](int) { return "EXTERNPROTO \"https://a/Q.proto\"\nQ { }\n"; });
     }},
    {"Parameters",
     [](int n) {
       return "P { " + each(n, [](int i) { return fmt::format("p{} {}\n", i, i); }) + "}";
     },
     1000,
     [](int n) {
       return "PROTO P [ " +
              each(n, [](int i) { return fmt::format("field SFFloat p{} 0\n", i); }) +
              "] { Group { children [ " +
              each(n, [](int i) { return fmt::format("Sphere {{ radius IS p{} }}\n", i); }) +
              "] } }";
     }},
    {"UnknownParameters",
     [](int n) {
       return "P { " + each(n, [](int i) { return fmt::format("q{} {}\n", i, i); }) + "}";
     },
     1000,
     [](int n) {
       return "PROTO P [ " +
              each(n, [](int i) { return fmt::format("field SFFloat p{} 0\n", i); }) +
              "] { Group { } }";
     }},
    {"Instances",
     [](int n) { return each(n, [](int i) { return fmt::format("P {{ p {} }}\n", i); }); }, 1000,
     [](int) {
       return std::string("PROTO P [ field SFFloat p 0 ] { Pose { translation 0 0 IS p } }");
     }},
    {"HiddenLines",
     [](int n) {
       return "P { " +
              each(n, [](int i) { return fmt::format("hidden translation_{} 0 0 {}\n", i, i); }) +
              "}";
     },
     1000,
     [](int n) {
       return "PROTO P [ ] { Solid { children [ " +
              each(n, [](int i) { return fmt::format("Solid {{ name \"s{}\" }}\n", i); }) + "] } }";
     }},
    {"Definitions",
     [](int n) {
       return each(n, [](int i) {
         return fmt::format("DEF D{0} Shape {{ geometry DEF B Box {{ }} }}\nUSE D{0}\n", i);
       });
     }},
    {"FieldsGivenAgain",
     [](int n) { return "Box { " + each(n, [](int) { return "size 2 3 4\n"; }) + "}"; }},
    {"UnknownFields",
     [](int n) {
       return "Box { " + each(n, [](int i) { return fmt::format("a{} [ 1 2 3 ]\n", i); }) + "}";
     }},
    {"ContactMaterials",
     [](int n) {
       return "WorldInfo { contactProperties [ " +
              each(n,
                   [](int i) {
                     return fmt::format("ContactProperties {{ material1 \"m{}\" }}\n", i);
                   }) +
              "] }" + each(n, [](int i) {
                return fmt::format(
                    "Solid {{ name \"s{0}\" contactMaterial \"m{0}\" translation {0} 0 0 "
                    "boundingObject Sphere {{ radius 0.1 }} physics Physics {{ }} }}\n",
                    i);
              });
     }},
    {"CoupledMotors",
     [](int n) {
       return robot(each(n, [](int i) {
         return hinge(fmt::format("RotationalMotor {{ name \"a::{}\" }}", i), fmt::format("s{}", i),
                      i);
       }));
     }},
    {"Devices",
     [](int n) {
       return robot(each(n, [](int i) {
         return fmt::format(
             "GPS {{ name \"g{0}\" }} Emitter {{ name \"e{0}\" }} Receiver {{ name "
             "\"v{0}\" }} Connector {{ name \"c{0}\" }} LED {{ name \"l{0}\" }}\n",
             i);
       }));
     }},
    {"DevicesOfOneName",
     [](int n) { return robot(each(n, [](int) { return "GPS { } Camera { } LED { }\n"; })); }},
    {"Robots",
     [](int n) {
       return each(n, [](int i) {
         return fmt::format(
             "Robot {{ name \"r{0}\" translation {0} 0 0 boundingObject Box {{ size "
             "0.1 0.1 0.1 }} physics Physics {{ }} battery [ 9 9 0 ] }}\n",
             i);
       });
     }},
    {"RobotsOfOneName",
     [](int n) { return each(n, [](int) { return "Robot { name \"r\" }\n"; }); }},
    {"SolidsOfOneName", [](int n) { return each(n, [](int) { return "Solid { }\n"; }); }},
    {"SolidsInOneBody",
     [](int n) {
       return robot(each(n, [](int i) {
         return fmt::format(
             "Solid {{ name \"s{0}\" translation {0} 0 0 boundingObject Box {{ }} "
             "physics Physics {{ }} }}\n",
             i);
       }));
     }},
    {"Shapes",
     [](int n) {
       return "Solid { physics Physics { } boundingObject Group { children [ " +
              each(n,
                   [](int i) {
                     return fmt::format("Pose {{ translation {} 0 0 children Box {{ }} }}\n", i);
                   }) +
              "] } }";
     }},
    {"References",
     [](int n) {
       return robot(
           each(n, [](int i) { return hinge("", fmt::format("s{}", i), i, "Physics { }"); }) +
           each(n, [](int i) {
             return fmt::format(
                 "HingeJoint {{ jointParameters HingeJointParameters {{ "
                 "anchor {0} 0 0 }} endPoint SolidReference {{ solidName "
                 "\"s{0}\" }} }}\n",
                 i);
           }));
     },
     400,
     {},
     0},
    {"Propellers",
     [](int n) {
       return robot(each(n, [](int i) {
         return fmt::format("Propeller {{ device RotationalMotor {{ name \"p{}\" }} }}\n", i);
       }));
     }},
    {"Muscles",
     [](int n) {
       return robot(hinge(
           "RotationalMotor { muscles [ " + each(n, [](int) { return "Muscle { } "; }) + "] }", "s",
           1));
     }},
    {"Heights",
     [](int n) {
       return fmt::format(
           "Solid {{ boundingObject ElevationGrid {{ xDimension {} yDimension 2 "
           "height [ {} ] }} }}",
           n, each(2 * n, [](int i) { return fmt::format("{} ", i % 7); }));
     },
     4000},
    {"Triangles",
     [](int n) {
       return fmt::format(
           "Solid {{ boundingObject IndexedFaceSet {{ coord Coordinate {{ point [ {} "
           "] }} coordIndex [ {} ] }} }}",
           each(n, [](int i) { return fmt::format("{} {} {}, ", i, i % 2, i % 3); }),
           each(n - 2, [](int i) { return fmt::format("{} {} {} -1 ", i, i + 1, i + 2); }));
     },
     4000},
    {"Strings",
     [](int n) {
       return "Robot { controllerArgs [ " +
              each(n, [](int i) { return fmt::format("\"a{}\" ", i); }) + "] }";
     }},
    {"LookupTable",
     [](int n) {
       return robot("DistanceSensor { lookupTable [ " +
                    each(n, [](int i) { return fmt::format("{} {} 0, ", i, i); }) + "] }");
     }},
    {"LockedConnectors",
     [](int n) {
       return each(n, [](int i) {
         return fmt::format(
             "Robot {{ name \"r{0}\" translation {1} {2} 0 children [ Connector {{ autoLock TRUE "
             "isLocked TRUE }} ] }}\n",
             i, i % 20, i / 20);
       });
     },
     500,
     {},
     60},
    {"ExtensionMarks",
     [](int n) {
       return "HingeJoint { jointParameters HingeJointParameters { " +
              each(n, [](int) { return "\n#servosim backlash 0.25\n"; }) + "} }";
     }},
};

struct Cost {
  double bytes = 0.0;
  double seconds = 0.0;  // of the processor
};

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Growth : public testing::TestWithParam<GrowingList> {
 protected:
  // Reads, converts and writes a world, builds it, steps, saves, restores and rebuilds it.
  Cost cost(int n) const {
    project_.write("worlds/w.wbt", "#VRML_SIM R2023b utf8\n" + GetParam().world(n));
    if (GetParam().proto) {
      project_.write("protos/P.proto", "#VRML_SIM R2023b utf8\n" + GetParam().proto(n));
    }
    const std::size_t bytes = allocated_bytes;
    const double start = processor_time();
    Diagnostics diagnostics;
    const wbt::WorldFile file = wbt::read_world(project_.path("worlds/w.wbt"), {}, diagnostics);
    EXPECT_EQ(diagnostics.errors(), 0u);
    wbt::write_saved_world(file);
    wbt::write_world(convert(file, diagnostics));
    EXPECT_TRUE(wbt::equal(file, file));
    LoadOptions options;
    options.notice = [](std::string_view) {};
    Simulation simulation(project_.path("worlds/w.wbt"), std::move(options));
    simulation.step(GetParam().steps);
    simulation.restore(simulation.save());
    WorldControl(simulation).rebuild(WorldInspector(simulation).world_file());
    return {static_cast<double>(allocated_bytes - bytes), processor_time() - start};
  }

  wbt::test::TemporaryProject project_;
};

TEST_P(Growth, IsThatOfTheList) {
  const int n = GetParam().items;
  cost(10);  // what is allocated once
  const Cost one = cost(n);
  EXPECT_LT(cost(2 * n).bytes, 2.5 * one.bytes);
  const auto shortest = [this](int items, int tries) {
    double seconds = std::numeric_limits<double>::infinity();
    for (int i = 0; i < tries; ++i) {
      seconds = std::min(seconds, cost(items).seconds);
    }
    return seconds;
  };
  const double few = shortest(n / 2, 5);
  const double many = shortest(4 * n, 2);
  // 8 where it grows as the list, twice that where it leaves the caches, 64 with its square.
  EXPECT_LT(many, 28.0 * few);
}

INSTANTIATE_TEST_SUITE_P(Lists, Growth, testing::ValuesIn(kLists),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace servosim::test
