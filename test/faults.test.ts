/**
 * The table of faults in docs/many-machines.md on real processes: a fleet at work is hit, one fault
 * after the other, and what is left in the database says whether the promises held. The same for
 * as long as one likes, by chance: `npm run faults`.
 */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { planFaults } from "./support/machines/fault-plan.ts";
import { FaultSession, type Outcome } from "./support/machines/fault-session.ts";
import { describeEvidence } from "./support/machines/figures.ts";
import { type Fleet, startFleet } from "./support/machines/fleet.ts";
import { fleetPlan } from "./support/machines/fleet-plan.ts";
import { invariantNames } from "./support/machines/invariants.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const checks = 12;
const seed = 4;
const seededMs = 12_000;

let fleet: Fleet;
let session: FaultSession;
let outcome: Outcome;
before(async () => {
  fleet = await startFleet({ ...fleetPlan, targets: checks });
  session = await FaultSession.start(fleet, { checks, places: fleetPlan.places });
});
after(() => fleet.stop());

const hit = (kind: "kill" | "restart" | "pause" | "cut" | "freeze", subject: string) =>
  session.inject({ kind, subject, forMs: 0 });

/** Some targets change, so that each fault has changes to lose and alerts to double. */
let turn = 0;
function changeTargets(): void {
  for (let target = turn % 3; target < checks; target += 3) {
    fleet.targets.set(target, !fleet.targets.isUp(target));
  }
  turn += 1;
}

/** Whoever is left schedules everything. */
async function waitForTakeover(): Promise<void> {
  await waitUntil("one server schedules all checks", async () => {
    const rows = await fleet.query<{ count: number }>(
      "select count(*)::int from schedule_leases where expires_at > now() group by holder",
    );
    return rows.length === 1 && rows[0]?.count === 64;
  });
}

async function waitForNewResult(): Promise<void> {
  const since = new Date();
  await waitUntil("a run is recorded that was due since", async () => {
    const rows = await fleet.query("select 1 from check_states where last_due_at > $1", [since]);
    return rows.length > 0;
  });
}

it("kill -9 of a server: another takes its checks, and it comes back", async () => {
  await session.waitForRuns(session.startedAtMs);
  const heal = await hit("kill", "server-1");
  changeTargets();
  await waitForTakeover();
  await waitForNewResult();
  await heal();
});

it("SIGSTOP of a server: another takes its checks, and it goes on as if nothing had been", async () => {
  const heal = await hit("pause", "server-2");
  changeTargets();
  await waitForTakeover();
  await waitForNewResult();
  await heal();
});

it("the link of a server to PostgreSQL is cut: another goes on, and it takes part again", async () => {
  const heal = await hit("cut", "server-1>postgres");
  changeTargets();
  await waitForTakeover();
  await heal();
  const first = fleet.servers[0] ?? assert.fail();
  await waitUntil("it is ready again", first.isReady);
});

it("PostgreSQL is killed and restarted: everybody goes on by themselves", async () => {
  for (const kind of ["kill", "restart"] as const) {
    await (await hit(kind, "postgres"))();
    changeTargets();
    await waitForNewResult();
  }
});

it(`faults by chance, seed ${seed}`, async () => {
  const plan = planFaults({
    seed,
    lastsMs: seededMs,
    machines: [...fleet.machines.keys(), fleet.postgres.name],
    links: [...fleet.links.keys()],
    targets: checks,
    restMs: 2_000,
    maxFaultMs: 6_000,
  });
  assert.ok(plan.faults.length > 1);
  await session.play(plan);
});

it("after all of that everything is judged, told and delivered", async (t) => {
  for (let target = 0; target < checks; target += 1) {
    if (!fleet.targets.isUp(target)) fleet.targets.set(target, true);
  }
  outcome = await session.finish();
  for (const [what, figure] of Object.entries(describeEvidence(outcome.evidence))) {
    t.diagnostic(`${what}: ${figure}`);
  }
  assert.equal(outcome.unsettled, null);
  const { changes, alerts } = outcome.evidence;
  assert.ok(changes.length > checks && alerts.length > 0, "there was something to lose");
});

for (const name of invariantNames) {
  it(`and ${name}`, () => {
    const broken = outcome.violations.filter(({ invariant }) => invariant === name);
    assert.deepEqual(
      broken.map(({ what }) => what),
      [],
    );
  });
}
