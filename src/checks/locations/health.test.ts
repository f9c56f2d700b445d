import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import type { Database } from "../../platform/database.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import { compareProbes } from "../../runs/probe-links/loops.ts";
import { deriveRunId } from "../../runs/results/run-id.ts";
import { fillSlots, planSlots } from "./queues.ts";
import { insertQueueSamples } from "./store.ts";

let app: TestApp;
let db: Database;
let close: () => Promise<unknown>;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  const opened = openDatabase({ connectionString: app.databaseUrl }, captureLog().log);
  ({ db, close } = opened);
});
after(async () => {
  await close();
  await app.stop();
});

const post = (path: string, body: unknown, key?: string) =>
  app.call("POST", path, { body, ...(key !== undefined && { key }) });

async function addLocation(slugName: string) {
  return (await post("/v1/private-locations", { name: slugName, slugName })).body;
}

async function addProbe(id: string, route: string, location: string): Promise<void> {
  await app.query(
    `insert into probes (id, location, route, is_built_in, version, ipv4_sources, ipv6_sources,
        is_suspect, started_at, last_seen_at, limitations, transport)
      values ($1, $2, $3, false, '0.1.0', '{}', '{}', false, $4, $4, '{}', 'websocket')`,
    [id, location, route, app.clock.now()],
  );
}

const quarantine = (id: string, body: unknown, key?: string) =>
  post(`/v1/probes/${id}/quarantine`, body, key);
const release = (id: string, body: unknown) => post(`/v1/probes/${id}/release`, body);
const reason = "Its uplink is faulty.";

test("a user quarantines and releases a probe, each with a reason", async () => {
  const { id } = await addLocation("office");
  await addProbe("office-1", id, "office");
  await addProbe("office-2", id, "office");
  const taken = await quarantine("office-1", { reason });
  assert.equal(taken.status, 200, taken.text);
  assert.equal(taken.body.quarantinedAt, app.clock.now().toISOString());
  assert.equal(taken.body.quarantineReason, reason);
  assert.equal((await quarantine("office-1", { reason })).status, 409, "it is there already");
  const shown = await app.call("GET", `/v1/private-locations/${id}`);
  assert.equal(shown.body.probes[0].quarantineReason, reason);
  assert.equal((await release("office-2", { reason })).status, 409);
  assert.equal((await release("office-1", {})).status, 400);
  const free = await release("office-1", { reason: "The uplink was replaced." });
  assert.deepEqual([free.status, free.body.quarantinedAt], [200, null]);
  const { text } = await app.call("GET", "/v1/audit-log");
  for (const said of ["probe.quarantined", "probe.released", reason, "uplink was replaced"]) {
    assert.ok(text.includes(said), said);
  }
});

test("the only probe of a location is quarantined only with confirmation", async () => {
  const { id } = await addLocation("alone");
  await addProbe("alone-1", id, "alone");
  const refused = await quarantine("alone-1", { reason });
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /only probe of alone/);
  assert.equal((await quarantine("alone-1", { reason, leavesNone: true })).status, 200);
});

test("probes of other accounts and shared probes cannot be quarantined", async () => {
  const { id } = await addLocation("mine");
  await addProbe("mine-1", id, "mine");
  await addProbe("shared-1", "eu-west-1", "eu-west-1");
  const { key: writer } = await createKey(app, "READ_WRITE");
  assert.equal((await quarantine("shared-1", { reason }, writer)).status, 403);
  assert.equal((await quarantine("shared-1", { reason })).status, 200);
  await release("shared-1", { reason });
  assert.equal((await quarantine("nobody", { reason })).status, 404);
  await app.query(
    `insert into probes (id, location, is_built_in, version, ipv4_sources, ipv6_sources,
        is_suspect, started_at, last_seen_at, limitations)
      values ('built', 'eu-west-1', true, '1', '{}', '{}', false, $1, $1, '{}')`,
    [app.clock.now()],
  );
  assert.equal((await quarantine("built", { reason })).status, 409);
  const { key: stranger } = await addStranger(app);
  assert.equal((await quarantine("mine-1", { reason, leavesNone: true }, stranger)).status, 404);
  assert.equal((await quarantine("shared-1", { reason })).status, 409, "others use it too");
});

async function addResults(checkId: string, location: string, verdicts: Record<string, number>) {
  const nowMs = app.clock.now().getTime();
  let minute = 0;
  for (const [probeId, verdict] of Object.entries(verdicts)) {
    for (let run = 0; run < 3; run += 1) {
      minute += 1;
      const dueAtMs = nowMs - minute * 60_000;
      const id = deriveRunId({ checkId, dueAtMs, location, attempt: 1 });
      await app.query(
        `insert into results (check_id, id, location, probe_id, attempt, is_final, verdict,
            started_at, samples, duration_us)
          values ($1, $2, $3, $4, 1, true, $5, $6, '{}', 1)`,
        [checkId, id, location, probeId, verdict, new Date(dueAtMs)],
      );
    }
  }
}

test("a probe that contradicts the others of its location is quarantined by rule", async () => {
  const { id } = await addLocation("rack");
  for (const probe of ["rack-1", "rack-2", "rack-3"]) await addProbe(probe, id, "rack");
  for (let count = 0; count < 3; count += 1) {
    const { body } = await post("/v1/checks/icmp", {
      name: "Router",
      request: { hostname: "192.0.2.1" },
      locations: [],
      privateLocations: ["rack"],
      frequency: 1440,
    });
    await addResults(body.id, "rack", { "rack-1": 1, "rack-2": 2, "rack-3": 3 });
  }
  const { log, text } = captureLog();
  const context = { db, clock: app.clock, log };
  await compareProbes(context);
  const { body } = await app.call("GET", `/v1/private-locations/${id}`);
  assert.deepEqual(
    body.probes.map((probe: Record<string, unknown>) => [
      probe.id,
      probe.comparedCount,
      probe.disagreeingCount,
      probe.quarantineReason,
    ]),
    [
      ["rack-1", 3, 0, null],
      ["rack-2", 3, 0, null],
      ["rack-3", 3, 3, "It disagreed with the other probes on 3 of 3 checks."],
    ],
  );
  assert.match(text(), /probe quarantined/);
  const listEntries = async () =>
    (
      await app.query(
        "select actor_type as actor from audit_entries where target_id = 'rack-3' and account_id = $1",
        [app.owner.accountId],
      )
    ).rows;
  assert.deepEqual(await listEntries(), [{ actor: "SYSTEM" }]);
  await compareProbes(context);
  assert.equal((await listEntries()).length, 1, "once");
});

test("the queue of a location is shown per minute, or coarser for long ranges", async () => {
  const { id } = await addLocation("busy");
  const path = `/v1/private-locations/${id}/metrics`;
  const from = new Date(app.clock.now().getTime() - 10 * 60_000);
  const at = (minute: number) => new Date(from.getTime() + minute * 60_000);
  await insertQueueSamples(db, [{ locationId: id, size: 4, oldestSeconds: 75 }], at(2));
  await insertQueueSamples(db, [{ locationId: id, size: 9, oldestSeconds: 80 }], at(2));
  const ask = (fromText: string, toText: string) =>
    app.call("GET", `${path}?from=${fromText}&to=${toText}`);
  const { status, body } = await ask(from.toISOString(), at(5).toISOString());
  assert.equal(status, 200);
  assert.deepEqual(
    body.queueSize,
    [0, 0, 4, 0, 0],
    "the first server writes the sample of a minute",
  );
  assert.deepEqual(body.oldestScheduledCheckRun, [0, 0, 75, 0, 0]);
  assert.equal(body.timestamps[2], at(2).toISOString());
  assert.equal((await ask("2026-11-01", "2026-11-02")).status, 200);
  for (const [one, other] of [
    ["2026-11-02", "2026-11-01"],
    ["2026-01-01", "2026-11-01"],
    ["x", "2026-11-01"],
  ] as const) {
    assert.equal((await ask(one, other)).status, 400, `${one} ${other}`);
  }
  assert.equal((await app.call("GET", path)).status, 400);
  const slots = planSlots(0, 31 * 86_400_000);
  assert.ok(slots.count <= 360);
  const long = fillSlots(slots, [{ slot: 7, size: 2, oldestSeconds: 3 }]);
  assert.equal(long.queueSize[7], 2);
});
