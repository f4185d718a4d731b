-- The lines of docs/how-to/neovim.md for Neovim 0.7 to 0.10, on the file that is open. Every wait is bounded.
local function lines()
  local function served() return next(vim.lsp.buf_get_clients(0)) ~= nil end -- once it is initialized
  if not vim.wait(30000, served, 20) then return { "no client" } end
  local document = { uri = vim.uri_from_bufnr(0) }
  local words = { command = "memlsp.server.remember", arguments = { document.uri, 4, "fetch gives up after 3 retries" } }
  vim.lsp.buf_request_sync(0, "workspace/executeCommand", words, 30000)
  vim.api.nvim_buf_set_lines(0, 3, 4, true, { (vim.fn.getline(4):gsub("retries=3", "retries=5")) })
  vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end, 20)
  return vim.tbl_map(function(each) return each.message end, vim.diagnostic.get(0))
end
vim.fn.writefile(lines(), os.getenv("SEEN"))
vim.cmd("qa!")
