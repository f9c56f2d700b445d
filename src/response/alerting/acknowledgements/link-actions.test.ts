/** Snoozes and escalates by the links in messages, in the whole product. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { findAcknowledgePath, reportRun } from "../../../../test/support/apps/alerting-app.ts";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger } from "../../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  const body = { type: "EMAIL", config: { address: "owner@example.com" } };
  const { id } = (await app.call("POST", "/v1/alert-channels", { body })).body;
  const stages = [10, 20].map((afterMinutes) => ({ afterMinutes, alertChannelIds: [id] }));
  const settings = { body: { escalationStages: stages } };
  assert.equal((await app.call("PUT", "/v1/alert-settings", settings)).status, 200);
});
after(() => app.stop());

async function createFailing(name = "Router"): Promise<{ checkId: string; path: string }> {
  const body = { name, request: { hostname: "192.0.2.1" } };
  const { id: checkId } = (await app.call("POST", "/v1/checks/icmp", { body })).body;
  await reportRun(app, checkId, "failing");
  return { checkId, path: await findAcknowledgePath(app, checkId) };
}

const open = (path: string) => app.call("GET", path, { key: null });
const form = { "content-type": "application/x-www-form-urlencoded" };
const press = (path: string) => app.call("POST", path, { key: null, headers: form, rawBody: "" });

async function readState(checkId: string) {
  const { rows } = await app.query("select state from alert_states where check_id = $1", [checkId]);
  return rows[0].state;
}

async function readStory(checkId: string) {
  const { body } = await app.call("GET", "/v1/check-alerts/open?limit=1000");
  const { alertId } = body.find((one: { checkId: string }) => one.checkId === checkId);
  return (await app.call("GET", `/v1/alert-stories/${alertId}`)).body;
}

const countEscalations = async (checkId: string) =>
  (await readStory(checkId)).decisions.filter(
    ({ reason }: { reason: string }) => reason === "escalation-stage-due",
  ).length;

test("opening a link changes nothing, and its button snoozes once", async () => {
  const { checkId, path } = await createFailing("<b>Router</b>");
  const page = await open(`${path}/snooze`);
  assert.equal(page.status, 200);
  assert.match(page.text, /<form method="post">/);
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.ok(!page.text.includes("<b>"), "a name is text, not markup");
  assert.equal((await readState(checkId)).snoozedUntilMs ?? null, null);
  const untilMs = app.clock.nowMs() + 3_600_000;
  assert.equal((await press(`${path}/snooze`)).status, 200);
  assert.equal((await readState(checkId)).snoozedUntilMs, untilMs);
  app.clock.advance(1_000);
  assert.equal((await press(`${path}/snooze`)).status, 200);
  assert.equal((await readState(checkId)).snoozedUntilMs, untilMs, "a second press is harmless");
  const { responses } = await readStory(checkId);
  assert.deepEqual(
    responses.map(({ id: _id, at: _at, ...response }: { id: string; at: string }) => response),
    [
      {
        ...{ action: "SNOOZED", by: "a link in a message", target: null },
        until: new Date(untilMs).toISOString(),
      },
    ],
  );
});

test("an acknowledged alert is not snoozed by an old link", async () => {
  const { checkId, path } = await createFailing();
  await press(path);
  assert.match((await open(`${path}/snooze`)).text, /already acknowledged/);
  assert.equal((await press(`${path}/snooze`)).status, 409);
  assert.equal((await readState(checkId)).snoozedUntilMs ?? null, null);
});

test("a link sends the step that its page shows, and no other if it is pressed again", async () => {
  const { checkId, path } = await createFailing();
  const page = (await open(`${path}/escalate`)).text;
  assert.match(page, /step 1 of 2/);
  const [, target = ""] = /action="([^"]+)"/.exec(page) ?? [];
  assert.equal(await countEscalations(checkId), 0);
  assert.equal((await press(`${path}/escalate${target}`)).status, 200);
  await waitUntil("it is sent", async () => (await countEscalations(checkId)) === 1);
  assert.equal((await press(`${path}/escalate${target}`)).status, 409);
  assert.equal(await countEscalations(checkId), 1);
  assert.match((await open(`${path}/escalate`)).text, /step 2 of 2/);
  assert.equal((await press(`${path}/escalate`)).status, 400, "the step is missing");
  assert.equal((await press(`${path}/escalate?stage=2`)).status, 200);
  await waitUntil("it is sent", async () => (await countEscalations(checkId)) === 2);
  assert.match((await open(`${path}/escalate`)).text, /no further step/);
  assert.equal((await press(`${path}/escalate?stage=3`)).status, 409);
  const { responses } = await readStory(checkId);
  assert.deepEqual(
    responses.map(({ target: step }: { target: string }) => step),
    ["step 1 of 2", "step 2 of 2"],
  );
});

const actions = ["/snooze", "/escalate?stage=1"];

test("the link of an alert that has ended does nothing to a newer one", async () => {
  const { checkId, path } = await createFailing();
  await reportRun(app, checkId, "passing");
  for (const action of actions) assert.equal((await press(`${path}${action}`)).status, 409, action);
  await reportRun(app, checkId, "failing");
  for (const action of actions) {
    assert.ok(!(await open(`${path}${action}`)).text.includes("<form"), action);
    assert.equal((await press(`${path}${action}`)).status, 409, action);
  }
  assert.deepEqual((await readStory(checkId)).responses, []);
});

test("a forged token is not accepted, and a deleted check has no page", async () => {
  const { checkId, path } = await createFailing();
  const changed = `${path.slice(0, -4)}${path.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  for (const wrong of [changed, `/acknowledge/${"A".repeat(120)}`]) {
    for (const action of actions) {
      assert.equal((await open(`${wrong}${action}`)).status, 404, action);
      assert.equal((await press(`${wrong}${action}`)).status, 404, action);
    }
  }
  await app.call("DELETE", `/v1/checks/${checkId}`);
  for (const action of actions) assert.equal((await press(`${path}${action}`)).status, 404, action);
});

test("a link acts in the account of its alert only", async () => {
  const stranger = await addStranger(app);
  const { checkId, path } = await createFailing();
  await press(`${path}/snooze`);
  const listActions = async (key?: string) => {
    const { body } = await app.call("GET", "/v1/audit-log", key === undefined ? {} : { key });
    return (
      JSON.stringify(body).includes(`"alert.snoozed"`) && JSON.stringify(body).includes(checkId)
    );
  };
  assert.deepEqual([await listActions(), await listActions(stranger.key)], [true, false]);
  const answer = await app.call("POST", `/v1/check-alerts/${checkId}/snooze`, {
    ...{ key: stranger.key, body: { minutes: 60 } },
  });
  assert.equal(answer.status, 404);
});

interface Clicked {
  readonly shown: string[];
  readonly opened: string[];
}

/** Runs the worker as served, and clicks an action of a notification. */
async function clickAction(action: string, data: object): Promise<Clicked> {
  const handlers = new Map<string, (event: object) => void>();
  const clicked: Clicked = { shown: [], opened: [] };
  const origin = new URL(app.url).origin;
  const self = {
    location: { origin },
    addEventListener: (name: string, handler: (event: object) => void) =>
      handlers.set(name, handler),
    registration: { showNotification: async (title: string) => clicked.shown.push(title) },
    clients: {
      matchAll: async () => [],
      openWindow: async (address: string) => clicked.opened.push(address.replace(origin, "")),
    },
  };
  const source = readFileSync(new URL("../../../../web/public/push-worker.js", import.meta.url));
  runInContext(String(source), createContext({ self, fetch, URL, Date }));
  let done: Promise<unknown> = Promise.resolve();
  handlers.get("notificationclick")?.({
    action,
    notification: { close: () => {}, data },
    waitUntil: (work: Promise<unknown>) => {
      done = work;
    },
  });
  await done;
  return clicked;
}

test("actions of a push message acknowledge and snooze at once, and open the page to escalate", async () => {
  const { checkId, path: link } = await createFailing();
  const data = { path: "/alerts", link, tag: checkId, name: "Router is failing" };
  assert.deepEqual(await clickAction("escalate", data), {
    shown: [],
    opened: [`${link}/escalate`],
  });
  const snoozed = await clickAction("snooze", data);
  assert.deepEqual(snoozed, { shown: ["Snoozed for 1 hour"], opened: [] });
  assert.notEqual((await readState(checkId)).snoozedUntilMs ?? null, null);
  assert.deepEqual((await clickAction("acknowledge", data)).shown, ["Acknowledged"]);
  assert.equal((await readState(checkId)).snoozedUntilMs ?? null, null);
  const ended = "This alert has ended or was already acknowledged.";
  assert.deepEqual((await clickAction("snooze", data)).shown, [ended]);
  const forged = { ...data, link: `/acknowledge/${"A".repeat(120)}` };
  assert.deepEqual((await clickAction("snooze", forged)).opened, [`${forged.link}/snooze`]);
  assert.deepEqual((await clickAction("", data)).opened, ["/alerts"], "the notification itself");
  assert.deepEqual((await clickAction("unknown", data)).opened, ["/alerts"]);
  const foreign = { ...data, link: "https://example.com/x" };
  assert.deepEqual((await clickAction("escalate", foreign)).opened, [""], "its own origin only");
});
