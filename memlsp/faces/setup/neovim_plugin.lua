-- memlsp: written by `memlsp init`, taken out by `memlsp uninstall`. Neovim 0.11 or later.
if vim.lsp.config then
  vim.lsp.config("memlsp", {
    cmd = { "memlsp", "lsp" },
    filetypes = {
      "python", "javascript", "javascriptreact", "typescript", "typescriptreact", "go", "rust", "java", "c", "cpp",
      "cs", "ruby", "php", "kotlin", "sh", "vue", "svelte", "toml", "yaml", "json", "markdown", "dockerfile", "make",
    },
    root_markers = { ".git" },
  })
  vim.lsp.enable("memlsp")
end
