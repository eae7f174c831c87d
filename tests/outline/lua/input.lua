--- A module.
local M = {}
local json = require("json")

--[[ a block
function fake()
]]

M.limit = 10

-- Runs it.
function M.run(a, b)
  if a then
    return [[
end
]]
  end
end

local function helper(x) return x end

function M:method(
  a
)
  local inner = function(y)
    return y
  end
  return inner(a)
end

M.late = function(z)
  return z
end

return M
