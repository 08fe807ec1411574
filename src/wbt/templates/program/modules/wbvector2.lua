-- SPDX-License-Identifier: Apache-2.0
local wbvector2 = require('wbvector')({'x', 'y'})

-- Where the straight lines through a, b and through c, d cross; nil if they are parallel.
wbvector2.intersection = require('wbgeometry').intersection2DLines

-- The z coordinate of the product in space.
function wbvector2.cross(a, b)
  return a.x * b.y - a.y * b.x
end

return wbvector2
