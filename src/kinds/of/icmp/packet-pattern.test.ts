import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { describeIcmpErrors, describeLossPattern, findLossPattern } from "./packet-pattern.ts";

/** "x" is a lost packet, "." a received one. */
function packets(shape: string) {
  return [...shape].map((mark, sequence) => ({
    sequence,
    sentAt: null,
    rttMs: mark === "." ? 10 : null,
    ttl: null,
    icmpType: null as number | null,
    icmpCode: null as number | null,
  }));
}

test("loss patterns are classified", () => {
  const shapes: Readonly<Record<string, string>> = {
    "..........": "all 10 packets came back",
    xxxxxxxxxx: "all 10 packets were lost",
    "..xxxx....": "4 of 10 packets were lost, in a burst: #2 to #5",
    ".x..x...x.": "3 of 10 packets were lost, scattered, as random loss is: #1, #4 and #8",
    ".....xxxxx":
      "5 of 10 packets were lost, from one packet to the end, as when the path fails during the run: #5 to #9",
    ".........x": "1 of 10 packets were lost, scattered, as random loss is: #9",
    "": "no packet was sent",
  };
  for (const [shape, wanted] of Object.entries(shapes)) {
    assert.equal(describeLossPattern(findLossPattern(packets(shape))), wanted, shape);
  }
});

test("bursts cover exactly the packets that were lost", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("x", "."), { maxLength: 50 }), (marks) => {
      const { sent, lost, bursts, kind } = findLossPattern(packets(marks.join("")));
      const covered = bursts.flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, offset) => first + offset),
      );
      const gone = marks.flatMap((mark, index) => (mark === "x" ? [index] : []));
      assert.deepEqual(covered, gone);
      assert.equal(lost, gone.length);
      assert.equal(sent, marks.length);
      assert.equal(kind === "none", gone.length === 0);
      assert.equal(kind === "all", gone.length > 0 && gone.length === marks.length);
    }),
  );
});

test("ICMP errors of routers are counted and named", () => {
  const lost = packets("xxx.").map((packet, index) => ({
    ...packet,
    icmpType: [3, 3, 11, 0][index] ?? null,
    icmpCode: [1, 13, 0, 0][index] ?? null,
  }));
  assert.equal(
    describeIcmpErrors(lost),
    "routers answered with host unreachable (1×), blocked by a filter (1×) and time to live exceeded: a routing loop (1×)",
  );
  assert.equal(describeIcmpErrors(packets("x..")), null);
});
