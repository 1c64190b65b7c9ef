// Starts `litmus lsp`, and shows what `litmus check` prints beside the test where the line above a claim is clicked.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate(context) {
  const settings = vscode.workspace.getConfiguration("litmus");
  const server = { command: settings.get("path"), args: ["lsp"] };
  client = new LanguageClient("litmus", "Litmus", { run: server, debug: server }, {
    documentSelector: [{ language: "litmus" }, { language: "cat-model" }],
    initializationOptions: { reading: settings.get("reading"), seconds: settings.get("seconds") },
    middleware: { executeCommand: show },
  });
  context.subscriptions.push({ dispose: () => client.stop() });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`litmus does not start (${error.message}): install it, or set litmus.path.`);
  }
}

async function show(command, args, next) {
  const report = await next(command, args);
  const document = await vscode.workspace.openTextDocument({ content: report, language: "plaintext" });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  return report;
}

module.exports = { activate, deactivate: () => client && client.stop() };
