-- SPDX-License-Identifier: Apache-2.0
local wbvector2 = require('wbvector')({'x', 'y'})

-- Returns the intersection of the lines through a, b and c, d; nil if they are parallel.
wbvector2.intersection = require('wbgeometry').intersection2DLines

-- Returns the z coordinate of the cross product in space.
function wbvector2.cross(a, b)
  return a.x * b.y - a.y * b.x
end

return wbvector2
