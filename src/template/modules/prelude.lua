-- SPDX-License-Identifier: Apache-2.0
-- What every template finds. The same template gives the same text: there is no clock, and random
-- numbers begin with __seed.
local say, load_text, load_module = __say, load, __load
local seed, random = math.randomseed, math.random
local floor = math.floor
dofile, loadfile, string.dump = nil, nil, nil

function load(chunk, name, _, ...)
  return load_text(chunk, name, 't', ...)
end

function print(...)
  local parts = table.pack(...)
  for i = 1, parts.n do
    parts[i] = tostring(parts[i])
  end
  say(table.concat(parts, ' '))
end

package = {path = '', cpath = '', loaded = {}}
function require(name)
  local loaded = package.loaded
  if loaded[name] == nil then
    loaded[name] = load_module(name)
    if loaded[name] == nil then
      error("there is no module '" .. name .. "': templates read no files, and require only " ..
            "modules that are built in, such as 'wbrandom'", 2)
    end
  end
  return loaded[name]
end

os = {
  time = function() return 0 end,
  clock = function() return 0 end,
}

-- Lua 5.4 wants whole numbers where 5.2, which Webots had, rounded.
function math.random(first, last)
  if first == nil then
    return random()
  end
  if last == nil then
    return random(floor(first))
  end
  return random(floor(first), floor(last))
end
function math.randomseed(number)
  seed(floor(number or __seed))
end
math.randomseed()

-- Likewise `%d` and its kind.
local format = string.format
function string.format(pattern, ...)
  local values = table.pack(...)
  local i = 0
  for kind in pattern:gsub('%%%%', ''):gmatch('%%[^%a]*(%a)') do
    i = i + 1
    if kind:find('[cdiouxX]') and math.type(values[i]) == 'float' and
       values[i] > -2.0 ^ 53 and values[i] < 2.0 ^ 53 then
      values[i] = values[i] < 0 and -floor(-values[i]) or floor(values[i])
    end
  end
  return format(pattern, table.unpack(values, 1, values.n))
end

-- Gone since Lua 5.1 and 5.2.
unpack = table.unpack
loadstring = load
table.getn = function(list) return #list end
math.pow = function(x, y) return x ^ y end
math.atan2 = math.atan
