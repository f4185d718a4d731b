-- memlsp for Neovim 0.11 or later: put this repository on the runtimepath, then vim.lsp.enable("memlsp").
-- what a command lacks is asked for: the place of the argument, and the prompt
local asks = {
  remember = { 3, "Remember here: " },
  supersede = { 2, "Replace by: " },
  scope = { 2, "Applies under (KEY=VALUE): " },
  settle = { 4, "Applies under (KEY=VALUE): " },
}

local function run(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local name, arguments = command.command:match("[^.]+$"), vim.deepcopy(command.arguments or {})
  local place, prompt = unpack(asks[name])
  local function send()
    client:request("workspace/executeCommand", { command = command.command, arguments = arguments }, nil, context.bufnr)
  end
  local function ask(_, answer)
    local old = answer and answer.belief.text:gsub("%s+", " ")
    vim.ui.input({ prompt = prompt, default = old }, function(text)
      if not text or vim.trim(text) == "" or text == old then return end
      arguments[place] = text
      send()
    end)
  end
  local given = arguments[place] ~= nil and arguments[place] ~= vim.NIL
  if given or (name == "settle" and arguments[2] ~= "scoped") then
    send()
  elseif name == "supersede" then
    client:request("memlsp/belief", { id = arguments[1] }, ask, context.bufnr)
  else
    ask()
  end
end

local function show_lenses(client, buffer)
  if vim.lsp.codelens.enable then return vim.lsp.codelens.enable(true, { bufnr = buffer }) end
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
  client:request("textDocument/codeLens", params, vim.lsp.codelens.on_codelens, buffer)
end

local commands = {}
for name in pairs(asks) do commands["memlsp.server." .. name] = run end

return {
  cmd = { "memlsp", "lsp" },
  -- every kind of file, but no buffer without one
  root_dir = function(buffer, start)
    local name = vim.api.nvim_buf_get_name(buffer)
    if name ~= "" and not name:find("^%a+://") then start(vim.fs.root(buffer, ".git")) end
  end,
  init_options = { memlsp = { asks = true, tellChanges = true } },
  commands = commands,
  on_attach = show_lenses,
  handlers = {
    ["window/showMessage"] = function(_, said) vim.notify("memlsp: " .. said.message, math.max(5 - said.type, 1)) end,
    ["memlsp/changed"] = function(_, _, context)
      local client = vim.lsp.get_client_by_id(context.client_id)
      for buffer in pairs(client and client.attached_buffers or {}) do show_lenses(client, buffer) end
    end,
  },
}
