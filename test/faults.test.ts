/**
 * The table of faults in docs/many-machines.md on real processes: faults are injected into a
 * running fleet one after the other, and the database shows whether the guarantees held. `npm test`
 * kills one server of a small fleet; the long run injects all faults; `npm run faults` injects random
 * ones for any length of time.
 */
import assert from "node:assert/strict";
import { after, before, type TestContext } from "node:test";
import { isLongRun, it } from "./support/long-run.ts";
import { planFaults } from "./support/machines/fault-plan.ts";
import { FaultSession, type Outcome } from "./support/machines/fault-session.ts";
import { describeEvidence } from "./support/machines/figures.ts";
import { type Fleet, startFleet } from "./support/machines/fleet.ts";
import { fleetPlan, smallFleetPlan } from "./support/machines/fleet-plan.ts";
import { invariantNames } from "./support/machines/invariants.ts";
import { findLack } from "./support/programs/programs.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const lack = findLack("nats-server");
const checks = isLongRun ? 12 : 6;
const plan = isLongRun ? fleetPlan : smallFleetPlan;
const seed = 4;
const seededMs = 12_000;

let fleet: Fleet;
let session: FaultSession;
let outcome: Outcome;
before(async () => {
  if (lack !== false) return;
  fleet = await startFleet({ ...plan, targets: checks });
  session = await FaultSession.start(fleet, { checks, places: plan.places });
});
after(() => fleet?.stop());

/** On a machine without a required program the rows are skipped, with a message. */
const row = (name: string, run: (t: TestContext) => Promise<void>) => it(name, { skip: lack }, run);
const longRow = (name: string, run: (t: TestContext) => Promise<void>) =>
  it(name, { skip: lack, isLong: true }, run);

const hit = (kind: "kill" | "restart" | "pause" | "cut" | "freeze", subject: string) =>
  session.inject({ kind, subject, forMs: 0 });

/** Changes some targets, so that each fault may lose changes or duplicate alerts. */
let turn = 0;
function changeTargets(): void {
  for (let target = turn % 3; target < checks; target += 3) {
    fleet.targets.set(target, !fleet.targets.isUp(target));
  }
  turn += 1;
}

async function waitForHolders(count: number): Promise<void> {
  await waitUntil(`the checks are scheduled by ${count}`, async () => {
    const rows = await fleet.query<{ count: number }>(
      "select count(*)::int from schedule_leases where expires_at > now() group by holder",
    );
    const shards = rows.reduce((sum, { count: own }) => sum + own, 0);
    return rows.length === count && shards === 64;
  });
}

/** Locations of remote probes, as named by checks. */
const remotePlaces = [...new Set(fleetPlan.probes.map(({ location }) => location))];

/** Waits until a newly due run is recorded; at each given place, a measured one. */
async function waitForNewResult(places: readonly string[] = []): Promise<void> {
  const since = new Date();
  await waitUntil("newly due runs are recorded", async () => {
    const rows = await fleet.query<{ location: string; isMeasured: boolean }>(
      `select last_location as location, status <> 'unknown' as "isMeasured" from check_states
        where last_due_at > $1`,
      [since],
    );
    const isHeard = (place: string) =>
      rows.some(({ location, isMeasured }) => isMeasured && location === place);
    return rows.length > 0 && places.every(isHeard);
  });
}

row("kill -9 of a server: another one takes over its checks, and it comes back", async () => {
  await session.waitForRuns(session.startedAtMs);
  await waitForHolders(2);
  const heal = await hit("kill", "server-1");
  changeTargets();
  await waitForHolders(1);
  // The first new result may be of a target that has not changed.
  await waitUntil("a changed target is alerted", async () => {
    const rows = await fleet.query("select 1 from alerts limit 1");
    return rows.length > 0;
  });
  // Starting it again takes three seconds of CPU.
  if (isLongRun) await heal();
});

longRow(
  "SIGSTOP of a server: another one takes over its checks, and it continues afterwards",
  async () => {
    await waitForHolders(2);
    const heal = await hit("pause", "server-2");
    changeTargets();
    await waitForHolders(1);
    await waitForNewResult();
    await heal();
  },
);

longRow(
  "a server loses its connection to PostgreSQL: another continues, and it rejoins",
  async () => {
    await waitForHolders(2);
    const heal = await hit("cut", "server-1>postgres");
    changeTargets();
    await waitForHolders(1);
    await heal();
    const first = fleet.servers[0] ?? assert.fail();
    await waitUntil("it is ready again", first.isReady);
  },
);

longRow("PostgreSQL is killed and restarted: all processes recover", async () => {
  for (const kind of ["kill", "restart"] as const) {
    await (await hit(kind, "postgres"))();
    changeTargets();
    await waitForNewResult();
  }
});

const kindsOfProbes = new Map(fleetPlan.probes.map((probe) => [probe.transport, probe]));
for (const { name, transport, location } of kindsOfProbes.values()) {
  longRow(`kill -9, SIGSTOP and restart of a probe over ${transport}`, async () => {
    for (const kind of ["kill", "pause", "restart"] as const) {
      const heal = await hit(kind, name);
      changeTargets();
      await waitForNewResult();
      await heal();
    }
    await waitForNewResult([location]);
  });

  longRow(
    `a link over ${transport} is cut during a run: its result is recorded later with its own time`,
    () => cutDuringRun(name, location),
  );
}

/** The probe stores the result of the run that was in progress when the link was cut. */
async function cutDuringRun(probe: string, location: string): Promise<void> {
  const own = session.workload.checks.filter(({ locations }) => locations.includes(location));
  fleet.targets.hold();
  const isUnderWay = () => own.some(({ target }) => fleet.targets.countWaiting(target) > 0);
  await waitUntil("a run is in progress there", isUnderWay);
  const link = [...fleet.links.keys()].find((name) => name.startsWith(`${probe}>`));
  const heal = await hit("cut", link ?? assert.fail("the probe is disconnected"));
  const cutAt = new Date();
  fleet.targets.release();
  await waitUntil("the target has responded", () => !isUnderWay());
  await heal();
  await waitUntil("the run is recorded with its original time", async () => {
    const rows = await fleet.query(
      `select 1 from results where check_id = any($1) and started_at < $2 and trouble is null
        and started_at + duration_us * interval '1 microsecond' > $2`,
      [own.map(({ checkId }) => checkId), cutAt],
    );
    return rows.length > 0;
  });
}

longRow("NATS is killed and restarted: all processes recover", async () => {
  for (const kind of ["kill", "restart"] as const) {
    const heal = await hit(kind, "nats");
    changeTargets();
    await waitForNewResult();
    await heal();
    await waitForNewResult(remotePlaces);
  }
});

longRow(`random faults, seed ${seed}`, async () => {
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

row("after all faults every result is judged, alerted and delivered", async (t) => {
  for (let target = 0; target < checks; target += 1) {
    if (!fleet.targets.isUp(target)) fleet.targets.set(target, true);
  }
  outcome = await session.finish();
  for (const [what, figure] of Object.entries(describeEvidence(outcome.evidence))) {
    t.diagnostic(`${what}: ${figure}`);
  }
  assert.equal(outcome.unsettled, null);
  const { changes, alerts } = outcome.evidence;
  const leastChanges = isLongRun ? checks : 1;
  assert.ok(changes.length > leastChanges && alerts.length > 0, "there was something to lose");
});

for (const name of invariantNames) {
  row(`and ${name}`, async () => {
    const broken = outcome.violations.filter(({ invariant }) => invariant === name);
    assert.deepEqual(
      broken.map(({ what }) => what),
      [],
    );
  });
}
