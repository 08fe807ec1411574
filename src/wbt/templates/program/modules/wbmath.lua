-- SPDX-License-Identifier: Apache-2.0
-- Functions of numbers, vectors and angles, and everything in `math`.
local wbmath = {}

function wbmath.degreesToRadians(angle)
  return math.rad(angle)
end

function wbmath.radiansToDegrees(angle)
  return math.deg(angle)
end

-- Returns the nearest integer; halves are rounded away from 0.
function wbmath.round(value)
  return value < 0 and -math.floor(0.5 - value) or math.floor(value + 0.5)
end

function wbmath.sign(value)
  return value > 0 and 1 or value < 0 and -1 or 0
end

function wbmath.clamp(value, least, most)
  return math.min(math.max(value, least), most)
end

function wbmath.isScalar(value)
  return type(value) == 'number' and value == value
end

-- Returns whether a table has these members, all numbers, and no other of x, y, z, w, a.
local function has_only(value, names)
  if type(value) ~= 'table' then
    return false
  end
  for name in ('xyzwa'):gmatch('.') do
    local is_wanted = names:find(name, 1, true) ~= nil
    if is_wanted ~= (value[name] ~= nil) or is_wanted and not wbmath.isScalar(value[name]) then
      return false
    end
  end
  return true
end

function wbmath.isVector2(value) return has_only(value, 'xy') end
function wbmath.isVector3(value) return has_only(value, 'xyz') end
function wbmath.isAxisAngle(value) return has_only(value, 'xyza') end
function wbmath.isQuaternion(value) return has_only(value, 'wxyz') end

return setmetatable(wbmath, {__index = math})
