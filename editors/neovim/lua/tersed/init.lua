--- The client of `tersed`, a child process, with `vim.lsp.rpc`.
---
--- Fail open: no function here raises an error. If the program is missing, slow, crashed, or answers garbage, the
--- result is nil and the caller keeps its own text. A program that failed is started again when it is next needed,
--- after a pause that doubles from 250 ms to 60 s. After two waits without an answer, it is not asked for a minute.

local M = {}

local FIRST_PAUSE, LAST_PAUSE = 250, 60000
-- After so many late answers in a row the program is not asked for so many milliseconds.
local MOST_LATE, REST = 2, 60000

local defaults = {
  --- The program and its arguments.
  cmd = { vim.env.TERSED_BIN or 'tersed' },
  --- See `protocol/spec.md`, section 4.2.
  policy = {},
  --- Milliseconds after which the original is kept.
  deadline = 1500,
  --- Milliseconds after which a program that does not answer `initialize` counts as broken.
  start_deadline = 5000,
}

M.config = vim.deepcopy(defaults)

-- The running program: `rpc`, and whether it is `dead`.
local server = nil
local pause, not_before = FIRST_PAUSE, 0
-- Late answers in a row, of all programs.
local late = 0

local function now()
  return vim.loop.now()
end

local function failed(which, rest)
  if which and which ~= server then
    return
  end
  not_before = now() + math.max(pause, rest or 0)
  pause = math.min(pause * 2, LAST_PAUSE)
  server = nil
  if which and which.rpc then
    which.dead = true
    pcall(function()
      if which.rpc.terminate then
        which.rpc.terminate()
      else
        which.rpc.handle:kill('sigkill')
      end
    end)
  end
end

local function start_rpc(cmd, dispatchers)
  if vim.fn.has('nvim-0.10') == 1 then
    return vim.lsp.rpc.start(cmd, dispatchers)
  end
  return vim.lsp.rpc.start(cmd[1], vim.list_slice(cmd, 2), dispatchers)
end

-- Waits for the answer to one request; the result, or nil.
local function ask(which, method, params, deadline)
  local answered, result = false, nil
  local ok, sent, id = pcall(which.rpc.request, method, params, function(err, answer)
    answered = true
    result = not err and answer or nil
  end)
  if not ok or not sent then
    failed(which)
    return nil
  end
  vim.wait(deadline, function()
    return answered or which.dead
  end, 1)
  if answered then
    late = 0
    pause = FIRST_PAUSE
    return result
  end
  if not which.dead then
    pcall(which.rpc.notify, '$/cancelRequest', { id = id })
    late = late + 1
    if late >= MOST_LATE then
      failed(which, REST)
    end
  end
  return nil
end

local function start()
  if server then
    return server
  end
  local cmd = M.config.cmd
  if now() < not_before then
    return nil
  end
  if vim.fn.executable(cmd[1]) ~= 1 then
    failed(nil)
    return nil
  end
  local which = { dead = false }
  local ok, rpc = pcall(start_rpc, cmd, {
    notification = function() end,
    server_request = function()
      return nil, { code = -32601, message = 'not supported' }
    end,
    on_error = function()
      which.dead = true
    end,
    on_exit = function()
      which.dead = true
      vim.schedule(function()
        failed(which)
      end)
    end,
  })
  if not ok or not rpc then
    failed(nil)
    return nil
  end
  which.rpc = rpc
  server = which
  local function greet(policy)
    return ask(which, 'initialize', {
      processId = vim.loop.os_getpid(),
      capabilities = vim.empty_dict(),
      initializationOptions = {
        tersed = {
          protocolVersions = { 1 },
          policy = vim.tbl_extend('force', { evidence = 'changed' }, policy),
        },
      },
    }, M.config.start_deadline)
  end
  local greeting = greet(M.config.policy)
  if greeting == nil and server == which and not which.dead and next(M.config.policy) ~= nil then
    -- A misspelt setting must not turn off redaction, so the default settings apply.
    vim.notify_once('tersed: its policy was refused, the default one counts', vim.log.levels.WARN)
    greeting = greet({})
  end
  local offered = type(greeting) == 'table' and vim.tbl_get(greeting, 'capabilities', 'experimental', 'tersed')
  if type(offered) ~= 'table' or which.dead then
    failed(which)
    return nil
  end
  pcall(rpc.notify, 'initialized', vim.empty_dict())
  return which
end

--- Settings; absent ones have their defaults.
function M.setup(options)
  M.stop()
  M.config = vim.tbl_extend('force', vim.deepcopy(defaults), options or {})
  pause, not_before, late = FIRST_PAUSE, 0, 0
  require('tersed.codecompanion').attach()
end

--- The result of any request, or nil. Waits, up to the deadline.
function M.request(method, params)
  if vim.in_fast_event() then
    return nil
  end
  local which = start()
  return which and ask(which, method, params, M.config.deadline)
end

-- JSON is UTF-8; other text is kept unchanged.
local function is_utf8(text)
  local ok, same = pcall(function()
    return vim.fn.iconv(text, 'utf-8', 'utf-8') == text
  end)
  return ok and same
end

--- The answer of `toolResult/compress` for `result` (`{content, evidence, artifact}`), or nil.
function M.compress(session, result)
  if type(result.content) ~= 'string' or result.content == '' or not is_utf8(result.content) then
    return nil
  end
  local answer = M.request('toolResult/compress', { sessionId = session, result = result })
  if type(answer) ~= 'table' or type(answer.content) ~= 'string' then
    return nil
  end
  return answer
end

--- Reports that a conversation was summarized, shortened or cleared: only the calls in `visible`, an optional list, are
--- left in its context. Does not start the program.
function M.forget(session, visible)
  if server then
    local left = visible and #visible > 0 and visible or nil
    pcall(server.rpc.notify, 'session/compacted', { sessionId = session, visible = left })
  end
end

--- Forks a conversation: the new session starts with all results that the other one shows. Does not start the program.
function M.fork(session, new)
  return server and M.request('session/fork', { sessionId = session, newSessionId = new })
end

--- Closes a session. Does not start the program.
function M.close(session)
  if server then
    M.request('session/close', { sessionId = session })
  end
end

--- The text of an original, or of its lines `first` to `last`; nil if there is none.
function M.read(session, id, first, last)
  local lines = first and { { first, last or first } } or nil
  local answer = M.request('artifact/read', { sessionId = session, id = id, lines = lines, numbering = 'shown' })
  return type(answer) == 'table' and answer.text or nil
end

--- Totals of a session from `session/stats`, or nil. Does not start the program.
function M.stats(session)
  return server and M.request('session/stats', { sessionId = session })
end

--- Whether the program runs.
function M.running()
  return server ~= nil
end

--- Ends the program; the next request starts it again.
function M.stop()
  local which = server
  server = nil
  if which then
    pcall(which.rpc.notify, 'exit', vim.empty_dict())
    which.dead = true
  end
end

return M
