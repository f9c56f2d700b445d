import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAlertingFixture, failing, passing } from "../../../test/support/modules/alerting.ts";
import { makeResult, measure, unresolved } from "../../../test/support/modules/runs.ts";
import { propertyRuns } from "../../../test/support/properties.ts";
import { alertKinds } from "../../channels/alert-channels/index.ts";
import { defaultAlertSettings } from "../../checks/checks/alert-settings.ts";
import { mergeGroupSettings } from "../../checks/checks/check-group.ts";
import { insertGroup } from "../../checks/checks/groups/store.ts";
import type { Outcome } from "../../contract/result.ts";
import type { Assertion } from "../../kinds/kit/assertions/assertion.ts";
import { judgeRun } from "../../kinds/kit/verdict.ts";
import { icmp } from "../../kinds/of/icmp/index.ts";
import type { IcmpMeasurement } from "../../kinds/of/icmp/measurement.ts";
import type { IcmpRequest, IcmpSettings } from "../../kinds/of/icmp/request.ts";
import { recordResults } from "../../runs/recording/recorder.ts";
import type { Alert } from "./alert-decision.ts";
import { findExplainingVerdict, writeAlertMessage } from "./alert-message.ts";
import { decideOnRuns } from "./decider.ts";

const check = {
  checkId: "c",
  kind: icmp,
  name: "Edge",
  target: "192.0.2.1",
  groupName: null,
  tags: [],
};
const request: IcmpRequest = { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 10 };
const alert: Alert = {
  kind: "ALERT_FAILURE",
  reason: "run-threshold-reached",
  atMs: 0,
  startedAtMs: 0,
  troubleStartedAtMs: null,
  resultId: "r",
  alertNumber: 1,
  isReminder: false,
  reminderSequence: 0,
  isFlapping: false,
  escalationStage: 0,
  onlyChannelIds: null,
};

const twoRuns = { runBasedEscalation: { failedRunThreshold: 2 } };
const percents = fc.constantFrom(0, 5, 10, 20, 50, 100);
const limits = fc.option(fc.constantFrom(0, 1, 2.5, 5.5, 1_000));
const isSlow = {
  source: "LATENCY",
  property: "avg",
  comparison: "LESS_THAN",
  target: "2",
} as const;
type Rules = Omit<IcmpSettings, "request"> & { readonly assertions: readonly Assertion[] };
const someRules: fc.Arbitrary<Rules> = fc.record({
  degradedPacketLossThreshold: percents,
  maxPacketLossThreshold: percents,
  degradedResponseTime: limits,
  maxResponseTime: limits,
  assertions: fc.constantFrom([], [isSlow]),
  shouldFail: fc.boolean(),
});
const noRoute = { kind: "unsendable", code: "ENETUNREACH", message: "Network is unreachable" };
const unsendable: Outcome<IcmpMeasurement> = { kind: "unreachable", trouble: noRoute };
const someOutcomes: fc.Arbitrary<Outcome<IcmpMeasurement>> = fc.oneof(
  fc.nat(10).map((lost) => measure(lost)),
  fc.constant(unresolved),
  fc.constant(unsendable),
);

/** Computes the expected reasons from the settings alone. */
function findCauses(outcome: Outcome<IcmpMeasurement>, rules: Rules, verdict: string): RegExp[] {
  if (rules.shouldFail && verdict === "failing") return [/answered, while .* expects a failure/];
  if (outcome === unresolved) return [/name could not be resolved \(ENOTFOUND\)/];
  if (outcome === unsendable) return [/no packet could be sent \(ENETUNREACH\)/i];
  if (outcome.kind !== "measured") return [];
  const { packetLossPercent: loss, avgMs } = outcome.measurement.statistics;
  const isFailing = verdict === "failing";
  const lossLimit = isFailing ? rules.maxPacketLossThreshold : rules.degradedPacketLossThreshold;
  const timeLimit = isFailing ? rules.maxResponseTime : rules.degradedResponseTime;
  const isAsserted = isFailing && rules.assertions.length > 0 && (avgMs === null || avgMs >= 2);
  return [
    ...(loss >= lossLimit ? [new RegExp(`${loss} % .*lost, .*limit of ${lossLimit} %`)] : []),
    ...(timeLimit !== null && avgMs !== null && avgMs > timeLimit
      ? [
          new RegExp(
            `took ${avgMs} ms, above the limit of ${timeLimit === 1_000 ? "1 s" : `${timeLimit} ms`}`,
          ),
        ]
      : []),
    ...(isAsserted ? [/assertion failed: /] : []),
  ];
}

test("the alert names every reason why a run failed or degraded", () => {
  const kinds = alertKinds.filter((kind) => findExplainingVerdict(kind) !== null);
  let troubles = 0;
  fc.assert(
    fc.property(someRules, someOutcomes, fc.boolean(), (rules, outcome, isFlapping) => {
      const { assertions, ...more } = rules;
      const settings = { ...more, request: { ...request, assertions } };
      const judged = { request, startedAtMs: 0, outcome };
      const { verdict, reasons } = judgeRun(icmp, settings, judged);
      if (verdict === "passing" || verdict === "unknown") return;
      troubles += 1;
      const figures = { responseTimeMs: null, facts: [] };
      const run = { resultId: "r", verdict, location: "home", ...figures, reasons };
      const causes = findCauses(outcome, rules, verdict);
      assert.notEqual(causes.length, 0);
      for (const kind of kinds.filter((one) => findExplainingVerdict(one) === verdict)) {
        const sample = { ...alert, kind: kind as Alert["kind"], isFlapping };
        const links = { resultUrl: null, acknowledgeUrl: null };
        const { reason } = writeAlertMessage(sample, { check, run }, links);
        for (const cause of causes) assert.match(reason, cause);
        assert.doesNotMatch(reason, /within/);
        assert.match(reason, /^[A-Z0-9].*\.$/);
      }
    }),
    { numRuns: Math.max(1_000, propertyRuns) },
  );
  assert.ok(troubles > 0);
});

test("an average just above its limit is not rounded to the limit", () => {
  const reasons = [
    { name: "response-time-above-max", responseTimeMs: 100.000_4, limitMs: 100 },
  ] as const;
  const figures = { responseTimeMs: 100.000_4, facts: [] };
  const run = { resultId: "r", verdict: "failing", location: "home", ...figures, reasons } as const;
  const links = { resultUrl: null, acknowledgeUrl: null };
  const { reason } = writeAlertMessage(alert, { check, run }, links);
  assert.equal(reason, "The average round trip took 100.0004 ms, above the limit of 100 ms.");
});

test("figures in a reason are rounded for people, and units follow their size", () => {
  const figures: readonly (readonly [number, number, string])[] = [
    [37.115_97, 20, "took 37.1 ms, above the limit of 20 ms"],
    [1.372_81, 1, "took 1.37 ms, above the limit of 1 ms"],
    [1_234.567, 500, "took 1.2 s, above the limit of 500 ms"],
    [1_234.567, 1_200, "took 1.23 s, above the limit of 1.2 s"],
    [5_001.2, 5_000, "took 5.001 s, above the limit of 5 s"],
    [0.014_2, 0, "took 14 µs, above the limit of 0 ms"],
  ];
  for (const [responseTimeMs, limitMs, text] of figures) {
    const reasons = [{ name: "response-time-above-max", responseTimeMs, limitMs }] as const;
    const run = { resultId: "r", verdict: "failing", location: "home", responseTimeMs } as const;
    const links = { resultUrl: null, acknowledgeUrl: null };
    const about = { check, run: { ...run, facts: [], reasons } };
    const { reason } = writeAlertMessage(alert, about, links);
    assert.equal(reason, `The average round trip ${text}.`);
  }
});

test("a recovery reports how long the problem lasted, from its first failing run", async (t) => {
  const fixture = await createAlertingFixture(t);
  const watched = await fixture.addCheck({ frequency: 1, name: "Shop" });
  const mailId = await fixture.addChannel("EMAIL", { address: "owner@example.com" });
  for (const id of [await fixture.addWebhook(), mailId]) {
    await fixture.subscribe(id, { checkId: watched.checkId });
  }
  const settings = { ...defaultAlertSettings, ...twoRuns };
  await fixture.setSettings(settings);
  for (const outcome of [passing, failing, failing, failing, passing]) {
    await fixture.run(watched, outcome);
    await fixture.deliver();
    fixture.clock.advance(60_000);
  }
  const told = fixture.http.requests.map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    told.map(({ title, lastedSeconds }) => [title, lastedSeconds]),
    [
      ["Shop is failing", null],
      ["Shop has recovered after 3 min", 180],
    ],
  );
  assert.match(fixture.mail.mails[1]?.raw ?? "", /Lasted: 3 min/);
});

test("a recovery of a check that expects a failure reports that it failed as expected", async (t) => {
  const fixture = await createAlertingFixture(t);
  const watched = await fixture.addCheck({ frequency: 1, shouldFail: true });
  await fixture.subscribe(await fixture.addWebhook(), { checkId: watched.checkId });
  for (const outcome of [passing, failing]) {
    await fixture.run(watched, outcome);
    fixture.clock.advance(60_000);
  }
  await fixture.deliver();
  const reasons = fixture.http.requests.map(({ body }) => JSON.parse(body).reason);
  assert.deepEqual(reasons, [
    "It answered, while this check expects a failure.",
    "It failed, as this check expects.",
  ]);
});

test("if the newest of several locations passed, the failing one explains the alert", async (t) => {
  const fixture = await createAlertingFixture(t);
  const places = { locations: ["home", "away"], runParallel: true };
  const afterMinutes = { timeBasedEscalation: { minutesFailingThreshold: 5 } };
  const watched = await fixture.addCheck({
    frequency: 1,
    ...places,
    useGlobalAlertSettings: false,
    alertSettings: { ...defaultAlertSettings, escalationType: "TIME_BASED", ...afterMinutes },
  });
  await fixture.subscribe(await fixture.addWebhook(), { checkId: watched.checkId });
  const dueAtMs = fixture.clock.now().getTime();
  await recordResults(fixture.context, [
    makeResult(watched, { dueAtMs, location: "home", outcome: failing }),
  ]);
  await decideOnRuns(fixture.context);
  await recordResults(fixture.context, [
    makeResult(watched, { dueAtMs, location: "away", outcome: passing }),
  ]);
  await decideOnRuns(fixture.context);
  await fixture.pass(6);
  await fixture.deliver();
  const body = JSON.parse(fixture.http.requests[0]?.body ?? "{}");
  assert.equal(body.alertType, "ALERT_FAILURE");
  assert.equal(body.reason, "100 % of the packets were lost, at or above the limit of 20 %.");
  assert.equal(body.location, "home");
});

test("{{GROUP_NAME}} and the group line show the current name of the check's group", async (t) => {
  const fixture = await createAlertingFixture(t);
  const { db } = fixture.context;
  const createdAt = fixture.clock.now();
  const draft = {
    name: "Old name",
    settings: mergeGroupSettings(null, {}),
    variables: [],
    createdAt,
  };
  const group = await insertGroup(db, fixture.accountId, draft);
  const watched = await fixture.addCheck({ frequency: 1, groupId: group.id });
  const template = '{"group":"{{GROUP_NAME}}"}';
  const url = `${fixture.http.url}/templated`;
  const webhookId = await fixture.addChannel("WEBHOOK", { name: "Hook", url, template });
  const mailId = await fixture.addChannel("EMAIL", { address: "owner@example.com" });
  for (const id of [webhookId, mailId]) await fixture.subscribe(id, { checkId: watched.checkId });
  await fixture.query("update check_groups set name = 'Data centre' where id = $1", group.id);
  await fixture.run(watched, failing);
  await fixture.deliver();
  assert.equal(fixture.http.requests[0]?.body, '{"group":"Data centre"}');
  assert.match(fixture.mail.mails[0]?.raw ?? "", /Group: Data centre/);
});
