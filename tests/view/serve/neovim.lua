-- `litmus lsp`, driven by Neovim without a screen: a test is opened, what fails is seen, the first repair is taken, and nothing fails.
-- Run by `nvim --headless -u NONE -c 'luafile neovim.lua'` with LITMUS and FILE in the environment.
local function fail(what)
  io.stderr:write("neovim: " .. what .. "\n")
  vim.cmd("cquit 1")
end

vim.cmd("edit " .. vim.env.FILE)
local client = vim.lsp.start_client({ name = "litmus", cmd = { vim.env.LITMUS, "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)

local function found() return #vim.diagnostic.get(0) end
if not vim.wait(10000, function() return found() == 1 end, 5) then fail("no diagnostic of a claim that fails") end
local one = vim.diagnostic.get(0)[1]
if one.code ~= "no" or one.lnum ~= 14 then fail("another diagnostic: " .. vim.inspect(one)) end

local hover = vim.lsp.buf_request_sync(0, "textDocument/hover",
  { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 7, character = 4 } }, 10000)
if not hover[client].result.contents.value:find("ISA 9.7.9.11", 1, true) then fail("no section on hover") end

local range = { start = { line = 10, character = 0 }, ["end"] = { line = 10, character = 0 } }
local actions = vim.lsp.buf_request_sync(0, "textDocument/codeAction",
  { textDocument = vim.lsp.util.make_text_document_params(), range = range, context = { diagnostics = {} } }, 20000)
vim.lsp.util.apply_workspace_edit(actions[client].result[1].edit, "utf-16")
if not vim.wait(10000, function() return found() == 0 end, 5) then fail("the repaired test fails: " .. vim.inspect(vim.diagnostic.get(0))) end
io.stdout:write("neovim: " .. vim.fn.getline(11) .. "\n")
vim.cmd("qall!")
