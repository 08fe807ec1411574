// SPDX-License-Identifier: Apache-2.0
#include "wbt/templates/template_support.h"

namespace servosim::wbt::test {
namespace {

// --- output

TEST_F(Template, InJavaScriptRunsStatementsAndWritesValues) {
  const ReadWorld w = javascript(R"(PROTO P [
  field SFInt32 wheels 2
  field SFFloat mass 3
]
{
  %<
    // The first line may be code.
    const mass = fields.mass.value / fields.wheels.value;  // of each wheel
  >%
  Solid {
    children [
      %< for (let i = 0; i < fields.wheels.value; ++i) { >%
        Solid {
          name "%<= 'wheel ' + (i + 1) >%"
          translation %<= i; >% 0 0.5
          physics Physics { mass %<= mass >% }
        }
      %< } >%
      # %< throw 'a comment'; >%
    ]
    name "%% 100%"
  }
}
)",
                                 "P { wheels 3 }");
  EXPECT_EQ(w.messages, Messages{});
  ASSERT_EQ(w.node().nodes("children").size(), 3u);
  const Node& last = *w.node().nodes("children")[2];
  EXPECT_EQ(last.string("name"), "wheel 3");
  EXPECT_EQ(last.vec3("translation"), (Vec3{2, 0, 0.5}));
  EXPECT_EQ(last.node("physics")->number("mass"), 1.0);
  EXPECT_EQ(w.node().string("name"), "%% 100%");
  EXPECT_EQ(w.node().proto.name, "P");
}

TEST_F(Template, InLuaRunsStatementsAndWritesValues) {
  const ReadWorld w = lua(R"(PROTO P [
  field SFInt32 wheels 2
  field SFFloat mass 3
]
{
  %{ -- a comment
    local mass = fields.mass.value / fields.wheels.value }%
  Solid {
    children [
      %{ for i = 1, fields.wheels.value do }%
        Solid {
          name "wheel %{= i }%"
          physics Physics { mass %{= mass }% }
        }
      %{ end --[[ of the loop ]] }%
    ]
    boundingObject Sphere { subdivision %{= 4 / 2 }% }
  }
}
)",
                          "P { wheels 3 }");
  EXPECT_EQ(w.messages, Messages{});
  ASSERT_EQ(w.node().nodes("children").size(), 3u);
  EXPECT_EQ(w.node().nodes("children")[2]->string("name"), "wheel 3");
  EXPECT_EQ(w.node().nodes("children")[2]->node("physics")->number("mass"), 1.0);
  EXPECT_EQ(w.node().node("boundingObject")->integer("subdivision"), 2);
}

// --- functions of the modules, by all names in the manual of Webots

TEST_F(Template, InLuaHasWhatTheManualDocuments) {
  EXPECT_EQ(lua_name("require('wbgeometry').circle(0.5, 4, 2, 3, math.pi / 2)[1].y"), "3.5");
  EXPECT_EQ(lua_name("require('wbgeometry').circle(0.5, 4, {x = 2, y = 3}, 0)[2].y"), "3.5");
  EXPECT_EQ(lua_name("#require('wbgeometry').circle(0.5, 8, 0, 0, 0)"), "8");
  const std::string square = "{{x = 0, y = 0}, {x = 2, y = 0}, {x = 2, y = 2}, {x = 0, y = 2}}";
  EXPECT_EQ(lua_name("require('wbgeometry').isPointInPolygon({x = 1, y = 0.5}, " + square + ")"),
            "true");
  EXPECT_EQ(lua_name("require('wbgeometry').isPointInPolygon({x = 3, y = 0.5}, " + square + ")"),
            "false");
  // The spline through points on a line is this line.
  const std::string line = "{{x = 0, y = 1}, {x = 2, y = 5}, {x = 4, y = 9}}";
  EXPECT_EQ(lua_name("require('wbgeometry').bSpline2D(" + line + ", 4, 3)[2].y"), "2");
  EXPECT_EQ(lua_name("#require('wbgeometry').bSpline2D(" + line + ", 4, 3)"), "9");
  EXPECT_EQ(lua_name("require('wbgeometry').bSpline3D({{x = 0, y = 0, z = 1}, {x = 0, y = 0, z = "
                     "3}}, 2)[2].z"),
            "2");
  EXPECT_EQ(lua_name("require('wbvector2').intersection({x = 0, y = 0}, {x = 4, y = 4}, "
                     "{x = 0, y = 3}, {x = 1, y = 2}).x"),
            "1.5");
  EXPECT_EQ(lua_name("require('wbmath').max(2, 3) + require('wbmath').round(-2.5)"), "0");
  EXPECT_EQ(lua_name("require('math').max(2, 3)"), "3");
  EXPECT_EQ(lua_name("require('os').time() + os.clock() + os.difftime(5, 3)"), "2");
  EXPECT_EQ(lua_name("os.date('%Y')"), "1970");
  EXPECT_EQ(lua_name("require('string').rep('x', 3) .. require('table').concat({1, 2}, '-')"),
            "xxx1-2");
}

TEST_F(Template, InLuaSaysWhatServosimLacks) {
  const auto complaint = [&](const std::string& code) {
    const ReadWorld w = lua("PROTO P [ ] { %{ " + code + " }% Solid { } }");
    return w.messages.empty() ? "" : w.messages.front();
  };
  for (const char* code : {"os.execute('ls')", "io.open('/etc/passwd')", "require('lfs')",
                           "require('wbgeometry').unheardOf()"}) {
    EXPECT_NE(complaint(code).find("servosim"), std::string::npos) << code << complaint(code);
  }
}

TEST_F(Template, InJavaScriptHasWhatTheManualDocuments) {
  const auto name = [&](const std::string& module, const std::string& expression) {
    return name_in(javascript("PROTO P [ ] { %< import * as m from '" + module +
                              ".js'; >% Solid { name \"%<= " + expression + " >%\" } }"));
  };
  EXPECT_EQ(name("wbgeometry", "m.circle(0.5, 4, {x: 2, y: 3}, Math.PI / 2)[0].y"), "3.5");
  EXPECT_EQ(name("wbgeometry",
                 "m.findClosestPoint2InArray({x: 1, y: 2}, [{x: 9, y: 2}, "
                 "{x: 1, y: 1}])"),
            "1");
  EXPECT_EQ(name("wbgeometry",
                 "m.isPoint2ArrayClockwise([{x: 0, y: 0}, {x: 0, y: 1}, "
                 "{x: 1, y: 0}])"),
            "true");
  EXPECT_EQ(name("wbgeometry", "m.bSpline2([{x: 0, y: 1}, {x: 2, y: 5}], 4, 3)[1].y"), "2");
  EXPECT_EQ(name("wbgeometry", "m.bSpline3([{x: 0, y: 1, z: 2}, {x: 2, y: 5, z: 4}], 2)[1].z"),
            "3");
  EXPECT_EQ(name("wbvector2",
                 "m.intersection({x: 0, y: 0}, {x: 4, y: 4}, {x: 0, y: 3}, "
                 "{x: 1, y: 2}).x"),
            "1.5");
  EXPECT_EQ(name("wbrotation",
                 "[m.isIdentity({x: 0, y: 1, z: 0, a: 0}), "
                 "m.isIdentity({x: 0, y: 1, z: 0, a: 1})]"),
            "true,false");
  EXPECT_EQ(name("wbrotation", "m.normalize({x: 0, y: 4, z: 3, a: 2}).z"), "0.6");
  const std::string turned = "({x, y, z}) => [x, y, z].map(Math.round)";
  const std::string vector = "{x: 5, y: 0, z: 2}";
  const std::string rotation = "{x: 0, y: 0, z: 1, a: Math.PI / 2}";
  for (const std::string& call :
       {"m.rotateVector3ByRotation(" + vector + ", " + rotation + ")",
        "m.rotateVector3ByRotation(" + rotation + ", " + vector + ")",
        "m.rotateVector3ByQuaternion(" + vector + ", m.toQuaternion(" + rotation + "))",
        "m.rotateVector3ByMatrix3(" + vector + ", m.toMatrix3(" + rotation + "))"}) {
    EXPECT_EQ(name("wbrotation", "(" + turned + ")(" + call + ")"), "0,5,2") << call;
  }
  project.write("protos/words.txt", "seven");
  EXPECT_EQ(name("wbfile", "m.fileExists('words.txt')"), "true");
  EXPECT_EQ(js_name("wbfile.readTextFile('words.txt') + wbfile.fileExists('none.txt')"),
            "sevenfalse");
}

TEST_F(Template, InJavaScriptSaysWhatServosimLacks) {
  const auto complaint = [&](const std::string& code) {
    const ReadWorld w = javascript("PROTO P [ ] { %< " + code + " >% Solid { } }");
    return w.messages.empty() ? "" : w.messages.front();
  };
  for (const char* code :
       {"import * as wbgeometry from 'wbgeometry.js'; wbgeometry.unheardOf();",
        "import {unheardOf} from 'wbgeometry.js'; unheardOf();", "import * as fs from 'fs';"}) {
    EXPECT_NE(complaint(code).find("servosim"), std::string::npos) << complaint(code);
  }
}

// If nothing names the language, the marks decide.
TEST_F(Template, LanguageIsThatOfItsMarks) {
  EXPECT_EQ(name_in(lua("PROTO P [ ] { Solid { name \"%<= [1, 2].map((x) => x + 1) >%\" } }")),
            "2,3");
  EXPECT_EQ(name_in(lua("PROTO P [ ] { Solid { name \"%{= #'abc' }%\" } }")), "3");
}

TEST_F(Template, FindsWhatItLooksUpAfterTwoOrThreeDots) {
  EXPECT_EQ(name_in(lua("PROTO P [ field SFString tag \"x\" ] "
                        "{ %{ local n = 'wheel '..fields.tag.value }% "
                        "Solid { name \"%{= n }%\" } }")),
            "wheel x");
  EXPECT_EQ(name_in(javascript("PROTO P [ field SFString tag \"x\" ] "
                               "{ %< const all = {...fields}; >% "
                               "Solid { name \"%<= all.tag.value >%\" } }")),
            "x");
}

TEST_F(Template, InLuaWritesWholeNumbersOfFractions) {
  EXPECT_EQ(name_in(lua("PROTO P [ ] { Solid { name "
                        "\"%{= string.format('%d %5.1f %d%%', 3.7, 2.25, -2.5) }%\" } }")),
            "3   2.2 -2%");
}

TEST_F(Template, KeepsParametersThatAreUsedByIs) {
  const ReadWorld w = javascript(R"(PROTO P [
  field SFVec3f translation 1 2 3
  field MFNode extra [ ]
  field SFBool heavy FALSE
]
{ Solid {
  translation IS translation
  children IS extra
  %< if (fields.heavy.value) { >% physics Physics { } %< } >%
} }
)",
                                 "P { translation 4 5 6 extra Solid { name \"x\" } heavy TRUE } "
                                 "P { }");
  EXPECT_EQ(w.messages, Messages{});
  EXPECT_EQ(w.node(0).vec3("translation"), (Vec3{4, 5, 6}));
  EXPECT_EQ(w.node(0).nodes("children").at(0)->string("name"), "x");
  EXPECT_NE(w.node(0).node("physics"), nullptr);
  EXPECT_EQ(w.node(1).vec3("translation"), (Vec3{1, 2, 3}));
  EXPECT_EQ(w.node(1).node("physics"), nullptr);
}

TEST_F(Template, MayBeInsideTemplates) {
  project.write("protos/Wheel.proto",
                "#VRML_SIM R2021a utf8\nPROTO Wheel [ field SFInt32 number 0 ] "
                "{ Solid { name \"w%{= fields.number.value * 2 }%\" } }");
  const ReadWorld w = javascript(R"(PROTO P [ field SFInt32 n 2 ]
{ Solid { children [ %< for (let i = 0; i < fields.n.value; ++i) { >%
Wheel { number %<= i >% } %< } >% ] } })");
  EXPECT_EQ(w.messages, Messages{});
  ASSERT_EQ(w.node().nodes("children").size(), 2u);
  EXPECT_EQ(w.node().nodes("children")[1]->string("name"), "w2");
}

// --- what a template can look up

constexpr const char* kOfEachType = R"(
  field SFBool b TRUE field SFInt32 i -2 field SFFloat f 0.5 field SFString s "a \"b\" \\ c"
  field SFVec2f v2 1 2 field SFVec3f v3 1 2 3 field SFColor c 0 0.5 1 field SFRotation r 0 1 0 2
  field MFString ms ["x" "y"] field MFVec3f mv [ 1 2 3 4 5 6 ] field MFFloat none [ ]
  field MFColor mc [ 1 0 0.5 ] field SFNode node NULL
)";

TEST_F(Template, InJavaScriptHasValuesOfEachType) {
  EXPECT_EQ(js_name("JSON.stringify(fields).replaceAll('\"', '')", kOfEachType,
                    "P { i 7 s \"text\" node Box { } }")
                .substr(0, 74),
            "{b:{value:true,defaultValue:true},i:{value:7,defaultValue:-2},f:{value:0.5");
  EXPECT_EQ(js_name("fields.s.value.length", kOfEachType), "9");
  EXPECT_EQ(js_name("[fields.v2.value.y, fields.v3.value.z, fields.c.value.b, fields.r.value.a]",
                    kOfEachType),
            "2,3,1,2");
  EXPECT_EQ(js_name("[fields.ms.value, fields.mv.value[1].z, fields.none.value.length, "
                    "fields.mc.value[0].b]",
                    kOfEachType),
            "x,y,6,0,0.5");
  EXPECT_EQ(js_name("fields.i.value + fields.i.defaultValue", kOfEachType, "P { i 9 }"), "7");
  EXPECT_EQ(js_name("fields.node.value", kOfEachType), "undefined");
}

TEST_F(Template, InLuaHasValuesOfEachType) {
  EXPECT_EQ(lua_name("fields.v2.value.y .. fields.v3.value.z .. fields.c.value.b .. "
                     "fields.r.value.a .. #fields.s.value",
                     kOfEachType),
            "23129");
  EXPECT_EQ(lua_name("fields.ms.value[2] .. fields.mv.value[2].z .. #fields.none.value .. "
                     "fields.mc.value[1].b",
                     kOfEachType),
            "y600.5");
  EXPECT_EQ(lua_name("fields.i.value + fields.i.defaultValue", kOfEachType, "P { i 9 }"), "7");
  EXPECT_EQ(lua_name("tostring(fields.node.value) .. tostring(fields.b.value)", kOfEachType),
            "niltrue");
}

TEST_F(Template, LooksIntoNodes) {
  project.write("protos/Part.proto",
                "PROTO Part [ field SFFloat size 2 field SFNode shape NULL ] { Solid { } }");
  const std::string interface = "field SFNode node NULL field MFNode nodes [ Part { } ]";
  EXPECT_EQ(js_name("[fields.node.value.node_name, fields.node.value.fields.size.value.y, "
                    "fields.node.value.fields.size.defaultValue.y]",
                    interface, "P { node Box { size 3 4 5 } }"),
            "Box,4,2");
  const std::string part = "P { nodes [ Box { } Part { size 7 shape Sphere { radius 8 } } ] }";
  EXPECT_EQ(js_name("[fields.nodes.value[1].node_name, fields.nodes.value[1].fields.size.value, "
                    "fields.nodes.value[1].fields.shape.value.fields.radius.value, "
                    "fields.nodes.value[1].super.node_name, "
                    "fields.nodes.defaultValue[0].fields.size.value]",
                    interface, part),
            "Part,7,8,Solid,2");
  EXPECT_EQ(
      lua_name("fields.nodes.value[2].fields.shape.value.fields.radius.value", interface, part),
      "8");
}

TEST_F(Template, KnowsItsContext) {
  EXPECT_EQ(js_name("context.world"), project.path("worlds/w.wbt"));
  EXPECT_EQ(js_name("context.proto"), project.path("protos/P.proto"));
  EXPECT_EQ(js_name("context.project_path + '/'"), project.path(""));
  EXPECT_EQ(js_name("[context.os, context.webots_version.major, context.coordinate_system]"),
            "linux,R2025a,ENU");
  EXPECT_EQ(lua_name("context.os .. context.webots_version.major"), "linuxR2025a");
  EXPECT_EQ(js_name("Object.keys(context).length"), "9");
  project.write("protos/P.proto", std::string(kJavaScript) +
                                      "PROTO P [ ] { Solid { name "
                                      "\"%<= context.coordinate_system + context.id >%\" } }");
  const ReadWorld w = project.read("WorldInfo { coordinateSystem \"NUE\" }\nP { } P { }", "R2023b");
  EXPECT_EQ(w.node(1).string("name"), "NUE1");
  EXPECT_EQ(w.node(2).string("name"), "NUE2");
}

// --- modules

TEST_F(Template, ImportsModulesInJavaScript) {
  const auto with = [&](const std::string& imports, const std::string& expression) {
    return name_in(javascript("PROTO P [ ] {\n%< " + imports +
                              " >%\nSolid { name \"%<= " + expression + " >%\" } }"));
  };
  EXPECT_EQ(with("import * as wbvector3 from 'wbvector3.js';",
                 "Object.values(wbvector3.cross({x: 1, y: 0, z: 0}, {x: 0, y: 1, z: 0}))"),
            "0,0,1");
  EXPECT_EQ(
      with("import {norm, minus} from 'wbvector2.js';", "norm(minus({x: 3, y: 5}, {x: 0, y: 1}))"),
      "5");
  EXPECT_EQ(with("import {dot} from 'wbvector4.js';",
                 "dot({x: 1, y: 2, z: 3, w: 4}, {x: 1, y: 1, z: 1, w: 2})"),
            "14");
  EXPECT_EQ(with("import * as r from 'wbrotation.js'; const z = {x: 0, y: 0, z: 1, a: 1};",
                 "Object.values(r.combine(z, z)).map((x) => x.toFixed(3))"),
            "0.000,0.000,1.000,2.000");
  EXPECT_EQ(with("import * as m from 'wbmatrix3.js';",
                 "Object.values(m.toRotation(m.fromRotation({x: 0, y: 1, z: 0, a: 3})))"
                 ".map((x) => x.toFixed(3))"),
            "0.000,1.000,0.000,3.000");
  EXPECT_EQ(with("import * as m from 'wbmatrix4.js'; const a = m.fromPose({x: 1, y: 2, z: 3}, "
                 "{x: 0, y: 0, z: 1, a: Math.PI / 2});",
                 "m.multiply(m.inverse(a), a).map((x) => Math.abs(x).toFixed(0)).join('')"),
            "1000010000100001");
  EXPECT_EQ(with("import * as g from 'wbgeometry.js'; const square = [{x: 0, y: 0}, {x: 2, y: 0}, "
                 "{x: 2, y: 2}, {x: 0, y: 2}];",
                 "[g.isPolygonClockwise(square), g.polygonArea(square), "
                 "g.isPoint2InPolygon({x: 1, y: 1}, square), "
                 "g.isPoint2InPolygon({x: 3, y: 1}, square), "
                 "g.findClosest2DPointInArray({x: 2, y: 1.5}, square), "
                 "g.bSpline2D(square, 4).length, g.intersection2DLines(square[0], square[2], "
                 "square[1], square[3]).x]"),
            "false,4,true,false,2,13,1");
  EXPECT_EQ(with("import * as u from 'wbutility.js';",
                 "[u.shuffleList([3, 1, 2]).sort(), u.colorHexadecimalToRGB('#ff0033').b]"),
            "1,2,3,0.2");
}

TEST_F(Template, RequiresModulesInLua) {
  const auto with = [&](const std::string& module, const std::string& expression) {
    return name_in(lua("PROTO P [ ] {\n%{ local m = require('" + module +
                       "') }%\nSolid { name \"%{= " + expression + " }%\" } }"));
  };
  EXPECT_EQ(with("wbvector2", "m.norm(m.minus({x = 3, y = 5}, {x = 0, y = 1}))"), "5");
  EXPECT_EQ(with("wbvector3", "m.cross({x = 1, y = 0, z = 0}, {x = 0, y = 1, z = 0}).z"), "1");
  EXPECT_EQ(with("wbvector4", "m.dot({x = 1, y = 2, z = 3, w = 4}, {x = 1, y = 1, z = 1, w = 2})"),
            "14");
  EXPECT_EQ(
      with("wbrotation", "m.combine({x = 0, y = 0, z = 1, a = 1}, {x = 0, y = 0, z = 1, a = 1}).a"),
      "2");
  EXPECT_EQ(with("wbgeometry",
                 "m.polygonArea({{x = 0, y = 0}, {x = 2, y = 0}, {x = 2, y = 2}, {x = 0, y = 2}})"),
            "4");
  EXPECT_EQ(with("wbutility", "#m.shuffleList({3, 1, 2})"), "3");
}

TEST_F(Template, RandomNumbersAreTheSameEachTime) {
  const std::string number = "import * as wbrandom from 'wbrandom.js'; ";
  const auto js = [&](const std::string& tags) {
    const ReadWorld w =
        read("#VRML_SIM R2023b utf8\n# tags: " + tags + "\nPROTO P [ ] { %< " + number +
                 " >% Solid { name \"%<= [wbrandom.integer(1, 1000000), "
                 "Math.random(), Date.now(), new Date().getTime()] >%\" } }",
             "P { } P { }");
    EXPECT_EQ(w.messages, Messages{});
    return std::pair(w.node(0).string("name"), w.node(1).string("name"));
  };
  const auto same = js("static");
  EXPECT_EQ(same.first, same.second);
  EXPECT_EQ(same, js("static"));
  const auto other = js("nonDeterministic");
  EXPECT_NE(other.first, other.second);
  EXPECT_EQ(other, js("nonDeterministic"));
  EXPECT_EQ(lua_name("math.random(1000000) .. os.time()"),
            lua_name("math.random(1000000) .. os.time()"));
  EXPECT_EQ(name_in(lua("PROTO P [ ] {\n%{ local r = require('wbrandom') r.seed(3) local a = "
                        "r.real(2, 3) r.seed(3) }%\nSolid { name \"%{= a == r.real(2, 3) and a "
                        ">= 2 and a < 3 }%\" } }")),
            "true");
}

TEST_F(Template, RandomNumbersKeepTheirBounds) {
  EXPECT_EQ(name_in(javascript(R"(PROTO P [ ] {
%< import * as wbrandom from 'wbrandom.js';
  let seen = new Set();
  for (let i = 0; i < 1000; ++i)
    seen.add(wbrandom.integer(-1, 2));
  wbrandom.seed(7);
  const a = wbrandom.real(5, 6);
  wbrandom.seed(7);
>% Solid { name "%<= [[...seen].sort(), a >= 5 && a < 6, a === wbrandom.real(5, 6)] >%" } })")),
            "-1,0,1,2,true,true");
}

// --- messages of templates, and their mistakes

TEST_F(Template, SaysThingsWithItsLine) {
  const std::string says = ": warning: the template says: ";
  EXPECT_EQ(javascript("PROTO P [ ] {\n%<\n  import * as wbutility from 'wbutility.js';\n"
                       "  print('one', 2);\n  console.log('two');\n  wbutility.error('three');\n"
                       ">%\nSolid { } }",
                       "P { } P { }")
                .messages,
            (Messages{"P.proto:6:3" + says + "one 2", "P.proto:7:3" + says + "two",
                      "P.proto:8:3" + says + "three"}));
  EXPECT_EQ(lua("PROTO P [ ] {\n%{\n  print('one', 2)\n  require('wbutility').warning('two')\n"
                "}%\nSolid { } }")
                .messages,
            (Messages{"P.proto:4:3" + says + "one 2", "P.proto:5:3" + says + "two"}));
}

// A message about the text that a template writes has the template's line.
TEST_F(Template, MessagesNameItsOwnLines) {
  const ReadWorld w = javascript(
      "PROTO P [ ] {\n  Solid { children [\n%< for (let i = 0; i < 9; ++i) { >%\n"
      "  Solid { nam \"%<= i >%\" }\n%< } >% ]\n  %<= 'modl' >% \"x\"\n} }");
  EXPECT_EQ(w.messages,
            (Messages{"P.proto:6:11: warning: unknown field 'nam' in Solid (skipped); did you mean "
                      "'name'?",
                      "P.proto:8:6: warning: unknown field 'modl' in Solid (skipped); did you mean "
                      "'model'?"}));
  EXPECT_EQ(w.node().nodes("children").size(), 9u);
}

TEST_F(Template, ThatFailsIsLeftOut) {
  const auto js = [&](const std::string& code) {
    return javascript("PROTO P [ ] {\n%<\n" + code + "\n>%\nSolid { } }").messages;
  };
  const auto in_lua = [&](const std::string& code) {
    return lua("PROTO P [ ] {\n%{\n" + code + "\n}%\nSolid { } }").messages;
  };
  const std::string by_js = ": warning: JavaScript template of PROTO 'P': ";
  const std::string by_lua = ": warning: Lua template of PROTO 'P': ";
  const std::string end = "; the node is left out";
  EXPECT_EQ(js("\n  nothing.at.all();"),
            (Messages{"P.proto:6:3" + by_js + "ReferenceError: nothing is not defined" + end}));
  EXPECT_EQ(js("let a = ;"),
            (Messages{"P.proto:5:1" + by_js + "SyntaxError: expected expression, got ';'" + end}));
  EXPECT_EQ(js("throw new Error('no wheels');"),
            (Messages{"P.proto:5:1" + by_js + "Error: no wheels" + end}));
  EXPECT_EQ(js("throw 'text';"),
            (Messages{"P.proto:4:3" + by_js + "uncaught exception: text" + end}));
  EXPECT_EQ(js("throw {toString() { throw 1; }};").size(), 1u);
  EXPECT_EQ(js("await new Promise(() => {});"),
            (Messages{"P.proto:4:3" + by_js +
                      "Error: the template waits for something that never happens" + end}));
  EXPECT_EQ(js("import {no} from 'wbrandom.js';"),
            (Messages{"P.proto:5:1" + by_js +
                      "SyntaxError: import not found: no; servosim's modules may lack "
                      "what those of Webots have" +
                      end}));
  EXPECT_EQ(
      in_lua("\n  nothing.at()"),
      (Messages{"P.proto:5:3" + by_lua + "attempt to index a nil value (global 'nothing')" + end}));
  EXPECT_EQ(in_lua("local a = = 1"),
            (Messages{"P.proto:4:1" + by_lua + "unexpected symbol near '='" + end}));
  EXPECT_EQ(in_lua("error('no wheels')"), (Messages{"P.proto:4:1" + by_lua + "no wheels" + end}));
  EXPECT_EQ(in_lua("error({})").size(), 1u);
}

TEST_F(Template, WithAnOpenMarkIsLeftOut) {
  const ReadWorld w = javascript("PROTO P [ ] { Solid { name %<= 1 } }", "P { } Solid { }");
  EXPECT_EQ(w.messages, (Messages{"P.proto:3:28: warning: this mark is never closed by '>%'; the "
                                  "node is left out"}));
  EXPECT_EQ(w.file.nodes.size(), 1u);
  EXPECT_EQ(w.file.lost.size(), 1u);
}

// The program is restarted after a failure. A failure is reported once.
TEST_F(Template, ThatFailsLeavesTheOthersAlone) {
  project.write("protos/Bad.proto",
                std::string(kJavaScript) + "PROTO Bad [ ] { %< oops(); >% Solid { } }");
  const ReadWorld w =
      javascript("PROTO P [ ] { Solid { name \"%<= 1 + 1 >%\" } }", "Bad { } P { } Bad { } P { }");
  EXPECT_EQ(w.messages.size(), 1u);
  ASSERT_EQ(w.file.nodes.size(), 2u);
  EXPECT_EQ(w.node(1).string("name"), "2");
}

TEST_F(Template, MayWriteWhatIsNoNode) {
  const std::string end = "; the node is left out";
  EXPECT_EQ(javascript("PROTO P [ ] { %<= 1 >% }").messages,
            (Messages{"P.proto:3:18: warning: PROTO 'P': expected a node type, found '1'" + end}));
  EXPECT_EQ(javascript("PROTO P [ ] { %< >% }").messages,
            (Messages{"P.proto:3:21: warning: PROTO 'P': its body is empty" + end}));
  const std::string cycle = ": warning: PROTO 'P' uses itself (P -> P)" + end;
  EXPECT_EQ(
      javascript("PROTO P [ ] {\n%< if (true) { >%\nSolid { children P { } } %< } >% }").messages,
      (Messages{"P.proto:5:18" + cycle, "2:1" + cycle}));
}

// Each module function is true for one value and false for all others.
TEST_F(Template, UtilitiesTellValuesApart) {
  const ReadWorld w = javascript(R"(PROTO P [ ]
{
  %<
    import * as wbutility from 'wbutility.js';
    const values = {
      isScalar: 2.5, isVector2: {x: 1, y: 2}, isVector3: {x: 1, y: 2, z: 3},
      isAxisAngle: {x: 0, y: 0, z: 1, a: 2}, isQuaternion: {w: 1, x: 0, y: 0, z: 0},
      isMatrix3: [1, 2, 3, 4, 5, 6, 7, 8, 9], isArrayOfPoints: [{x: 1, y: 2}, {x: 3, y: 4}]};
    let wrong = '';
    for (const name in values)
      for (const of in values)
        if (wbutility[name](values[of]) !== (name === of))
          wrong += name + '(' + of + ') ';
    for (const other of [undefined, null, NaN, 'x', {}, {x: '1', y: 2}, [1, 2]])
      for (const name in values)
        if (wbutility[name](other))
          wrong += name + '(' + other + ') ';
    if (!wbutility.isMatrix3([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
      wrong += 'rows';
    const flat = {x: 1, y: 2}, high = {x: 1, y: 2, z: 3};
    if (wbutility.isArrayOfPoints([flat], 3) || wbutility.isArrayOfPoints([flat, high]))
      wrong += 'dimension';
    const original = {list: [1, {deep: 2}], text: 'a'};
    original.itself = original;
    const copy = wbutility.deepCopy(original);
    copy.list[1].deep = 3;
    if (original.list[1].deep !== 2 || copy.itself !== copy || copy.text !== 'a' ||
        !Array.isArray(copy.list))
      wrong += 'copy';
    if (Math.abs(wbutility.degreesToRadians(90) - Math.PI / 2) > 1e-15 ||
        wbutility.radiansToDegrees(Math.PI) !== 180)
      wrong += 'angle';
    wbutility.assert(1 < 2, 'not said');
  >%
  Solid { name "%<= wrong >%" }
})");
  EXPECT_EQ(name_in(w), "");
}

TEST_F(Template, AnAssertionThatFailsEndsIt) {
  const ReadWorld w = javascript(
      "PROTO P [ ] {\n%< import {assert} from 'wbutility.js'; >%\n%< assert(1 > 2, 'too few'); "
      ">%\nSolid { } }");
  EXPECT_TRUE(w.file.nodes.empty());
  ASSERT_EQ(w.messages.size(), 1u);
  EXPECT_NE(w.messages[0].find("too few"), std::string::npos) << w.messages[0];
}

TEST_F(Template, LuaHasWhatVersion52HadForOlderOnes) {
  for (const auto& [expression, value] : {
           std::pair("table.maxn({[3] = 1, [7.5] = 2, x = 3})", "7.5"),
           std::pair("table.maxn({})", "0"),
           std::pair("table.getn({4, 5, 6})", "3"),
           std::pair("table.foreach({4, 5}, function(k, v) if v == 5 then return k end end)", "2"),
           std::pair("table.foreachi({4, 5}, function(k, v) if v == 5 then return k end end)", "2"),
           std::pair("select(2, unpack({4, 5}))", "5"),
           std::pair("loadstring('return 6')()", "6"),
           std::pair("string.gfind('ab', 'b')()", "b"),
           std::pair("math.pow(2, 3)", "8"),
           std::pair("math.mod(7, 4)", "3"),
           std::pair("math.log10(1000)", "3"),
           std::pair("math.ldexp(0.75, 3)", "6"),
           std::pair("table.concat({math.frexp(-6)}, ' ')", "-0.75 3"),
           std::pair("math.frexp(0)", "0"),
           std::pair("math.frexp(1/0)", "inf"),
           std::pair("table.concat({math.frexp(5e-324)}, ' ')", "0.5 -1073"),
           std::pair("math.ldexp(0.75, -1e300)", "0"),
           std::pair("math.tanh(-1000)", "-1"),
           std::pair("math.tanh(2e-17)", "2e-17"),
           std::pair("math.sinh(3e-9)", "3e-09"),
           std::pair("math.cosh(0) + math.sinh(0)", "1"),
           std::pair("tostring(10 / 2)", "5"),
           std::pair("bit32.band(0xFF0F, 0x0FFF)", "3855"),
           std::pair("bit32.band()", "4294967295"),
           std::pair("bit32.bor(1, 4, 8)", "13"),
           std::pair("bit32.bxor(5, 1)", "4"),
           std::pair("bit32.bnot(1)", "4294967294"),
           std::pair("bit32.band(-1)", "4294967295"),
           std::pair("tostring(bit32.btest(6, 1))", "false"),
           std::pair("bit32.lshift(3, 31)", "2147483648"),
           std::pair("bit32.lshift(8, -2)", "2"),
           std::pair("bit32.rshift(0x80000000, 31)", "1"),
           std::pair("bit32.rshift(1, 99)", "0"),
           std::pair("bit32.arshift(0x80000000, 1)", "3221225472"),
           std::pair("bit32.arshift(0x80000000, 99)", "4294967295"),
           std::pair("bit32.lrotate(0x80000001, 1)", "3"),
           std::pair("bit32.rrotate(3, 1)", "2147483649"),
           std::pair("bit32.extract(0xABCD, 4, 8)", "188"),
           std::pair("bit32.replace(0xABCD, 0xF, 4, 8)", "41213"),
       }) {
    EXPECT_EQ(lua_name(expression), value) << expression;
  }
}

}  // namespace
}  // namespace servosim::wbt::test
