/** Groups: settings, state and checks. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openScreen, type ServedApp, shareTestApp } from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const createGroup = async (body: object): Promise<number> =>
  (await app.call("POST", "/v1/check-groups", { body })).body.id;
const readGroup = async (id: number) => (await app.call("GET", `/v1/check-groups/${id}`)).body;
const createCheck = async (name: string, more: object = {}): Promise<string> => {
  const body = { name, frequency: 1440, request: { hostname: "192.0.2.1" }, ...more };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
};

test("saving another field keeps a group's time-based escalation", async () => {
  const alertSettings = {
    escalationType: "TIME_BASED",
    timeBasedEscalation: { minutesFailingThreshold: 15 },
  };
  const id = await createGroup({ name: "Network", useGlobalAlertSettings: false, alertSettings });
  const before = await readGroup(id);
  const screen = await openScreen(app, `/groups/${id}`);
  await screen.getByLabel("Name").fill("Backbone");
  await screen.getByRole("button", { name: "Save" }).click();
  await screen.getByText("The group “Backbone” was saved.").waitFor();
  const saved = await readGroup(id);
  assert.equal(saved.name, "Backbone");
  assert.deepEqual(saved.alertSettings, before.alertSettings);
});

test("on a conflict, the second user chooses for each field", async () => {
  const id = await createGroup({ name: "Edge" });
  const screen = await openScreen(app, `/groups/${id}`);
  await screen.getByLabel("Name").fill("Edge of mine");
  const theirs = { name: "Edge of theirs", muted: true, locations: ["eu-central-1"] };
  await app.call("PUT", `/v1/check-groups/${id}`, { body: theirs });
  await screen.getByRole("button", { name: "Save", exact: true }).click();
  const panel = screen.getByRole("alert", { name: "Another user changed this group" });
  await panel.getByText("Frankfurt").waitFor();
  assert.equal((await readGroup(id)).name, "Edge of theirs");
  await panel.getByRole("button", { name: "Keep all mine" }).click();
  await screen.getByRole("button", { name: "Save", exact: true }).click();
  await screen.getByText("The group “Edge of mine” was saved.").waitFor();
  const { name, muted, locations } = await readGroup(id);
  assert.deepEqual({ name, muted, locations }, { ...theirs, name: "Edge of mine" });
});

test("unsaved input survives a change of another user, and one field is theirs, one mine", async () => {
  const id = await createGroup({ name: "Rack", tags: ["lab"] });
  const screen = await openScreen(app, `/groups/${id}`);
  await screen.getByLabel("Name").fill("Rack of the second");
  await screen.getByLabel("Alert settings").selectOption("Account settings");
  const first = { name: "Rack of the first", tags: ["lab", "core"], runParallel: true };
  await app.call("PUT", `/v1/check-groups/${id}`, { body: first });
  await screen.getByText("Another user changed this group after you opened").waitFor();
  assert.equal(await screen.getByLabel("Name").inputValue(), "Rack of the second");
  await screen.getByRole("button", { name: "Save", exact: true }).click();
  const panel = screen.getByRole("alert", { name: "Another user changed this group" });
  await panel.getByText("All in parallel").waitFor();
  await panel.getByRole("radio", { name: "Theirs" }).check();
  await panel.getByRole("button", { name: "Use selection" }).click();
  assert.equal(await screen.getByLabel("Name").inputValue(), "Rack of the first");
  await screen.getByRole("button", { name: "Save", exact: true }).click();
  await screen.getByText("The group “Rack of the first” was saved.").waitFor();
  const { name, tags, runParallel, useGlobalAlertSettings } = await readGroup(id);
  assert.deepEqual([name, tags], ["Rack of the first", ["lab", "core"]]);
  assert.deepEqual([runParallel, useGlobalAlertSettings], [true, true]);
});

test("unsaved input of a group is asked for, and is back after the session ended", async () => {
  const id = await createGroup({ name: "Attic" });
  const screen = await openScreen(app, `/groups/${id}`);
  const name = screen.getByLabel("Name");
  await name.fill("Cellar");
  await screen.locator("#content").getByRole("link", { name: "Groups" }).click();
  const dialog = screen.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await name.inputValue(), "Cellar");
  const key = `vedette.draft.group.${id}`;
  const readDraft = () => sessionStorage.getItem(key);
  await waitUntil("the draft is stored", () => readDraft() !== null);
  const draft = readDraft() ?? "";
  await name.fill("Attic");
  await waitUntil("nothing is left to save", () => readDraft() === null);
  sessionStorage.setItem(key, draft);
  screen.reload();
  const banner = screen.getByText("Your unsaved changes were restored.");
  await banner.waitFor();
  assert.equal(await name.inputValue(), "Cellar");
  await screen.getByRole("button", { name: "Discard changes" }).click();
  await banner.waitFor({ state: "hidden" });
  assert.equal(await name.inputValue(), "Attic");
});

test("a group shows its state and its checks, and checks are added and removed", async () => {
  const id = await createGroup({ name: "Shop" });
  const member = await createCheck("Cart", { groupId: id });
  const other = await createCheck("192.0.2.1");
  await app.query("update checks set status = 'failing' where id = $1", [member]);
  const screen = await openScreen(app, `/groups/${id}`);
  await screen.getByRole("list", { name: "Checks by state" }).waitFor();
  await screen.getByText("not enough data yet").waitFor();
  const members = screen.getByRole("region", { name: "Checks in this group" });
  await members.getByRole("link", { name: "Cart" }).waitFor();
  await members.getByLabel("Add checks").fill("192.0.2");
  await screen.getByRole("option", { name: /^192\.0\.2\.1/ }).click();
  await members.getByRole("button", { name: "Add 1 check" }).click();
  await members.getByRole("link", { name: "192.0.2.1" }).waitFor();
  assert.equal((await app.call("GET", `/v1/checks/${other}`)).body.groupId, id);
  await members.getByRole("button", { name: "Remove Cart from the group" }).click();
  await screen.getByText("1 check was removed.").waitFor();
  assert.equal((await app.call("GET", `/v1/checks/${member}`)).body.groupId, null);
});
