/** The list of checks. The long run has its layout in `test/browser/checks-list.test.ts`. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
} from "../../../test/support/components/screen.tsx";
import { test } from "../../../test/support/long-run.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: ServedApp;
const ids = new Map<string, string>();

async function addCheck(name: string, status: string, more: object = {}): Promise<void> {
  const body = { name, frequency: 10, request: { hostname: "192.0.2.1" }, ...more };
  const made = await app.call("POST", "/v1/checks/icmp", { body });
  assert.equal(made.status, 201, made.text);
  ids.set(name, made.body.id);
  await app.query("update checks set status = $2 where id = $1", [made.body.id, status]);
  await app.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id, last_location,
      consecutive_failures, locations, created_at, updated_at)
    values ($1, $2, $3, $3, $4, 'home', 0, '{}', $3, $3)`,
    [made.body.id, status, app.clock.now(), randomUUID()],
  );
}

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  await app.call("POST", "/v1/check-groups", { body: { name: "Core", tags: ["core"] } });
  await addCheck("db-1", "failing", { tags: ["db"] });
  await addCheck("db-2", "passing", { tags: ["db"], groupId: 1 });
  await addCheck("Router", "degraded");
});
after(() => app.stop());

const linkOf = (screen: Screen, name: string) =>
  screen.getByRole("link", { name, exact: true }).first();
const button = (screen: Screen, name: string | RegExp) =>
  screen.getByRole("button", { name, exact: true });
const listNames = (screen: Screen) => screen.locator("tbody [data-check]").allTextContents();
const waitForNames = (screen: Screen, wanted: readonly string[]) =>
  waitUntil(
    `the list shows ${wanted.join(", ")}`,
    () => JSON.stringify(listNames(screen)) === JSON.stringify(wanted),
  );

test("the list is searched, filtered by facets and sorted by its headers", async () => {
  const screen = await openScreen(app, "/checks");
  await linkOf(screen, "Router").waitFor();
  await screen.audit();
  await screen.keyboard("/");
  await screen.keyboard("db");
  await waitForNames(screen, ["db-1", "db-2"]);
  await button(screen, /^Failing 1$/).click();
  await waitForNames(screen, ["db-1"]);
  assert.match(screen.address, /q=db/);
  await button(screen, "Clear filters").first().click();
  await waitForNames(screen, ["db-1", "db-2", "Router"]);
  await screen.getByRole("columnheader", { name: "State" }).getByRole("button").click();
  await waitForNames(screen, ["db-1", "Router", "db-2"]);
  screen.goto("/checks?tag=db&order=desc");
  await waitForNames(screen, ["db-2", "db-1"]);
});

test("the selected checks are muted, and the notice says if nothing changed", async () => {
  await addCheck("old-1", "passing");
  await addCheck("old-2", "passing");
  const screen = await openScreen(app, "/checks?q=old-");
  await screen.getByLabel("Select old-1").click();
  await screen.getByLabel("Select old-2").click();
  await screen.getByText("2 selected").waitFor();
  await button(screen, "Mute").click();
  await screen.getByText("2 checks were muted.").waitFor();
  await button(screen, "Mute").click();
  await screen.getByText("Both were already muted.").waitFor();
  assert.equal((await app.call("GET", `/v1/checks/${ids.get("old-1")}`)).body.muted, true);
  await screen.audit();
});

test("a deletion is cancelled by Undo", async () => {
  await addCheck("kept-1", "passing");
  const screen = await openScreen(app, "/checks?q=kept-");
  await screen.getByLabel("Select kept-1").click();
  await button(screen, "Delete").click();
  await screen.getByText(/1 check will be deleted in \d+ s/).waitFor();
  await button(screen, "Undo").click();
  await screen.getByText("Deletion cancelled. Nothing was deleted.").waitFor();
  await waitForNames(screen, ["kept-1"]);
  assert.equal((await app.call("GET", `/v1/checks/${ids.get("kept-1")}`)).status, 200);
});

test("a view is saved, which a read-only user can open but not change", async () => {
  const screen = await openScreen(app, "/checks");
  await linkOf(screen, "Router").waitFor();
  await button(screen, "Views").click();
  await screen.getByLabel("View name").fill("What is down");
  await screen.getByLabel("Share with all members of the account").check();
  await button(screen, "Save view").click();
  await screen.getByText("The view “What is down” was saved.").waitFor();
  screen.goto("/checks?state=failing");
  await waitForNames(screen, ["db-1"]);
  await button(screen, "Views").click();
  await button(screen, "Update the view What is down to the current filters").click();
  await screen.getByText("The view “What is down” was saved.").waitFor();
  const other = await openScreen(app, "/checks", { role: "READ_ONLY" });
  await linkOf(other, "Router").waitFor();
  assert.equal(other.getByRole("checkbox").count(), 0);
  assert.equal(other.getByText("Add a check").count(), 0);
  await button(other, "Views").click();
  await button(other, "What is down").click();
  await waitForNames(other, ["db-1"]);
  assert.match(other.address, /state=/);
});

test("the list is operated with the keyboard alone", async () => {
  const screen = await openScreen(app, "/checks?tag=db");
  await waitForNames(screen, ["db-1", "db-2"]);
  await screen.keyboard("jjx");
  await screen.getByText("1 selected").waitFor();
  await screen.keyboard("k");
  const focused = () => document.activeElement?.textContent;
  await waitUntil("the first check is focused", () => focused() === "db-1");
  await screen.keyboard("{Enter}");
  await screen.waitForAddress(new RegExp(`^/checks/${ids.get("db-1")}`));
  await linkOf(screen, "db-2").click();
  await screen.waitForAddress(new RegExp(`^/checks/${ids.get("db-2")}`));
});

test("a search without a match is explained", async () => {
  const screen = await openScreen(app, "/checks?q=nothing-like-this");
  await button(screen, "Clear filters").first().waitFor();
  assert.deepEqual(listNames(screen), []);
  await screen.audit();
});

test("a group is created, changed and deleted, and its checks remain", {
  isLong: true,
}, async () => {
  const screen = await openScreen(app, "/groups");
  await screen.getByRole("link", { name: "Add a group" }).first().click();
  await screen.getByLabel("Name").fill("Edge");
  await button(screen, "Create group").click();
  await screen.getByRole("heading", { name: "Edge" }).waitFor();
  await screen.getByText("No checks in this group yet.").waitFor();
  await screen.getByLabel("Muted").check();
  await button(screen, "Save").click();
  await waitUntil("the server has muted it", async () => {
    const { body } = await app.call("GET", "/v1/check-groups");
    return body.some((one: { name: string; muted: boolean }) => one.name === "Edge" && one.muted);
  });
  screen.goto("/groups/1");
  await linkOf(screen, "db-2").waitFor();
  await button(screen, "Delete").click();
  await screen.getByText(/Its check is not deleted/).waitFor();
  await button(screen, "Delete group").click();
  await screen.getByText("The group “Core” was deleted.").waitFor();
  assert.equal((await app.call("GET", `/v1/checks/${ids.get("db-2")}`)).body.groupId, null);
  await screen.getByRole("link", { name: /Edge/ }).waitFor();
});
