/** Tests delivery when a provider fails, with real receivers. */
import assert from "node:assert/strict";
import type http from "node:http";
import { type TestContext, test } from "node:test";
import { createAlertingFixture, failing, passing } from "../../../test/support/modules/alerting.ts";
import { makeResult } from "../../../test/support/modules/runs.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { deleteChannel } from "../../channels/alert-channels/store.ts";
import { createOutbound, type Outbound } from "../../platform/outbound.ts";
import { recordResults } from "../../runs/recording/recorder.ts";
import { decideOnRuns } from "./decider.ts";
import { createAlertDeliverer } from "./deliverer.ts";
import { replayDelivery } from "./notifications/store.ts";

const real = createOutbound({ allowPrivate: true });
/** Shortens the timeout for a provider that never responds. */
const impatient: Outbound = {
  request: (input) =>
    real.request(input.url.endsWith("/sick") ? { ...input, timeoutMs: 1_500 } : input),
};

/** Creates a failing check with one failing and one working channel. */
async function createScene(t: TestContext, outbound = real) {
  const fixture = await createAlertingFixture(t, outbound);
  const check = await fixture.addCheck({ frequency: 1 });
  const sick = await fixture.addWebhook("/sick");
  const sound = await fixture.addWebhook("/sound");
  for (const id of [sick, sound]) await fixture.subscribe(id, { checkId: check.checkId });
  const findSick = async () => {
    const found = (await fixture.listDeliveries()).find((one) => one.alert_channel_id === sick);
    assert.ok(found);
    return found;
  };
  const keysAt = (path: string) =>
    fixture.http.requests
      .filter((request) => request.path === path)
      .map(({ headers }) => headers["idempotency-key"]);
  return { fixture, check, sick, findSick, keysAt };
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
  test(`a provider that ${name} is retried with the same key, and other channels are not delayed`, async (t) => {
    const { fixture, check, findSick, keysAt } = await createScene(t, trouble.outbound);
    fixture.http.respond = ({ path }, response) => (path === "/sick" ? trouble.by(response) : {});
    await fixture.run(check, failing);
    await fixture.deliver();
    assert.deepEqual(fixture.listReceived("/sound"), ["ALERT_FAILURE"]);
    const first = await findSick();
    assert.deepEqual([first.status, first.attempts], ["PENDING", 1]);
    assert.equal(first.status_code, trouble.status);
    assert.ok(first.reason);
    // Delays double, starting at five seconds.
    assert.equal(first.next_attempt_at.getTime(), fixture.clock.now().getTime() + 5_000);
    fixture.clock.advance(4_999);
    assert.equal(await fixture.deliverer.deliverDue(), 0);
    fixture.clock.advance(1);
    await fixture.deliver();
    const second = await findSick();
    assert.equal(second.next_attempt_at.getTime(), fixture.clock.now().getTime() + 10_000);
    fixture.http.respond = () => ({});
    fixture.clock.advance(10_000);
    await fixture.deliver();
    const last = await findSick();
    assert.deepEqual([last.status, last.attempts, last.reason], ["SENT", 3, null]);
    const keys = keysAt("/sick");
    assert.equal(keys.length, 3);
    assert.deepEqual(new Set(keys), new Set([last.id]));
    assert.deepEqual(fixture.listReceived("/sound"), ["ALERT_FAILURE"]);
  });
}

test("a retry honours the provider's Retry-After", async (t) => {
  const { fixture, check, findSick } = await createScene(t);
  const answer = { status: 429, headers: { "retry-after": "600" } };
  fixture.http.respond = ({ path }) => (path === "/sick" ? answer : {});
  await fixture.run(check, failing);
  await fixture.deliver();
  const { status, status_code, next_attempt_at } = await findSick();
  assert.deepEqual([status, status_code], ["PENDING", 429]);
  assert.equal(next_attempt_at.getTime(), fixture.clock.now().getTime() + 600_000);
  fixture.http.respond = () => ({});
  fixture.clock.advance(600_000);
  await fixture.deliver();
  assert.equal((await findSick()).status, "SENT");
});

test("a recovery is not sent before its failure", async (t) => {
  const { fixture, check } = await createScene(t);
  fixture.http.respond = ({ path }) => (path === "/sick" ? { status: 500 } : {});
  await fixture.run(check, failing);
  await fixture.deliver();
  fixture.clock.advance(60_000);
  await fixture.run(check, passing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived("/sound"), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.equal(fixture.listReceived("/sick").includes("ALERT_RECOVERY"), false);
  fixture.http.respond = () => ({});
  for (let step = 0; step < 4; step += 1) {
    fixture.clock.advance(60_000);
    await fixture.deliver();
  }
  assert.deepEqual(fixture.listReceived("/sick").slice(-2), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a failure and its recovery that are decided together arrive in that order", async (t) => {
  const { fixture } = await createScene(t);
  const checks = await Promise.all(Array.from({ length: 6 }, () => fixture.addCheck({})));
  for (const [place, { checkId }] of checks.entries()) {
    await fixture.subscribe(await fixture.addWebhook(`/${place}`), { checkId });
  }
  for (const outcome of [failing, passing]) {
    const dueAtMs = fixture.clock.now().getTime();
    const results = checks.map((check) => makeResult(check, { dueAtMs, outcome }));
    await recordResults(fixture.context, results);
    fixture.clock.advance(60_000);
  }
  await decideOnRuns(fixture.context);
  await fixture.deliver();
  for (const place of checks.keys()) {
    assert.deepEqual(fixture.listReceived(`/${place}`), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  }
});

test("a permanent failure is not retried, and a replay delivers the message", async (t) => {
  const { fixture, check, findSick, keysAt } = await createScene(t);
  fixture.http.respond = ({ path }) => (path === "/sick" ? { status: 410 } : {});
  await fixture.run(check, failing);
  await fixture.deliver();
  const dead = await findSick();
  assert.deepEqual([dead.status, dead.attempts, dead.status_code], ["DEAD", 1, 410]);
  fixture.clock.advance(86_400_000);
  assert.equal(await fixture.deliverer.deliverDue(), 0);
  fixture.http.respond = () => ({});
  const replay = { id: dead.id, now: fixture.clock.now(), by: "ada" };
  await replayDelivery(fixture.context.db, fixture.accountId, replay);
  await fixture.deliver();
  assert.equal((await findSick()).status, "SENT");
  assert.deepEqual(keysAt("/sick"), [dead.id, dead.id]);
});

test("a replay that fails does not delay newer messages of its check", async (t) => {
  const fixture = await createAlertingFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const channelId = await fixture.addWebhook("/hook");
  await fixture.subscribe(channelId, { checkId: check.checkId });
  await fixture.run(check, failing);
  await fixture.deliver();
  const [failure] = await fixture.listDeliveries();
  fixture.http.respond = ({ body }) => ({ status: body.includes("ALERT_FAILURE") ? 503 : 200 });
  const replay = { id: failure?.id ?? "", now: fixture.clock.now(), by: "ada" };
  assert.equal(await replayDelivery(fixture.context.db, fixture.accountId, replay), true);
  await fixture.deliver();
  fixture.clock.advance(1_000);
  await fixture.run(check, passing);
  await fixture.deliver();
  const types = ["ALERT_FAILURE", "ALERT_FAILURE", "ALERT_RECOVERY"];
  assert.deepEqual(fixture.listReceived(), types);
});

test("a message is abandoned after a day of attempts", async (t) => {
  const { fixture, check, findSick } = await createScene(t);
  fixture.http.respond = ({ path }) => (path === "/sick" ? { status: 503 } : {});
  await fixture.run(check, failing);
  for (let attempt = 0; attempt < 31; attempt += 1) {
    await fixture.deliver();
    fixture.clock.advance(3_600_000);
  }
  const { status, attempts, reason } = await findSick();
  assert.deepEqual([status, attempts], ["DEAD", 30]);
  assert.match(reason ?? "", /abandoned after 30 attempts/);
});

test("a message to a channel that was deleted is abandoned with that reason", async (t) => {
  const { fixture, check, sick } = await createScene(t);
  await fixture.run(check, failing);
  await deleteChannel(fixture.context.db, fixture.accountId, sick);
  await fixture.deliver();
  const orphan = (await fixture.listDeliveries()).find((one) => one.alert_channel_id === null);
  assert.deepEqual([orphan?.status, orphan?.reason], ["DEAD", "The channel was deleted."]);
  assert.deepEqual(fixture.listReceived("/sick"), []);
});

test("two deliverers at once send everything once", async (t) => {
  const { fixture, keysAt } = await createScene(t);
  const channelIds = [
    await fixture.addWebhook(),
    await fixture.addWebhook(),
    await fixture.addWebhook(),
  ];
  for (let number = 0; number < 12; number += 1) {
    const check = await fixture.addCheck({ frequency: 1, name: `Router ${number}` });
    for (const id of channelIds) await fixture.subscribe(id, { checkId: check.checkId });
    await fixture.run(check, failing);
  }
  const other = createAlertDeliverer(fixture.context, () => 0.5);
  const both = [fixture.deliverer, other];
  await waitUntil("all were sent", async () => {
    await Promise.all(both.map((one) => one.deliverDue()));
    await Promise.all(both.map((one) => one.settle()));
    return (await fixture.listDeliveries()).every(({ status }) => status === "SENT");
  });
  const keys = keysAt("/hook");
  assert.equal(keys.length, 36);
  assert.equal(new Set(keys).size, 36);
});

test("a channel receives at most four messages at a time", async (t) => {
  const { fixture } = await createScene(t);
  const channelId = await fixture.addWebhook();
  for (let number = 0; number < 10; number += 1) {
    const check = await fixture.addCheck({ frequency: 1, name: `Router ${number}` });
    await fixture.subscribe(channelId, { checkId: check.checkId });
    await fixture.run(check, failing);
  }
  const open: http.ServerResponse[] = [];
  fixture.http.respond = (_request, response) => void open.push(response);
  const { deliverer, http: receiver } = fixture;
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
  const { fixture, check, keysAt } = await createScene(t);
  await fixture.run(check, failing);
  // A killed process leaves a claim that is never finished.
  await fixture.query(
    "update deliveries set attempts = 1, claimed_until = $1",
    new Date(fixture.clock.now().getTime() + 40_000),
  );
  assert.equal(await fixture.deliverer.deliverDue(), 0);
  fixture.clock.advance(40_001);
  await fixture.deliver();
  assert.equal(keysAt("/sick").length, 1);
});
