/** The audit log with loaded entries, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PartOptions, renderScreen } from "../../test/support/components/part.tsx";
import type { Schemas } from "../api/client.ts";
import { route as auditRoute } from "./audit-screen.tsx";
import { auditFacetsQuery, auditQuery } from "./queries.ts";

type Entry = Schemas["AuditEntry"];

const entry = (more: Partial<Entry> = {}) =>
  ({
    id: "e-1",
    at: "2026-11-16T03:10:00.000Z",
    action: "api-key.created",
    actor: { type: "USER", id: "u-1", name: "ada@example.com" },
    target: { type: "api-key", id: "7", name: "CI" },
    changes: {},
    address: "192.0.2.7",
    requestId: "r-1",
    ...more,
  }) as Entry;

function renderAudit(entries: readonly Entry[], role: PartOptions["role"] = "OWNER", search = {}) {
  const pages = { pages: [{ entries, nextId: null }], pageParams: [null] };
  return renderScreen(auditRoute, {
    role,
    search,
    data: [
      [auditQuery(search).queryKey, pages],
      [auditFacetsQuery.queryKey, { actions: ["api-key.created"], actors: ["ada@example.com"] }],
    ],
  });
}

test("an entry of the audit log opens with the values before and after", async () => {
  const changes = { name: { from: "CI", to: "CI 2" }, expiresAt: { from: null, to: ["x"] } };
  const part = await renderAudit([entry({ changes })]);
  const row = part.getByRole("button", { name: /API key created/ });
  assert.match(await row.textContent(), /API key created\s*CI\s*ada@example\.com$/);
  assert.equal(await row.getAttribute("aria-expanded"), "false");
  await row.click();
  assert.equal(await row.getAttribute("aria-expanded"), "true");
  assert.deepEqual(part.locator("thead th").allTextContents(), ["Field", "Before", "After"]);
  assert.deepEqual(part.readRows(), [
    ["name", "CI", "CI 2"],
    ["expiresAt", "–", '[\n "x"\n]'],
  ]);
  assert.deepEqual(part.readFacts(), {
    "ID of the API key": "7",
    Address: "192.0.2.7",
    "Request ID": "r-1",
  });
  await row.click();
  assert.equal(part.locator("tbody tr").count(), 0);
});

test("an entry without values reports that, and one with plain values has a column for them", async () => {
  const plain = entry({ id: "e-2", action: "check.created", changes: { name: "db", tags: [] } });
  const part = await renderAudit([entry({ address: null, requestId: null }), plain]);
  await part.getByRole("button", { name: /API key created/ }).click();
  await part.getByText("No further details were recorded.").waitFor();
  assert.deepEqual(Object.keys(part.readFacts()), ["ID of the API key"]);
  await part.getByRole("button", { name: /check created/i }).click();
  assert.deepEqual(part.locator("thead th").allTextContents(), ["Field", "Value"]);
  assert.deepEqual(part.readRows(), [
    ["name", "db"],
    ["tags", "[]"],
  ]);
});

test("an id of a machine is no name, and a chosen one is", async () => {
  const part = await renderAudit([
    entry({ target: { type: "check", id: "0198c1f0-0000-7000-8000-000000000000", name: null } }),
    entry({ id: "e-2", target: { type: "variable", id: "API_TOKEN", name: null } }),
  ]);
  const rows = part.getByRole("button", { name: /API key created/ }).allTextContents();
  assert.match(rows[0] ?? "", /createdada@example\.com$/);
  assert.match(rows[1] ?? "", /createdAPI_TOKENada@example\.com$/);
});

test("a filter of the address is selected although no entry has it any more", async () => {
  const part = await renderAudit([], "ADMIN", { action: "group.deleted" });
  await part.getByText("No entries match").waitFor();
  const select = part.getByLabel("Action", { exact: true });
  assert.equal(await select.inputValue(), "group.deleted");
  assert.equal(await part.getByLabel("Actor", { exact: true }).inputValue(), "");
});

test("the audit log is for admins", async () => {
  const part = await renderAudit([entry()], "READ_WRITE");
  await part.getByText("Only an admin or an owner can view this.").waitFor();
  assert.equal(part.getByText("ada@example.com").count(), 0);
});
