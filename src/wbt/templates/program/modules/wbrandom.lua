-- SPDX-License-Identifier: Apache-2.0
local wbrandom = {seed = math.randomseed}

-- Returns a number in [first, last); in [0, first) for one argument, in [0, 1) for none.
function wbrandom.real(first, last)
  if first == nil then
    return math.random()
  end
  if last == nil then
    first, last = 0, first
  end
  return first + (last - first) * math.random()
end

-- Returns an integer from first to last, both included; from 1 to first for one argument.
function wbrandom.integer(first, last)
  if first == nil then
    first, last = 0, 2147483647
  elseif last == nil then
    first, last = 1, first
  end
  return math.random(first, last)
end

-- Returns true with that probability.
function wbrandom.bool(probability)
  return math.random() < (probability or 0.5)
end

return wbrandom
