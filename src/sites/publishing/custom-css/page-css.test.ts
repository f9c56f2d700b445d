import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { forbiddenSheets, worstSheets } from "../../../../test/support/inputs/custom-css.ts";
import { endlessSheet, startEndlessThread } from "../../../../test/support/inputs/endless-css.ts";
import { isLongRun } from "../../../../test/support/long-run.ts";
import { readSourceFiles } from "../../../../test/support/project/source-files.ts";
import { measureCpuMs } from "../../../../test/support/time/cpu-time.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { filterCustomCss as filterFor } from "./filter.ts";
import { FilteredSheets, FilterThread } from "./page-css.ts";
import type { Sheet } from "./values.ts";

const thread = new FilterThread();
const toSheet = (source: string): Sheet => ({ source, scope: "dashboard" });
const filterCustomCss = (source: string) => filterFor(source, "dashboard");
const hostileSheets = Array.from({ length: 2 }, (_, n) => `.a:not(.b${n}){--x:1}`.repeat(2_000));

test("the same source for another page is another sheet", async () => {
  const sheets = new FilteredSheets(thread);
  const source = ".a{color:red}";
  const read = async (scope: Sheet["scope"]) => (await sheets.read({ source, scope }))?.css;
  assert.equal(await read("dashboard"), `.dashboard ${source}`);
  assert.equal(await read("status-page"), `.status-page ${source}`);
});

test("the thread returns the same result as the filter", async () => {
  const hostile = isLongRun ? worstSheets : worstSheets.slice(0, 1);
  const sheets = [...forbiddenSheets, ...hostile, ".a { color: red }", ""];
  const filtered = await Promise.all(sheets.map((source) => thread.filter(toSheet(source))));
  assert.deepEqual(filtered, sheets.map(filterCustomCss));
});

test("only the worker imports the filter", () => {
  const users = readSourceFiles("{bin,src}/**/*.ts")
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .filter(({ text }) => /^import \{[^}]*\} from "[^"]*\/filter\.ts"/m.test(text));
  assert.deepEqual(
    users.map(({ path }) => path),
    ["src/sites/publishing/custom-css/filter-worker.ts"],
  );
});

test("a hostile sheet costs the request thread almost nothing", async () => {
  await thread.filter(toSheet(".a { color: red }"));
  const inlineMs = measureCpuMs(() => void hostileSheets.map(filterCustomCss));
  let asideMs = Number.POSITIVE_INFINITY;
  // The minimum of several attempts, because garbage collection may occur during one.
  for (let number = 0; number < 3; number += 1) {
    const before = process.threadCpuUsage();
    await Promise.all(hostileSheets.map((source) => thread.filter(toSheet(source))));
    const { user, system } = process.threadCpuUsage(before);
    asideMs = Math.min(asideMs, (user + system) / 1_000);
  }
  assert.ok(asideMs < inlineMs / 4, `${asideMs} ms here, ${inlineMs} ms inline`);
});

test("requests are served while hostile sheets are filtered", async () => {
  let isDone = false;
  const filtering = Promise.all(hostileSheets.map((source) => thread.filter(toSheet(source))));
  const done = filtering.then(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns += 1) await setImmediate();
  await done;
  assert.ok(turns > 10 * hostileSheets.length, `${turns} turns`);
});

test("a sheet that takes too long is rejected, and the next ones are filtered", async () => {
  const endless = startEndlessThread();
  const sheets = [".a{color:red}", endlessSheet, ".b{color:red}"];
  const filtered = await Promise.all(sheets.map((source) => endless.filter(toSheet(source))));
  assert.deepEqual(
    filtered.map((one) => one?.css ?? null),
    sheets.map((one) => (one === endlessSheet ? null : `.dashboard ${one}`)),
  );
});

test("the thread starts with the first sheet and ends after the last", async () => {
  const workers: Worker[] = [];
  const collect = (worker: Worker) => workers.push(worker);
  process.on("worker", collect);
  const lazy = new FilterThread({ idleMs: 1 });
  assert.equal(workers.length, 0);
  for (const source of [".a{color:red}", ".b{color:red}"]) {
    assert.equal((await lazy.filter(toSheet(source)))?.css, `.dashboard ${source}`);
    await waitUntil("the thread has ended", () => workers.at(-1)?.threadId === -1);
  }
  process.off("worker", collect);
  assert.equal(workers.length, 2);
});

test("sheets beyond the queue limit are rejected at once, until the queue shrinks", async () => {
  const sheets = Array.from({ length: 101 }, (_, n) => `.a${n}{color:red}`);
  const outcomes = await Promise.allSettled(sheets.map((source) => thread.filter(toSheet(source))));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    sheets.map((_, n) => (n < 100 ? "fulfilled" : "rejected")),
  );
  assert.notEqual(await thread.filter(toSheet(".a{color:red}")), null);
});

test("filtered sheets are cached by recent use, and rejections are not cached", async () => {
  const asked: string[] = [];
  let isBusy = true;
  const filter = async ({ source }: Sheet) => {
    asked.push(source);
    return isBusy ? null : filterCustomCss(source);
  };
  const sheets = new FilteredSheets({ filter });
  assert.deepEqual(
    await Promise.all([sheets.read(toSheet(".a{}")), sheets.read(toSheet(".a{}"))]),
    [null, null],
  );
  assert.deepEqual(asked.splice(0), [".a{}"]);
  isBusy = false;
  assert.notEqual(await sheets.read(toSheet(".a{}")), null);
  for (let n = 0; n < 60; n += 1) {
    await sheets.read(toSheet(`.b${n}{}`));
    await sheets.read(toSheet(".a{}"));
  }
  assert.equal(asked.filter((source) => source === ".a{}").length, 1);
  await sheets.read(toSheet(".b59{}"));
  assert.equal(asked.filter((source) => source === ".b59{}").length, 1);
  await sheets.read(toSheet(".b0{}"));
  assert.equal(asked.filter((source) => source === ".b0{}").length, 2);
  assert.deepEqual(await sheets.read(toSheet("")), { css: "", warnings: [] });
});
