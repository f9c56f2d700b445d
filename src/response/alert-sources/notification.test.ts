/** Tests that a notification of Alertmanager stays within the limits of a check. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { kinds } from "../../kinds/index.ts";
import { type Notification, readNotification } from "./notification.ts";

const notification = (more: Partial<Notification> = {}): Notification => ({
  version: "4",
  groupKey: '{}:{alertname="HighLatency"}',
  status: "firing",
  alerts: [{ status: "firing", labels: { alertname: "HighLatency", severity: "page" } }],
  ...more,
});

test("links are web addresses within their limit, also after they were encoded", () => {
  const linkOf = (externalURL: string) =>
    readNotification(notification({ externalURL })).signal.externalUrl;
  assert.equal(linkOf("https://am.example.com/#/alerts"), "https://am.example.com/#/alerts");
  for (const url of ["javascript:alert(1)", "https://ada:secret@am.example.com/", "am", ""]) {
    assert.equal(linkOf(url), null, url);
  }
  assert.ok(linkOf(`https://am.example.com/${"ä".repeat(1_900)}`) === null);
});

test("a notification differs if any of its alerts does, also one that is not stored", () => {
  const alerts = Array.from({ length: 500 }, (_, place) => ({
    status: "firing" as const,
    labels: { alertname: "HighLatency", instance: `shop-${place}` },
  }));
  const { digest } = readNotification(notification({ alerts }));
  const last = { status: "firing" as const, labels: { alertname: "HighLatency", instance: "new" } };
  const changed = notification({ alerts: alerts.with(-1, last) });
  assert.deepEqual(readNotification(notification({ alerts })).digest, digest);
  assert.notDeepEqual(readNotification(changed).digest, digest);
});

test("every notification is valid for its check, whatever its texts", () => {
  const text = fc.string({ unit: "binary", maxLength: 700 });
  const texts = fc.dictionary(text, text, { maxKeys: 25 });
  const alert = fc.record({
    status: fc.constantFrom("firing" as const, "resolved" as const),
    labels: texts,
    annotations: texts,
    startsAt: text,
    generatorURL: fc.oneof(
      text,
      text.map((path) => `https://prometheus.example.com/${path}`),
    ),
  });
  const body = fc.record({
    receiver: text,
    externalURL: text.map((path) => `https://am.example.com/${path}`),
    truncatedAlerts: fc.nat(),
    groupLabels: texts,
    alerts: fc.array(alert, { maxLength: 25 }),
  });
  const { isMeasurement } = kinds.ALERT_GROUP;
  fc.assert(
    fc.property(body, (more) => {
      const { name, signal } = readNotification(notification(more));
      assert.ok(isMeasurement(signal), JSON.stringify(signal));
      assert.ok(name !== "" && name.length <= 200);
      assert.ok(Buffer.byteLength(JSON.stringify(signal)) < 0xffff);
    }),
    { numRuns: 15 },
  );
});
