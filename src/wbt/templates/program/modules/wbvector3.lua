-- SPDX-License-Identifier: Apache-2.0
local wbvector3 = require('wbvector')({'x', 'y', 'z'})

function wbvector3.cross(a, b)
  return {x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x}
end

return wbvector3
