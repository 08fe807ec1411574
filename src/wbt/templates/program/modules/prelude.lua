-- SPDX-License-Identifier: Apache-2.0
-- The environment of every template. Equal templates give equal texts: there is no clock, and
-- random numbers begin with __seed.
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
    local module = load_module(name)
    if module == nil then
      error("servosim has no module '" .. name .. "' for templates, which read no files: only " ..
            "those that are built in, such as 'wbrandom'", 2)
    end
    if type(module) == 'table' and getmetatable(module) == nil then
      setmetatable(module, {__index = function(_, key)
        error("servosim's module '" .. name .. "' has no '" .. tostring(key) .. "'", 2)
      end})
    end
    loaded[name] = module
  end
  return loaded[name]
end

local function refused(name)
  return function()
    error('servosim lets no template call ' .. name .. '(): templates see no files, programs and ' ..
          'variables of the machine', 2)
  end
end
local function with_refused(module, module_name, ...)
  for _, name in ipairs({...}) do
    module[name] = refused(module_name .. '.' .. name)
  end
  return module
end

local date = os.date
os = with_refused({
  time = function() return 0 end,
  clock = function() return 0 end,
  date = function(format, time) return date('!' .. (format or '%c'):gsub('^!', ''), time or 0) end,
  difftime = function(a, b) return a - b end,
}, 'os', 'execute', 'exit', 'getenv', 'remove', 'rename', 'setlocale', 'tmpname')
io = with_refused({}, 'io', 'close', 'input', 'lines', 'open', 'output', 'popen', 'read',
                  'tmpfile', 'write')

-- Lua 5.4 requires integers where Lua 5.2, which Webots had, rounded.
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

-- The same holds for `%d` and similar formats.
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

-- Lua 5.2 wrote integers without `.0`.
local text_of = tostring
function tostring(value)
  return math.type(value) == 'float' and format('%.14g', value) or text_of(value)
end

-- Later versions of Lua lack these functions of 5.1 and 5.2; Webots' Lua had all of them.
unpack = table.unpack
loadstring = load
table.getn = function(list) return #list end
function table.maxn(list)
  local greatest = 0
  for key in pairs(list) do
    if type(key) == 'number' and key > greatest then
      greatest = key
    end
  end
  return greatest
end
local function each(pairs_of)
  return function(list, visit)
    for key, value in pairs_of(list) do
      local result = visit(key, value)
      if result ~= nil then
        return result
      end
    end
  end
end
table.foreach, table.foreachi = each(pairs), each(ipairs)
string.gfind = string.gmatch
math.pow = function(x, y) return x ^ y end
math.atan2 = math.atan
math.mod = math.fmod

-- These functions use unsigned numbers of 32 bits.
bit32 = {}
local function bits(x)
  return floor(x) & 0xFFFFFFFF
end
local function combine(start, operation)
  return function(...)
    local result = start
    for _, x in ipairs({...}) do
      result = operation(result, bits(x))
    end
    return result
  end
end
bit32.band = combine(0xFFFFFFFF, function(a, b) return a & b end)
bit32.bor = combine(0, function(a, b) return a | b end)
bit32.bxor = combine(0, function(a, b) return a ~ b end)
function bit32.btest(...) return bit32.band(...) ~= 0 end
function bit32.bnot(x) return ~bits(x) & 0xFFFFFFFF end
-- Bits beyond the 32 are lost; a negative count shifts in the other direction.
function bit32.lshift(x, places)
  places = floor(places)
  return (places < 0 and bits(x) >> -places or bits(x) << places) & 0xFFFFFFFF
end
function bit32.rshift(x, places) return bit32.lshift(x, -places) end
function bit32.arshift(x, places)
  x, places = bits(x), floor(places)
  if places < 0 or x < 0x80000000 then
    return bit32.rshift(x, places)
  end
  return places > 31 and 0xFFFFFFFF or (x >> places | ~(0xFFFFFFFF >> places)) & 0xFFFFFFFF
end
function bit32.lrotate(x, places)
  x, places = bits(x), floor(places) % 32
  return (x << places | x >> (32 - places)) & 0xFFFFFFFF
end
function bit32.rrotate(x, places) return bit32.lrotate(x, -places) end
function bit32.extract(x, first, width)
  return bits(x) >> floor(first) & ((1 << floor(width or 1)) - 1)
end
function bit32.replace(x, value, first, width)
  local mask = ((1 << floor(width or 1)) - 1) << floor(first)
  return (bits(x) & ~mask | bits(value) << floor(first) & mask) & 0xFFFFFFFF
end

for _, name in ipairs({'bit32', 'coroutine', 'io', 'math', 'os', 'string', 'table', 'utf8'}) do
  package.loaded[name] = _G[name]
end
package.loaded._G = _G
