-- SPDX-License-Identifier: Apache-2.0
-- Points {x, y} and {x, y, z}; a polygon is a list of points.
local wbgeometry = {}

-- Twice the area, positive where the points go round counter-clockwise.
local function signed_area(polygon)
  local sum = 0
  for i, p in ipairs(polygon) do
    local q = polygon[i % #polygon + 1]
    sum = sum + p.x * q.y - q.x * p.y
  end
  return sum
end

function wbgeometry.distance2D(a, b)
  return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
end

function wbgeometry.distance3D(a, b)
  return math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 + (a.z - b.z) ^ 2)
end

function wbgeometry.isPolygonClockwise(polygon)
  return signed_area(polygon) < 0
end

function wbgeometry.polygonArea(polygon)
  return 0.5 * math.abs(signed_area(polygon))
end

function wbgeometry.isPoint2InPolygon(point, polygon)
  local inside = false
  for i, p in ipairs(polygon) do
    local q = polygon[i % #polygon + 1]
    if (p.y > point.y) ~= (q.y > point.y) and
        point.x < p.x + (q.x - p.x) * (point.y - p.y) / (q.y - p.y) then
      inside = not inside
    end
  end
  return inside
end

local function closest(points, distance)
  local best = -1
  for i, p in ipairs(points) do
    if best < 0 or distance(p) < distance(points[best]) then
      best = i
    end
  end
  return best
end

-- Index of the nearest point; -1 if the list is empty.
function wbgeometry.findClosest2DPointInArray(point, points)
  return closest(points, function(p) return wbgeometry.distance2D(p, point) end)
end

function wbgeometry.findClosest3DPointInArray(point, points)
  return closest(points, function(p) return wbgeometry.distance3D(p, point) end)
end

return wbgeometry
