import assert from "node:assert/strict";
import { test } from "node:test";
import { createAlertMessage } from "../../../test/support/modules/alert-message.ts";
import {
  type AlertMessage,
  alertKinds,
  decideTone,
  findOpenUrl,
  listFacts,
  listLinks,
  listResponseLinks,
  openLabel,
  toneColours,
  toneWords,
  writeIncidentKey,
  writePlainText,
} from "./alert-text.ts";

const message = createAlertMessage();
const factsOf = (change: Partial<AlertMessage>) =>
  listFacts(createAlertMessage(change)).map(({ label, value }) => `${label}: ${value}`);

test("a message has its facts, the most important first", () => {
  assert.deepEqual(factsOf({}), [
    "Check: Web",
    "Target: web.example",
    "Group: Shop",
    "Location: eu-central-1",
    "Response time: 12.5 ms",
    "Packet loss: 80 %",
    "Since: 1 Mar 2026, 11:58 UTC",
    "Tags: production, eu",
  ]);
});

test("facts without a value are left out", () => {
  const empty = { groupName: null, location: null, responseTimeMs: null, tags: [], facts: [] };
  assert.deepEqual(factsOf(empty), [
    "Check: Web",
    "Target: web.example",
    "Since: 1 Mar 2026, 11:58 UTC",
  ]);
});

test("a recovery has its duration, and a reminder its number", () => {
  const facts = factsOf({ lastedSeconds: 3_725, isReminder: true, reminderSequence: 2 });
  assert.ok(facts.includes("Lasted: 1 h 2 min"), facts.join());
  assert.ok(facts.includes("Reminder: 2"));
  assert.ok(!factsOf({ lastedSeconds: null }).some((fact) => fact.startsWith("Lasted")));
});

test("an alert about a certificate has its dates in place of a start", () => {
  const certificate = {
    host: "web.example",
    issuer: "Example CA",
    expiresAt: "2026-03-05T00:00:00Z",
    daysLeft: -1,
  };
  const facts = factsOf({ certificate });
  for (const fact of [
    "Certificate of: web.example",
    "Issued by: Example CA",
    "Expires: 5 Mar 2026, 00:00 UTC",
    "Days left: -1",
  ]) {
    assert.ok(facts.includes(fact), fact);
  }
  assert.ok(!facts.some((fact) => fact.startsWith("Since")));
});

test("a stored message is shown even if its dates or facts cannot be read", () => {
  assert.ok(factsOf({ startedAt: "yesterday" }).includes("Since: yesterday"));
  const { facts, ...old } = message;
  assert.equal(listFacts(old as AlertMessage).length, listFacts(message).length - facts.length);
});

test("values are one line of limited length", () => {
  const [fact] = listFacts(createAlertMessage({ checkName: `a\r\nb\u202e${"x".repeat(500)}` }));
  assert.ok(fact !== undefined && fact.value.length <= 300);
  assert.match(fact.value, /^a bx+…$/);
});

test("each kind of alert has a tone, and each tone its own colour and word", () => {
  const tones = new Set(alertKinds.map(decideTone));
  assert.deepEqual(new Set(Object.keys(toneWords)), tones as Set<string>);
  assert.equal(new Set(Object.values(toneColours)).size, tones.size);
  assert.deepEqual(
    alertKinds.filter((kind) => decideTone(kind) === "recovered"),
    ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"],
  );
  assert.equal(decideTone("ALERT_NO_DATA"), "failing");
  assert.equal(decideTone("ALERT_SSL"), "degraded");
});

test("a message opens the alert, or else the run", () => {
  const acknowledge = { label: "Acknowledge", url: message.acknowledgeUrl };
  assert.deepEqual(listLinks(message), [
    { label: "Open the alert", url: message.alertUrl },
    acknowledge,
  ]);
  const old = createAlertMessage({ alertUrl: null });
  assert.deepEqual([findOpenUrl(old), openLabel(old)], [message.resultUrl, "Open in Vedette"]);
  const none = createAlertMessage({ alertUrl: null, resultUrl: null, acknowledgeUrl: null });
  assert.deepEqual(listLinks(none), []);
  assert.equal(openLabel(createAlertMessage({ digest: [message] })), "Open the alerts");
});

test("a page can be escalated, and every alert that can be acknowledged can be snoozed", () => {
  const labels = (change: Partial<AlertMessage>) =>
    listResponseLinks(createAlertMessage(change)).map(({ label }) => label);
  assert.deepEqual(labels({ isPage: true }), ["Snooze for 1 hour", "Escalate now"]);
  assert.deepEqual(labels({}), ["Snooze for 1 hour"]);
  assert.deepEqual(labels({ acknowledgeUrl: null, isPage: true }), []);
  const [snooze] = listResponseLinks(message);
  assert.equal(snooze?.url, `${message.acknowledgeUrl}/snooze`);
});

test("alerts of one check share an incident, certificates and digests have their own", () => {
  const { checkId } = message;
  const certificate = { host: "a", issuer: "b", expiresAt: "c", daysLeft: 1 };
  const key = (change: Partial<AlertMessage>) => writeIncidentKey(createAlertMessage(change), 255);
  assert.equal(key({}), checkId);
  assert.equal(key({ kind: "ALERT_RECOVERY", idempotencyKey: "other" }), checkId);
  assert.equal(key({ certificate }), `${checkId} certificate`);
  assert.equal(key({ digest: [message], idempotencyKey: "d1" }), "digest d1");
  assert.notEqual(key({ digest: [message], idempotencyKey: "d2" }), "digest d1");
  assert.equal(writeIncidentKey(message, 10).length, 10);
});

test("a plain text is cut to its length, but never its links", () => {
  const whole = writePlainText(message, 5_000);
  assert.match(whole, /^80 % of the packets[^\n]*\n\nCheck: Web\n/);
  assert.ok(whole.endsWith(`Acknowledge: ${message.acknowledgeUrl}`));
  for (const maxLength of [10, 150, 200]) {
    const short = writePlainText(message, maxLength);
    assert.ok(short.endsWith(`\n\n${whole.split("\n\n").at(-1)}`), short);
  }
  assert.ok(writePlainText(message, 200).length <= 200);
});
