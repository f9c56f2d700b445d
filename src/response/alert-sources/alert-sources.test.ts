/** Alerts of an Alertmanager through the whole product. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  AlertmanagerNotification,
  assertMatches,
} from "../../../test/support/modules/provider-schemas.ts";
import { startHttpReceiver } from "../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import type { Signal } from "../../kinds/kit/signals.ts";
import { type Notification, readNotification } from "./notification.ts";

const app = await shareTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });

/** In the published format of webhook notifications, version 4. */
const firing = {
  receiver: "vedette",
  status: "firing",
  alerts: [
    {
      status: "firing",
      labels: {
        alertname: "ProbeFailure",
        instance: "https://shop.example.org",
        job: "http_checks",
        severity: "critical",
      },
      annotations: { description: "Down for over 5m.", summary: "The shop does not respond" },
      startsAt: "2026-11-06T13:08:45.828Z",
      endsAt: "0001-01-01T00:00:00Z",
      generatorURL: "http://prometheus.example.org:9090/graph?g0.expr=probe_success+%3D%3D+0",
      fingerprint: "1a30ba71cca2921f",
    },
  ],
  groupLabels: { alertname: "ProbeFailure", team: "shop" },
  commonLabels: { alertname: "ProbeFailure", severity: "critical" },
  commonAnnotations: { summary: "The shop does not respond" },
  externalURL: "http://alertmanager.example.org:9093",
  version: "4",
  groupKey: '{}/{severity="critical"}:{alertname="ProbeFailure", team="shop"}',
  truncatedAlerts: 0,
};
const [alert] = firing.alerts;
assert.ok(alert);
const resolved = {
  ...firing,
  status: "resolved",
  alerts: [{ ...alert, status: "resolved", endsAt: "2026-11-06T14:00:00Z" }],
};
const withSeverity = (severity: string, groupKey: string) => ({
  ...firing,
  groupKey,
  alerts: [{ ...alert, labels: { ...alert.labels, severity } }],
});

async function newSource(body: object = { name: "Shop" }) {
  const made = await app.call("POST", "/v1/alert-sources", { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, url }: { id: string; url: string } = made.body;
  const path = new URL(url).pathname;
  const send = (notification: object) => app.call("POST", path, { key: null, body: notification });
  return { id, path, send };
}

async function listChecks(sourceId: string) {
  const { body } = await app.call("GET", "/v1/checks?limit=100");
  return body.filter(
    (one: { alertGroup?: { sourceId: string } }) => one.alertGroup?.sourceId === sourceId,
  );
}

const listRuns = async (checkId: string) =>
  (await app.call("GET", `/v1/check-results/${checkId}?limit=100`)).body;

test("an alert group becomes a check that alerts at once, is acknowledged, and recovers", async (t) => {
  const receiver = await startHttpReceiver(t);
  const channel = { type: "WEBHOOK", config: { name: "Ops", url: receiver.url, method: "POST" } };
  const { body: ops } = await app.call("POST", "/v1/alert-channels", { body: channel });
  const settings = { escalationType: "RUN_BASED", runBasedEscalation: { failedRunThreshold: 5 } };
  assert.equal((await app.call("PUT", "/v1/alert-settings", { body: settings })).status, 200);
  const { id, send } = await newSource({ name: "Shop", alertChannelIds: [ops.id] });
  const stored = await send(firing);
  assert.deepEqual([stored.status, stored.body], [200, { status: "stored" }]);
  const [check] = await listChecks(id);
  assert.equal(check.name, "ProbeFailure (team=shop)");
  assert.equal(check.checkType, "ALERT_GROUP");
  const received = () => receiver.requests.map(({ body }) => JSON.parse(body));
  await waitUntil("the alert is sent", () => received().length === 1);
  const [message] = received();
  assert.match(message.alertType, /^ALERT_FAILURE$/);
  assert.equal(
    message.reason ?? message.message ?? message.errorMessage,
    "1 alert is firing with severity critical: ProbeFailure (instance=https://shop.example.org): " +
      "The shop does not respond Down for over 5m. " +
      "(http://prometheus.example.org:9090/graph?g0.expr=probe_success+%3D%3D+0).",
  );
  const { body: run } = await app.call(
    "GET",
    `/v1/check-results/${check.id}/${(await listRuns(check.id))[0].id}`,
  );
  const { alerts, externalUrl } = run.alertGroupCheckResult;
  assert.equal(externalUrl, "http://alertmanager.example.org:9093/");
  assert.deepEqual(alerts[0].labels, alert.labels);
  await send(firing);
  assert.equal((await listRuns(check.id)).length, 1, "a repeated notification is stored once");
  const acknowledged = await app.call("POST", `/v1/check-alerts/${check.id}/acknowledge`);
  assert.ok(acknowledged.status < 300);
  await send(resolved);
  await waitUntil("the recovery is sent", () => received().length === 2);
  assert.equal(received()[1].alertType, "ALERT_RECOVERY");
  const { body: sources } = await app.call("GET", "/v1/alert-sources");
  assert.equal(sources.find((one: { id: string }) => one.id === id).groups, 1);
  assert.equal((await app.call("GET", `/v1/check-statuses/${check.id}`)).body.hasFailures, false);
  await app.call("PUT", "/v1/alert-settings", { body: { runBasedEscalation: {} } });
});

test("the severity decides whether a check fails or is degraded", async () => {
  const { id, send } = await newSource();
  for (const severity of ["critical", "page", "warning", "info", "unheard-of", ""]) {
    await send(withSeverity(severity, `group of ${severity}`));
  }
  const checks = await listChecks(id);
  const verdicts = [];
  for (const { id: checkId } of checks.toReversed())
    verdicts.push((await listRuns(checkId))[0].verdict);
  assert.deepEqual(verdicts.toSorted(), [
    ...["degraded", "degraded", "failing", "failing", "failing", "failing"],
  ]);
});

test("a check that was created beforehand receives its group, with its own settings", async () => {
  const { id, send } = await newSource();
  const alertGroup = { sourceId: id, groupKey: firing.groupKey };
  const body = { name: "Payments", tags: ["own"], alertGroup };
  const made = await app.call("POST", "/v1/checks/alert-group", { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await send(firing);
  assert.deepEqual(
    (await listChecks(id)).map((one: { name: string }) => one.name),
    ["Payments"],
  );
  assert.equal((await listRuns(made.body.id)).length, 1);
});

test("checks are created in the group of the source", async () => {
  const group = await app.call("POST", "/v1/check-groups", { body: { name: "Metrics" } });
  const { id, send } = await newSource({ name: "Shop", groupId: group.body.id });
  await send(firing);
  assert.equal((await listChecks(id))[0].groupId, group.body.id);
  const body = { name: "Shop", groupId: 2_000_000_000 };
  const foreign = await app.call("POST", "/v1/alert-sources", { body });
  assert.equal(foreign.status, 400);
});

test("checks subscribe to the channels of the source and to those with autoSubscribe", async () => {
  const add = async (autoSubscribe: boolean) => {
    const body = { type: "EMAIL", config: { address: "a@example.com" }, autoSubscribe };
    return (await app.call("POST", "/v1/alert-channels", { body })).body.id;
  };
  const [chosen, deleted, automatic] = [await add(false), await add(false), await add(true)];
  await add(false);
  const { id, send } = await newSource({ name: "Shop", alertChannelIds: [chosen, deleted] });
  await app.call("DELETE", `/v1/alert-channels/${deleted}`);
  await send(firing);
  const channelIds = async (sourceId: string) =>
    (await listChecks(sourceId))[0].alertChannelSubscriptions
      .map((one: { alertChannelId: number }) => one.alertChannelId)
      .toSorted();
  assert.deepEqual(await channelIds(id), [chosen, automatic].toSorted());
  const plain = await newSource();
  await plain.send(firing);
  assert.deepEqual(await channelIds(plain.id), [automatic]);
  const path = `/v1/alert-sources/${id}`;
  const kept = { name: "Shop", alertChannelIds: [deleted] };
  assert.equal((await app.call("PUT", path, { body: kept })).status, 200);
  const unknown = { name: "Shop", alertChannelIds: [2_000_000_000] };
  const rejected = await app.call("PUT", path, { body: unknown });
  assert.equal(rejected.status, 400);
  assert.match(rejected.text, /alertChannelIds/);
  await app.call("DELETE", `/v1/alert-channels/${automatic}`);
});

test("the end of alerts that never fired here creates no check", async () => {
  const { id, send } = await newSource();
  assert.equal((await send(resolved)).status, 200);
  assert.deepEqual(await listChecks(id), []);
});

test("a replaced token is rejected, and a deleted source with its checks too", async () => {
  const { id, path, send } = await newSource();
  await send(firing);
  const [check] = await listChecks(id);
  const replaced = await app.call("POST", `/v1/alert-sources/${id}/token`);
  const rejected = await send(firing);
  assert.equal(rejected.status, 404);
  const next = new URL(replaced.body.url).pathname;
  assert.notEqual(next, path);
  assert.equal((await app.call("POST", next, { key: null, body: resolved })).status, 200);
  const renamed = { name: "Renamed", groupId: null };
  const changed = await app.call("PUT", `/v1/alert-sources/${id}`, { body: renamed });
  assert.equal(changed.body.name, "Renamed");
  assert.equal("url" in changed.body, false);
  assert.equal((await app.call("POST", next, { key: null, body: resolved })).status, 200);
  assert.equal((await app.call("DELETE", `/v1/alert-sources/${id}`)).status, 204);
  assert.equal((await app.call("GET", `/v1/alert-sources/${id}`)).status, 404);
  assert.equal((await app.call("GET", `/v1/checks/${check.id}`)).status, 404);
  for (const [method, end] of [
    ["PUT", ""],
    ["POST", "/token"],
    ["DELETE", ""],
  ] as const) {
    const body = method === "PUT" ? renamed : undefined;
    const gone = await app.call(method, `/v1/alert-sources/${id}${end}`, body && { body });
    assert.equal(gone.status, 404, method);
  }
});

test("every notification in the published format is accepted", async () => {
  const { id, send } = await newSource();
  const quiet = { ...alert, annotations: {}, labels: {}, generatorURL: "" };
  const times = { startsAt: "2026-11-06T14:08:45.828739266+01:00", endsAt: "2026-11-06T14:09:00Z" };
  const bare = { groupLabels: {}, commonLabels: {}, commonAnnotations: {}, externalURL: "" };
  const notifications = [
    firing,
    resolved,
    { ...firing, groupKey: "{}:{}", ...bare, alerts: [quiet] },
    { ...firing, groupKey: "zone", alerts: [{ ...alert, ...times }], truncatedAlerts: 3 },
    { ...firing, groupKey: 'a/{b=~"^(?:x)$"}/{}:{}', receiver: "team\\.ops/vedette", alerts: [] },
  ];
  for (const one of notifications) {
    assertMatches(AlertmanagerNotification, one);
    assert.equal((await send(one)).status, 200, JSON.stringify(one));
  }
  assert.equal((await listChecks(id)).length, 4);
});

test("bad notifications are rejected with the field, and hostile ones are cut", async () => {
  const { id, send } = await newSource();
  const bad: readonly (readonly [object, RegExp])[] = [
    [{ ...firing, version: "3" }, /version/],
    [{ ...firing, groupKey: "" }, /groupKey/],
    [{ ...firing, status: "unknown" }, /status/],
    [{ ...firing, alerts: [{ status: "firing", labels: { a: 1 } }] }, /labels/],
    [{}, /version|groupKey/],
  ];
  for (const [body, field] of bad) {
    const { status, body: answer } = await send(body);
    assert.equal(status, 400, JSON.stringify(answer));
    assert.match(JSON.stringify(answer), field);
  }
  const labels = Object.fromEntries(
    Array.from({ length: 50 }, (_, place) => [`label${place}`, "\u202ex\n".repeat(300)]),
  );
  const hostile = {
    ...firing,
    groupKey: "k".repeat(50_000),
    groupLabels: { alertname: "\u202eevil", __proto__: "x" },
    externalURL: "javascript:alert(1)",
    alerts: Array.from({ length: 40 }, () => ({
      status: "firing",
      labels: { ...labels, alertname: "Evil" },
      annotations: labels,
      generatorURL: "javascript:alert(1)",
    })),
  };
  assert.equal((await send(hostile)).status, 413);
  const smaller = { ...hostile, alerts: hostile.alerts.slice(0, 2) };
  assert.equal((await send(smaller)).status, 200);
  const [check] = await listChecks(id);
  const [run] = await listRuns(check.id);
  const { body } = await app.call("GET", `/v1/check-results/${check.id}/${run.id}`);
  const shown = JSON.stringify(body);
  assert.equal(shown.includes("javascript:"), false);
  assert.ok(shown.length < 100_000);
  assert.equal(body.alertGroupCheckResult.firingCount, 2);
});

/** Each row: what is read of a notification that differs from the published one. */
const readings: readonly (readonly [string, object, Partial<Signal>])[] = [
  ["left-out alerts count", { truncatedAlerts: 7 }, { firingCount: 8 }],
  ["one firing alert makes the group fire", { status: "resolved" }, { status: "firing" }],
  [
    "the most urgent severity wins",
    {
      alerts: ["info", "page", "warning"].map((severity) => ({
        ...alert,
        labels: { severity },
      })),
    },
    { severity: "page", isUrgent: true },
  ],
  [
    "resolved alerts have no severity",
    { status: "resolved", alerts: [{ ...alert, status: "resolved" }] },
    { severity: "", isUrgent: false, firingCount: 0, resolvedCount: 1 },
  ],
  [
    "an address with a password is left out",
    { externalURL: "http://a:b@c/" },
    { externalUrl: null },
  ],
];
for (const [title, change, expected] of readings) {
  test(title, () => {
    const { signal } = readNotification({ ...firing, ...change } as Notification);
    const found = Object.fromEntries(
      Object.keys(expected).map((name) => [name, signal[name as keyof Signal]]),
    );
    assert.deepEqual(found, expected);
  });
}

test("a wrong token is rejected before the body is read, and limited per address", async () => {
  const { send, path } = await newSource();
  await send(firing);
  const guess = (body: unknown) =>
    app.call("POST", "/v1/alertmanager/nobody", { key: null, body: body as object });
  // The body is invalid, so a response of 400 would show that the body was read.
  const statuses = new Set<number>();
  for (let count = 0; count < 70; count += 1) statuses.add((await guess([])).status);
  // Alertmanager retries after 503, so a source behind the same address loses nothing.
  assert.deepEqual([...statuses], [404, 503]);
  assert.equal((await send(firing)).status, 200, "a known token still works");
  assert.equal((await app.call("POST", path, { key: null, body: [] })).status, 400);
});
