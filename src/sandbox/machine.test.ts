import assert from "node:assert/strict";
import { test } from "node:test";
import { rememberMachine, type ScriptMachine, summarise } from "./machine.ts";

const browser = { browser: { path: "/usr/bin/chromium", version: "150.0.1.2" } };
const whole: ScriptMachine = {
  ...{ isolation: "A1", isolationMessage: null, isolationAdvice: null, browserMessage: null },
  ...browser,
};

test("a machine without isolation explains why and what to do, and a weaker one why", () => {
  const found = { browser: null, browserMessage: "There is no browser on this machine." };
  const none = summarise(
    { isolation: null, refusals: ["A2: not permitted.", "B2: too old."] },
    found,
  );
  assert.equal(
    none.isolationMessage,
    "Scripts of checks cannot run here. A2: not permitted. B2: too old.",
  );
  assert.match(none.isolationAdvice ?? "", /^Use a kernel with Landlock/);
  assert.equal(none.browserMessage, found.browserMessage);
  const weaker = summarise({ isolation: "B1", refusals: ["A1: not permitted."] }, found);
  assert.equal(weaker.isolationMessage, "No namespaces: A1: not permitted.");
  assert.equal(summarise({ isolation: "A1", refusals: [] }, found).isolationMessage, null);
});

test("a sandbox is tried once for many requests, sooner again if something is missing", async () => {
  let [nowMs, tries] = [0, 0];
  let next: Promise<ScriptMachine> = Promise.reject(new Error("no sandbox"));
  const describe = rememberMachine(
    () => {
      tries += 1;
      return next;
    },
    () => nowMs,
  );
  await assert.rejects(describe(), /no sandbox/);
  next = Promise.resolve({ ...whole, browser: null });
  await Promise.all([describe(), describe()]);
  assert.equal(tries, 2);
  nowMs += 61_000;
  next = Promise.resolve(whole);
  assert.deepEqual(await describe(), whole);
  nowMs += 600_000;
  await describe();
  assert.equal(tries, 3);
  nowMs += 3_600_000;
  await describe();
  assert.equal(tries, 4);
});
