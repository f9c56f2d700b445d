import assert from "node:assert/strict";
import { test } from "node:test";
import { allKinds, kinds } from "../../index.ts";
import { findDifference, findNextHop, type PathReport, summarizePaths } from "./compare-paths.ts";
import type { Path } from "./path.ts";

/** A path whose hops have these addresses; an empty one did not respond. */
function makePath(addresses: readonly string[], end: Path["end"] = "silent"): Path {
  const hops = addresses.map((address) => ({
    address: address === "" ? null : address,
    name: null,
    roundTripMs: address === "" ? null : 1,
    error: null,
  }));
  return { address: "203.0.113.9", protocol: "TCP", port: 443, end, hops };
}

function summarize(failing: Path, rest: Partial<PathReport> = {}, good: Path | null = null) {
  const lastGood = good === null ? null : { learnedAtMs: 0, path: good };
  const report = { location: "home", tracedAtMs: 0, passing: null, lastGood, ...rest };
  return summarizePaths({ ...report, failing: { path: failing } });
}

const good = makePath(["10.0.0.1", "10.0.1.1", "10.0.2.1", "203.0.113.9"], "reached");

test("a path that ends is compared with the last good one", () => {
  assert.equal(
    summarize(makePath(["10.0.0.1", "10.0.1.1"]), {}, good),
    "The path ends after hop 2 (10.0.1.1); the last good path went on to hop 3 (10.0.2.1).",
  );
  assert.equal(summarize(makePath(["10.0.0.1"])), "The path ends after hop 1 (10.0.0.1).");
  assert.equal(
    summarize(makePath([]), {}, good),
    "No hop of the path to 203.0.113.9 responded; the last good path went on to hop 1 (10.0.0.1).",
  );
});

test("a path that never reaches its target is not reported as shorter", () => {
  const usual = makePath(["10.0.0.1", "10.0.1.1"]);
  assert.equal(
    summarize(usual, {}, usual),
    "The path ends after hop 2 (10.0.1.1); the last good path ended there too.",
  );
});

test("a path of another length is aligned by the address of its last hop", () => {
  const longer = makePath(["10.9.0.1", "10.0.0.1", "10.0.1.1"]);
  assert.equal(findNextHop(longer, good), 3);
  assert.equal(findNextHop(makePath(["10.0.0.1", "", "10.0.2.1"]), good), 4);
  const silent = makePath(["10.0.0.1", "10.0.1.1", "", "203.0.113.9"], "reached");
  assert.equal(findNextHop(makePath(["10.0.0.1", "10.0.1.1"]), silent), 4);
});

test("a complete path is reported as such, with the hop at which it changed", () => {
  assert.equal(
    summarize(good, {}, good),
    "The path to 203.0.113.9 is complete: the target responded at hop 4.",
  );
  const other = makePath(["10.0.0.1", "10.0.7.1", "10.0.2.1", "203.0.113.9"], "reached");
  assert.match(
    summarize(other, {}, good),
    /differs from the last good path at hop 2 \(10\.0\.7\.1/,
  );
  assert.equal(findDifference(makePath(["10.0.0.1", ""]), good), null);
});

test("errors, loops and the path of a passing location are named", () => {
  const path = makePath(["10.0.0.1", "10.0.1.1"], "error");
  const hops = path.hops.map((hop) => ({ ...hop, error: "host unreachable" }));
  const passing = { location: "eu-west-1", path: good };
  assert.equal(
    summarize({ ...path, hops }, { passing }),
    "The path ends at hop 2 (10.0.1.1): host unreachable. " +
      "From eu-west-1, where the check passes, the path reaches the target with 4 hops.",
  );
  const elsewhere = { location: "eu-west-1", path: makePath(["10.0.0.1"]) };
  assert.equal(
    summarize(makePath(["10.0.0.1", "10.0.1.1"], "loop"), { passing: elsewhere }),
    "The path loops at hop 2 (10.0.1.1). " +
      "From eu-west-1, where the check passes, the path ends after hop 1 (10.0.0.1).",
  );
});

test("a trace that is not permitted is explained in one line", () => {
  const failing = { trouble: "It may not open raw sockets.\nDo this:\n  type that" };
  const report = { location: "home", tracedAtMs: 0, failing, passing: null, lastGood: null };
  assert.equal(summarizePaths(report), "It may not open raw sockets.");
});

test("every kind with a network target names it", () => {
  const family = { ipFamily: "IPv6" };
  const host = { hostname: "db.example.com", ...family };
  const cases: [string, object, object | null][] = [
    ["ICMP", host, { ...host, protocol: "ICMP", port: null }],
    ["TCP", { ...host, port: 5432 }, { ...host, protocol: "TCP", port: 5432 }],
    ["SSL", { ...host, port: 443 }, { ...host, protocol: "TCP", port: 443 }],
    ["GRPC", { ...host, port: 50_051 }, { ...host, protocol: "TCP", port: 50_051 }],
    [
      "URL",
      { url: "https://db.example.com/x", ...family },
      { ...host, protocol: "TCP", port: 443 },
    ],
    [
      "API",
      { url: "http://[2001:db8::1]:8080/", ...family },
      { hostname: "2001:db8::1", ...family, protocol: "TCP", port: 8_080 },
    ],
    ["URL", { url: "{{BASE}}/x", ...family }, null],
    [
      "DNS",
      { nameServer: "192.0.2.53", port: 53, protocol: "UDP" },
      { hostname: "192.0.2.53", port: 53, protocol: "UDP", ipFamily: "IPv4" },
    ],
    ["DNS", { nameServer: null, port: 53, protocol: "UDP" }, null],
    [
      "ICMP",
      { ...host, ipFamily: "BOTH" },
      { ...host, ipFamily: "IPv4", protocol: "ICMP", port: null },
    ],
  ];
  for (const [type, request, expected] of cases) {
    const kind = kinds[type as keyof typeof kinds];
    assert.deepEqual(kind.pathTarget?.(request), expected, type);
  }
  const without = allKinds.filter(({ pathTarget }) => pathTarget === undefined);
  const types = without.map(({ type }) => type).sort();
  assert.deepEqual(types, ["ALERT_GROUP", "BROWSER", "HEARTBEAT", "MULTI_STEP", "PLAYWRIGHT"]);
});
