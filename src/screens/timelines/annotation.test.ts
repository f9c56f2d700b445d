import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnnotationInput, findFault } from "./annotation.ts";

const now = new Date("2026-11-17T12:00:00Z");
const note: AnnotationInput = { type: "NOTE", text: "Failover to the second uplink" };

test("a note needs a text, a valid time and a web URL", () => {
  const cases: readonly (readonly [Partial<AnnotationInput>, string | null])[] = [
    [{}, null],
    [{ text: "  \n" }, "text"],
    [{ url: "https://ci.example.com/runs/7" }, null],
    [{ url: null }, null],
    [{ url: "javascript:alert(1)" }, "url"],
    [{ url: "ci.example.com" }, "url"],
    [{ at: "2026-11-17T11:00:00Z" }, null],
    [{ at: "2016-12-31T23:59:60Z" }, "at"],
    [{ at: "2026-11-19T12:00:00Z" }, "at"],
    [{ at: "2020-01-01T00:00:00Z" }, "at"],
    [{ checkId: "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10", tags: ["web"] }, "tags"],
    [{ checkId: null, tags: ["web"] }, null],
  ];
  for (const [change, key] of cases) {
    assert.equal(findFault({ ...note, ...change }, now)?.key ?? null, key, JSON.stringify(change));
  }
});
