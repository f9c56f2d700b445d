import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  findFaults,
  isScriptRequest,
  maxScriptBytes,
  mergeSettings,
  shortenRequest,
  toRequest,
  writeTarget,
} from "./request.ts";

const limits = { shouldFail: false, degradedResponseTime: null, maxResponseTime: null };
const script = "fetch('https://api.example.com/health')";
const settings = { script, scriptPath: null, dependencies: [] };

const listFaults = (change: object) => findFaults({ ...settings, ...change });
const file = (path: string, content = "") => ({ path, content });

test("a script without files is complete", () => {
  assert.deepEqual(findFaults(mergeSettings(null, { script })), []);
  assert.deepEqual(mergeSettings(null, { script }), settings);
});

test("an omitted field keeps its value, and null clears it", () => {
  const before = { script, scriptPath: "a.ts", dependencies: [file("b.ts")] };
  assert.deepEqual(mergeSettings(before, {}), before);
  assert.deepEqual(mergeSettings(before, { scriptPath: null, dependencies: null }), settings);
  assert.equal(mergeSettings(before, { scriptPath: "" }).scriptPath, null);
});

test("an empty and a too long script are rejected", () => {
  assert.deepEqual(listFaults({ script: " \n" }), [{ key: "script", rule: "is required" }]);
  const long = "é".repeat(maxScriptBytes / 2 + 1);
  assert.deepEqual(listFaults({ script: long }), [
    { key: "script", rule: "must be at most 512 KiB" },
  ]);
});

test("paths must stay inside the folder of the run", () => {
  for (const path of ["/etc/passwd", "../a.ts", "a/../../b", "a//b", "./a", "a\\b", "a\0b", "a/"]) {
    const [fault] = listFaults({ dependencies: [file(path)] });
    assert.equal(fault?.key, "dependencies.0.path", path);
    assert.equal(listFaults({ scriptPath: path })[0]?.key, "scriptPath", path);
  }
  const fine = ["lib/login.ts", "__checks__/a.spec.ts", ".env", "a b/ü.json", "..a/b"];
  assert.deepEqual(listFaults({ dependencies: fine.map((path) => file(path)) }), []);
});

test("a path cannot be used twice, and a file is not a folder", () => {
  const rules = (dependencies: object[], scriptPath: string | null = null) =>
    listFaults({ dependencies, scriptPath }).map(({ key, rule }) => `${key} ${rule}`);
  assert.deepEqual(rules([file("a.ts"), file("a.ts")]), ["dependencies.1.path must be unique"]);
  assert.deepEqual(rules([file("a.ts")], "a.ts"), ["dependencies.0.path must be unique"]);
  const isFolder = "must not be the folder of another file";
  assert.deepEqual(rules([file("a"), file("a/b/c")]), [`dependencies.0.path ${isFolder}`]);
  assert.deepEqual(rules([file("a/b")], "a"), [`scriptPath ${isFolder}`]);
});

test("the files together are limited", () => {
  const half = "x".repeat(1_024 * 1_024);
  assert.deepEqual(listFaults({ dependencies: [file("a", half), file("b", half)] }), []);
  const [fault] = listFaults({ dependencies: [file("a", half), file("b", half), file("c", "x")] });
  assert.deepEqual(fault, { key: "dependencies", rule: "must be at most 2 MiB in all" });
});

test("a probe accepts what the server accepts, and nothing else", () => {
  const request = toRequest({ ...settings, ...limits, runtimeId: "2025.04" });
  assert.ok(isScriptRequest(request));
  assert.equal(request.runtime, "2025.04");
  for (const change of [
    { runtime: 7 },
    { script: "" },
    { script: null },
    { scriptPath: "../x" },
    { dependencies: [{ path: "../x", content: "" }] },
    { dependencies: [null] },
    { timeoutMs: Number.NaN },
    { timeoutMs: 1e9 },
  ]) {
    assert.equal(isScriptRequest({ ...request, ...change }), false, JSON.stringify(change));
  }
  fc.assert(fc.property(fc.anything(), (value) => !isScriptRequest(value)));
});

test("results do not repeat the script and its files", () => {
  const whole = { ...settings, dependencies: [file("a", "secret")] };
  const request = toRequest({ ...whole, ...limits, runtimeId: null });
  const { script: sent, dependencies } = shortenRequest(request);
  assert.deepEqual([sent, dependencies], ["", []]);
});

test("people recognise a check by the first host of its script", () => {
  assert.equal(writeTarget(settings), "https://api.example.com");
  assert.equal(writeTarget({ ...settings, script: "x", scriptPath: "a.ts" }), "a.ts");
  assert.equal(writeTarget({ ...settings, script: "x" }), "script");
});
