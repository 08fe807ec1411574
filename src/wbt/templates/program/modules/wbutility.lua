-- SPDX-License-Identifier: Apache-2.0
local wbutility = {info = print, warning = print, error = print}

-- Shuffles the list in place and returns it.
function wbutility.shuffleList(list)
  for i = #list, 2, -1 do
    local j = math.random(1, i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

-- Converts '#ff8000' to {r = 1, g = 0.5, b = 0}.
function wbutility.colorHexadecimalToRGB(text)
  local number = tonumber((text:gsub('#', '')), 16)
  return {r = (number >> 16 & 255) / 255, g = (number >> 8 & 255) / 255, b = (number & 255) / 255}
end

return wbutility
