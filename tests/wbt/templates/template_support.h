// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "wbt/test_support.h"

namespace servosim::wbt::test {

inline constexpr const char* kJavaScript =
    "#VRML_SIM R2023b utf8\n# template language: javascript\n";
inline constexpr const char* kLua = "#VRML_SIM R2021a utf8\n";

// A project with one template, P.proto, whose text follows its header from line 3 (JavaScript) or
// line 2 (Lua).
class Template : public testing::Test {
 protected:
  ReadWorld javascript(const std::string& text, const std::string& world = "P { }") const {
    return read(kJavaScript + text, world);
  }
  ReadWorld lua(const std::string& text, const std::string& world = "P { }") const {
    return read(kLua + text, world);
  }
  ReadWorld read(const std::string& proto, const std::string& world) const {
    project.write("protos/P.proto", proto);
    return project.read(world, "R2023b", options);
  }
  // Returns the name that the template gives to its Solid.
  static std::string name_in(const ReadWorld& w) {
    EXPECT_EQ(w.messages, Messages{});
    return w.file.nodes.empty() ? "no node" : w.node().string("name");
  }
  std::string js_name(const std::string& expression, const std::string& interface = "",
                      const std::string& world = "P { }") const {
    return name_in(javascript(
        "PROTO P [ " + interface + " ] { Solid { name \"%<= " + expression + " >%\" } }", world));
  }
  std::string lua_name(const std::string& expression, const std::string& interface = "",
                       const std::string& world = "P { }") const {
    return name_in(lua(
        "PROTO P [ " + interface + " ] { Solid { name \"%{= " + expression + " }%\" } }", world));
  }

  TemporaryProject project;
  ReadOptions options;
};

}  // namespace servosim::wbt::test
