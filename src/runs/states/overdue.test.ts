import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import {
  createRunsFixture,
  makeResult,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import type { Caller } from "../../access/accounts/index.ts";
import { listChecks } from "../../checks/checks/index.ts";
import { recordResults } from "../recording/recorder.ts";
import { nextDueAtMs } from "../scheduling/schedule.ts";
import { getBadgeFacts } from "./badges/badge.ts";
import { listSilentChecks } from "./current-status.ts";
import { getDecision, listStatuses, overviewStatuses } from "./statuses/actions.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

const all = { checkIds: null, limit: 10 };

/** Only the account of the caller is used. */
const callerOf = (accountId: string) => ({ accountId }) as unknown as Caller;

it("a check without recent results is shown as unknown, although nothing is written", async () => {
  const { context, clock, accountId } = fixture;
  const watched = await fixture.addCheck({ frequency: 1 });
  const { checkId, plan } = watched;
  const dueAtMs = nextDueAtMs(plan, clock.now().getTime());
  clock.advance(dueAtMs - clock.now().getTime());
  await recordResults(context, [makeResult(watched, { dueAtMs })]);
  const read = async () => {
    const caller = callerOf(accountId);
    const {
      states: [listed],
    } = await listStatuses(context, caller, { page: 1 });
    const { row } = await getDecision(context, caller, checkId);
    const { counts, states } = await overviewStatuses(context, caller, all);
    const silent = await listSilentChecks(context, accountId);
    const silentIds = silent.map((one) => one.checkId);
    const filter = { limit: 10, page: 1, status: "passing", silentIds } as const;
    assert.deepEqual(
      [
        counts.passing,
        states[0]?.state?.status,
        (await listChecks(context.db, accountId, filter)).total,
      ],
      listed?.status === "passing" ? [1, "passing", 1] : [0, "unknown", 0],
    );
    return [listed?.status, row.status, (await getBadgeFacts(context, checkId)).status];
  };
  assert.deepEqual(await read(), ["passing", "passing", "passing"]);
  clock.advance(2 * plan.periodMs);
  assert.deepEqual(await read(), ["passing", "passing", "passing"], "one run may be late");
  clock.advance(plan.periodMs);
  assert.deepEqual(await read(), ["unknown", "unknown", "unknown"]);
  const [{ status } = {}] = await fixture.query("select status from check_states");
  assert.equal(status, "passing", "nothing was written");
});
