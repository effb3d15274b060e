// SPDX-License-Identifier: Apache-2.0
// Starts `transplt lsp` and connects it to the editor; all that is known of files, it says.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["python", "shellscript", "yaml", "json", "toml", "dockerfile", "cpp", "cuda-cpp"];

let client;

function newClient() {
  const settings = vscode.workspace.getConfiguration("transplt");
  const server = {
    command: settings.get("path"),
    args: ["lsp", ...settings.get("arguments")],
  };
  return new LanguageClient("transplt", "transplt", server, {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*") },
  });
}

async function restart() {
  await stop();
  client = newClient();
  try {
    await client.start();
  } catch (error) {
    const shown = `transplt does not start: ${error.message}. Is it installed? The setting transplt.path names it.`;
    await vscode.window.showErrorMessage(shown);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running !== undefined && running.isRunning()) await running.stop();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("transplt.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("transplt")) restart();
    }),
  );
  await restart();
}

module.exports = { activate, deactivate: stop };
