import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAuditSearch, toApiFilter } from "./audit-search.ts";

test("the filters of the address are kept, and invalid ones ignored", () => {
  const given = { search: 42, action: "account.updated", from: "2026-11-01", to: "yesterday" };
  const parsed = parseAuditSearch({ ...given, actor: "", targetId: "x".repeat(401), other: "y" });
  assert.deepEqual(parsed, { search: "42", action: "account.updated", from: "2026-11-01" });
});

test("the whole first and last day are included", () => {
  const { from, to, ...rest } = toApiFilter({ action: "a", from: "2026-11-01", to: "2026-12-31" });
  assert.deepEqual(rest, { action: "a" });
  assert.equal(from, new Date("2026-11-01T00:00").toISOString());
  assert.equal(to, new Date("2027-01-01T00:00").toISOString());
});

test("a day that does not exist is not sent", () => {
  assert.deepEqual(toApiFilter({ from: "2026-13-01", to: "2026-99-99" }), {});
});
