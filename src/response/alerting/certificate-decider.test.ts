import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import {
  type CertificateCase,
  type CertificateDecision,
  decideOnCertificate,
  notifiedExpired,
} from "./certificate-decider.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 16);
const usual: CertificateCase = {
  expiresAtMs: nowMs + 10 * dayMs,
  notifiedDays: null,
  isCurrent: true,
  isEnabled: true,
  hold: null,
  alertThreshold: 30,
  channels: [{ id: 1, sslExpiryThreshold: 14 }],
  otherSoonNotifiedAtMs: null,
  otherExpiredNotifiedAtMs: null,
};

function decide(changed: Partial<CertificateCase>): CertificateDecision {
  return decideOnCertificate({ ...usual, ...changed }, nowMs);
}

const summaryOf = (decision: CertificateDecision) =>
  decision.kind === "already-notified" ? decision.kind : `${decision.kind} ${decision.reason}`;

test("each circumstance has its decision", () => {
  const table: readonly (readonly [Partial<CertificateCase>, string])[] = [
    [{}, "notify certificate-expires"],
    [{ expiresAtMs: nowMs + 14 * dayMs }, "notify certificate-expires"],
    [{ expiresAtMs: nowMs + 14 * dayMs + 1 }, "wait not-due"],
    [{ alertThreshold: 9 }, "wait not-due"],
    [{ alertThreshold: 10 }, "notify certificate-expires"],
    [{ notifiedDays: 14 }, "wait not-due"],
    [{ notifiedDays: 20 }, "notify certificate-expires"],
    [{ expiresAtMs: nowMs }, "notify certificate-expired"],
    [{ expiresAtMs: nowMs - dayMs, notifiedDays: 14 }, "notify certificate-expired"],
    [{ expiresAtMs: nowMs - dayMs, notifiedDays: notifiedExpired }, "wait not-due"],
    [{ channels: [] }, "wait not-due"],
    [{ isEnabled: false }, "wait disabled"],
    [{ isCurrent: false }, "wait replaced"],
    [{ hold: "muted" }, "wait muted"],
    [{ hold: "in-maintenance" }, "wait in-maintenance"],
    [{ hold: "muted", expiresAtMs: nowMs + 90 * dayMs }, "wait not-due"],
    [{ otherSoonNotifiedAtMs: nowMs - dayMs + 1 }, "already-notified"],
    [{ otherSoonNotifiedAtMs: nowMs - dayMs }, "notify certificate-expires"],
    [{ otherExpiredNotifiedAtMs: nowMs - 1 }, "notify certificate-expires"],
    [{ otherExpiredNotifiedAtMs: nowMs - 1, expiresAtMs: nowMs - 1 }, "already-notified"],
  ];
  for (const [changed, wanted] of table) {
    assert.equal(summaryOf(decide(changed)), wanted, JSON.stringify(changed));
  }
});

test("each channel is alerted once at its own threshold and once at the expiry", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 31, max: 90 }),
      (thresholds, alertThreshold, lifeDays) => {
        const channels = thresholds.map((sslExpiryThreshold, id) => ({ id, sslExpiryThreshold }));
        const expiresAtMs = nowMs + lifeDays * dayMs;
        const sent = new Map<string, number[]>();
        let one: CertificateCase = { ...usual, channels, alertThreshold, expiresAtMs };
        let atMs = nowMs;
        while (atMs < expiresAtMs + 2 * dayMs) {
          const decision = decideOnCertificate(one, atMs);
          assert.ok(decision.evaluateAtMs > atMs);
          if (decision.kind === "notify") {
            for (const id of decision.channelIds) {
              const key = `${id} ${decision.reason}`;
              sent.set(key, [...(sent.get(key) ?? []), atMs]);
            }
            one = { ...one, notifiedDays: decision.notifiedDays };
          }
          atMs = decision.evaluateAtMs;
        }
        for (const { id, sslExpiryThreshold } of channels) {
          const days = Math.min(sslExpiryThreshold, alertThreshold);
          assert.deepEqual(sent.get(`${id} certificate-expires`), [expiresAtMs - days * dayMs]);
          assert.deepEqual(sent.get(`${id} certificate-expired`), [expiresAtMs]);
        }
      },
    ),
    { numRuns: propertyRuns / 4 },
  );
});
