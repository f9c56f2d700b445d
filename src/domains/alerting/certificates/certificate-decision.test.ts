import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../test/support/properties.ts";
import {
  type CertificateCase,
  type CertificateDecision,
  decideOnCertificate,
  toldExpired,
} from "./certificate-decision.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 16);
const usual: CertificateCase = {
  expiresAtMs: nowMs + 10 * dayMs,
  toldDays: null,
  isCurrent: true,
  isWanted: true,
  hold: null,
  alertThreshold: 30,
  channels: [{ id: 1, sslExpiryThreshold: 14 }],
  otherSoonToldAtMs: null,
  otherExpiredToldAtMs: null,
};

function decide(changed: Partial<CertificateCase>): CertificateDecision {
  return decideOnCertificate({ ...usual, ...changed }, nowMs);
}

const summaryOf = (decision: CertificateDecision) =>
  decision.kind === "known" ? decision.kind : `${decision.kind} ${decision.reason}`;

test("each circumstance has its decision", () => {
  const table: readonly (readonly [Partial<CertificateCase>, string])[] = [
    [{}, "tell certificate-expires"],
    [{ expiresAtMs: nowMs + 14 * dayMs }, "tell certificate-expires"],
    [{ expiresAtMs: nowMs + 14 * dayMs + 1 }, "wait not-due"],
    [{ alertThreshold: 9 }, "wait not-due"],
    [{ alertThreshold: 10 }, "tell certificate-expires"],
    [{ toldDays: 14 }, "wait not-due"],
    [{ toldDays: 20 }, "tell certificate-expires"],
    [{ expiresAtMs: nowMs }, "tell certificate-expired"],
    [{ expiresAtMs: nowMs - dayMs, toldDays: 14 }, "tell certificate-expired"],
    [{ expiresAtMs: nowMs - dayMs, toldDays: toldExpired }, "wait not-due"],
    [{ channels: [] }, "wait not-due"],
    [{ isWanted: false }, "wait unwanted"],
    [{ isCurrent: false }, "wait replaced"],
    [{ hold: "muted" }, "wait muted"],
    [{ hold: "in-maintenance" }, "wait in-maintenance"],
    [{ hold: "muted", expiresAtMs: nowMs + 90 * dayMs }, "wait not-due"],
    [{ otherSoonToldAtMs: nowMs - dayMs + 1 }, "known"],
    [{ otherSoonToldAtMs: nowMs - dayMs }, "tell certificate-expires"],
    [{ otherExpiredToldAtMs: nowMs - 1 }, "tell certificate-expires"],
    [{ otherExpiredToldAtMs: nowMs - 1, expiresAtMs: nowMs - 1 }, "known"],
  ];
  for (const [changed, wanted] of table) {
    assert.equal(summaryOf(decide(changed)), wanted, JSON.stringify(changed));
  }
});

test("each channel is told at its own threshold, once, and of the expiry, once", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 31, max: 90 }),
      (thresholds, alertThreshold, lifeDays) => {
        const channels = thresholds.map((sslExpiryThreshold, id) => ({ id, sslExpiryThreshold }));
        const expiresAtMs = nowMs + lifeDays * dayMs;
        const heard = new Map<string, number[]>();
        let one: CertificateCase = { ...usual, channels, alertThreshold, expiresAtMs };
        let atMs = nowMs;
        while (atMs < expiresAtMs + 2 * dayMs) {
          const decision = decideOnCertificate(one, atMs);
          assert.ok(decision.lookAtMs > atMs);
          if (decision.kind === "tell") {
            for (const id of decision.channelIds) {
              const key = `${id} ${decision.reason}`;
              heard.set(key, [...(heard.get(key) ?? []), atMs]);
            }
            one = { ...one, toldDays: decision.toldDays };
          }
          atMs = decision.lookAtMs;
        }
        for (const { id, sslExpiryThreshold } of channels) {
          const days = Math.min(sslExpiryThreshold, alertThreshold);
          assert.deepEqual(heard.get(`${id} certificate-expires`), [expiresAtMs - days * dayMs]);
          assert.deepEqual(heard.get(`${id} certificate-expired`), [expiresAtMs]);
        }
      },
    ),
    { numRuns: propertyRuns / 4 },
  );
});
