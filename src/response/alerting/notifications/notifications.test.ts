import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { reportRun } from "../../../../test/support/apps/alerting-app.ts";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let app: TestApp;
let stranger: Stranger;
let checkId: string;
/**
 * A channel whose provider cannot be reached, so that its messages stay pending, and a channel
 * whose provider rejects them.
 */
let waitingId: number;
let deadId: number;

const path = "/v1/alert-notifications";
const nobody = "0198c1f0-0000-7000-8000-000000000000";
const list = (query = "", key?: string) =>
  app.call("GET", `${path}${query}`, key === undefined ? {} : { key });

before(async () => {
  // Without an SMTP server, mails stay pending.
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  const mail = { type: "EMAIL", config: { address: "owner@example.com" } };
  waitingId = (await app.call("POST", "/v1/alert-channels", { body: mail })).body.id;
  const hook = { type: "WEBHOOK", config: { name: "Hook", url: "https://localhost.example" } };
  deadId = (await app.call("POST", "/v1/alert-channels", { body: hook })).body.id;
  // The API would reject this address, but a public address may have become private.
  await app.query(
    `update alert_channels set config = jsonb_set(config, '{url}', '"http://127.0.0.1/"')
      where id = $1`,
    [deadId],
  );
  const check = { name: "Router", request: { hostname: "192.0.2.1" } };
  checkId = (await app.call("POST", "/v1/checks/icmp", { body: check })).body.id;
  await reportRun(app, checkId, "failing");
  await waitUntil("both were tried", async () => {
    const { body } = await list();
    return body.length === 2 && body.every(({ reason }: { reason: unknown }) => reason !== null);
  });
});
after(() => app.stop());

async function findReceipt(channelId: number) {
  return (await list(`?alertChannelId=${channelId}`)).body[0];
}

test("each message has a receipt with its outcome", async () => {
  const receipt = await findReceipt(waitingId);
  const { id, alertId, decidedAt, nextAttemptAt, history, ...rest } = receipt;
  const nothing = { statusCode: null, by: null };
  const reason = "No SMTP server is configured.";
  assert.deepEqual(history, [{ at: decidedAt, what: "failed", reason, ...nothing }]);
  assert.deepEqual(rest, {
    checkId,
    checkName: "Router",
    alertChannelId: waitingId,
    type: "EMAIL",
    recipient: "owner@example.com",
    alertType: "ALERT_FAILURE",
    title: "Router is failing",
    status: "PENDING",
    attempts: 1,
    statusCode: null,
    reason: "No SMTP server is configured.",
    sentAt: null,
    digestId: null,
    heldUntil: null,
    reroutedFromId: null,
    pageId: null,
  });
  assert.ok(Date.parse(nextAttemptAt) > Date.parse(decidedAt));
  assert.notEqual(alertId, id);
  const read = await app.call("GET", `${path}/${id}`);
  assert.deepEqual([read.status, read.body], [200, receipt]);
  const dead = await findReceipt(deadId);
  assert.deepEqual([dead.status, dead.nextAttemptAt], ["DEAD", null]);
});

test("alerts are filtered by kind, time, outcome and name, and count their messages", async () => {
  const find = async (query: string) => (await app.call("GET", `/v1/check-alerts${query}`)).body;
  const [alert] = await find("?alertType=ALERT_FAILURE");
  assert.deepEqual(alert.messages, { sent: 0, pending: 1, dead: 1 });
  const later = new Date(Date.parse(alert.at) + 1).toISOString();
  const counts = {
    "?alertType=ALERT_RECOVERY": 0,
    "?isHeld=false": 1,
    "?isHeld=true": 0,
    "?search=oute": 1,
    "?search=_outer": 0,
    [`?from=${alert.at}&to=${later}`]: 1,
    [`?from=${later}`]: 0,
  };
  for (const [query, count] of Object.entries(counts)) {
    assert.equal((await find(query)).length, count, query);
  }
  for (const bad of ["alertType=ALARM", "from=2016-12-31T23:59:60Z"]) {
    assert.equal((await app.call("GET", `/v1/check-alerts?${bad}`)).status, 400, bad);
  }
  assert.equal((await list(`?alertId=${alert.id}`)).body.length, 2);
});

test("the list is filtered by channel, time and failure", async () => {
  const { decidedAt } = await findReceipt(waitingId);
  const later = new Date(Date.parse(decidedAt) + 1).toISOString();
  const counts = {
    "?limit=1": 1,
    "?limit=1&page=2": 1,
    "?limit=1&page=3": 0,
    [`?alertChannelId=${deadId}`]: 1,
    "?status=DEAD": 1,
    "?status=SENT": 0,
    [`?checkId=${checkId}`]: 2,
    [`?checkId=${nobody}`]: 0,
    [`?alertId=${nobody}`]: 0,
    "?alertChannelId=2000000000": 0,
    "?hasFailures=true": 2,
    "?hasFailures=false": 0,
    [`?from=${decidedAt}`]: 2,
    [`?from=${later}`]: 0,
    [`?to=${decidedAt}`]: 0,
    [`?to=${later}`]: 2,
  };
  for (const [query, count] of Object.entries(counts)) {
    const { status, body } = await list(query);
    assert.deepEqual([status, body.length], [200, count], query);
  }
  for (const bad of ["limit=0", "limit=101", "alertChannelId=x", "from=yesterday"]) {
    assert.equal((await list(`?${bad}`)).status, 400, bad);
  }
});

test("a pending message cannot be replayed; an abandoned one can", async () => {
  const waiting = await findReceipt(waitingId);
  assert.equal((await app.call("POST", `${path}/${waiting.id}/replay`)).status, 409);
  const dead = await findReceipt(deadId);
  const answer = await app.call("POST", `${path}/${dead.id}/replay`);
  assert.equal(answer.status, 200, answer.text);
  await waitUntil("it was tried again", async () => {
    const { status, attempts } = await findReceipt(deadId);
    return status === "DEAD" && attempts === 1;
  });
});

test("messages of another account, or unknown ones, are neither found nor listed", async () => {
  const { id } = await findReceipt(deadId);
  assert.deepEqual((await list("", stranger.key)).body, []);
  for (const [wrong, key] of [
    [id, stranger.key],
    [nobody, undefined],
  ]) {
    const who = key === undefined ? {} : { key };
    assert.equal((await app.call("GET", `${path}/${wrong}`, who)).status, 404);
    assert.equal((await app.call("POST", `${path}/${wrong}/replay`, who)).status, 404);
  }
  const alerts = "/v1/check-alerts";
  assert.equal((await app.call("GET", `${alerts}/${nobody}`)).status, 404);
  const theirs = await app.call("GET", `${alerts}/${checkId}`, { key: stranger.key });
  assert.equal(theirs.status, 404);
  assert.deepEqual((await app.call("GET", alerts, { key: stranger.key })).body, []);
});

test("reading and replaying require the right role", async () => {
  const { id } = await findReceipt(deadId);
  const readOnly = (await createKey(app, "READ_ONLY")).key;
  assert.equal((await list("", readOnly)).status, 200);
  assert.equal((await app.call("POST", `${path}/${id}/replay`, { key: readOnly })).status, 403);
  assert.equal((await app.call("GET", path, { key: null })).status, 401);
});

test("decisions on a check are listed newest first, with what was held and why", async () => {
  const body = { name: "Silent", muted: true, request: { hostname: "192.0.2.1" } };
  const muted = (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
  await reportRun(app, muted, "failing");
  const answer = await app.call("GET", `/v1/check-alerts/${muted}`);
  const [held] = answer.body;
  assert.deepEqual(
    [held.alertType, held.heldAlertType, held.reason, held.name],
    ["NO_ALERT", "ALERT_FAILURE", "muted", "Silent"],
  );
  const all = await app.call("GET", "/v1/check-alerts");
  const ids = all.body.map((one: { checkId: string }) => one.checkId);
  assert.deepEqual(ids, [muted, checkId]);
});
