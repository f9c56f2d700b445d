/** Locations and probes. Chromium keeps one journey in `test/browser/locations.test.ts`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  faultRequestId,
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

/** Registers a probe with the newest key of a private location, as the gateway does. */
async function registerProbe(id: string, slugName: string, more: object = {}): Promise<void> {
  const { isSuspect, skewMs, ageMs } = { isSuspect: false, skewMs: 0, ageMs: 0, ...more };
  await app.query(
    `insert into probes (id, location, route, key_id, is_built_in, version, ipv4_sources,
        ipv6_sources, is_suspect, started_at, last_seen_at, limitations, transport,
        clock_skew_ms, spool_depth)
      select $1, p.slug_name, p.id::text, k.id, false, '0.1.0', '{10.9.8.7}', '{}', $4, $3, $3,
        '{}', 'websocket', $5, 7
      from private_locations p join probe_keys k on k.private_location_id = p.id
      where p.slug_name = $2 order by k.id desc limit 1`,
    [id, slugName, new Date(app.clock.now().getTime() - ageMs), isSuspect, skewMs],
  );
}

test("a probe is put in quarantine with a reason and released, and its key is revoked", async () => {
  await addLocation("Plant", "plant");
  await registerProbe("plant-1", "plant", { skewMs: -3_210 });
  const screen = await openScreen(app, "/locations/plant");
  await screen.getByText("3.21 s behind the server").waitFor();
  await screen.getByText("Synchronise it with NTP.").waitFor();
  await screen.getByText("No run was queued in the last 24 hours.").waitFor();
  await button(screen, "Quarantine").click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByText("It is the only probe at this location").waitFor();
  await dialog.getByLabel("Reason").fill("Its uplink is <b>faulty</b>.");
  screen.breakApi(/^(?:POST|PUT|PATCH) /);
  await dialog.getByRole("button", { name: "Quarantine" }).click();
  await dialog.getByText(faultRequestId).waitFor();
  screen.restoreApi();
  await dialog.getByRole("button", { name: "Quarantine" }).click();
  await screen.getByText(/Quarantined since .*: Its uplink is <b>faulty<\/b>\./).waitFor();
  await button(screen, "Release").click();
  await dialog.getByLabel("Reason").fill("Repaired.");
  await dialog.getByRole("button", { name: "Release" }).click();
  await button(screen, "Quarantine").waitFor();
  await screen.audit();
  await button(screen, /^Revoke/).click();
  await dialog.getByText("The probe that uses it is disconnected").waitFor();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await screen.getByText("No keys. No probe can connect.").waitFor();
});

test("private locations are listed with the state of their probes", async () => {
  await addLocation("Harbour", "harbour");
  await registerProbe("harbour-1", "harbour", { isSuspect: true });
  await addLocation("Quay", "quay");
  const screen = await openScreen(app, "/locations");
  const row = (name: string) => screen.getByRole("listitem").filter({ hasText: name });
  await row("Harbour").getByText("1 probe").waitFor();
  await row("Quay").getByText("waiting for its first probe").waitFor();
});

test("a new location waits for its probe and shows when it has connected", async () => {
  const screen = await openScreen(app, "/locations");
  await button(screen, "New private location").click();
  await screen.getByLabel("Name").fill("Tower");
  await screen.getByLabel("Name").press("{Enter}");
  await screen.getByText("Waiting for the probe.").waitFor();
  await registerProbe("tower-1", "tower");
  await screen.getByText("tower-1 is connected and ready to run checks.").waitFor();
  await button(screen, "Done").click();
  await screen.getByRole("heading", { name: "Tower" }).waitFor();
  assert.equal(screen.getByText(/pl_[0-9a-f]{32}/).count(), 0, "the key is gone");
});

test("an unused location is deleted after its warning", async () => {
  await addLocation("Shed", "shed");
  const screen = await openScreen(app, "/locations/shed", { role: "ADMIN" });
  await button(screen, "Delete").click();
  const dialog = screen.getByRole("dialog", { name: "Delete Shed?" });
  await dialog.getByText("Its keys stop working immediately").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await screen.waitForAddress(/^\/locations$/);
  const { rows } = await app.query("select 1 from private_locations where slug_name = 'shed'");
  assert.equal(rows.length, 0);
});

test("a failed list of locations is reported, and loads when the server responds again", async () => {
  // A screen that loads no locations, which would be shown instead of the error.
  const screen = await openScreen(app, "/variables");
  await screen.getByRole("heading", { level: 1 }).first().waitFor();
  screen.breakApi(/^GET \/v1\/private-locations/);
  screen.goto("/locations");
  await screen.getByText("Private locations could not be loaded").waitFor();
  await screen.getByText(faultRequestId).waitFor();
  await button(screen, "Try again").waitFor();
  screen.restoreApi();
  // It is also polled, so the button may be gone before a click.
  await screen.getByText("Depot").waitFor();
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
