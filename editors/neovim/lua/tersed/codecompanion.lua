--- codecompanion.nvim: passes tool results to tersed before the model sees them.

local M = {}

local function session_of(chat)
  return 'codecompanion-' .. tostring(chat.id or chat.bufnr or 0)
end

-- The only call of this tool that has no output yet, from the messages of the chat. The callback gets only the name of
-- the tool; without the call no later result can refer to this one.
local function open_call(chat, tool)
  local answered, found, count = {}, nil, 0
  for _, message in ipairs(chat.messages or {}) do
    local id = message.tool_call_id or vim.tbl_get(message, 'tools', 'call_id')
    if id and message.role == 'tool' then
      answered[id] = true
    end
  end
  for _, message in ipairs(chat.messages or {}) do
    local calls = message.tool_calls or vim.tbl_get(message, 'tools', 'calls')
    for _, call in ipairs(type(calls) == 'table' and calls or {}) do
      local fn = type(call['function']) == 'table' and call['function'] or {}
      if fn.name == tool and call.id and not answered[call.id] then
        found, count = call, count + 1
      end
    end
  end
  return count == 1 and found or nil
end

-- Results that each chat got, to find those that are no longer in its messages: a chat can be edited, shortened and
-- summarized without an event.
local given = {}

-- Reports which of the chat's results are left.
local function forget_lost(chat, session)
  local known = given[session]
  if not known then
    return
  end
  local there, left, lost = {}, {}, false
  for _, message in ipairs(chat.messages or {}) do
    local id = message.tool_call_id or vim.tbl_get(message, 'tools', 'call_id')
    if id and message.role == 'tool' then
      there[id] = true
    end
  end
  for id in pairs(known) do
    if there[id] then
      left[#left + 1] = id
    else
      known[id], lost = nil, true
    end
  end
  if lost then
    require('tersed').forget(session, left)
  end
end

local function arguments_of(call)
  local arguments = call and call['function'].arguments
  if type(arguments) == 'string' or (type(arguments) == 'table' and next(arguments) ~= nil) then
    return arguments
  end
  return nil
end

--- The callback of a chat: changes `args.for_llm`, the text that the model gets.
function M.on_tool_output(chat, args)
  local ok, answer = pcall(function()
    if type(args.for_llm) ~= 'string' then
      return nil
    end
    local name = type(args.tool) == 'table' and args.tool.name or args.tool
    local call = open_call(chat, name)
    local session = session_of(chat)
    forget_lost(chat, session)
    if call then
      given[session] = given[session] or {}
      given[session][call.id] = true
    end
    return require('tersed').compress(session, {
      toolCallId = call and call.id,
      tool = name,
      arguments = arguments_of(call),
      content = args.for_llm,
    })
  end)
  if ok and answer then
    -- Without a text for the user, the chat shows the text for the model, so set the whole text for the user.
    args.for_user = args.for_user or args.for_llm
    args.for_llm = answer.content
  end
end

local function chat_of(event)
  local ok, companion = pcall(require, 'codecompanion')
  local bufnr = event.data and event.data.bufnr
  return ok and bufnr and companion.buf_get_chat and companion.buf_get_chat(bufnr) or nil
end

--- Adds the callback to every new chat.
function M.attach()
  local group = vim.api.nvim_create_augroup('tersed', { clear = true })
  local function on(pattern, act)
    vim.api.nvim_create_autocmd('User', {
      group = group,
      pattern = pattern,
      callback = function(event)
        pcall(act, chat_of(event), event)
      end,
    })
  end
  on('CodeCompanionChatCreated', function(chat)
    chat:add_callback('on_tool_output', M.on_tool_output)
  end)
  on('CodeCompanionChatCleared', function(chat)
    given[session_of(chat)] = nil
    require('tersed').forget(session_of(chat))
  end)
  on('CodeCompanionChatClosed', function(_, event)
    given['codecompanion-' .. tostring(event.data.id)] = nil
    require('tersed').close('codecompanion-' .. tostring(event.data.id))
  end)
end

return M
