import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../test/support/properties.ts";
import { ReadingBuilder } from "../reading-builder.ts";
import {
  formatSeconds,
  maxFailedRuns,
  parseSeconds,
  toAlertSettings,
  toFailedRuns,
  toFrequency,
  toReminders,
} from "./frequency.ts";
import { toHeaders, toJsonPath, toPair, toStatusAssertions } from "./http-settings.ts";
import { parseHostPort } from "./uptime-kuma/kuma-targets.ts";

const origin = { origin: "monitor 1", name: "api" };

/** Calls a translation, and returns what it reports as changed. */
function collect<Result>(translate: (builder: ReadingBuilder) => Result) {
  const builder = new ReadingBuilder({ allowPrivate: true });
  const result = translate(builder);
  const { changed } = builder.finish().report;
  return { result, changed: changed.map(({ field, from, to }) => [field, from, to]) };
}

test("durations of Go and Prometheus are added up", () => {
  const seconds: readonly (readonly [unknown, number | null])[] = [
    ["1m30s", 90],
    [" 15s ", 15],
    ["1h2m3s", 3_723],
    ["1.5h", 5_400],
    ["250ms", 0.25],
    ["5us", 0.000_005],
    ["5µs", 0.000_005],
    ["2d", 172_800],
    ["1w", 604_800],
    [30, 30],
    [0, 0],
    [-1, null],
    [Number.POSITIVE_INFINITY, null],
    ["", null],
    ["30", null],
    ["5 m", null],
    ["-5m", null],
    ["5mm", null],
    ["s", null],
    [null, null],
    [["5m"], null],
  ];
  for (const [value, expected] of seconds) {
    const found = parseSeconds(value);
    if (expected === null) assert.equal(found, null, String(value));
    else assert.ok(Math.abs((found ?? -1) - expected) < 1e-12, `${String(value)}: ${found}`);
  }
});

/** Seconds between runs that a check can have, written out. */
const allowed = [
  ...[10, 20, 30],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((minutes) => minutes * 60),
];

test("an interval becomes the longest allowed one that is not longer, and a change is reported", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200_000 }), (seconds) => {
      const { result, changed } = collect((builder) => toFrequency(builder, origin, seconds));
      const found = result.frequency === 0 ? result.frequencyOffset : result.frequency * 60;
      const fitting = allowed.filter((one) => one <= seconds);
      const expected = Math.max(allowed[0] ?? 0, ...fitting);
      assert.equal(found, expected);
      assert.equal(changed.length, expected === seconds ? 0 : 1);
    }),
    { numRuns: propertyRuns },
  );
});

test("a change of the interval names both", () => {
  const shorter = collect((builder) => toFrequency(builder, origin, 90));
  assert.deepEqual(shorter.changed, [["interval", "90 s", "1 min"]]);
  const longer = collect((builder) => toFrequency(builder, origin, 5));
  assert.deepEqual(longer.changed, [["interval", "5 s", "10 s"]]);
  assert.deepEqual([formatSeconds(59), formatSeconds(3_600)], ["59 s", "60 min"]);
});

test("reminders without an interval are off, and others are unlimited", () => {
  const off = collect((builder) => toReminders(builder, origin, 0));
  assert.deepEqual([off.result.amount, off.changed], [0, []]);
  const exact = collect((builder) => toReminders(builder, origin, 900));
  assert.deepEqual([exact.result.interval, exact.changed], [15, []]);
  assert.ok(exact.result.amount > 1_000);
  const rare = collect((builder) => toReminders(builder, origin, 7_200));
  assert.deepEqual(rare.result.interval, 30);
  assert.deepEqual(rare.changed, [["reminders", "120 min", "30 min"]]);
  const frequent = collect((builder) => toReminders(builder, origin, 20));
  assert.equal(frequent.result.interval, 1);
});

test("the number of failing runs stays within what an alert can wait for", () => {
  for (const [runs, expected] of [
    [-3, 1],
    [0, 1],
    [1, 1],
    [2.9, 2],
    [5, 5],
    [60, maxFailedRuns],
  ] as const) {
    const { result, changed } = collect((builder) => toFailedRuns(builder, origin, runs));
    assert.equal(result, expected, String(runs));
    assert.equal(changed.length, runs === expected ? 0 : 1, String(runs));
  }
});

test("alert settings count runs, unless the source counts minutes", () => {
  const runs = toAlertSettings({ failedRuns: 3 }).alertSettings;
  assert.deepEqual(
    [runs.escalationType, runs.runBasedEscalation.failedRunThreshold],
    ["RUN_BASED", 3],
  );
  const minutes = toAlertSettings({ failingMinutes: 15 }).alertSettings;
  assert.deepEqual(
    [minutes.escalationType, minutes.timeBasedEscalation.minutesFailingThreshold],
    ["TIME_BASED", 15],
  );
  assert.equal("sslCertificates" in runs, false, "the source says nothing about certificates");
});

test("days before the end of a certificate are limited, and null turns its alert off", () => {
  const read = (certificateDays: number | null) =>
    toAlertSettings({ certificateDays }).alertSettings.sslCertificates;
  assert.deepEqual(read(null), { enabled: false, alertThreshold: 30 });
  assert.deepEqual(read(0), { enabled: true, alertThreshold: 1 });
  assert.deepEqual(read(900), { enabled: true, alertThreshold: 365 });
});

test("a share of the locations is a threshold only if the source names one", () => {
  const share = (failingLocations?: number) =>
    toAlertSettings(failingLocations === undefined ? {} : { failingLocations }).alertSettings
      .parallelRunFailureThreshold;
  assert.deepEqual(share(50), { enabled: true, percentage: 50 });
  assert.equal(share().enabled, false);
});

const ranges = fc.array(
  fc
    .tuple(fc.integer({ min: 100, max: 599 }), fc.integer({ min: 0, max: 60 }))
    .map(([from, length]): [number, number] => [from, Math.min(from + length, 599)]),
  { minLength: 1, maxLength: 6 },
);

test("every accepted status passes the assertions, and others do unless that is reported", () => {
  fc.assert(
    fc.property(ranges, (list) => {
      const texts = list.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
      const { result, changed } = collect((builder) => toStatusAssertions(builder, origin, texts));
      const passes = (code: number) =>
        result.every(({ comparison, target }) =>
          comparison === "EQUALS"
            ? code === Number(target)
            : comparison === "GREATER_THAN"
              ? code > Number(target)
              : code < Number(target),
        );
      const isAccepted = (code: number) => list.some(([from, to]) => code >= from && code <= to);
      const codes = Array.from({ length: 700 }, (_, code) => code);
      const wrong = codes.filter((code) => passes(code) !== isAccepted(code));
      assert.ok(
        wrong.every((code) => passes(code)),
        "no accepted code fails",
      );
      assert.equal(wrong.length > 0, changed.length > 0);
    }),
    { numRuns: propertyRuns },
  );
});

test("ranges of status codes that touch are one, which is no change", () => {
  const list = ["300-399", " 200 - 299 ", "204"];
  const { result, changed } = collect((builder) => toStatusAssertions(builder, origin, list));
  assert.deepEqual(
    result.map(({ target }) => Number(target)),
    [199, 400],
  );
  assert.deepEqual(changed, []);
});

test("status codes that cannot be read mean success", () => {
  for (const list of [[], ["2xx"], ["20-30"], [null]]) {
    const { result } = collect((builder) => toStatusAssertions(builder, origin, list));
    assert.deepEqual(
      result.map(({ comparison, target }) => [comparison, Number(target)]),
      [
        ["GREATER_THAN", 199],
        ["LESS_THAN", 300],
      ],
    );
  }
});

test("a dotted path becomes a JSONPath, and an expression does not", () => {
  const paths: Readonly<Record<string, string | null>> = {
    "": "$",
    $: "$",
    "a.b": "$.a.b",
    "$.a.b": "$.a.b",
    "a[0].b": "$.a[0].b",
    "[0].a": "$[0].a",
    "a-b.c": "$['a-b'].c",
    "a.b-c[1]": "$.a['b-c'][1]",
    " status ": "$.status",
    "$sum(a)": null,
    "a[b=1]": null,
    "a..b": null,
    "a.*": null,
    "a b": null,
    "1a": null,
  };
  for (const [text, path] of Object.entries(paths)) assert.equal(toJsonPath(text), path, text);
});

test("values that look like secrets are locked", () => {
  const secrets = ["Authorization", "X-Api-Key", "apikey", "Set-Cookie", "db_password", "X-Token"];
  for (const name of secrets) assert.equal(toPair(name, "x").locked, true, name);
  for (const name of ["Accept", "X-Request-Id", "User-Agent"]) {
    assert.equal(toPair(name, "x").locked, false, name);
  }
});

test("headers that are no text are dropped", () => {
  const headers = toHeaders({ Accept: "a", Age: 7, Empty: " ", List: ["a"], Nothing: null });
  assert.deepEqual(
    headers.map(({ key, value }) => [key, value]),
    [
      ["Accept", "a"],
      ["Age", "7"],
    ],
  );
  assert.deepEqual(toHeaders("Accept: a"), []);
});

test("the port of an address is its own, that of its scheme, or the usual one of the type", () => {
  const addresses: readonly (readonly [string, number | undefined, [string, number] | null])[] = [
    ["db:5433", 5_432, ["db", 5_433]],
    ["db", 5_432, ["db", 5_432]],
    ["db", undefined, null],
    ["postgres://user:pw@db/x", 5_432, ["db", 5_432]],
    ["wss://chat.example.com/ws", 443, ["chat.example.com", 443]],
    ["ws://chat.example.com/ws", 443, ["chat.example.com", 80]],
    ["http://rabbit", 15_672, ["rabbit", 80]],
    ["https://rabbit:8443", 15_672, ["rabbit", 8_443]],
    ["[2001:db8::1]:6379", 6_379, ["2001:db8::1", 6_379]],
    ["redis://[2001:db8::1]", 6_379, ["2001:db8::1", 6_379]],
    ["", 1, null],
    ["a b", 1, null],
  ];
  for (const [text, fallback, expected] of addresses) {
    assert.deepEqual(parseHostPort(text, fallback), expected, text);
  }
});
