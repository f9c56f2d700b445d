// Runs setup or teardown scripts one after the other. The scripts can read and change global
// variables and environment variables. The resulting values are sent to the runner after the last
// script.
"use strict";
const Module = require("node:module");
const { readFileSync, unlinkSync } = require("node:fs");
const { dirname } = require("node:path");
const { compileScript } = require("./compile.cjs");
const { folder, writeEvent, toErrorEvent } = require("./events.cjs");

const plan = folder + process.env.VEDETTE_SCRIPT;
const { paths, globals } = JSON.parse(readFileSync(plan, "utf8"));
unlinkSync(plan);
for (const name of Object.keys(process.env)) {
  if (name.startsWith("VEDETTE_")) delete process.env[name];
}
const before = { ...process.env };

/** Maximum length of one part of the values, because the length of an event is limited. */
const partLength = 16_000;

function sendValues() {
  const values = Object.fromEntries(Object.keys(globals).map((name) => [name, globalThis[name]]));
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  const changed = [...names].filter((name) => before[name] !== process.env[name]);
  const environment = Object.fromEntries(changed.map((name) => [name, process.env[name] ?? null]));
  const text = JSON.stringify({ ...values, environment });
  for (let at = 0; at < text.length; at += partLength) {
    writeEvent({ kind: "values", part: text.slice(at, at + partLength) });
  }
}

async function run(path) {
  const module = new Module(path);
  module.filename = path;
  module.paths = Module._nodeModulePaths(dirname(path));
  module._compile(compileScript(readFileSync(path, "utf8"), path), path);
  await module.exports;
}

async function runAll() {
  for (const [name, value] of Object.entries(globals)) globalThis[name] = value;
  for (const path of paths) await run(folder + path);
  sendValues();
}

runAll().then(
  () => process.exit(0),
  (error) => {
    writeEvent(toErrorEvent(error));
    process.exit(1);
  },
);
