import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Check } from "typebox/value";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import {
  AlertmanagerAlerts,
  assertMatches,
} from "../../../../test/support/modules/provider-schemas.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import type { AlertMessage } from "../alert-text.ts";
import { createTestMessage } from "../channel-test.ts";
import { composeDigest } from "../digest.ts";
import { alertmanagerKind } from "./alertmanager.ts";

const tools = createSendTools();
const nowMs = tools.now.getTime();

type Config = Parameters<typeof alertmanagerKind.send>[1];

async function send(t: TestContext, message: AlertMessage, config: Partial<Config> = {}) {
  const receiver = await startHttpReceiver(t);
  const outcome = await alertmanagerKind.send(message, { url: receiver.url, ...config }, tools);
  assert.deepEqual(outcome, { kind: "sent", statusCode: 200 });
  const [request] = receiver.requests;
  const alerts = JSON.parse(request?.body ?? "");
  assertMatches(AlertmanagerAlerts, alerts);
  return { request, alerts };
}

const listOpen = (alerts: { endsAt: string; labels: { alertname: string } }[]) =>
  alerts.filter(({ endsAt }) => Date.parse(endsAt) > nowMs).map(({ labels }) => labels.alertname);

test("a failure starts an alert that lasts beyond any resolve timeout", async (t) => {
  const message = createAlertMessage();
  const { request, alerts } = await send(t, message, { labels: "team=shop, env=a b" });
  assert.equal(request?.path, "/api/v2/alerts");
  const [failing] = alerts;
  assert.deepEqual(failing.labels, {
    team: "shop",
    env: "a b",
    alertname: "VedetteCheckFailing",
    check_id: message.checkId,
    check_type: "ICMP",
    severity: "critical",
  });
  assert.equal(failing.startsAt, message.startedAt);
  assert.equal(failing.generatorURL, message.alertUrl);
  assert.equal(failing.annotations.summary, "Web is down");
  assert.equal(failing.annotations.packet_loss, "80 %");
  assert.deepEqual(listOpen(alerts), ["VedetteCheckFailing"]);
});

test("a recovery ends the alerts of both severities under the same labels", async (t) => {
  const failed = await send(t, createAlertMessage());
  const renamed = { checkName: "Shop", groupName: null, tags: [] };
  const message = createAlertMessage({ kind: "ALERT_RECOVERY", ...renamed });
  const { alerts } = await send(t, message);
  assert.deepEqual(listOpen(alerts), []);
  assert.deepEqual(
    alerts.map(({ labels }: { labels: object }) => labels),
    failed.alerts.map(({ labels }: { labels: object }) => labels),
  );
});

test("a check that becomes degraded ends its critical alert and starts a warning", async (t) => {
  const { alerts } = await send(t, createAlertMessage({ kind: "ALERT_FAILURE_DEGRADED" }));
  assert.deepEqual(listOpen(alerts), ["VedetteCheckDegraded"]);
  assert.equal(alerts.length, 2);
});

test("a certificate and a test have separate alerts", async (t) => {
  const expiresAt = "2026-03-20T00:00:00.000Z";
  const certificate = { host: "web.example", issuer: "CA", expiresAt, daysLeft: 19 };
  const warned = await send(t, createAlertMessage({ kind: "ALERT_SSL", certificate }));
  assert.deepEqual(listOpen(warned.alerts), ["VedetteCertificateExpires"]);
  const tested = await send(t, createTestMessage(tools.now));
  assert.deepEqual(listOpen(tested.alerts), ["VedetteTest"]);
});

test("the newest message of a digest decides about each check", async (t) => {
  const other = { checkId: "5c1a9d5e-7b1f-4c52-9a37-0d6a4f2b8e11" };
  const messages = [
    createAlertMessage(),
    createAlertMessage(other),
    createAlertMessage({ kind: "ALERT_RECOVERY" }),
  ];
  const { alerts } = await send(t, composeDigest(messages, "digest-1"));
  assert.equal(alerts.length, 4);
  assert.deepEqual(listOpen(alerts), ["VedetteCheckFailing"]);
});

test("a password is sent with a user name, and as a bearer token without", async (t) => {
  const message = createAlertMessage();
  const bearer = await send(t, message, { password: "pw" });
  assert.equal(bearer.request?.headers.authorization, "Bearer pw");
  const basic = await send(t, message, { username: "ops", password: "pw" });
  assert.equal(basic.request?.headers.authorization, `Basic ${btoa("ops:pw")}`);
});

test("annotations have names that Alertmanager accepts", async (t) => {
  const labels = ["95th percentile", "Größe", "時間", "Time to first byte (TTFB)"];
  const facts = labels.map((label) => ({ name: "x", label, value: 1, unit: "%" as const }));
  const { alerts } = await send(t, createAlertMessage({ facts }));
  assert.equal(alerts[0].annotations._95th_percentile, "1 %");
});

test("labels that Alertmanager would reject are rejected", () => {
  const url = "https://alertmanager.example.com";
  for (const labels of ["", "team=shop", "a=b, c_1=d e"]) {
    assert.ok(Check(alertmanagerKind.ConfigSchema, { url, labels }), labels);
  }
  for (const labels of ["team", "=x", "1a=b", "a-b=c", "a=b,,c=d", "a=", "a=b=c"]) {
    assert.equal(Check(alertmanagerKind.ConfigSchema, { url, labels }), false, labels);
  }
});

test("hostile and very long names stay text in annotations", async (t) => {
  for (const message of [createHostileMessage(), createLongMessage()]) {
    const { alerts } = await send(t, message);
    assert.doesNotMatch(JSON.stringify(alerts), /\\u0000|\\r|\u202e/);
    assert.ok(JSON.stringify(alerts).length < 20_000);
  }
});
