-- What docs/how-to/neovim.md promises to a user of 0.11, by the keys that it names. Writes what was seen to $SEEN as
-- JSON; every wait is bounded.
local seen, said = { said = {} }, nil
local function wait(what, happened)
  if not vim.wait(30000, happened, 20) then error("it did not happen: " .. what) end
end
local function keys(text) vim.api.nvim_feedkeys(vim.keycode(text), "mx", false) end
local function told(what) wait(what, function() return said ~= nil end) end
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n"), window
    end
  end
end
local function shown_by(what, press)
  keys(press)
  wait(what, float)
  local text, window = float()
  vim.api.nvim_win_close(window, true)
  return text
end
local function lens() return (vim.lsp.codelens.get(0)[1] or { command = { title = "" } }).command.title end
local function problems() return #vim.diagnostic.get(0) end

local function session()
  local answer, wanted
  vim.notify = function(message) said = message; table.insert(seen.said, message) end
  vim.ui.input = function(options, done) seen.began_with = options.default; done(answer) end
  vim.ui.select = function(items, options, done)
    seen.offered = vim.tbl_map(options.format_item, items)
    for _, item in ipairs(items) do
      if vim.startswith(options.format_item(item), wanted) then return done(item) end
    end
    error("not offered: " .. wanted)
  end
  local function act(press, title, text)
    said, wanted, answer = nil, title, text
    keys(press)
    told(title)
  end
  local function edit(old, new)
    vim.api.nvim_buf_set_lines(0, 3, 4, true, { (vim.fn.getline(4):gsub(old, new)) })
  end
  wait("attach", function() local c = vim.lsp.get_clients({ bufnr = 0 })[1]; return c and c.initialized end)
  vim.api.nvim_win_set_cursor(0, { 4, 5 })
  vim.cmd(os.getenv("REMEMBER"))
  told("remembered")
  seen.hover = shown_by("hover", "K")

  edit("retries=3", "retries=5")
  wait("warning", function() return problems() == 1 end)
  wait("lens", function() return lens() ~= "" end)
  seen.message = vim.diagnostic.get(0)[1].message
  local marks = vim.api.nvim_buf_get_extmarks(0, -1, { 3, 0 }, { 3, -1 }, { details = true, type = "virt_text" })
  seen.virtual = vim.inspect(marks)
  seen.float = shown_by("text of the diagnostic", "<C-w>d")
  act("gra", "Still true")
  wait("agreement", function() return problems() == 0 and lens() == "" end)
  vim.cmd("edit!") -- the confirmation goes with the text
  edit("retries=3", "retries=5")
  wait("warning again", function() return problems() == 1 end)
  act("gra", "Replace by", "fetch gives up after 5 retries")
  seen.replaced = seen.began_with
  wait("agreement again", function() return problems() == 0 end)
  act("\\ma", "Remember", "fetch waits longer each time")
  act("\\mr", "", "fetch is slow")
  act("V\\mr", "", "fetch is for pages")
  act("\\ms", "")
  seen.shown = said

  edit("retries=5", "retries=6")
  wait("lens to run", function() return lens() ~= "" end)
  act("\\ml", "")
  seen.ran = said

  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  client:request_sync("workspace/executeCommand", { command = "memlsp.server.nothing" }, 30000, 0)
  vim.cmd("enew!")
  vim.bo.filetype = "python"
  said = nil
  keys("\\ms")
  seen.nameless = said
  seen.attached = #vim.lsp.get_clients({ bufnr = 0 })
end

local fine, failure = pcall(session)
seen.failure = not fine and tostring(failure) or nil
vim.fn.writefile({ vim.json.encode(seen) }, os.getenv("SEEN"))
vim.cmd("qa!")
