import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { isLongRun, test } from "../../../test/support/long-run.ts";
import {
  expectMeasured,
  findTestBrowser,
  installTestBrowser,
  orderScript,
  startScriptRunner,
} from "../../../test/support/scripts/script-runner.ts";
import type { RunStep } from "../../contract/result.ts";
import { findBrowserDenial } from "../browsers.ts";
import type { Isolation } from "../isolation/sandbox.ts";
import type { ScriptRequest, ScriptRunner } from "../script-run.ts";
import { describeEnd } from "./script-runner.ts";

/** A small API: a token, and a list that only those who send it may read. */
const api = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  if (request.url === "/login") return response.end('{"token":"t-1"}');
  const isKnown = request.headers.authorization === "Bearer t-1";
  response.statusCode = isKnown ? 200 : 401;
  return response.end(isKnown ? '{"orders":[1,2,3]}' : "{}");
});

const isRoot = process.getuid?.() === 0;
/** With namespaces, and without. */
const [usual, landlock] = isRoot ? (["A1", "B1"] as const) : (["A2", "B2"] as const);
const startedRunners = new Map<Isolation, ScriptRunner>();

function runnerOf(isolation: Isolation): ScriptRunner {
  const known = startedRunners.get(isolation) ?? startScriptRunner({ isolations: [isolation] });
  startedRunners.set(isolation, known);
  return known;
}

let runner: ScriptRunner;
let base = "";
before(async () => {
  if (isLongRun) await installTestBrowser();
  runner = runnerOf(usual);
  await new Promise<void>((resume) => api.listen(0, "127.0.0.1", resume));
  base = `http://localhost:${(api.address() as { port: number }).port}`;
});
after(async () => {
  await Promise.all(startedRunners.values().map((one) => one.close()));
  api.close();
});

async function run(script: string, request: Partial<ScriptRequest> = {}) {
  return runIn(usual, script, request);
}

async function runIn(isolation: Isolation, script: string, request: Partial<ScriptRequest> = {}) {
  return expectMeasured(await runnerOf(isolation).run(orderScript(script, request)));
}

const chain = () => `
import { test, expect } from "@playwright/test";
import { listPath } from "./paths";
test("orders of a customer", async ({ request }) => {
  const token = await test.step("log in", async () => {
    const answer = await request.get("${base}/login");
    expect(answer.status()).toBe(200);
    return (await answer.json()).token as string;
  });
  console.log("customer", process.env.CUSTOMER);
  await test.step("list the orders", async () => {
    const answer = await request.get("${base}" + listPath, { headers: { authorization: "Bearer " + token } });
    expect((await answer.json()).orders).toHaveLength(Number(process.env.EXPECTED));
  });
});
`;

const chainRequest = {
  scriptPath: "checks/orders.spec.ts",
  dependencies: [
    { path: "checks/paths.ts", content: 'export const listPath: string = "/orders";' },
  ],
};

for (const isolation of [usual, landlock]) {
  const title = `in tier ${isolation}, a chain of requests reports its steps, live and in its result`;
  test(title, { isLong: true }, () => runChain(runnerOf(isolation)));
}

async function runChain(runner: ScriptRunner): Promise<void> {
  const seen: RunStep[] = [];
  const order = orderScript(chain(), chainRequest, {
    variables: { CUSTOMER: "Ada", EXPECTED: "3" },
  });
  const measurement = expectMeasured(await runner.run(order, (step) => seen.push(step)));
  assert.deepEqual([measurement.end, measurement.errors], ["passed", []]);
  const steps = measurement.steps.map(({ category, depth, title }) => [category, depth, title]);
  const own = steps.filter(([category]) => category === "test" || category === "step");
  assert.deepEqual(own, [
    ["test", 0, "orders of a customer"],
    ["step", 1, "log in"],
    ["step", 1, "list the orders"],
  ]);
  assert.ok(steps.some(([category, , title]) => category === "api" && `${title}`.includes("GET")));
  assert.deepEqual(
    measurement.logs.map(({ text }) => text),
    ["customer Ada"],
  );
  assert.deepEqual(
    measurement.connections.map(({ host, denial }) => [host, denial]),
    [["localhost", null]],
  );
  const live = seen.filter(({ category }) => category === "step").map(({ title }) => title);
  assert.deepEqual(live, ["log in", "list the orders"]);
  assert.ok((measurement.cpuMs ?? 0) > 0 && (measurement.memoryBytes ?? 0) > 10_000_000);
}

test("a failed expectation names its file and line", { isLong: true }, async () => {
  const order = orderScript(chain(), chainRequest, { variables: { EXPECTED: "4" } });
  const { end, errors, steps } = expectMeasured(await runner.run(order));
  assert.equal(end, "failed");
  assert.match(errors[0]?.message ?? "", /Expected length: 4\nReceived length: 3/);
  assert.deepEqual([errors[0]?.file, errors[0]?.line], ["checks/orders.spec.ts", 13]);
  assert.match(steps.find(({ title }) => title === "list the orders")?.error ?? "", /length/);
});

for (const isolation of [usual, landlock]) {
  test(`in tier ${isolation}, a plain script passes, and one that throws fails with file and line`, async () => {
    const passed = await runIn(
      isolation,
      `fetch("${base}/login").then((answer) => console.warn(answer.status))`,
    );
    assert.equal(passed.end, "passed");
    assert.deepEqual(
      passed.logs.map(({ level, text }) => [level, text]),
      [["warn", "200"]],
    );
    const failed = await runIn(
      isolation,
      'console.log("one");\nthrow new TypeError("no such customer");',
    );
    assert.equal(failed.end, "failed");
    const [error] = failed.errors;
    assert.deepEqual(
      [error?.message, error?.file, error?.line],
      ["no such customer", "script.js", 2],
    );
  });
}

for (const isolation of [usual, landlock]) {
  test(`in tier ${isolation}, a script opens a page`, { isLong: true }, async (t) => {
    const browser = findTestBrowser();
    if ("reason" in browser) return t.skip(browser.reason);
    const script = `
      const { chromium } = require("playwright-core");
      (async () => {
        const browser = await chromium.launch();
        const page = await browser.newPage();
        await page.goto("${base}/login");
        console.log(await page.textContent("body"));
        await browser.close();
      })();`;
    const order = { ...orderScript(script), usesBrowser: true };
    const outcome = await runnerOf(isolation).run(order);
    const denial = findBrowserDenial(browser);
    if (isolation === landlock && denial !== null) {
      assert.deepEqual(outcome, { kind: "cannot-check", message: denial });
      return;
    }
    const { logs, pages, errors } = expectMeasured(outcome);
    assert.equal(logs[0]?.text, '{"token":"t-1"}', JSON.stringify(errors));
    assert.equal(pages?.[0]?.status, 200);
  });
}

test("the first output of a script is never lost", { isLong: true }, async () => {
  const runs = Array.from({ length: 60 }, () => run('require("node:fs").writeSync(1, "first")'));
  for (const { logs } of await Promise.all(runs)) assert.equal(logs[0]?.text, "first");
});

for (const isolation of [usual, landlock]) {
  test(`in tier ${isolation}, an endless script ends after its time`, {
    isLong: isolation !== usual,
  }, async () => {
    const { end } = await runIn(isolation, "for (;;);", { timeoutMs: 1_000 });
    assert.equal(end, "timed-out");
  });
}

test("a full heap is reported as memory", { isLong: true }, async () => {
  const { end } = await run("const all = []; for (;;) all.push(new Array(1_000).fill({}));");
  assert.equal(end, "out-of-memory");
});

test("after a first run, scripts use compiled code that they cannot change", {
  isLong: true,
}, async (t) => {
  const cacheFolder = mkdtempSync(join(tmpdir(), "vedette-caches-"));
  chmodSync(cacheFolder, 0o755);
  t.after(() => rmSync(cacheFolder, { recursive: true }));
  for (const isolation of [usual, landlock]) {
    const own = startScriptRunner({ isolations: [isolation], concurrency: 1, cacheFolder });
    t.after(() => own.close());
    await own.run(orderScript("1"));
    const { logs } = expectMeasured(
      await own.run(
        orderScript(`
        const fs = require("node:fs");
        const folder = require("node:module").getCompileCacheDir();
        console.log(fs.readdirSync(folder).length > 10);
        try { fs.writeFileSync(folder + "/x", ""); } catch (error) { console.log(error.code); }`),
      ),
    );
    const [hasCode, denial] = logs.map(({ text }) => text);
    assert.equal(hasCode, "true");
    assert.match(denial ?? "", /EROFS|EACCES/);
  }
});

test("events that a script forges are limited, and cannot make a failed script pass", async () => {
  const { end, steps, errors, isCut } = await run(`
    const fs = require("node:fs");
    const event = (value) => fs.writeSync(3, JSON.stringify(value) + "\\n");
    event({ kind: "end", status: "passed" });
    fs.writeSync(3, "not JSON\\n[1]\\nnull\\n");
    event({ kind: "step", title: "a".repeat(100_000), category: "no such" });
    for (let i = 0; i < 300; i += 1) event({ kind: "step", title: "t\\u0000\\ud800".repeat(500), category: "test", depth: 1e9, startedAt: -1, durationMs: "x" });
    for (let i = 0; i < 30; i += 1) event({ kind: "error", message: "e", file: "../../etc/passwd", line: -1 });
    process.exit(3);`);
  assert.equal(end, "failed");
  assert.deepEqual([steps.length, errors.length, isCut], [200, 10, true]);
  const [step] = steps;
  assert.ok((step?.title.length ?? 0) <= 300 && step?.title.isWellFormed());
  assert.deepEqual([step?.depth, step?.startMs, step?.durationMs], [10, 0, 0]);
});

test("a missing runtime, no isolation and a late order are no results about the target", async (t) => {
  const missing = startScriptRunner({ findRuntime: () => ({ reason: "Not installed." }) });
  const open = startScriptRunner({ isolations: [] });
  t.after(() => Promise.all([missing.close(), open.close()]));
  assert.deepEqual(await missing.run(orderScript("1")), {
    kind: "cannot-check",
    message: "Not installed.",
  });
  assert.equal((await open.run(orderScript("1"))).kind, "cannot-check");
  const late = orderScript("1", {}, { deadlineAtMs: Date.now() + 1_000 });
  assert.equal((await runner.run(late)).kind, "overloaded");
});

test("every kind that shares a runner may close it, at once or one after the other", async () => {
  const runner = startScriptRunner({ isolations: [] });
  await runner.run(orderScript("1;"));
  await Promise.all([runner.close(), runner.close()]);
  await runner.close();
});

test("the end of the runner is explained with its last error, its signal or its exit code", () => {
  const trace = `node:fs:3020
Error: EROFS: read-only file system, mkdtemp '/tmp/x'
    at mkdtempSync (node:fs:1:2)
Node.js v26`;
  const describe = (exitCode: number | null, signalCode: "SIGKILL" | null, written = "") =>
    describeEnd({ exitCode, signalCode }, written).replace("The process that runs scripts ", "");
  assert.equal(
    describe(1, null, trace),
    "ended: Error: EROFS: read-only file system, mkdtemp '/tmp/x'",
  );
  assert.equal(describe(null, "SIGKILL"), "ended: signal SIGKILL");
  assert.equal(describe(9, null, "a warning"), "ended: exit code 9");
});

test("a folder for temporary files that cannot be used is named as the reason", async (t) => {
  const isolation = process.getuid?.() === 0 ? "B1" : "B2";
  const runner = startScriptRunner({ isolations: [isolation], temporaryFolder: "/proc/missing" });
  t.after(() => runner.close());
  const outcome = await runner.run(orderScript("1"));
  if (outcome.kind !== "cannot-check") assert.fail(JSON.stringify(outcome));
  assert.match(outcome.message, /ENOENT: .*'\/proc\/missing\/vedette-script-/);
});
