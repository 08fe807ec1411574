// SPDX-License-Identifier: Apache-2.0
// The program loads worlds with template PROTOs.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "base/raw_client.h"
#include "programs/processes.h"
#include "programs/program.h"
#include "programs/shell.h"

namespace servosim {
namespace {

using test::Program;
using test::TempFolder;

// As in a crawler of a public project, a loop writes the wheels.
constexpr const char* kCrawler = R"(#VRML_SIM R2023b utf8
# license: Apache License 2.0
# template language: javascript
PROTO Crawler [
  field SFVec3f translation 0 0 1
  field SFString name "crawler"
  field SFInt32 wheels 2
  field SFFloat radius 0.1
]
{
  %<
    import * as wbrotation from 'wbrotation.js';
    const across = wbrotation.combine({x: 0, y: 0, z: 1, a: Math.PI / 2}, {x: 0, y: 1, z: 0, a: 0});
  >%
  Robot {
    translation IS translation
    name IS name
    controller "<none>"
    children [
      %< for (let i = 0; i < fields.wheels.value; ++i) { >%
        HingeJoint {
          jointParameters HingeJointParameters { axis 0 1 0 anchor %<= i * 0.3 >% 0 0 }
          device RotationalMotor { name "wheel %<= i >%" }
          endPoint Solid {
            name "wheel %<= i >%"
            translation %<= i * 0.3 >% 0 0
            rotation 0 0 1 %<= across.a >%
            boundingObject Sphere { radius %<= fields.radius.value >% }
            physics Physics { }
          }
        }
      %< } >%
    ]
    boundingObject Box { size %<= fields.wheels.value * 0.3 >% 0.1 0.1 }
    physics Physics { }
  }
}
)";

// The syntax is that of Webots 7 to R2020.
constexpr const char* kGround = R"(#VRML_SIM R2021b utf8
PROTO Ground [
  field SFInt32 steps 3
]
{
  %{ local wbrandom = require('wbrandom') }%
  Solid {
    name "ground"
    children [
      %{ for i = 1, fields.steps.value do }%
        Solid { name "step %{= i }%" translation %{= i }% 0 0 boundingObject
          Box { size 1 1 %{= 0.1 * i + wbrandom.real(0, 0) }% } }
      %{ end }%
    ]
  }
}
)";

class TemplateWorld : public testing::Test {
 protected:
  TemplateWorld() {
    folder.write("protos/Crawler.proto", kCrawler);
    folder.write("protos/Ground.proto", kGround);
    world = folder
                .write("worlds/w.wbt",
                       "#VRML_SIM R2023b utf8\nWorldInfo { }\nGround { steps 4 }\n"
                       "Crawler { wheels 3 }\nCrawler { name \"other\" translation 0 3 1 }\n")
                .string();
  }
  TempFolder folder;
  std::string world;
};

TEST_F(TemplateWorld, IsChecked) {
  Program program({"check", "--strict", world});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.out(), "1 world: 0 errors, 0 warnings\n");
}

TEST_F(TemplateWorld, ShowsTheJointsItsTemplatesWrite) {
  Program program({"info", world});
  EXPECT_EQ(program.finish(), 0);
  EXPECT_NE(program.out().find("wheel 2"), std::string::npos) << program.out();
}

TEST_F(TemplateWorld, RunsTheSameWayTwice) {
  const auto run = [&] {
    Program program({"run", world, "--duration", "0.2"});
    EXPECT_EQ(program.finish(), 0) << program.err();
    EXPECT_EQ(program.err(), "");
    return program.last_line();
  };
  const std::string hash = run();
  EXPECT_EQ(hash.find("state_hash: "), 0u) << hash;
  EXPECT_EQ(hash, run());
}

TEST_F(TemplateWorld, IsConvertedToTheNodesItsTemplatesWrite) {
  const std::string out = (folder / "out.wbt").string();
  Program program({"convert", world, out, "--strict"});
  EXPECT_EQ(program.finish(), 0) << program.err();
  Program again({"check", "--strict", out});
  EXPECT_EQ(again.finish(), 0) << again.out();
  const std::string text = test::read_text(out);
  EXPECT_NE(text.find("name \"step 4\""), std::string::npos);
  EXPECT_EQ(text.find("step 5"), std::string::npos);
  EXPECT_EQ(text.find('%'), std::string::npos);
}

// This includes texts and exceptions, which the engines do not count.
TEST_F(TemplateWorld, ThatNeedsMoreThan256MBIsLeftOut) {
  if (sizeof(SERVOSIM_SANITIZE) > 1) {
    GTEST_SKIP() << "sanitizers need memory of their own";
  }
  folder.write("peak.py",
               "import resource, subprocess, sys\n"
               "code = subprocess.run(sys.argv[1:]).returncode\n"
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
               "sys.exit(code)\n");
  const std::string bad =
      folder.write("worlds/bad.wbt", "#VRML_SIM R2025a utf8\nGround { }\n").string();
  for (const char* code :
       {"%< throw 'x'.repeat(2e8); >%", "%< throw new Error('x'.repeat(2e8)); >%",
        "%< let e = new Error('x'.repeat(1e8)); e.name = 'y'.repeat(1e8); throw e; >%",
        "%< throw { toString() { return '\\u4e00'.repeat(1e8); } }; >%",
        "%< const a = new Array(9e7).fill(1.5); >%", "%{ error(string.rep('x', 100000000)) }%",
        "%{ error(setmetatable({}, {__tostring = function() return string.rep('x', 2e8) end})) "
        "}%"}) {
    folder.write("protos/Ground.proto", std::string("#VRML_SIM R2025a utf8\nPROTO Ground [ ] {\n") +
                                            code + "\nSolid { } }\n");
    const auto result = test::shell(
        "python3 peak.py \"$SERVOSIM_UNDER_TEST\" check worlds/bad.wbt | tail -1", folder.path());
    EXPECT_LT(std::stol(result.output), 320L << 10) << code;  // [kB]
    Program program({"check", bad});
    EXPECT_EQ(program.finish(), 3) << code;
    EXPECT_NE(program.out().find("Ground.proto:3:"), std::string::npos) << program.out();
  }
}

TEST_F(TemplateWorld, GoesOnWithoutATemplateThatNeverEnds) {
  folder.write("protos/Ground.proto",
               "#VRML_SIM R2021b utf8\nPROTO Ground [ ] {\n"
               "%{ while true do end }%\nSolid { } }\n");
  const std::string bad =
      folder.write("worlds/bad.wbt", "#VRML_SIM R2023b utf8\nGround { }\nCrawler { }\n").string();
  Program program({"check", bad});
  EXPECT_EQ(program.finish(), 3);
  EXPECT_EQ(program.out(),
            (folder / "protos/Ground.proto").string() +
                ":3:3: warning: Lua template of PROTO 'Ground': takes more than 5 s of the "
                "processor, or all templates more than 120 s: limits of servosim; the node is left "
                "out\n"
                "INCOMPLETE: the world may move otherwise than its author meant; it lacks\n"
                "  1 PROTO, which a warning names\n"
                "exit code 3; --allow-missing=protos accepts it and exits with 0\n"
                "1 world: 0 errors, 1 warning\n");
}

// The template would run for seconds.
TEST_F(TemplateWorld, TakesItsTemplatesAlongWhenItIsKilled) {
  folder.write("protos/Ground.proto",
               "#VRML_SIM R2021b utf8\nPROTO Ground [ ] {\n"
               "%{ while true do end }%\nSolid { } }\n");
  Program program({"check", world});
  std::vector<pid_t> children;
  const auto runs = [](pid_t process) {
    std::error_code error;
    const std::filesystem::path link = "/proc/" + std::to_string(process) + "/exe";
    return std::filesystem::read_symlink(link, error).filename() == "template_expander";
  };
  ASSERT_TRUE(net::becomes([&] {
    children = test::children_of(program.pid());
    return !children.empty() && runs(children[0]);
  }));
  program.send_signal(SIGKILL);
  EXPECT_EQ(program.finish(), -SIGKILL);
  EXPECT_TRUE(net::becomes([&] { return !runs(children[0]); }));
}

}  // namespace
}  // namespace servosim
