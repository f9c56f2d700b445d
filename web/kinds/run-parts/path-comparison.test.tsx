/** The picture of paths, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPart } from "../../../test/support/components/part.tsx";
import { findBreak, PathComparison } from "./path-comparison.tsx";

function makePath(addresses: readonly (string | null)[], end: "reached" | "silent" | "loop") {
  const hops = addresses.map((address) => ({
    address,
    name: address === "10.0.0.2" ? "edge.example.net" : null,
    roundTripMs: address === null ? null : 1.5,
    error: null,
  }));
  return { address: "192.0.2.9", protocol: "TCP", port: 443, end, hops };
}

const good = makePath(["10.0.0.1", "10.0.0.2", null, "192.0.2.9"], "reached");

test("the break is the first hop that responded before and was not reached", () => {
  assert.equal(findBreak(makePath(["10.0.0.1"], "silent"), good), 1);
  assert.equal(findBreak(makePath(["10.0.0.1", "10.0.0.2"], "silent"), good), 3);
  assert.equal(findBreak(makePath([], "silent"), good), 0);
  assert.equal(findBreak(makePath(["10.9.0.1"], "silent"), good), 1);
  assert.equal(findBreak(good, good), null);
  const usual = makePath(["10.0.0.1"], "silent");
  assert.equal(findBreak(usual, usual), null);
});

test("the path of a failure is shown beside the last good one and a passing location", async () => {
  const report = {
    summary: "The path ends after hop 1 (10.0.0.1).",
    location: "eu-central-1",
    tracedAt: "2026-11-18T10:00:00.000Z",
    failing: makePath(["10.0.0.1"], "silent"),
    trouble: null,
    passing: { location: "eu-west-1", path: makePath(["10.1.0.1", "192.0.2.9"], "reached") },
    lastGood: { learnedAt: "2026-11-17T10:00:00.000Z", path: good },
  };
  const untraced = { ...report, failing: null, passing: null, trouble: "Raw sockets are denied." };
  const without = renderPart(
    <PathComparison nameLocation={(region) => `the place ${region}`} report={untraced} />,
  );
  await without.getByText("Raw sockets are denied.").waitFor();
  assert.equal(without.getByRole("list").count(), 0);
  const part = renderPart(
    <PathComparison nameLocation={(region) => `the place ${region}`} report={report} />,
  );
  await part.getByText("The path ends after hop 1 (10.0.0.1).").waitFor();
  assert.equal(part.getByRole("list").count(), 3);
  const [failing, before, passing] = [0, 1, 2].map((index) => part.getByRole("list").nth(index));
  assert.match((await failing?.textContent()) ?? "", /10\.0\.0\.1.*The path ends here\./);
  assert.match((await before?.textContent()) ?? "", /10\.0\.0\.2not reached now · .*edge/);
  assert.match((await passing?.textContent()) ?? "", /192\.0\.2\.9reached/);
});
