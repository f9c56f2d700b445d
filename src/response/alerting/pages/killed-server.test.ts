/**
 * Kills the server between any two statements while policies escalate, a provider is down and a
 * device is gone. `page-crash.test.ts` does the same with processes and takes minutes.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { deliverAll, failing } from "../../../../test/support/modules/alerting.ts";
import { createPolicyScene } from "../../../../test/support/modules/pages.ts";
import { makeResult } from "../../../../test/support/modules/runs.ts";
import type { ReceivedRequest } from "../../../../test/support/servers/http-receiver.ts";
import type { Database } from "../../../platform/database.ts";
import { recordResults } from "../../../runs/recording/recorder.ts";
import { decideOnRuns, decideOnTicks } from "../decider.ts";
import { createAlertDeliverer, createPageExpander } from "../deliverer.ts";

/** How many statements each server runs before it is killed; the last one lives on. */
const lives = [25, 40, 60, 85, 115, 150, 190, 235];
const alertsOfKind = 8;
/** Each server may have been killed a minute before its claims expire. */
const minutes = lives.length + 8;

/** The alerts that a path rejects, by the first word of their check, and with which status. */
const faults: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "/ada": { provider: 503, device: 410, nobody: 503 },
  "/ben": { nobody: 410 },
  "/eve": { nobody: 410 },
};
/** Three steps, then the fallback. */
const expected: Readonly<Record<string, readonly string[]>> = {
  healthy: ["/ada", "/ben", "/eve", "/f"],
  provider: ["/ben", "/eve", "/f"],
  device: ["/ben", "/eve", "/f"],
  nobody: ["/f"],
};

/** With a template, a webhook receives every alert by itself. */
const ungrouped = { template: '{"checkName":"{{CHECK_NAME}}"}' };

const readName = ({ body }: ReceivedRequest) =>
  (JSON.parse(body) as { checkName: string }).checkName;
const findStatus = (request: ReceivedRequest) =>
  faults[request.path]?.[readName(request).split(" ")[0] ?? ""] ?? 200;

/** Fails like a database whose client is gone, after some statements. */
function limitLife(real: Database, life: { left: number }): Database {
  const use = <Outcome>(work: () => Promise<Outcome>): Promise<Outcome> => {
    life.left -= 1;
    if (life.left >= 0) return work();
    return Promise.reject(Object.assign(new Error("killed"), { code: "57P01" }));
  };
  return {
    isTransaction: real.isTransaction,
    run: (statement) => use(() => real.run(statement)),
    transaction: (work) => use(() => real.transaction((db) => work(limitLife(db, life)))),
    connection: (work) => use(() => real.connection((db) => work(limitLife(db, life)))),
  };
}

async function createScene(t: TestContext) {
  const scene = await createPolicyScene(t);
  scene.http.respond = (request) => ({ status: findStatus(request) });
  const { ada, ben, eve } = scene;
  await scene.query("update contact_methods set config = config || $1", ungrouped);
  await scene.addPolicy({
    targets: [
      [0, ada],
      [1, ben],
      [2, eve],
    ],
    repeatAfterMinutes: 1,
  });
  const results = [];
  const dueAtMs = scene.clock.nowMs();
  for (const kind of Object.keys(expected)) {
    for (let number = 0; number < alertsOfKind; number += 1) {
      const check = await scene.addCheck({ frequency: 1, name: `${kind} ${number}` });
      results.push(makeResult(check, { dueAtMs, outcome: failing }));
    }
  }
  await recordResults(scene.context, results);
  const startServer = (statements: number) => {
    const life = { left: statements };
    const context = { ...scene.context, db: limitLife(scene.context.db, life) };
    const deliverers = [
      createPageExpander(context, () => 0.5),
      createAlertDeliverer(context, () => 0.5),
    ];
    const work = async () => {
      await deliverAll(deliverers);
      await decideOnRuns(context);
      await decideOnTicks(context);
    };
    return { work, deliverers, isDead: () => life.left < 0 };
  };
  return { ...scene, startServer };
}

/** Lists where each alert was accepted; a message that is repeated has the same key. */
function listAccepted({ http }: Awaited<ReturnType<typeof createScene>>): string[] {
  const places = new Map<string, string>();
  for (const request of http.requests) {
    if (findStatus(request) !== 200) continue;
    places.set(String(request.headers["idempotency-key"]), `${readName(request)}: ${request.path}`);
  }
  return [...places.values()].sort();
}

test("servers that are killed at any time page everybody once for each step", async (t) => {
  const scene = await createScene(t);
  let kills = 0;
  let server = scene.startServer(lives[0] ?? 0);
  for (let minute = 0; minute < minutes; minute += 1) {
    await server.work().catch((error) => {
      if (!server.isDead()) throw error;
    });
    await Promise.all(server.deliverers.map((one) => one.settle()));
    scene.clock.advance(60_000);
    if (!server.isDead()) continue;
    kills += 1;
    server = scene.startServer(lives[kills] ?? Number.POSITIVE_INFINITY);
  }
  assert.equal(kills, lives.length);
  const names = Array.from({ length: alertsOfKind }, (_, number) => number);
  const wanted = Object.entries(expected).flatMap(([kind, paths]) =>
    names.flatMap((number) => paths.map((path) => `${kind} ${number}: ${path}`)),
  );
  assert.deepEqual(listAccepted(scene), wanted.sort());
  assert.deepEqual(
    await scene.query(
      `select alert_id, user_id from deliveries
        where method_id is null and user_id is not null and status <> 'CANCELLED'
        group by 1, 2 having count(*) > 1`,
    ),
    [],
  );
});
