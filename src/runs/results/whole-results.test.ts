import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import {
  addCheckWithPast,
  type CheckHistory,
} from "../../../test/support/modules/check-history.ts";
import { systemClock } from "../../platform/clock.ts";
import { decideSixHours } from "./results.ts";

const hour = 3_600;
let app: TestApp;
let past: CheckHistory;
/** An hour after the start of the history, in Unix seconds. */
let from: number;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" }, { clock: systemClock });
  past = await addCheckWithPast(app);
  from = Math.floor(past.fromMs / 1_000) + hour;
});
after(() => app.stop());

const list = (query = "", checkId = past.checkId) =>
  app.call("GET", `/v1/check-results/${checkId}?${query}`);
const idsOf = ({ body }: Answer): string[] => body.map(({ id }: { id: string }) => id);

test("pages are arrays, newest first, without duplicates or omissions", async () => {
  const span = `from=${from}&to=${from + 2 * hour}`;
  const all = await list(`${span}&limit=100`);
  assert.equal(all.status, 200, all.text);
  const ids = idsOf(all);
  assert.ok(ids.length > 50 && ids.length < 100, `${ids.length} results`);
  assert.deepEqual(ids, [...new Set(ids)].sort().reverse());
  const paged: string[] = [];
  for (let page = 1; page <= 4; page += 1) {
    paged.push(...idsOf(await list(`${span}&limit=25&page=${page}`)));
  }
  assert.deepEqual(paged, ids);
  assert.deepEqual(idsOf(await list(span)), ids.slice(0, 10), "ten by default");
  assert.deepEqual(idsOf(await list(`${span}&page=0`)), ids.slice(0, 10));
  assert.deepEqual((await list(`${span}&page=1000000&limit=100`)).body, []);
});

test("each entry is the whole result", async () => {
  const [first] = (await list(`from=${from}&limit=1`)).body;
  const whole = await app.call("GET", `/v1/check-results/${past.checkId}/${first.id}`);
  assert.deepEqual(first, whole.body);
  assert.notEqual(first.icmpCheckResult, null);
});

test("from or to alone selects six hours, and both at most six hours", async () => {
  const timesOf = ({ body }: Answer) =>
    body.map(({ checkRunId }: { checkRunId: number }) => checkRunId / 1_000);
  const [newest] = timesOf(await list(`from=${from}`));
  assert.ok(newest < from + 6 * hour && newest >= from + 6 * hour - 300);
  const [before] = timesOf(await list(`to=${from + 6 * hour}`));
  assert.equal(before, newest);
  assert.equal((await list(`from=${from}&to=${from + 6 * hour}`)).status, 200);
  const wide = await list(`from=${from}&to=${from + 6 * hour + 1}`);
  assert.equal(wide.status, 400);
  assert.deepEqual(wide.body.validation.keys, ["from"]);
});

test("six hours end now by default, with tolerance for a probe whose clock is ahead", () => {
  assert.deepEqual(decideSixHours({}, 100_000_500), { from: 100_001 - 6 * hour, to: 100_061 });
  assert.deepEqual(decideSixHours({ to: 60 }, 0), { from: 0, to: 60 });
});

test("results are filtered by failure, location, type of result and type of check", async () => {
  const span = `from=${from}&to=${from + hour}&limit=100`;
  const count = async (query: string) => (await list(`${span}&${query}`)).body.length;
  const all = await count("");
  const atOne = await count("location=eu-west-1");
  assert.equal(all, atOne * 3);
  assert.equal((await count("hasFailures=true")) + (await count("hasFailures=false")), all);
  assert.equal(await count("checkType=ICMP"), all);
  assert.equal(await count("checkType=API"), 0);
  assert.equal((await count("resultType=FINAL")) + (await count("resultType=ATTEMPT")), all);
  const cursor = await app.call(
    "GET",
    `/v2/check-results/${past.checkId}?from=${from}&to=${from + hour}&checkType=API`,
  );
  assert.deepEqual(cursor.body.entries, []);
});

test("invalid parameters, unknown checks and strangers are rejected", async () => {
  for (const query of ["limit=0", "limit=101", "page=-1", "page=x", "hasFailures=1", "from=x"]) {
    const answer = await list(query);
    assert.equal(answer.status, 400, query);
    assert.deepEqual(answer.body.validation.keys, [query.split("=")[0]]);
  }
  assert.equal((await list("", randomUUID())).status, 404);
  assert.equal((await list("", "x")).status, 400);
  const path = `/v1/check-results/${past.checkId}`;
  assert.equal((await app.call("GET", path, { key: "none" })).status, 401);
  const { key } = await addStranger(app);
  assert.equal((await app.call("GET", path, { key })).status, 404);
});
