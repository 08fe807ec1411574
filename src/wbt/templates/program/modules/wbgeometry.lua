-- SPDX-License-Identifier: Apache-2.0
-- Points {x, y} and {x, y, z}; a polygon is a list of points.
local wbgeometry = {}

-- Returns twice the area; it is positive if the points are in counter-clockwise order.
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

wbgeometry.isPointInPolygon = wbgeometry.isPoint2InPolygon

-- Returns `subdivision` points around (x, y), or around a point {x, y} in place of both, counter-
-- clockwise from the direction `shift` [rad] on. The point with which Webots begins is unknown.
function wbgeometry.circle(radius, subdivision, x, y, shift)
  if type(x) == 'table' then
    x, y, shift = x.x, x.y, y
  end
  local points = {}
  for i = 1, subdivision do
    local angle = 2 * math.pi * (i - 1) / subdivision + (shift or 0)
    points[i] = {x = (x or 0) + radius * math.cos(angle), y = (y or 0) + radius * math.sin(angle)}
  end
  return points
end

local function between(p, q, t)
  local point = {}
  for name, value in pairs(p) do
    point[name] = value + t * (q[name] - value)
  end
  return point
end

-- Returns a cubic B-spline from the first to the last point with `subdivision` points per segment.
function wbgeometry.bSpline2D(points, subdivision)
  local count = #points
  if count < 2 or not (subdivision >= 1) then
    return {table.unpack(points)}
  end
  local all = {between(points[2], points[1], 2), table.unpack(points)}
  all[count + 2] = between(points[count - 1], points[count], 2)
  local line = {}
  for i = 1, count - 1 do
    for k = 0, subdivision - 1 do
      local t = k / subdivision
      local weights = {(1 - t) ^ 3 / 6, (3 * t ^ 3 - 6 * t ^ 2 + 4) / 6,
                       (-3 * t ^ 3 + 3 * t ^ 2 + 3 * t + 1) / 6, t ^ 3 / 6}
      local point = {}
      for name in pairs(points[1]) do
        point[name] = 0
        for j = 1, 4 do
          point[name] = point[name] + weights[j] * all[i + j - 1][name]
        end
      end
      line[#line + 1] = point
    end
  end
  line[#line + 1] = points[count]
  return line
end

wbgeometry.bSpline3D = wbgeometry.bSpline2D

-- Returns the intersection of the lines through a, b and c, d; nil if they are parallel.
function wbgeometry.intersection2DLines(a, b, c, d)
  local cross = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x)
  if cross == 0 then
    return nil
  end
  local t = ((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / cross
  return between({x = a.x, y = a.y}, b, t)
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

-- Returns the index of the nearest point; -1 if the list is empty.
function wbgeometry.findClosest2DPointInArray(point, points)
  return closest(points, function(p) return wbgeometry.distance2D(p, point) end)
end

function wbgeometry.findClosest3DPointInArray(point, points)
  return closest(points, function(p) return wbgeometry.distance3D(p, point) end)
end

return wbgeometry
