// SPDX-License-Identifier: Apache-2.0
// Talks to `transplt lsp` through the client library of VS Code: reads {program, arguments, capabilities, script}
// as JSON from stdin, where each step of the script is {request | notify, params} or {diagnostics: URI}, and
// prints what came back for each, as a JSON list.
"use strict";

const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");

const modules = path.join(__dirname, "..", "lsp", "node_modules");
const rpc = require(path.join(modules, "vscode-jsonrpc", "node"));

async function main() {
  const session = JSON.parse(fs.readFileSync(0, "utf8"));
  const server = spawn(session.program, ["lsp", ...session.arguments], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));

  const published = new Map();
  const waiting = new Map();
  connection.onNotification("textDocument/publishDiagnostics", (params) => {
    published.set(params.uri, params);
    if (waiting.has(params.uri)) waiting.get(params.uri)(params);
    waiting.delete(params.uri);
  });
  connection.listen();

  const answers = [];
  for (const step of session.script) {
    if (step.request !== undefined) {
      try {
        answers.push(await connection.sendRequest(step.request, step.params));
      } catch (error) {
        answers.push({ error: error.code, message: error.message });
      }
    } else if (step.notify !== undefined) {
      // What is published from here on is about what this says.
      published.clear();
      await connection.sendNotification(step.notify, step.params);
      answers.push(null);
    } else {
      const uri = step.diagnostics;
      answers.push(published.get(uri) ?? await new Promise((resolve) => waiting.set(uri, resolve)));
    }
  }
  answers.push(await ended);
  process.stdout.write(JSON.stringify(answers));
  connection.dispose();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
