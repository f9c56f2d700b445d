/** What the router shows while, and when, the data of a screen cannot be loaded. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  faultRequestId,
  openScreen,
  type ServedApp,
  shareTestApp,
} from "../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const createGroup = async (name: string): Promise<number> =>
  (await app.call("POST", "/v1/check-groups", { body: { name } })).body.id;

test("a screen whose data fails shows the error, and loads on request", async () => {
  const id = await createGroup("Network");
  const screen = await openScreen(app, "/groups");
  await screen.getByRole("heading", { name: "Groups", level: 1 }).waitFor();
  screen.breakApi(/^GET \/v1\/check-groups\/\d/);
  await screen.getByRole("link", { name: "Network" }).click();
  const alert = screen.getByRole("alert");
  await alert.getByRole("heading", { name: "This screen could not be loaded", level: 1 }).waitFor();
  await alert.getByText(faultRequestId).waitFor();
  // The rest of the application stays usable.
  await screen.getByRole("link", { name: "Checks", exact: true }).first().waitFor();
  screen.restoreApi();
  await alert.getByRole("button", { name: "Try again" }).click();
  await screen.getByRole("heading", { name: "Network", level: 1 }).waitFor();
  assert.equal(screen.address, `/groups/${id}`);
});

test("a screen that failed loads as soon as the device is online again", async () => {
  const id = await createGroup("Backbone");
  const screen = await openScreen(app, "/groups");
  await screen.getByRole("heading", { name: "Groups", level: 1 }).waitFor();
  screen.breakApi(/^GET \/v1\/check-groups\/\d/);
  await screen.getByRole("link", { name: "Backbone" }).click();
  await screen.getByRole("button", { name: "Try again" }).waitFor();
  screen.restoreApi();
  window.dispatchEvent(new Event("online"));
  await screen.getByRole("heading", { name: "Backbone", level: 1 }).waitFor();
  assert.equal(screen.address, `/groups/${id}`);
});

const uuid = "01999999-0000-7000-8000-0000000000aa";

test("every address with the ID of something that does not exist reports it", async () => {
  const screen = await openScreen(app, "/settings");
  screen.expectFault();
  for (const path of [
    `/checks/${uuid}`,
    `/checks/${uuid}/edit`,
    `/test-sessions/${uuid}`,
    "/groups/999999",
    "/groups/none",
    `/alerts/${uuid}`,
    "/alerts/channels/999999",
    "/alerts/maintenance/999999",
    `/incidents/${uuid}`,
    `/incidents/templates/${uuid}`,
    `/status-pages/${uuid}/editor`,
    `/edit-dashboard/${uuid}`,
  ]) {
    screen.goto(path);
    await screen.getByRole("heading", { name: "Not found", level: 1 }).waitFor();
    assert.equal(screen.getByRole("button", { name: "Try again" }).count(), 0, path);
    assert.match(document.title, /^Not found/, path);
  }
});
