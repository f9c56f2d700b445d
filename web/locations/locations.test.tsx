/** Locations and probes. Chromium keeps one journey in `test/browser/locations.test.ts`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
} from "../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  app = await startTestApp({ PROBE_IPV4: "192.0.2.9", PROBE_IPV6: "2001:db8::9" });
});
after(() => app.stop());

const button = (screen: Screen, name: string | RegExp) => screen.getByRole("button", { name });

async function addLocation(name: string, slugName: string) {
  const made = await app.call("POST", "/v1/private-locations", { body: { name, slugName } });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

async function addCheck(name: string, more: object = {}): Promise<string> {
  const body = { name, activated: false, request: { hostname: "127.0.0.1" }, ...more };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

test("locations show their probe, its addresses and their checks", async () => {
  await addCheck("from-tokyo", { locations: ["ap-northeast-1"] });
  const screen = await openScreen(app, "/locations");
  const own = screen.getByRole("listitem").filter({ hasText: "last seen" });
  await own.getByText("online").waitFor();
  await screen.getByText("run by the built-in probe").waitFor();
  await screen.audit();
  await own.getByRole("link").first().click();
  await screen.getByText("built into the server").waitFor();
  await screen.getByText("192.0.2.9").waitFor();
  await screen.getByText("2001:db8::9").waitFor();
  await screen.getByText(/No results from this location yet|to compare with/).waitFor();
  await screen.audit();
  screen.goto("/locations");
  const tokyo = screen.getByRole("listitem").filter({ hasText: "Tokyo" });
  await tokyo.getByRole("link", { name: "1 check" }).click();
  await screen.waitForAddress(/^\/checks\?.*ap-northeast-1/);
  await screen.getByText("from-tokyo").first().waitFor();
});

test("a location without a probe shows the command, and another probe gets its own key", async () => {
  const depot = await addLocation("Depot", "depot");
  const screen = await openScreen(app, "/locations/depot");
  await screen.getByText(/^PROBE_TOKEN=<key> npm run vedette probe -- --server http/).waitFor();
  await screen.audit();
  await button(screen, "Add a probe").click();
  await screen.getByText(/^PROBE_TOKEN=pl_[0-9a-f]{32} npm run vedette probe/).waitFor();
  await button(screen, "Done").click();
  const { body: after } = await app.call("GET", `/v1/private-locations/${depot.id}`);
  assert.equal(after.keys.length, 2, "one key for each probe");
  assert.equal(screen.getByText(/pl_[0-9a-f]{32}/).count(), 0, "the key is gone");
});

test("a check runs at a private location", async () => {
  await addLocation("The lab", "lab");
  const id = await addCheck("Switch", { activated: true, frequency: 1_440 });
  const screen = await openScreen(app, `/checks/${id}/edit`);
  await screen.getByLabel("The lab (no probe)").check();
  await screen.getByText(/from The lab\./).waitFor();
  await button(screen, /^Save/).first().click();
  await screen.waitForAddress(new RegExp(`/checks/${id}(?:\\?|$)`));
  const { body: saved } = await app.call("GET", `/v1/checks/${id}`);
  assert.deepEqual([saved.locations, saved.privateLocations], [[], ["lab"]]);
  screen.goto("/groups/new");
  await screen.getByLabel("The lab", { exact: true }).waitFor();
});

test("a taken slug is rejected, and a location in use is not deleted", async () => {
  await addLocation("Office", "office");
  await addCheck("Printer", { locations: [], privateLocations: ["office"] });
  const screen = await openScreen(app, "/locations");
  await button(screen, "New private location").click();
  await screen.getByLabel("Name").fill("Büro <b>Süd</b>");
  assert.equal(await screen.getByLabel("Slug").inputValue(), "buro-b-sud-b");
  await screen.getByLabel("Slug").fill("office");
  await button(screen, "Create").click();
  await screen.getByText("another private location with the slug office").waitFor();
  screen.goto("/locations/office");
  await button(screen, "Delete").click();
  await screen.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await screen.getByText(/1 check still run at office/).waitFor();
  await button(screen, "Cancel").click();
  await button(screen, "Rename").click();
  await screen.getByLabel("Slug").fill("south");
  await button(screen, "Save").click();
  await screen.waitForAddress(/^\/locations\/south$/);
  const { body: checks } = await app.call("GET", "/v1/checks?search=Printer");
  assert.deepEqual(checks[0].privateLocations, ["south"]);
});

test("a read-only user changes nothing", async () => {
  await addLocation("Cellar", "cellar");
  const screen = await openScreen(app, "/locations/cellar", { role: "READ_ONLY" });
  await screen.getByText("waiting for its first probe").waitFor();
  for (const name of ["Add a probe", "Rename", "Delete", /^Revoke/]) {
    assert.equal(button(screen, name).count(), 0, String(name));
  }
  await screen.audit();
  screen.goto("/locations");
  await screen.getByText("Locations in use").waitFor();
  assert.equal(button(screen, "New private location").count(), 0);
});
