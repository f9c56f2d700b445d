/**
 * Results that cannot be sent are stored in order, bounded, encrypted, and counted when dropped.
 */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { maxResultsInFrame, maxSpoolAgeMs } from "../contract/protocol.ts";
import type { SignedResult } from "../contract/result.ts";
import { Outbox } from "./outbox.ts";
import { Spool } from "./spool.ts";

const startMs = 1_700_000_000_000;

function makeResult(number: number, text = ""): SignedResult {
  const id = randomUUIDv7();
  return {
    ...{ version: 1, runId: id, checkId: id, kind: "TCP", location: "office", route: id },
    ...{ attempt: 1, dueAtMs: startMs + number, deadlineAtMs: startMs + 1_000, tag: "tag" },
    ...{ startedAtMs: startMs, stoppedAtMs: startMs, probeId: "edge" },
    request: { header: "a private text" },
    outcome: { kind: "measured", measurement: { text } },
  };
}

const results = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => makeResult(from + at));
const numbers = (list: readonly SignedResult[]) => list.map(({ dueAtMs }) => dueAtMs - startMs);

async function openFixture(t: TestContext, more: { maxBytes?: number; dir?: string } = {}) {
  const dir = more.dir ?? (await mkdtemp(join(tmpdir(), "vedette-spool-")));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const { log } = captureLog();
  const clock = { nowMs: startMs };
  const openSpool = (secret = "token", maxBytes = more.maxBytes ?? 1_000_000) =>
    Spool.open({ dir, secret, maxBytes, nowMs: () => clock.nowMs, log });
  const spool = await openSpool();
  const sent: { batch: number; results: readonly SignedResult[] }[] = [];
  const link = { isUp: false };
  const outbox = new Outbox({
    spool,
    log,
    send: (batch, results) => {
      if (link.isUp) sent.push({ batch, results });
      return link.isUp;
    },
  });
  const connect = () => {
    link.isUp = true;
    outbox.connect();
  };
  const disconnect = () => {
    link.isUp = false;
    outbox.disconnect();
  };
  return { dir, clock, openSpool, spool, outbox, sent, connect, disconnect };
}

test("while the link is up, results are sent at once and retained until they are recorded", async (t) => {
  const { outbox, spool, sent, connect } = await openFixture(t);
  connect();
  outbox.add(results(0, 2));
  await waitUntil("the results are sent", () => sent.length === 1);
  assert.deepEqual([outbox.size, spool.depth], [2, 0]);
  outbox.acknowledge(sent[0]?.batch ?? 0);
  assert.equal(outbox.size, 0);
});

test("results not recorded when the link breaks are sent again before newer ones", async (t) => {
  const { outbox, spool, sent, connect, disconnect } = await openFixture(t);
  connect();
  outbox.add(results(0, 3));
  await waitUntil("the results are sent", () => sent.length === 1);
  disconnect();
  outbox.add(results(3, 5));
  await waitUntil("the results are on disk", () => spool.depth === 5);
  sent.length = 0;
  connect();
  outbox.add(results(5, 6));
  await waitUntil("the results are sent again", () => sent.length === 1);
  for (let at = 0; outbox.size > 0; at += 1) {
    await waitUntil("the next result is sent", () => sent.length > at || outbox.size === 0);
    outbox.acknowledge(sent[at]?.batch ?? 0);
    await waitUntil("it counts", () => sent.length > at + 1 || outbox.size === 0);
  }
  assert.deepEqual(numbers(sent.flatMap(({ results: list }) => list)), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([outbox.size, spool.depth, spool.dropped], [0, 0, 0]);
});

test("spooled results survive a restart and are encrypted on disk", async (t) => {
  const { outbox, dir, openSpool } = await openFixture(t);
  outbox.add(results(0, maxResultsInFrame + 1));
  await outbox.close();
  for (const name of await readdir(dir)) {
    const text = await readFile(join(dir, name), "latin1");
    assert.equal(/private|office|token/.test(text), false);
  }
  const again = await openSpool();
  assert.equal(again.depth, maxResultsInFrame + 1);
  const segment = await again.readOldest();
  assert.ok(segment && segment.results.length <= maxResultsInFrame);
  assert.equal(numbers(segment.results)[0], 0);
  const stranger = await openSpool("another token");
  assert.equal(await stranger.readOldest(), null);
  assert.equal(stranger.dropped, maxResultsInFrame + 1, "unreadable results are counted");
});

test("the spool is bounded: the oldest results are dropped and counted", async (t) => {
  const { spool } = await openFixture(t, { maxBytes: 1_500_000 });
  const text = "x".repeat(200_000);
  for (let number = 0; number < 10; number += 1) await spool.append([makeResult(number, text)]);
  assert.ok(spool.dropped > 0);
  assert.equal(spool.depth + spool.dropped, 10);
  const oldest = await spool.readOldest();
  assert.equal(numbers(oldest?.results ?? [])[0], spool.dropped, "the newest are retained");
});

test("results older than the server accepts are dropped and counted", async (t) => {
  const { spool, clock, openSpool } = await openFixture(t);
  await spool.append(results(0, 3));
  await spool.close();
  clock.nowMs = startMs + 1_000 + maxSpoolAgeMs;
  assert.equal((await openSpool()).depth, 3);
  clock.nowMs += 1;
  const late = await openSpool();
  assert.deepEqual([late.depth, late.dropped], [0, 3]);
});

test("a line truncated by a crash does not affect the others", async (t) => {
  const { spool, dir, openSpool } = await openFixture(t);
  await spool.append(results(0, 2));
  await spool.append(results(2, 4));
  await spool.close();
  const [name = ""] = await readdir(dir);
  const path = join(dir, name);
  const whole = await readFile(path, "latin1");
  await writeFile(path, whole.slice(0, -40));
  const again = await openSpool();
  assert.deepEqual(numbers((await again.readOldest())?.results ?? []), [0, 1]);
  assert.equal(again.dropped, 2);
});

test("no result is lost while the disk is full and memory suffices", async (t) => {
  const { outbox, spool, sent, connect } = await openFixture(t);
  t.mock.method(spool, "append", () => Promise.reject(new Error("ENOSPC")), { times: 1 });
  outbox.add(results(0, 2));
  await waitUntil("the write was retried", () => spool.depth === 2);
  connect();
  await waitUntil("the results are sent", () => sent.length === 1);
  assert.equal(spool.dropped, 0);
});
