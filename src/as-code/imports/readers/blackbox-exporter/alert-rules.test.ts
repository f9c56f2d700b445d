import assert from "node:assert/strict";
import { test } from "node:test";
import { expect } from "../../../../kinds/kit/check-payloads.ts";
import { ReadingBuilder } from "../../reading-builder.ts";
import { type AlertRule, readAlertRules, toEscalation } from "./alert-rules.ts";

function read(...rules: readonly Readonly<Record<string, unknown>>[]) {
  const builder = new ReadingBuilder({ allowPrivate: false });
  const found = readAlertRules(builder, [{ name: "group", rules }]);
  return { found, report: builder.finish().report };
}

function readOne(expr: string): AlertRule["requirement"] | null {
  const { found, report } = read({ alert: "A", expr });
  assert.equal(found.length + report.leftOut.length, 1, expr);
  return found[0]?.requirement ?? null;
}

test("a rule about the success of a probe is read however it is written", () => {
  const expressions = [
    "probe_success == 0",
    "probe_success==0",
    "probe_success != 1",
    "probe_success < 1",
    '  probe_success{job="web"}\n  == 0 # down',
    'probe_success{instance=~"https://a.example/#/x"} == 0',
  ];
  for (const expr of expressions) assert.deepEqual(readOne(expr), { kind: "success" }, expr);
});

test("a rule about a duration has its limit in milliseconds", () => {
  const rows: Readonly<Record<string, number>> = {
    "probe_duration_seconds > 2": 2_000,
    "probe_duration_seconds{job='web'}>2": Number.NaN,
    'probe_duration_seconds{job="web"} >= 0.25': 250,
  };
  for (const [expr, ms] of Object.entries(rows)) {
    assert.deepEqual(readOne(expr), Number.isNaN(ms) ? null : { kind: "duration", ms }, expr);
  }
});

test("a rule about a certificate has its limit in days, rounded up", () => {
  const rows: Readonly<Record<string, number>> = {
    "probe_ssl_earliest_cert_expiry - time() < 86400 * 30": 30,
    "(probe_ssl_earliest_cert_expiry - time()) / 86400 < 14": 14,
    "(probe_ssl_earliest_cert_expiry - time()) / 3600 / 24 <= 14": 14,
    "probe_ssl_earliest_cert_expiry-time()<3600*36": 2,
    'probe_ssl_earliest_cert_expiry{job="web"} - time() < 60 * 60 * 24 * 7': 7,
  };
  for (const [expr, days] of Object.entries(rows)) {
    assert.deepEqual(readOne(expr), { kind: "certificate", days }, expr);
  }
});

test("a rule about the status is what a response must have so that it does not fire", () => {
  const rows = {
    "probe_http_status_code != 200": [expect.status(200)],
    "probe_http_status_code == 500": [expect.statusNot(500)],
    "probe_http_status_code <= 199 OR probe_http_status_code >= 400": [
      expect.statusAbove(199),
      expect.statusBelow(400),
    ],
    "probe_http_status_code < 200 or probe_http_status_code > 299": [
      expect.statusAbove(199),
      expect.statusBelow(300),
    ],
  };
  for (const [expr, assertions] of Object.entries(rows)) {
    assert.deepEqual(readOne(expr), { kind: "status", assertions }, expr);
  }
});

test("an expression without a counterpart is left out with its text", () => {
  const expressions = [
    "avg_over_time(probe_success[5m]) < 0.9",
    "probe_success == 0 and on() vector(1)",
    "probe_http_status_code != 200 or probe_duration_seconds > 2",
    'probe_http_status_code{job="a"} <= 199 or probe_http_status_code{job="b"} >= 400',
    'probe_success{instance=~"("} == 0',
    'probe_success{job="web" == 0',
    `probe_success${" ".repeat(2_000)} == 0`,
  ];
  for (const expr of expressions) assert.equal(readOne(expr), null, expr);
  const { report } = read({ alert: "Slow site", expr: "rate(probe_success[5m])" });
  assert.deepEqual(report.leftOut, [
    {
      origin: "prometheus/alert-Slow-site",
      name: "alert Slow site",
      why: "Its expression has no counterpart: rate(probe_success[5m])",
    },
  ]);
});

test("a rule applies to the targets that its selector matches", () => {
  const labels = new Map([
    ["job", "web"],
    ["instance", "https://a.example"],
    ["say", 'a"b,c'],
  ]);
  const rows: Readonly<Record<string, boolean>> = {
    "": true,
    "{}": true,
    '{job="web"}': true,
    '{job="mail"}': false,
    '{job!="mail"}': true,
    '{job!="web"}': false,
    '{instance=~"https://.*"}': true,
    // An expression matches the whole value.
    '{instance=~"https"}': false,
    '{instance!~"http:.*"}': true,
    '{job="web", instance=~".*example",}': true,
    '{job="web",instance="x"}': false,
    // A label that is missing is empty.
    '{team=""}': true,
    '{team!=""}': false,
    '{say="a\\"b,c"}': true,
  };
  for (const [selector, expected] of Object.entries(rows)) {
    const { found } = read({ alert: "A", expr: `probe_success${selector} == 0` });
    assert.equal(found[0]?.selects(labels), expected, selector);
  }
});

test("rules of other exporters are only counted, and recording rules are not", () => {
  const { found, report } = read(
    { alert: "Disk", expr: "node_filesystem_avail_bytes < 1" },
    { alert: "Memory" },
    { record: "job:probe_success:avg", expr: "avg(probe_success)" },
    { alert: "Down", expr: "probe_success == 0", for: "5m" },
  );
  assert.deepEqual(
    found.map(({ origin, forSeconds }) => [origin.name, forSeconds]),
    [["alert Down", 300]],
  );
  assert.deepEqual(report.notes, ["Alert rules of other exporters are not imported (2)."]);
  const odd = readAlertRules(new ReadingBuilder({ allowPrivate: false }), [null, { rules: "x" }]);
  assert.deepEqual(odd, []);
});

test("the time of a rule becomes runs or minutes, and a change of it is reported", () => {
  const escalate = (forSeconds: number, intervalSeconds: number) => {
    const changes: string[] = [];
    const { found } = read({ alert: "A", expr: "probe_success == 0", for: forSeconds });
    const [rule] = found;
    assert.ok(rule !== undefined);
    const escalation = toEscalation(rule, intervalSeconds, ({ from, to }) =>
      changes.push(`${from} → ${to}`),
    );
    return [escalation, changes];
  };
  assert.deepEqual(escalate(0, 60), [{ failedRuns: 1 }, []]);
  assert.deepEqual(escalate(300, 60), [{ failingMinutes: 5 }, []]);
  assert.deepEqual(escalate(1_800, 60), [{ failingMinutes: 30 }, []]);
  assert.deepEqual(escalate(60, 60), [{ failedRuns: 2 }, ["for 1 min → after 2 failing runs"]]);
  assert.deepEqual(escalate(30, 60), [{ failedRuns: 1 }, ["for 30 s → after 1 failing run"]]);
  assert.deepEqual(escalate(720, 60), [{ failingMinutes: 10 }, ["for 12 min → after 10 min"]]);
  // More runs than an alert can wait for, and less time than the shortest.
  assert.deepEqual(escalate(120, 10), [{ failedRuns: 5 }, ["for 2 min → after 5 failing runs"]]);
  const day = [{ failingMinutes: 30 }, ["for 1440 min → after 30 min"]];
  assert.deepEqual(escalate(86_400, 60), day);
});
