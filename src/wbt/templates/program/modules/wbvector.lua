-- SPDX-License-Identifier: Apache-2.0
-- The common functions of vectors of two, three and four coordinates.
return function(names)
  local function make(value)
    local v = {}
    for _, name in ipairs(names) do
      v[name] = value(name)
    end
    return v
  end

  local f = {}
  function f.equal(a, b)
    for _, name in ipairs(names) do
      if a[name] ~= b[name] then
        return false
      end
    end
    return true
  end
  function f.add(a, b) return make(function(name) return a[name] + b[name] end) end
  function f.minus(a, b) return make(function(name) return a[name] - b[name] end) end
  function f.multiply(v, scalar) return make(function(name) return v[name] * scalar end) end
  function f.divide(v, scalar) return make(function(name) return v[name] / scalar end) end
  function f.negate(v) return make(function(name) return -v[name] end) end
  function f.dot(a, b)
    local sum = 0
    for _, name in ipairs(names) do
      sum = sum + a[name] * b[name]
    end
    return sum
  end
  function f.norm(v) return math.sqrt(f.dot(v, v)) end
  function f.normalize(v)
    local norm = f.norm(v)
    return f.divide(v, norm > 0 and norm or 1)
  end
  function f.distance(a, b) return f.norm(f.minus(a, b)) end
  function f.angle(a, b)
    return math.acos(math.min(1, math.max(-1, f.dot(a, b) / (f.norm(a) * f.norm(b)))))
  end
  return f
end
