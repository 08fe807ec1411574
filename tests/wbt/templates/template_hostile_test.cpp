// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include "base/helper_program.h"
#include "wbt/templates/template_support.h"

namespace servosim::wbt::test {
namespace {

class CuriousTemplate : public Template {};

TEST_F(CuriousTemplate, ReadsNoFiles) {
  const auto said = [](const ReadWorld& w) {
    return w.messages.size() == 1 && w.file.nodes.empty() ? w.messages[0] : "";
  };
  for (const char* code :
       {"import * as fs from 'fs';", "import 'prelude.js';", "import * as a from '/etc/passwd';",
        "await import('wbrandom.js');", "require('fs');", "fetch('http://localhost/');",
        "load('/etc/passwd');", "new Worker('x');", "read('/etc/passwd');"}) {
    EXPECT_NE(said(javascript("PROTO P [ ] {\n%<\n" + std::string(code) + "\n>%\nSolid { } }")), "")
        << code;
  }
  for (const char* code : {"io.open('/etc/passwd')", "os.execute('true')", "os.getenv('HOME')",
                           "dofile('/etc/passwd')", "loadfile('/etc/passwd')", "require('socket')",
                           "require('../x')", "package.loadlib('a', 'b')", "debug.getregistry()",
                           "string.dump(print)", "assert(load('\\27Lua'))"}) {
    EXPECT_NE(said(lua("PROTO P [ ] {\n%{\n" + std::string(code) + "\n}%\nSolid { } }")), "")
        << code;
  }
}

TEST(HelperProgram, HasNoMoreTimeThanThisProcess) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_CPU, &before), 0);
  const rlimit less{3000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_CPU, &less), 0);
  EXPECT_EQ(available_processor_seconds(5), 5u);
  EXPECT_EQ(available_processor_seconds(4000), 3000u);
  ::setrlimit(RLIMIT_CPU, &before);
}

class HostileTemplate : public Template {
 protected:
  // The tests do not wait for the usual 5 s.
  HostileTemplate() { options.template_seconds = 1; }

  // Returns the only message of a world with this template and a second, correct one.
  std::string complaint(const std::string& proto) const {
    project.write("protos/Good.proto",
                  std::string(kJavaScript) + "PROTO Good [ ] { Solid { name \"%<= 2 >%\" } }");
    const ReadWorld w = read(proto, "P { } Good { } P { }");
    EXPECT_EQ(w.file.nodes.size(), 1u);
    EXPECT_EQ(w.messages.size(), 1u);
    return w.messages.empty() ? "" : w.messages[0];
  }
  std::string javascript_complaint(const std::string& code) const {
    return complaint(kJavaScript + ("PROTO P [ ] {\n%<\n" + code + "\n>%\nSolid { } }"));
  }
  std::string lua_complaint(const std::string& code) const {
    return complaint(kLua + ("PROTO P [ ] {\n%{\n" + code + "\n}%\nSolid { } }"));
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(HostileTemplate, ThatNeverEndsIsEnded) {
  EXPECT_TRUE(has(javascript_complaint("for (;;);"), "takes more than 1 s of the processor"));
  EXPECT_TRUE(
      has(javascript_complaint("for (;;) print('more');"), "takes more than 1 s of the processor"));
  EXPECT_TRUE(has(javascript_complaint("for (;;) try { throw 1; } catch {}"),
                  "takes more than 1 s of the processor"));
  EXPECT_TRUE(
      has(lua_complaint("while true do pcall(error) end"), "takes more than 1 s of the processor"));
  EXPECT_TRUE(has(lua_complaint("setmetatable({}, {__gc = function() while true do end end})"),
                  "takes more than 1 s of the processor"));
}

TEST_F(HostileTemplate, ThatWantsTooMuchMemoryIsEnded) {
  for (const char* code : {"let s = 'xy'; for (;;) s += s;",
#ifdef SERVOSIM_LIMIT_MEMORY
                           "print('x'.repeat(2 ** 29));", "new ArrayBuffer(3e9);",
                           "let a = []; for (;;) a.push(new ArrayBuffer(1e8));"
#endif
       }) {
    const std::string said = javascript_complaint(code);
    EXPECT_TRUE(said.ends_with("; the node is left out")) << code << ": " << said;
  }
  EXPECT_TRUE(
      has(lua_complaint("local s = 'x' while true do s = s .. s end"), "needs more than 256 MB"));
  EXPECT_TRUE(has(lua_complaint("string.rep('x', 1 << 40)"), "; the node is left out"));
}

TEST_F(HostileTemplate, ThatWritesWithoutEndIsEnded) {
  const std::string line(1000, 'x');
  EXPECT_TRUE(has(complaint(kJavaScript + ("PROTO P [ ] { %< for (;;) { >%" + line + "%< } >% }")),
                  "the template writes too much text: the limit of servosim is 64 MB"));
  EXPECT_TRUE(has(complaint(kLua + ("PROTO P [ ] { %{ while true do }%" + line + "%{ end }% }")),
                  "the template writes too much text"));
}

TEST_F(HostileTemplate, ThatCallsItselfIsEnded) {
  EXPECT_TRUE(
      has(javascript_complaint("function f() { return 1 + f(); }\nf();"), "too much recursion"));
  EXPECT_TRUE(has(lua_complaint("local function f() return 1 + f() end\nf()"), "stack overflow"));
}

TEST_F(HostileTemplate, CannotFoolTheProgramItRunsIn) {
  EXPECT_NE(javascript_complaint("__text(-1);"), "");
  EXPECT_NE(javascript_complaint("__value('a', 2);"), "");
  EXPECT_NE(lua_complaint("__text(99999999)"), "");
  EXPECT_NE(lua_complaint("__value(-1, {})"), "");
}

}  // namespace
}  // namespace servosim::wbt::test
