/** Dashboards. Chromium keeps one journey in `test/browser/dashboard-editor.test.ts`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  shareTestApp,
} from "../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  for (const tags of [["sea"], ["sea"], ["land"]]) {
    const body = { name: "host", frequency: 1_440, tags, request: { hostname: "127.0.0.1" } };
    await app.call("POST", "/v1/checks/icmp", { body });
  }
});
after(() => app.stop());

const button = (screen: Screen, name: string | RegExp) =>
  screen.getByRole("button", { name, exact: true });

async function addDashboard(more: object = {}): Promise<string> {
  const body = { header: "Harbour", tags: ["sea"], ...more };
  const made = await app.call("POST", "/v1/dashboards", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.dashboardId;
}

const read = async (id: string) => (await app.call("GET", `/v1/dashboards/${id}`)).body;

test("the first dashboard is created, and shows the checks with its tags", async () => {
  const screen = await openScreen(app, "/dashboards");
  await screen.getByText("No dashboards yet").waitFor();
  await screen.audit();
  await button(screen, "New dashboard").click();
  await screen.getByLabel("Heading").fill("Docks");
  await button(screen, "Create dashboard").click();
  await screen.getByText("It shows 3 checks.").waitFor();
  await button(screen, "sea").click();
  await screen.getByText("It shows 2 checks.").waitFor();
  await screen.getByLabel("Seconds per page").selectOption("300");
  await button(screen, "Save").click();
  await screen.getByText("The dashboard was saved.").waitFor();
  const { body } = await app.call("GET", "/v1/dashboards");
  assert.deepEqual([body[0].tags, body[0].paginationRate], [["sea"], 300]);
  await app.call("DELETE", `/v1/dashboards/${body[0].dashboardId}`);
});

test("two users edit one dashboard, and it is deleted", async () => {
  const id = await addDashboard({ customUrl: "harbour", isPrivate: true });
  const screen = await openScreen(app, `/edit-dashboard/${id}`, { width: 390 });
  await screen.getByText("It shows 2 checks.").waitFor();
  await screen.audit();
  await screen.getByRole("textbox", { name: "Heading", exact: true }).fill("Piers");
  const theirs = { header: "Docks", description: "Theirs" };
  await app.call("PUT", `/v1/dashboards/${id}`, { body: theirs });
  await button(screen, "Save").click();
  const conflict = screen.getByRole("alert", { name: "Another user changed this dashboard" });
  await conflict.getByRole("button", { name: /mine/i }).first().click();
  await button(screen, "Save").click();
  await screen.getByText("The dashboard was saved.").waitFor();
  const merged = await read(id);
  assert.deepEqual([merged.header, merged.description], ["Piers", "Theirs"]);
  await button(screen, "Delete").click();
  await screen.getByText("/dashboards/harbour stops working").waitFor();
  await screen.getByText(/style sheet and its key are deleted/).waitFor();
  await button(screen, "Delete dashboard").click();
  await screen.getByText("No dashboards yet").waitFor();
  assert.equal((await app.call("GET", `/v1/dashboards/${id}`)).status, 404);
});

test("a key is shown once, and deleted after a warning", async () => {
  const id = await addDashboard({ isPrivate: true });
  const screen = await openScreen(app, `/edit-dashboard/${id}`);
  await button(screen, "Create key").click();
  const dialog = screen.getByRole("dialog");
  const key = await dialog.getByText(/^da_[0-9a-f]{32}$/).textContent();
  await button(screen, "I have copied it").click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(document.documentElement.outerHTML.includes(key), false);
  const before = (await read(id)).keys.length;
  await screen
    .getByRole("button", { name: /^Delete da_/ })
    .first()
    .click();
  await screen.getByText("Every screen that uses it loses access immediately").waitFor();
  await button(screen, "Delete key").click();
  await screen.getByText("The key was deleted.").waitFor();
  assert.equal((await read(id)).keys.length, before - 1);
  await app.call("DELETE", `/v1/dashboards/${id}`);
});

test("unsaved changes of a dashboard are guarded", async () => {
  const id = await addDashboard();
  const screen = await openScreen(app, `/edit-dashboard/${id}`);
  await screen.getByRole("textbox", { name: "Heading", exact: true }).fill("Not saved");
  await screen.getByRole("link", { name: "Alerts", exact: true }).first().click();
  const dialog = screen.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.getByRole("button", { name: "Leave" }).click();
  await screen.waitForAddress(/^\/alerts/);
  assert.equal((await read(id)).header, "Harbour");
  await app.call("DELETE", `/v1/dashboards/${id}`);
});

test("a read-only user sees the list and no controls", async () => {
  await addDashboard({ header: "For all" });
  const screen = await openScreen(app, "/dashboards", { role: "READ_ONLY" });
  await screen.getByRole("link", { name: "For all" }).waitFor();
  await screen.audit();
  assert.equal(button(screen, "New dashboard").count(), 0);
  await screen.getByRole("link", { name: "For all" }).click();
  await screen
    .getByText("Your role is read-only: you can view dashboards but not change them.")
    .waitFor();
  assert.equal(button(screen, /^(?:Save|Delete|Create key)$/).count(), 0);
});
