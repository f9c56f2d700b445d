import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createRunsFixture,
  makeResult,
  measure,
  noData,
  type RunsFixture,
} from "../../../../test/support/modules/runs.ts";
import type { Caller } from "../../../access/accounts/index.ts";
import type { Outcome } from "../../../contract/result.ts";
import { recordResults } from "../../recording/recorder.ts";
import type { Watched } from "../../scheduling/watch-list.ts";
import { toWireChange } from "../routes.ts";
import { explainDecision, getDecision } from "../statuses/actions.ts";
import { listStateHistory, listStateSpans } from "./history.ts";

let fixture: RunsFixture;
let caller: Caller;
before(async () => {
  fixture = await createRunsFixture();
  caller = { accountId: fixture.accountId } as Caller;
});
after(() => fixture.stop());

const minuteMs = 60_000;
const now = () => fixture.clock.now().getTime();

async function run(check: Watched, location: string, outcome: Outcome): Promise<void> {
  fixture.clock.advance(minuteMs);
  const result = makeResult(check, { dueAtMs: now() - 1_000, location, outcome });
  await recordResults(fixture.context, [result]);
}

const everything = { from: null, to: null, limit: 100, nextId: null };
const listOf = (check: Watched, more: Partial<typeof everything> = {}) =>
  listStateHistory(fixture.context, caller, { ...everything, ...more, checkId: check.checkId });

const parallel = { locations: ["eu-west-1", "us-east-1"], runParallel: true };

test("a change contains the verdict of each location and an explanation", async () => {
  const check = await fixture.addCheck(parallel);
  await run(check, "eu-west-1", measure());
  await run(check, "us-east-1", measure());
  await run(check, "us-east-1", measure(10));
  const [newest, first, ...others] = (await listOf(check)).map(toWireChange);
  assert.deepEqual(others, []);
  assert.deepEqual([first?.from, first?.to, first?.until], ["unknown", "passing", newest?.at]);
  assert.deepEqual([newest?.from, newest?.to, newest?.until], ["passing", "failing", null]);
  assert.equal(newest?.decision?.rule, "worst-location-decides");
  assert.deepEqual(
    newest?.decision?.votes.map(({ location, verdict }) => [location, verdict]),
    [
      ["eu-west-1", "passing"],
      ["us-east-1", "failing"],
    ],
  );
  assert.match(
    newest?.explanation ?? "",
    /100 %.*Failing from us-east-1; passing from eu-west-1\.$/,
  );
});

test("after one location recovers, the remaining one explains the status", async () => {
  const check = await fixture.addCheck(parallel);
  await run(check, "eu-west-1", measure(1));
  await run(check, "us-east-1", measure(10));
  await run(check, "us-east-1", measure());
  const [newest] = await listOf(check);
  assert.deepEqual([newest?.from, newest?.to], ["failing", "degraded"]);
  assert.match(
    newest?.explanation ?? "",
    /^.*10 %.*Degraded from eu-west-1; passing from us-east-1/,
  );
});

test("reasons outlive the results, and older changes have none", async () => {
  const check = await fixture.addCheck();
  await run(check, "home", measure());
  await run(check, "home", measure(10));
  await fixture.query("delete from results where check_id = $1", check.checkId);
  const [change] = await listOf(check);
  assert.match(change?.explanation ?? "", /100 %/);
  await fixture.query(
    "update state_changes set decision = null where check_id = $1",
    check.checkId,
  );
  const [old] = await listOf(check);
  assert.deepEqual([old?.explanation, old?.reasons, old?.decision], ["", null, null]);
});

test("history is paginated and bounded", async () => {
  const check = await fixture.addCheck();
  const startMs = now();
  for (const lost of [0, 10, 0, 10]) await run(check, "home", measure(lost));
  const all = await listOf(check);
  assert.deepEqual(
    all.map(({ to }) => to),
    ["failing", "passing", "failing", "passing"],
  );
  const page = await listOf(check, { limit: 2, nextId: all[1]?.id ?? "" } as object);
  assert.deepEqual(page, all.slice(1, 3));
  const from = new Date(startMs + 2 * minuteMs);
  assert.equal((await listOf(check, { from } as object)).length, 2);
  const { spans, isTruncated } = await listStateSpans(fixture.context, check.checkId, {
    fromMs: from.getTime(),
    toMs: now(),
  });
  assert.equal(isTruncated, false);
  assert.deepEqual(
    spans.map(({ state }) => state),
    ["failing", "passing", "failing"],
  );
  assert.equal(spans[0]?.fromMs, from.getTime());
  assert.equal(spans.at(-1)?.toMs, now());
});

test("a status has an explanation, also for missing data", async () => {
  const check = await fixture.addCheck({ frequency: 1 });
  const explain = async () =>
    explainDecision(await getDecision(fixture.context, caller, check.checkId));
  await run(check, "home", measure(10));
  assert.match(await explain(), /100 %/);
  await run(check, "home", noData());
  assert.match(await explain(), /^There was no measurement/);
  await run(check, "home", measure());
  assert.equal(await explain(), "Everything was within its limits.");
  fixture.clock.advance(60 * minuteMs);
  assert.equal(await explain(), "No result was received for two periods.");
});
