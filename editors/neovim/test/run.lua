-- nvim --headless --clean -l or -c 'luafile editors/neovim/test/run.lua': the plugin against the real program.

local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local root = vim.fn.fnamemodify(here, ':h:h:h')
vim.opt.runtimepath:prepend(vim.fn.fnamemodify(here, ':h'))

local program = vim.env.TERSED_BIN or (root .. '/target/debug/tersed')
local broken = root .. '/editors/test/broken.mjs'
local tersed = require('tersed')
local companion = require('tersed.codecompanion')

-- No test of the real program depends on how fast it is.
local patient = { cmd = { program }, deadline = 30000, start_deadline = 30000 }

local cases = {}
for i = 0, 59 do
  cases[#cases + 1] = ('test tests::case_%d ... ok'):format(i)
end
local PASSED = 'running 60 tests\n'
  .. table.concat(cases, '\n')
  .. '\n\ntest result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n'
local PANIC = "thread 'tests::odd' (7) panicked at src/lib.rs:9:5:\n"
  .. 'assertion `left == right` failed\n  left: 3\n right: 4'
local FAILED = 'running 61 tests\n'
  .. table.concat(cases, '\n')
  .. '\ntest tests::odd ... FAILED\n\nfailures:\n\n---- tests::odd stdout ----\n'
  .. PANIC
  .. '\n\n\nfailures:\n    tests::odd\n\ntest result: FAILED. 60 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n'

local function check(value, what)
  if not value then
    error(what, 2)
  end
end

local function check_passed(text)
  check(#text < #PASSED / 3, text)
  check(text:find('omitted 60 lines 2-61, passing_tests', 1, true), text)
  check(text:find('test result: ok. 60 passed; 0 failed', 1, true), text)
end

-- A chat as codecompanion.nvim has it: `add_tool_output` dispatches the name of the tool and both texts.
local chats = 0
local function new_chat()
  chats = chats + 1
  local chat = { id = chats, bufnr = vim.api.nvim_create_buf(false, true), messages = {}, callbacks = {} }
  function chat:add_callback(name, callback)
    self.callbacks[name] = callback
  end
  function chat:tool(id, name, command, text, for_user)
    local arguments = vim.json.encode({ cmd = command })
    table.insert(self.messages, {
      role = 'llm',
      tools = { calls = { { id = id, type = 'function', ['function'] = { name = name, arguments = arguments } } } },
    })
    local args = { tool = name, for_llm = text, for_user = for_user }
    self.callbacks.on_tool_output(self, args)
    table.insert(self.messages, { role = 'tool', tools = { call_id = id }, content = args.for_llm })
    return args
  end
  package.loaded.codecompanion = {
    buf_get_chat = function(bufnr)
      return bufnr == chat.bufnr and chat or nil
    end,
  }
  function chat:fire(event)
    vim.api.nvim_exec_autocmds('User', { pattern = event, data = { bufnr = self.bufnr, id = self.id } })
  end
  return chat
end

-- `nvim_exec_autocmds` hands `data` over from 0.8 on.
local hands_data = vim.fn.has('nvim-0.8') == 1
local function attached(options)
  tersed.setup(options)
  local chat = new_chat()
  if hands_data then
    chat:fire('CodeCompanionChatCreated')
  else
    chat:add_callback('on_tool_output', companion.on_tool_output)
  end
  check(chat.callbacks.on_tool_output, 'no callback was added')
  return chat
end

local tests = {}

function tests.compresses_and_keeps_what_the_user_sees()
  local chat = attached(patient)
  local args = chat:tool('call_1', 'cmd_runner', 'cargo test', PASSED)
  check_passed(args.for_llm)
  check(args.for_user == PASSED, 'the user sees another text')
  check(chat:tool('call_2', 'cmd_runner', 'ls', 'a\nb\n', 'two files').for_user == 'two files', 'for_user changed')
end

function tests.keeps_failures()
  local text = attached(patient):tool('call_1', 'cmd_runner', 'cargo test', FAILED).for_llm
  check(#text < #FAILED / 2, text)
  for line in (PANIC .. '\ntest tests::odd ... FAILED\ntest result: FAILED. 60 passed; 1 failed'):gmatch('[^\n]+') do
    check(text:find(line, 1, true), line)
  end
end

local function refers(text)
  return text:find('[Duplicate of ', 1, true) ~= nil
end

function tests.keeps_chats_apart()
  local one, other = attached(patient), nil
  other = new_chat()
  other:add_callback('on_tool_output', companion.on_tool_output)
  check_passed(one:tool('call_1', 'cmd_runner', 'cargo test', PASSED).for_llm)
  check_passed(other:tool('call_2', 'cmd_runner', 'cargo test', PASSED).for_llm)
  check(refers(one:tool('call_3', 'cmd_runner', 'cargo test -q', PASSED).for_llm), 'its own is visible')
  local fork = tersed.fork('codecompanion-' .. one.id, 'fork')
  check(fork and fork.created and fork.calls == 2, vim.inspect(fork))
end

function tests.forgets_what_a_chat_lost()
  local chat = attached(patient)
  check_passed(chat:tool('call_1', 'cmd_runner', 'cargo test', PASSED).for_llm)
  check(refers(chat:tool('call_2', 'cmd_runner', 'cargo test -q', PASSED).for_llm), 'it is visible')
  -- Somebody took the first result out, or all was summed up.
  table.remove(chat.messages, 1)
  table.remove(chat.messages, 1)
  check_passed(chat:tool('call_3', 'cmd_runner', 'cargo test -v', PASSED).for_llm)
  check(refers(chat:tool('call_4', 'cmd_runner', 'cargo test -vv', PASSED).for_llm), 'the third is visible')
  chat.messages = {}
  check_passed(chat:tool('call_5', 'cmd_runner', 'cargo test -j1', PASSED).for_llm)
  if hands_data then
    chat:fire('CodeCompanionChatCleared')
    check_passed(chat:tool('call_6', 'cmd_runner', 'cargo test -j2', PASSED).for_llm)
  end
end

function tests.refers_only_to_what_is_visible()
  local chat = attached(patient)
  check_passed(chat:tool('call_1', 'cmd_runner', 'cargo test', PASSED).for_llm)
  local again = chat:tool('call_2', 'cmd_runner', 'cargo test -q', PASSED).for_llm
  check(again:find('[Duplicate of call_1 (cmd_runner)', 1, true), again)
  tersed.forget('codecompanion-' .. chat.id)
  check_passed(chat:tool('call_3', 'cmd_runner', 'cargo test -v', PASSED).for_llm)
end

function tests.reads_originals_and_totals()
  tersed.setup(patient)
  local answer = tersed.compress('s', { toolCallId = 'c', tool = 'bash', command = 'cargo test', content = PASSED })
  check(tersed.read('s', answer.artifact.id, 2, 3) == cases[1] .. '\n' .. cases[2] .. '\n', 'other lines')
  check(tersed.read('s', '0123456789abcdef') == nil, 'an original that is none')
  check(tersed.stats('s').total.results == 1, 'other totals')
end

function tests.leaves_other_texts_alone()
  local chat = attached(patient)
  local bytes = PASSED .. '\255\254'
  check(chat:tool('call_1', 'cmd_runner', 'x', bytes).for_llm == bytes, 'bytes changed')
  check(chat:tool('call_2', 'cmd_runner', 'x', '').for_llm == '', 'nothing changed')
  check(chat:tool('call_3', 'cmd_runner', 'x', 'größer – 💾\n').for_llm == 'größer – 💾\n', 'other than ASCII changed')
end

for _, way in ipairs({ 'missing', 'hang', 'garbage', 'exit', 'crash', 'late', 'wrong', 'error' }) do
  tests['fails_open_' .. way] = function()
    vim.env.BROKEN = way
    local cmd = way == 'missing' and '/nonexistent/tersed' or broken
    local chat = attached({ cmd = { cmd }, deadline = 150, start_deadline = 400 })
    for turn = 1, 4 do
      local args = chat:tool('call_' .. turn, 'cmd_runner', 'cargo test', PASSED)
      check(args.for_llm == PASSED and args.for_user == nil, way .. ' changed a result')
    end
  end
end

for way, most in pairs({ hang = 2, late = 1 }) do
  tests['waits_twice_at_most_' .. way] = function()
    vim.env.BROKEN = way
    vim.env.BROKEN_STARTS = vim.fn.tempname()
    local chat = attached({ cmd = { broken }, deadline = 400, start_deadline = 400 })
    chat:tool('call_1', 'cmd_runner', 'x', PASSED)
    -- Longer than the pause after one failure.
    vim.wait(600)
    chat:tool('call_2', 'cmd_runner', 'x', PASSED)
    -- Whoever asked would wait longer than the test may take.
    require('tersed').config.deadline = 3600000
    require('tersed').config.start_deadline = 3600000
    for turn = 3, 6 do
      vim.wait(600)
      chat:tool('call_' .. turn, 'cmd_runner', 'x', PASSED)
    end
    check(#vim.fn.readfile(vim.env.BROKEN_STARTS) == most, way .. ': asked again')
    check(not require('tersed').running(), way .. ': it still runs')
    vim.env.BROKEN_STARTS = nil
  end
end

function tests.starts_a_program_that_crashed_again()
  vim.env.BROKEN = 'crash'
  vim.env.BROKEN_STARTS = vim.fn.tempname()
  local chat = attached({ cmd = { broken }, deadline = 5000 })
  local function starts()
    return #vim.fn.readfile(vim.env.BROKEN_STARTS)
  end
  chat:tool('call_1', 'cmd_runner', 'x', PASSED)
  check(starts() == 1, 'not started once')
  vim.wait(600)
  chat:tool('call_2', 'cmd_runner', 'x', PASSED)
  check(starts() == 2, 'not started again')
  vim.env.BROKEN_STARTS = nil
end

local failures = 0
for _, name in ipairs((function()
  local names = vim.tbl_keys(tests)
  table.sort(names)
  return names
end)()) do
  local ok, err = xpcall(tests[name], debug.traceback)
  print((ok and 'ok      ' or 'FAILED  ') .. name .. (ok and '\n' or '\n' .. err .. '\n'))
  failures = failures + (ok and 0 or 1)
end
tersed.stop()
print(('neovim: %d tests, %d failed\n'):format(vim.tbl_count(tests), failures))
vim.cmd(failures == 0 and 'qall!' or 'cquit')
