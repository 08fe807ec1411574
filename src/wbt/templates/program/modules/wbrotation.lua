-- SPDX-License-Identifier: Apache-2.0
-- Rotations {x, y, z, a}: an axis and an angle about it.
local wbquaternion = require('wbquaternion')
local wbrotation = {
  toQuaternion = wbquaternion.fromRotation,
  fromQuaternion = wbquaternion.toRotation,
}

function wbrotation.equal(a, b)
  return a.x == b.x and a.y == b.y and a.z == b.z and a.a == b.a
end

-- Returns the rotation that applies the second one first, then the first.
function wbrotation.combine(a, b)
  return wbquaternion.toRotation(
      wbquaternion.multiply(wbquaternion.fromRotation(a), wbquaternion.fromRotation(b)))
end

function wbrotation.inverse(rotation)
  return {x = rotation.x, y = rotation.y, z = rotation.z, a = -rotation.a}
end

-- Returns the rotated vector.
function wbrotation.rotateVector(rotation, vector)
  return wbquaternion.rotateVector(wbquaternion.fromRotation(rotation), vector)
end

-- Nine numbers, row by row.
function wbrotation.toMatrix3(rotation)
  local x = wbrotation.rotateVector(rotation, {x = 1, y = 0, z = 0})
  local y = wbrotation.rotateVector(rotation, {x = 0, y = 1, z = 0})
  local z = wbrotation.rotateVector(rotation, {x = 0, y = 0, z = 1})
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}
end

return wbrotation
