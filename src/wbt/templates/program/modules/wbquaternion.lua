-- SPDX-License-Identifier: Apache-2.0
-- Quaternions {w, x, y, z}.
local wbquaternion = {}

function wbquaternion.multiply(p, q)
  return {
    w = p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
    x = p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
    y = p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
    z = p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w
  }
end

function wbquaternion.conjugate(q)
  return {w = q.w, x = -q.x, y = -q.y, z = -q.z}
end

function wbquaternion.norm(q)
  return math.sqrt(q.w ^ 2 + q.x ^ 2 + q.y ^ 2 + q.z ^ 2)
end

function wbquaternion.normalize(q)
  local n = wbquaternion.norm(q)
  return n > 0 and {w = q.w / n, x = q.x / n, y = q.y / n, z = q.z / n}
      or {w = 1, x = 0, y = 0, z = 0}
end

-- Returns the rotated vector.
function wbquaternion.rotateVector(q, v)
  local r = wbquaternion.multiply(wbquaternion.multiply(q, {w = 0, x = v.x, y = v.y, z = v.z}),
                                  wbquaternion.conjugate(q))
  return {x = r.x, y = r.y, z = r.z}
end

function wbquaternion.fromRotation(rotation)
  local n = math.sqrt(rotation.x ^ 2 + rotation.y ^ 2 + rotation.z ^ 2)
  if n == 0 then
    return {w = 1, x = 0, y = 0, z = 0}
  end
  local s = math.sin(0.5 * rotation.a) / n
  return {w = math.cos(0.5 * rotation.a), x = s * rotation.x, y = s * rotation.y,
          z = s * rotation.z}
end

function wbquaternion.toRotation(quaternion)
  local q = wbquaternion.normalize(quaternion)
  local s = math.sqrt(q.x ^ 2 + q.y ^ 2 + q.z ^ 2)
  return s > 0 and {x = q.x / s, y = q.y / s, z = q.z / s, a = 2 * math.atan(s, q.w)}
      or {x = 0, y = 0, z = 1, a = 0}
end

return wbquaternion
