-- Starts `litmus lsp` for tests and models in Neovim 0.7 and later. With `vim.g.litmus = { reading = "weakest", seconds = 5 }` the server
-- reads the ISA otherwise, or takes longer.
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  pattern = { "*.litmus", "*.cat" },
  callback = function(event)
    if vim.fn.executable("litmus") == 0 then return end
    local client = vim.b[event.buf].litmus_client
    if client then return end
    for _, running in ipairs(vim.lsp.get_active_clients()) do
      if running.name == "litmus" then client = running.id end
    end
    client = client or vim.lsp.start_client({ name = "litmus", cmd = { "litmus", "lsp" }, init_options = vim.g.litmus or vim.empty_dict() })
    vim.lsp.buf_attach_client(event.buf, client)
    vim.b[event.buf].litmus_client = client
  end,
})

-- What `litmus check` prints, from the line above a claim.
vim.lsp.commands["litmus.report"] = function(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  client.request("workspace/executeCommand", { command = command.command, arguments = command.arguments }, function(problem, report)
    vim.lsp.util.open_floating_preview(vim.split(problem and problem.message or report, "\n"), "text", {})
  end)
end
