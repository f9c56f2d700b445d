/** What becomes of a message when its provider is in trouble, with real receivers. */
import assert from "node:assert/strict";
import type http from "node:http";
import { type TestContext, test } from "node:test";
import { createAlertingWorld, failing, passing } from "../../../test/support/rooms/alerting.ts";
import { makeResult } from "../../../test/support/rooms/runs.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { createOutbound, type Outbound } from "../../platform/outbound.ts";
import { deleteChannel } from "../alert-channels/store.ts";
import { recordResults } from "../runs/recorder.ts";
import { decideOnRuns } from "./decider.ts";
import { createAlertDeliverer } from "./deliverer.ts";
import { replayDelivery } from "./notifications/store.ts";

const real = createOutbound({ allowPrivate: true });
/** For a provider that never comes to an end: nobody waits fifteen seconds in a test. */
const impatient: Outbound = { request: (input) => real.request({ ...input, timeoutMs: 1_500 }) };

/** A failing check with one channel that is in trouble and one that is not. */
async function createScene(t: TestContext, outbound = real) {
  const world = await createAlertingWorld(t, outbound);
  const check = await world.addCheck({ frequency: 1 });
  const sick = await world.addWebhook("/sick");
  const sound = await world.addWebhook("/sound");
  for (const id of [sick, sound]) await world.subscribe(id, { checkId: check.checkId });
  const findSick = async () => {
    const found = (await world.listDeliveries()).find((one) => one.alert_channel_id === sick);
    assert.ok(found);
    return found;
  };
  const keysAt = (path: string) =>
    world.http.requests
      .filter((request) => request.path === path)
      .map(({ headers }) => headers["idempotency-key"]);
  return { world, check, sick, findSick, keysAt };
}

interface Trouble {
  readonly by: (response: http.ServerResponse) => { status?: number } | undefined;
  readonly status: number | null;
  readonly outbound?: Outbound;
}

const troubles: Readonly<Record<string, Trouble>> = {
  "answers 500": { by: () => ({ status: 500 }), status: 500 },
  "never answers": { by: () => undefined, status: null, outbound: impatient },
  "cuts the connection": {
    by: (response) => void response.socket?.resetAndDestroy(),
    status: null,
  },
  "drips its answer": {
    by: (response) => {
      response.writeHead(200, { "content-length": "100000" });
      const timer = setInterval(() => response.write("."), 20);
      response.once("close", () => clearInterval(timer));
      return undefined;
    },
    status: 200,
    outbound: impatient,
  },
};

for (const [name, trouble] of Object.entries(troubles)) {
  test(`a provider that ${name} is tried again with the same key; others go on`, async (t) => {
    const { world, check, findSick, keysAt } = await createScene(t, trouble.outbound);
    world.http.respond = ({ path }, response) => (path === "/sick" ? trouble.by(response) : {});
    await world.run(check, failing);
    await world.deliver();
    assert.deepEqual(world.heardAt("/sound"), ["ALERT_FAILURE"]);
    const first = await findSick();
    assert.deepEqual([first.status, first.attempts], ["PENDING", 1]);
    assert.equal(first.status_code, trouble.status);
    assert.ok(first.reason);
    // The waits double from five seconds on.
    assert.equal(first.next_attempt_at.getTime(), world.clock.now().getTime() + 5_000);
    world.clock.advance(4_999);
    assert.equal(await world.deliverer.deliverDue(), 0);
    world.clock.advance(1);
    await world.deliver();
    const second = await findSick();
    assert.equal(second.next_attempt_at.getTime(), world.clock.now().getTime() + 10_000);
    world.http.respond = () => ({});
    world.clock.advance(10_000);
    await world.deliver();
    const last = await findSick();
    assert.deepEqual([last.status, last.attempts, last.reason], ["SENT", 3, null]);
    const keys = keysAt("/sick");
    assert.equal(keys.length, 3);
    assert.deepEqual(new Set(keys), new Set([last.id]));
    assert.deepEqual(world.heardAt("/sound"), ["ALERT_FAILURE"]);
  });
}

test("a retry waits as long as the provider asks", async (t) => {
  const { world, check, findSick } = await createScene(t);
  const answer = { status: 429, headers: { "retry-after": "600" } };
  world.http.respond = ({ path }) => (path === "/sick" ? answer : {});
  await world.run(check, failing);
  await world.deliver();
  const { status, status_code, next_attempt_at } = await findSick();
  assert.deepEqual([status, status_code], ["PENDING", 429]);
  assert.equal(next_attempt_at.getTime(), world.clock.now().getTime() + 600_000);
  world.http.respond = () => ({});
  world.clock.advance(600_000);
  await world.deliver();
  assert.equal((await findSick()).status, "SENT");
});

test("a recovery is not sent before its failure", async (t) => {
  const { world, check } = await createScene(t);
  world.http.respond = ({ path }) => (path === "/sick" ? { status: 500 } : {});
  await world.run(check, failing);
  await world.deliver();
  world.clock.advance(60_000);
  await world.run(check, passing);
  await world.deliver();
  assert.deepEqual(world.heardAt("/sound"), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.equal(world.heardAt("/sick").includes("ALERT_RECOVERY"), false);
  world.http.respond = () => ({});
  for (let step = 0; step < 4; step += 1) {
    world.clock.advance(60_000);
    await world.deliver();
  }
  assert.deepEqual(world.heardAt("/sick").slice(-2), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a failure and its recovery that are decided together arrive in that order", async (t) => {
  const { world } = await createScene(t);
  const checks = await Promise.all(Array.from({ length: 6 }, () => world.addCheck({})));
  for (const [place, { checkId }] of checks.entries()) {
    await world.subscribe(await world.addWebhook(`/${place}`), { checkId });
  }
  for (const outcome of [failing, passing]) {
    const dueAtMs = world.clock.now().getTime();
    const results = checks.map((check) => makeResult(check, { dueAtMs, outcome }));
    await recordResults(world.context, results);
    world.clock.advance(60_000);
  }
  await decideOnRuns(world.context);
  await world.deliver();
  for (const place of checks.keys()) {
    assert.deepEqual(world.heardAt(`/${place}`), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  }
});

test("a permanent failure is given up at once, and a replay delivers the message", async (t) => {
  const { world, check, findSick, keysAt } = await createScene(t);
  world.http.respond = ({ path }) => (path === "/sick" ? { status: 410 } : {});
  await world.run(check, failing);
  await world.deliver();
  const dead = await findSick();
  assert.deepEqual([dead.status, dead.attempts, dead.status_code], ["DEAD", 1, 410]);
  world.clock.advance(86_400_000);
  assert.equal(await world.deliverer.deliverDue(), 0);
  world.http.respond = () => ({});
  const replay = { id: dead.id, now: world.clock.now() };
  await replayDelivery(world.context.db, world.accountId, replay);
  await world.deliver();
  assert.equal((await findSick()).status, "SENT");
  assert.deepEqual(keysAt("/sick"), [dead.id, dead.id]);
});

test("after a day of attempts a message is given up", async (t) => {
  const { world, check, findSick } = await createScene(t);
  world.http.respond = ({ path }) => (path === "/sick" ? { status: 503 } : {});
  await world.run(check, failing);
  for (let attempt = 0; attempt < 31; attempt += 1) {
    await world.deliver();
    world.clock.advance(3_600_000);
  }
  const { status, attempts, reason } = await findSick();
  assert.deepEqual([status, attempts], ["DEAD", 30]);
  assert.match(reason ?? "", /given up after 30 attempts/);
});

test("a message to a channel that was deleted is given up with that reason", async (t) => {
  const { world, check, sick } = await createScene(t);
  await world.run(check, failing);
  await deleteChannel(world.context.db, world.accountId, sick);
  await world.deliver();
  const orphan = (await world.listDeliveries()).find((one) => one.alert_channel_id === null);
  assert.deepEqual([orphan?.status, orphan?.reason], ["DEAD", "The channel was deleted."]);
  assert.deepEqual(world.heardAt("/sick"), []);
});

test("two deliverers at once send everything once", async (t) => {
  const { world, keysAt } = await createScene(t);
  const channelIds = [await world.addWebhook(), await world.addWebhook(), await world.addWebhook()];
  for (let number = 0; number < 12; number += 1) {
    const check = await world.addCheck({ frequency: 1, name: `Router ${number}` });
    for (const id of channelIds) await world.subscribe(id, { checkId: check.checkId });
    await world.run(check, failing);
  }
  const other = createAlertDeliverer(world.context, () => 0.5);
  const both = [world.deliverer, other];
  await waitUntil("all were sent", async () => {
    await Promise.all(both.map((one) => one.deliverDue()));
    await Promise.all(both.map((one) => one.settle()));
    return (await world.listDeliveries()).every(({ status }) => status === "SENT");
  });
  const keys = keysAt("/hook");
  assert.equal(keys.length, 36);
  assert.equal(new Set(keys).size, 36);
});

test("a channel never gets more than four at a time, and the next as soon as one ends", async (t) => {
  const { world } = await createScene(t);
  const channelId = await world.addWebhook();
  for (let number = 0; number < 10; number += 1) {
    const check = await world.addCheck({ frequency: 1, name: `Router ${number}` });
    await world.subscribe(channelId, { checkId: check.checkId });
    await world.run(check, failing);
  }
  const open: http.ServerResponse[] = [];
  world.http.respond = (_request, response) => void open.push(response);
  const { deliverer, http: receiver } = world;
  assert.equal(await deliverer.deliverDue(), 4);
  assert.equal(await deliverer.deliverDue(), 0);
  await waitUntil("four have arrived", () => receiver.requests.length === 4);
  open.pop()?.end();
  let begun = 0;
  await waitUntil("one more has begun", async () => {
    begun += await deliverer.deliverDue();
    return begun > 0;
  });
  assert.equal(begun, 1);
  receiver.respond = () => ({});
  for (const response of open) response.end();
  await deliverer.settle();
});

test("a message whose sender crashed is sent by another when its claim expires", async (t) => {
  const { world, check, keysAt } = await createScene(t);
  await world.run(check, failing);
  // A claim without an end is what a killed process leaves behind.
  await world.query(
    "update deliveries set attempts = 1, claimed_until = $1",
    new Date(world.clock.now().getTime() + 40_000),
  );
  assert.equal(await world.deliverer.deliverDue(), 0);
  world.clock.advance(40_001);
  await world.deliver();
  assert.equal(keysAt("/sick").length, 1);
});
