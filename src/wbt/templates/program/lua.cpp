// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <lua.hpp>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "wbt/templates/program/script.h"

namespace servosim {
namespace {

using Json = nlohmann::json;

constexpr const char* kChunk = "=template";

// The data of one expansion. Each Lua state points to its own.
struct Run {
  explicit Run(const TemplateRequest& request) : script(request), output(request) {}

  Script script;
  TemplateOutput output;
  std::size_t room = std::size_t{kMaxTemplateMemory} << 20;
};

Run& run_of(lua_State* lua) { return **static_cast<Run**>(lua_getextraspace(lua)); }

void* allocate(void* data, void* block, std::size_t old_size, std::size_t size) {
  std::size_t& room = static_cast<Run*>(data)->room;
  const std::size_t old = block == nullptr ? 0 : old_size;
  if (size == 0) {
    std::free(block);
  } else if (size > old && size - old > room) {
    return nullptr;
  } else {
    block = std::realloc(block, size);
    if (block == nullptr) {
      return nullptr;
    }
  }
  room = room + old - size;
  return size == 0 ? nullptr : block;
}

// Returns the line of the file at which the template is, even inside functions of modules.
std::uint32_t present_line(lua_State* lua) {
  lua_Debug at;
  for (int level = 0; lua_getstack(lua, level, &at) != 0; ++level) {
    if (lua_getinfo(lua, "Sl", &at) != 0 && std::string_view(at.source) == kChunk) {
      return run_of(lua).script.line_of_file(static_cast<std::uint32_t>(at.currentline));
    }
  }
  return 0;
}

// Formats numbers like Webots' version of Lua: without `.0`.
std::string_view text_of(lua_State* lua, int index, std::string& number) {
  if (lua_type(lua, index) == LUA_TNUMBER && lua_isinteger(lua, index) == 0) {
    char text[32];
    std::snprintf(text, sizeof text, "%.14g", lua_tonumber(lua, index));
    number = text;
    return number;
  }
  std::size_t size = 0;
  const char* text = luaL_tolstring(lua, index, &size);
  return {text, size};
}

int write_text(lua_State* lua) {
  return run_of(lua).output.write_text(static_cast<std::size_t>(luaL_checkinteger(lua, 1)))
             ? 0
             : luaL_error(lua, "%s", kTextFault);
}

int write_value(lua_State* lua) {
  const auto piece = static_cast<std::size_t>(luaL_checkinteger(lua, 1));
  bool fits = false;
  {
    std::string number;  // must be destroyed before an error jumps out
    luaL_checkany(lua, 2);
    fits = run_of(lua).output.write_value(piece, text_of(lua, 2, number));
  }
  return fits ? 0 : luaL_error(lua, "%s", kTextFault);
}

int say(lua_State* lua) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  run_of(lua).output.add_note(present_line(lua), {text, size});
  return 0;
}

int load_module(lua_State* lua) {
  const BuiltInFile file = built_in_file(std::string(luaL_checkstring(lua, 1)) + ".lua");
  if (file.text.empty()) {
    return 0;
  }
  if (luaL_loadbufferx(lua, file.text.data(), file.text.size(), "=module", "t") != LUA_OK) {
    return lua_error(lua);
  }
  lua_call(lua, 0, 1);
  return 1;
}

template <double (*function)(double)>
int function_of_number(lua_State* lua) {
  lua_pushnumber(lua, function(luaL_checknumber(lua, 1)));
  return 1;
}

int ldexp_of(lua_State* lua) {
  // This exceeds the difference between the exponents of the smallest and the largest number.
  constexpr double kMax = 1 << 12;
  const double x = luaL_checknumber(lua, 1);
  const double exponent = luaL_checknumber(lua, 2);
  lua_pushnumber(lua, std::isnan(exponent)
                          ? exponent
                          : std::ldexp(x, static_cast<int>(std::clamp(exponent, -kMax, kMax))));
  return 1;
}

int frexp_of(lua_State* lua) {
  int exponent = 0;
  lua_pushnumber(lua, std::frexp(luaL_checknumber(lua, 1), &exponent));
  lua_pushinteger(lua, exponent);
  return 2;
}

// Adds functions that Lua 5.2 had, and that 5.4 has only in some builds.
void add_mathematics(lua_State* lua) {
  static constexpr luaL_Reg kFunctions[] = {{"sinh", function_of_number<::sinh>},
                                            {"cosh", function_of_number<::cosh>},
                                            {"tanh", function_of_number<::tanh>},
                                            {"log10", function_of_number<::log10>},
                                            {"ldexp", ldexp_of},
                                            {"frexp", frexp_of},
                                            {nullptr, nullptr}};
  lua_getglobal(lua, LUA_MATHLIBNAME);
  luaL_setfuncs(lua, kFunctions, 0);
  lua_pop(lua, 1);
}

void push(lua_State* lua, const Json& value);

void push_list(lua_State* lua, const Json& list) {
  lua_createtable(lua, static_cast<int>(list.size()), 0);
  lua_Integer index = 0;
  for (const Json& item : list) {
    push(lua, item);
    lua_rawseti(lua, -2, ++index);
  }
}

void push_table(lua_State* lua, const Json& object) {
  lua_createtable(lua, 0, static_cast<int>(object.size()));
  for (const auto& [key, value] : object.items()) {
    lua_pushlstring(lua, key.data(), key.size());
    push(lua, value);
    lua_rawset(lua, -3);
  }
}

void push(lua_State* lua, const Json& value) {
  luaL_checkstack(lua, 4, nullptr);
  if (value.is_array()) {
    push_list(lua, value);
  } else if (value.is_object()) {
    push_table(lua, value);
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    lua_pushlstring(lua, text.data(), text.size());
  } else if (value.is_boolean()) {
    lua_pushboolean(lua, value.get<bool>() ? 1 : 0);
  } else if (value.is_number_integer()) {
    lua_pushinteger(lua, value.get<lua_Integer>());
  } else {
    lua_pushnumber(lua, value.get<double>());
  }
}

void open_libraries(lua_State* lua) {
  static constexpr luaL_Reg kLibraries[] = {
      {LUA_GNAME, luaopen_base},        {LUA_TABLIBNAME, luaopen_table},
      {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
      {LUA_UTF8LIBNAME, luaopen_utf8},  {LUA_COLIBNAME, luaopen_coroutine},
      {LUA_OSLIBNAME, luaopen_os}};  // the prelude removes what reads a clock
  for (const luaL_Reg& library : kLibraries) {
    luaL_requiref(lua, library.name, library.func, 1);
    lua_pop(lua, 1);
  }
  add_mathematics(lua);
  lua_register(lua, "__text", write_text);
  lua_register(lua, "__value", write_value);
  lua_register(lua, "__say", say);
  lua_register(lua, "__load", load_module);
}

struct Work {
  const TemplateRequest& request;
  Json values;
};

// Does everything that can fail, under lua_pcall().
int run_template(lua_State* lua) {
  const Work& work = *static_cast<const Work*>(lua_touserdata(lua, 1));
  open_libraries(lua);
  lua_pushinteger(lua, work.request.seed);
  lua_setglobal(lua, "__seed");
  lua_pushliteral(lua, "prelude");
  lua_replace(lua, 1);
  lua_settop(lua, 1);
  load_module(lua);
  for (const char* name : {"fields", "context"}) {
    push(lua, work.values.at(name));
    lua_setglobal(lua, name);
  }
  const std::string& text = run_of(lua).script.text();
  if (luaL_loadbufferx(lua, text.data(), text.size(), kChunk, "t") != LUA_OK) {
    return lua_error(lua);
  }
  lua_call(lua, 0, 0);
  return 0;
}

// Puts the line before the message.
int add_line(lua_State* lua) {
  lua_pushinteger(lua, present_line(lua));
  lua_insert(lua, 1);
  luaL_tolstring(lua, 2, nullptr);
  lua_createtable(lua, 2, 0);
  lua_rotate(lua, 3, 1);
  lua_rawseti(lua, 3, 2);
  lua_pushvalue(lua, 1);
  lua_rawseti(lua, 3, 1);
  return 1;
}

// Splits `template:12: text` into the line of the file and the text.
TemplateNote located(const Script& script, std::string_view message) {
  constexpr std::string_view kPrefix = "template:";
  if (!message.starts_with(kPrefix)) {
    return {0, std::string(message)};
  }
  message.remove_prefix(kPrefix.size());
  std::uint32_t line = 0;
  while (!message.empty() && message[0] >= '0' && message[0] <= '9') {
    line = 10 * line + static_cast<std::uint32_t>(message[0] - '0');
    message.remove_prefix(1);
  }
  message.remove_prefix(std::min<std::size_t>(message.find_first_not_of(": "), message.size()));
  return {script.line_of_file(line), std::string(message)};
}

TemplateAnswer fault_of(lua_State* lua, Run& run, int status) {
  if (status == LUA_ERRMEM) {
    return run.output.fail(0, memory_fault(), true);
  }
  if (lua_type(lua, -1) != LUA_TTABLE) {  // the message could not be made
    return run.output.fail(0, "nests too deep");
  }
  lua_rawgeti(lua, -1, 1);
  lua_rawgeti(lua, -2, 2);
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, -1, &size);
  const TemplateNote note = located(run.script, {text, std::min(size, kMaxTemplateNote)});
  const auto line = static_cast<std::uint32_t>(lua_tointeger(lua, -2));
  return run.output.fail(note.line != 0 ? note.line : line, note.text);
}

}  // namespace

TemplateAnswer expand_lua(const TemplateRequest& request) {
  Run run(request);
  const Work work{request, Json::parse(request.values)};
  const std::unique_ptr<lua_State, void (*)(lua_State*)> owner(lua_newstate(allocate, &run),
                                                               lua_close);
  lua_State* lua = owner.get();
  if (lua == nullptr) {
    throw std::bad_alloc();
  }
  *static_cast<Run**>(lua_getextraspace(lua)) = &run;
  lua_pushcfunction(lua, add_line);
  lua_pushcfunction(lua, run_template);
  lua_pushlightuserdata(lua, const_cast<Work*>(&work));
  const int status = lua_pcall(lua, 1, 0, 1);
  return status == LUA_OK ? run.output.finish() : fault_of(lua, run, status);
}

}  // namespace servosim
