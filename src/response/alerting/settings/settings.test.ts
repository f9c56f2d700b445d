import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import { createRunsFixture } from "../../../../test/support/modules/runs.ts";
import { mergeCheckSettings } from "../../../checks/checks/check-settings.ts";
import { defaultType, kinds } from "../../../kinds/index.ts";
import {
  defaultAccountAlertSettings,
  findSilenceMinutes,
  loadAccountSettings,
  saveSettings,
} from "./settings-store.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = "/v1/alert-settings";
const change = (body: unknown) => app.call("PUT", path, { body });

async function newChannel(options: { readonly key?: string } = {}): Promise<number> {
  const body = { type: "EMAIL", config: { address: "on-call@example.com" } };
  return (await app.call("POST", "/v1/alert-channels", { body, ...options })).body.id;
}

function assertNames(answer: Answer, key: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
}

const defaults = {
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
  escalationStages: [],
  urgencyRules: [],
  flapDamping: { transitions: 6, windowMinutes: 60 },
  noDataMinutes: 10,
  fallbackAlertChannelId: null,
  escalationPolicyId: null,
};

test("an account has default settings", async () => {
  const { status, body } = await app.call("GET", path);
  assert.deepEqual([status, body], [200, defaults]);
});

test("settings are stored, shown, audited, and separate for each account", async () => {
  const alertChannelIds = [await newChannel(), await newChannel()];
  const input = {
    escalationType: "TIME_BASED",
    runBasedEscalation: { failedRunThreshold: 3 },
    timeBasedEscalation: { minutesFailingThreshold: 15 },
    reminders: { amount: 100_000, interval: 30 },
    parallelRunFailureThreshold: { enabled: true, percentage: 50 },
    escalationStages: [
      { afterMinutes: 15, alertChannelIds },
      { afterMinutes: 10_080, alertChannelIds: [] },
    ],
    urgencyRules: [{ tag: "batch", urgency: "LOW" }],
    flapDamping: null,
    noDataMinutes: null,
    fallbackAlertChannelId: alertChannelIds[0],
  };
  const { status, body } = await change({ ...input, somethingElse: 1 });
  const shown = { ...input, escalationPolicyId: body.escalationPolicyId };
  assert.deepEqual([status, body], [200, shown]);
  assert.deepEqual((await app.call("GET", path)).body, shown);
  assert.deepEqual((await app.call("GET", path, { key: stranger.key })).body, defaults);
  const { rows } = await app.query(
    "select target_id, changes from audit_entries where action = 'alert-settings.updated'",
  );
  assert.equal(rows.length, 1);
  const [{ target_id: targetId, changes }] = rows;
  assert.equal(targetId, app.owner.accountId);
  assert.deepEqual(changes.noDataMinutes, { from: 10, to: null });
  assert.deepEqual(Object.keys(changes).sort(), Object.keys(shown).sort(), "all were changed");
});

test("of concurrent changes with the same ETag one succeeds, and the others are rejected", async () => {
  const read = await app.call("GET", path);
  const tag = read.headers.get("etag") ?? "";
  const put = (noDataMinutes: number, ifMatch = tag) =>
    app.call("PUT", path, {
      body: { ...read.body, noDataMinutes },
      headers: { "if-match": ifMatch },
    });
  const answers = await Promise.all([20, 30, 40].map((minutes) => put(minutes)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412]);
  const winner = answers.find(({ status }) => status === 200);
  const now = await app.call("GET", path);
  assert.deepEqual(now.body, winner?.body);
  assert.equal(now.headers.get("etag"), winner?.headers.get("etag"));
  assert.notEqual(now.headers.get("etag"), tag);
  assert.equal((await put(50)).status, 412);
  assert.equal((await put(50, now.headers.get("etag") ?? "")).status, 200);
  await app.call("PUT", path, { body: read.body });
});

test("the fallback is a channel of the account that is not a page, and may be deleted", async () => {
  const { id: userId } = (await app.call("GET", "/v1/users/me")).body;
  const body = { type: "ONCALL", config: { name: "Owner", userId } };
  const { id: page } = (await app.call("POST", "/v1/alert-channels", { body })).body;
  const foreign = await newChannel({ key: stranger.key });
  for (const id of [page, foreign, 2_147_483_647]) {
    assertNames(await change({ fallbackAlertChannelId: id }), "fallbackAlertChannelId");
  }
  const id = await newChannel();
  assert.equal((await change({ fallbackAlertChannelId: id })).body.fallbackAlertChannelId, id);
  await app.call("DELETE", `/v1/alert-channels/${id}`);
  assert.equal((await app.call("GET", path)).body.fallbackAlertChannelId, null);
  await change({});
});

test("missing fields get their defaults, also inside objects", async () => {
  const { body } = await change({ flapDamping: { transitions: 3 }, reminders: { amount: 2 } });
  assert.deepEqual(body, {
    ...defaults,
    flapDamping: { transitions: 3, windowMinutes: 60 },
    reminders: { amount: 2, interval: 5 },
  });
  assert.deepEqual((await change({})).body, defaults);
});

test("channels must be the account's own; others are rejected with their index", async () => {
  const own = await newChannel();
  const foreign = await newChannel({ key: stranger.key });
  const stages = (alertChannelIds: number[]) => ({
    escalationStages: [
      { afterMinutes: 5, alertChannelIds: [own] },
      { afterMinutes: 9, alertChannelIds },
    ],
  });
  const key = "escalationStages.1.alertChannelIds";
  assertNames(await change(stages([own, foreign])), `${key}.1`);
  assertNames(await change(stages([2_147_483_647])), `${key}.0`);
  assert.deepEqual((await app.call("GET", path)).body, defaults);
});

test("a deleted channel is not shown, so that a client can send back what it read", async () => {
  const [kept, gone] = [await newChannel(), await newChannel()];
  await change({ escalationStages: [{ afterMinutes: 5, alertChannelIds: [kept, gone] }] });
  await app.call("DELETE", `/v1/alert-channels/${gone}`);
  const { body } = await app.call("GET", path);
  assert.deepEqual(body.escalationStages, [{ afterMinutes: 5, alertChannelIds: [kept] }]);
  assert.equal((await change(body)).status, 200);
});

const stage = { afterMinutes: 5, alertChannelIds: [] };
const faulty: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ escalationStages: Array.from({ length: 6 }, () => stage) }, "escalationStages"],
  [{ escalationStages: [{ ...stage, afterMinutes: 0 }] }, "escalationStages.0.afterMinutes"],
  [{ escalationStages: [{ ...stage, afterMinutes: 10_081 }] }, "escalationStages.0.afterMinutes"],
  [{ escalationStages: [{ afterMinutes: 5 }] }, "escalationStages.0.alertChannelIds"],
  [
    { escalationStages: [{ afterMinutes: 5, alertChannelIds: Array(21).fill(1) }] },
    "escalationStages.0.alertChannelIds",
  ],
  [
    { escalationStages: [{ afterMinutes: 5, alertChannelIds: [1e99] }] },
    "escalationStages.0.alertChannelIds.0",
  ],
  [{ flapDamping: { transitions: 1 } }, "flapDamping.transitions"],
  [{ flapDamping: { transitions: 51 } }, "flapDamping.transitions"],
  [{ flapDamping: { windowMinutes: 4 } }, "flapDamping.windowMinutes"],
  [{ flapDamping: { windowMinutes: 1_441 } }, "flapDamping.windowMinutes"],
  [{ flapDamping: false }, "flapDamping"],
  [{ noDataMinutes: 1 }, "noDataMinutes"],
  [{ noDataMinutes: 10_081 }, "noDataMinutes"],
  [{ noDataMinutes: "10" }, "noDataMinutes"],
  [{ escalationType: "NEVER" }, "escalationType"],
  [{ reminders: { amount: 6 } }, "reminders.amount"],
];

for (const [input, key] of faulty) {
  test(`invalid settings are rejected, naming ${key}: ${JSON.stringify(input).slice(0, 80)}`, async () => {
    assertNames(await change(input), key);
  });
}

test("reading requires a key, and changing requires an administrator", async () => {
  const { key } = await createKey(app, "READ_WRITE");
  const admin = await createKey(app, "ADMIN");
  assert.equal((await app.call("GET", path, { key: null })).status, 401);
  assert.equal((await app.call("GET", path, { key })).status, 200);
  assert.equal((await app.call("PUT", path, { key, body: {} })).status, 403);
  assert.equal((await app.call("PUT", path, { key: admin.key, body: {} })).status, 200);
});

test("settings of several accounts are loaded, with defaults for missing fields", async () => {
  const { context, accountId, query, stop } = await createRunsFixture();
  const { db, clock } = context;
  const settings = { ...defaultAccountAlertSettings, noDataMinutes: 30 };
  const elsewhere = "0199a1f0-0000-7000-8000-000000000000";
  await saveSettings(db, accountId, { settings, at: clock.now() });
  const found = await loadAccountSettings(db, [accountId, elsewhere]);
  assert.deepEqual(found.get(accountId), settings);
  assert.deepEqual(found.get(elsewhere), defaultAccountAlertSettings);
  await query("update account_alert_settings set settings = settings - 'flapDamping'");
  const filled = await loadAccountSettings(db, [accountId]);
  assert.deepEqual(filled.get(accountId), settings);
  assert.equal((await loadAccountSettings(db, [])).size, 0);
  await stop();
});

test("the no-data time counts from when the next run was due", () => {
  const every = (frequency: number, isOrdered = true) => {
    const kind = { ...kinds[defaultType], isOrdered };
    return { kind, settings: { ...mergeCheckSettings(kind, null, {}), frequency } };
  };
  assert.equal(findSilenceMinutes({ noDataMinutes: 10 }, every(60)), 70);
  assert.equal(findSilenceMinutes({ noDataMinutes: 10 }, every(0)), 10);
  assert.equal(findSilenceMinutes({ noDataMinutes: null }, every(5)), null);
  assert.equal(findSilenceMinutes({ noDataMinutes: 10 }, every(5, false)), null);
});
