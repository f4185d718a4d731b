-- One user's morning in a real Neovim, 0.7 or later. Writes what was seen as JSON to $SEEN; every wait is bounded.
local patience = 30000
local seen = {}
local server = vim.fn.json_decode(os.getenv("SERVER"))

local function finish(failure)
  seen.failure = failure
  local file = assert(io.open(os.getenv("SEEN"), "w"))
  file:write(vim.fn.json_encode(seen))
  file:close()
  vim.cmd("qa!")
end

local function wait(what, happened)
  if not vim.wait(patience, happened, 20) then
    error("it did not happen: " .. what)
  end
end

local function session()
  seen.messages = {}
  vim.lsp.handlers["window/showMessage"] = function(_, result)
    table.insert(seen.messages, result.message)
  end

  local buffer = vim.api.nvim_get_current_buf()
  local options = { memlsp = { asks = true, lens = { holding = true } } }
  local id
  if vim.fn.has("nvim-0.11") == 1 then
    vim.lsp.config("memlsp", { cmd = server, root_markers = { ".git" }, filetypes = { "python" }, init_options = options })
    vim.lsp.enable("memlsp")
    vim.bo.filetype = "python"
    wait("attach", function() return #vim.lsp.get_clients({ bufnr = buffer }) > 0 end)
    id = vim.lsp.get_clients({ bufnr = buffer })[1].id
  else
    id = vim.lsp.start_client({ name = "memlsp", cmd = server, root_dir = vim.fn.getcwd(), init_options = options })
    vim.lsp.buf_attach_client(buffer, id)
  end
  local client = vim.lsp.get_client_by_id(id)
  wait("initialize", function() return client.initialized end)
  seen.encoding = client.offset_encoding

  local document = { uri = vim.uri_from_bufnr(buffer) }
  local function request(method, params)
    local answers = assert(vim.lsp.buf_request_sync(buffer, method, params, patience), method)
    local answer = answers[id] or {}
    assert(not answer.error, vim.inspect(answer.error))
    return answer.result
  end
  local function hover()
    local found = request("textDocument/hover", { textDocument = document, position = { line = 3, character = 5 } })
    return found and found.contents and found.contents.value or ""
  end
  local function run(name, arguments)
    return request("workspace/executeCommand", { command = "memlsp.server." .. name, arguments = arguments })
  end
  local function shown() return vim.diagnostic.get(buffer) end
  local function lenses()
    vim.lsp.codelens.refresh()
    local titles = {}
    for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
      table.insert(titles, lens.command and lens.command.title or "?")
    end
    return titles
  end

  -- a file never seen before: its past is there
  wait("history", function() return hover():find("Add the shop", 1, true) ~= nil end)
  seen.past = hover()

  -- remembered through the command
  local remembered = run("remember", { document.uri, 4, "fetch gives up after 3 retries", "fact" })
  seen.remembered = remembered.ok
  seen.hover = hover()
  wait("lens", function() return lenses()[1] == "✓ “fetch gives up after 3 retries”" end)
  seen.lenses = lenses()

  -- the code stops agreeing
  local function edit(old, new)
    local line = vim.api.nvim_buf_get_lines(buffer, 3, 4, true)[1]
    vim.api.nvim_buf_set_lines(buffer, 3, 4, true, { (line:gsub(old, new)) })
  end
  edit("retries=3", "retries=5")
  wait("diagnostic", function() return #shown() == 1 end)
  local diagnostic = shown()[1]
  seen.diagnostic = {
    message = diagnostic.message, source = diagnostic.source, severity = diagnostic.severity,
    line = diagnostic.lnum, from = diagnostic.col, to = diagnostic.end_col,
  }
  wait("lens after the edit", function() return lenses()[1] == "⚠ retries 3 → 5 · “fetch gives up after 3 retries”" end)

  -- the user's own way to an action
  seen.offered = {}
  local function choose(wanted)
    vim.ui.select = function(items, options, chosen)
      seen.offered = {}
      for _, item in ipairs(items) do
        table.insert(seen.offered, (options.format_item(item)))
      end
      for _, item in ipairs(items) do
        if options.format_item(item):find(wanted, 1, true) then
          return chosen(item)
        end
      end
      chosen(nil)
    end
    vim.api.nvim_win_set_cursor(0, { 4, 5 })
    vim.lsp.buf.code_action()
  end
  choose("Still true")
  wait("confirmed", function() return #shown() == 0 end)
  wait("lens after confirming", function() return (lenses()[1] or "⚠"):find("⚠", 1, true) == nil end)

  -- replaced through an input box of the client's own
  local ask = function(command)
    vim.ui.input({ prompt = command.title .. " " }, function(text)
      if text and text ~= "" then
        table.insert(command.arguments, text)
        client.request("workspace/executeCommand", { command = command.command, arguments = command.arguments }, nil, buffer)
      end
    end)
  end
  vim.lsp.commands["memlsp.server.supersede"] = ask
  vim.ui.input = function(_, answered) answered("fetch gives up after 7 retries") end
  edit("retries=5", "retries=6")
  wait("second diagnostic", function() return #shown() == 1 end)
  choose("Replace by")
  wait("superseded", function() return hover():find("after 7 retries", 1, true) ~= nil end)
  edit("retries=6", "retries=7")
  wait("agreement", function() return #shown() == 0 end)

  -- a lens does something when it is run
  seen.messages = {}
  wait("lens to run", function() return #lenses() == 1 end)
  vim.lsp.codelens.run()
  wait("message", function() return #seen.messages > 0 end)

  -- another process speaks up
  local words = vim.fn.json_decode(os.getenv("ELSEWHERE"))
  local before = #shown()
  seen.elsewhere = vim.fn.system(words)
  assert(vim.v.shell_error == 0, seen.elsewhere)
  wait("what another process remembered", function() return #shown() > before end)
  seen.appeared = true

  -- a remark that is saved is work left open
  local function hints()
    local found = {}
    for _, each in ipairs(shown()) do
      if each.code == "open-thread" then table.insert(found, each) end
    end
    return found
  end
  vim.api.nvim_buf_set_lines(buffer, 4, 4, true, { "    # TODO: back off twice as long" })
  vim.cmd("silent write")
  wait("hint", function() return #hints() == 1 end)
  local hint = hints()[1]
  seen.hint = { message = hint.message, severity = hint.severity, line = hint.lnum, from = hint.col }
  wait("lens of a thread", function() return (lenses()[1] or ""):find("1 open thread", 1, true) ~= nil end)
  seen.thread_lens = lenses()[1]
  seen.thread_hover = hover()
end

local fine, failure = pcall(session)
finish(not fine and tostring(failure) or nil)
