import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createRunsFixture,
  makeResult,
  measure,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import type { IcmpRequest } from "../../kinds/of/icmp/request.ts";
import { findResult, readRun } from "./result-store.ts";
import { insertNewResults, type JudgedResult } from "./result-write-store.ts";
import { deriveRunId } from "./run-id.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

async function insert(batch: readonly JudgedResult[]): Promise<void> {
  await insertNewResults(fixture.context.db, batch);
}

const pass = (result: JudgedResult["result"]): JudgedResult => ({
  result,
  verdict: "passing",
  reasons: [],
  isFinal: true,
});

async function countBytes(): Promise<number> {
  const [row] = await fixture.query(`select sum(pg_total_relation_size(relid))::float8 as bytes
    from pg_partition_tree('results') where isleaf`);
  return Number(row?.bytes);
}

test("a result of one ping takes at most 250 bytes, with its index", async () => {
  const checks = await Promise.all(Array.from({ length: 8 }, () => fixture.addCheck()));
  const before = await countBytes();
  const nowMs = fixture.clock.now().getTime();
  const perCheck = 500;
  // Interleaved, as in production: results of one check are between those of others.
  for (let from = 0; from < perCheck; from += 20) {
    const dueMs = Array.from(
      { length: 20 },
      (_, index) => nowMs - (perCheck - from - index) * 1_000,
    );
    const due = dueMs.flatMap((dueAtMs) =>
      checks.map((check) => pass(makeResult(check, { dueAtMs, outcome: measure(0, 1) }))),
    );
    await insert(due);
  }
  const bytes = ((await countBytes()) - before) / (perCheck * checks.length);
  assert.ok(bytes > 100 && bytes <= 250, `${bytes} bytes a result`);
});

test("results of all storage formats are read alike", async () => {
  const check = await fixture.addCheck();
  const dueAtMs = fixture.clock.now().getTime() - 60_000;
  const fresh = makeResult(check, { dueAtMs, outcome: measure(3) });
  await insert([pass(fresh)]);
  const { db } = fixture.context;
  const today = await findResult(db, check.checkId, fresh.runId);
  assert.ok(today);
  const packets = today.detail.subarray(26, 26 + 160);
  const rest = today.detail.subarray(26 + 160);
  const durationUs = Buffer.alloc(4);
  durationUs.writeUInt32LE(898_000);
  const packed = Buffer.concat([rest.subarray(0, 2), durationUs, rest.subarray(2)]);
  const { hostname } = fresh.request as IcmpRequest;
  const figures = [10, 7, 30, 1, 4, 7, 2];
  const ids = ["columns", "packed"].map((location) =>
    deriveRunId({ checkId: check.checkId, dueAtMs, location, attempt: 1 }),
  );
  const common = [check.checkId, today.location, fresh.probeId, today.started_at, ...figures];
  // Before schema version 0022 every value had a column; since then most values are packed.
  await fixture.query(
    `insert into results (check_id, location, probe_id, started_at, packets_sent,
      packets_received, loss_percent, min_ms, avg_ms, max_ms, std_dev_ms, packets, id, stopped_at,
      hostname, ip_family, ping_count, resolved_ip, dns_ms, packet_size, jitter_ms, loss_burst,
      duplicates, reordered, late_replies, attempt, is_final, verdict)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
      'IPv4', 10, '192.0.2.1', 0, 64, 0.5, 3, 0, 0, 0, 1, true, 1)`,
    ...common,
    packets,
    ids[0],
    new Date(fresh.stoppedAtMs),
    hostname,
  );
  await fixture.query(
    `insert into results (check_id, location, probe_id, started_at, packets_sent,
      packets_received, loss_percent, min_ms, avg_ms, max_ms, std_dev_ms, packets, id, detail,
      attempt, is_final, verdict)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 1, true, 1)`,
    ...common,
    packets,
    ids[1],
    packed,
  );
  for (const id of ids) {
    const old = await findResult(db, check.checkId, id ?? "");
    assert.ok(old);
    assert.deepEqual(readRun(check.kind, old), readRun(check.kind, today));
    const { detail: _, ...rest } = old;
    const { detail: __, ...expected } = today;
    assert.deepEqual(rest, { ...expected, id });
  }
});

test("the name of a probe is stored once, also with concurrent inserts", async () => {
  const check = await fixture.addCheck();
  const nowMs = fixture.clock.now().getTime();
  const results = [1, 2, 3, 4].map((age) => ({
    ...makeResult(check, { dueAtMs: nowMs - age * 1_000 }),
    probeId: "a new probe",
  }));
  await Promise.all(results.map((result) => insert([pass(result)])));
  const { db } = fixture.context;
  const found = await Promise.all(results.map(({ runId }) => findResult(db, check.checkId, runId)));
  assert.deepEqual(new Set(found.map((row) => row?.probe_id)), new Set(["a new probe"]));
  const named = await fixture.query("select name from result_probes where name = 'a new probe'");
  assert.equal(named.length, 1);
});
