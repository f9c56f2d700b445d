/** Maintenance. Chromium keeps the calendar in `test/browser/maintenance.test.ts`. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  faultRequestId,
  openScreen,
  type Screen,
  type ServedApp,
  shareTestApp,
} from "../../test/support/components/screen.tsx";
import { test } from "../../test/support/long-run.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const windows = "/v1/maintenance-windows";
const button = (screen: Screen, name: string | RegExp) => screen.getByRole("button", { name });
const hours = (count: number) =>
  new Date(app.clock.now().getTime() + count * 3_600_000).toISOString();

async function addCheck(name: string, more: object = {}): Promise<string> {
  const body = { name, activated: false, request: { hostname: "127.0.0.1" }, ...more };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

async function addWindow(more: object): Promise<string> {
  const body = { name: "Disks", startsAt: hours(30), endsAt: hours(32), ...more };
  const made = await app.call("POST", windows, { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

const calendar = "/alerts/maintenance";
const summary = (screen: Screen) => screen.getByRole("region", { name: "Summary" });

test("an empty calendar explains itself, and a window needs a name and a time", async () => {
  const screen = await openScreen(app, calendar);
  await screen.getByText("No maintenance is scheduled").waitFor();
  await screen.getByRole("link", { name: "Schedule maintenance" }).click();
  await screen.getByLabel("Start", { exact: true }).fill("");
  await summary(screen).getByText("Enter a start and a duration.").waitFor();
  await screen.getByLabel("Start", { exact: true }).fill("2026-12-01T10:00");
  await summary(screen).getByText("It silences no checks yet.").waitFor();
  await screen.getByLabel("Name").fill(" ");
  assert.equal(await button(screen, "Schedule").isDisabled(), true);
  assert.deepEqual((await app.call("GET", windows)).body, []);
});

test("a weekly series is summed up while it is entered, and scheduled", async () => {
  await addCheck("db-1", { tags: ["database"] });
  const screen = await openScreen(app, `${calendar}/new`);
  await screen.getByLabel("Name").fill("Database <b>upgrade</b>");
  await screen.getByLabel("Start", { exact: true }).fill("2026-12-06T02:30");
  await screen.getByRole("combobox", { name: "Time zone" }).fill("berlin");
  await screen.getByRole("option", { name: "Europe/Berlin" }).click();
  await screen.getByText(/^Your time: .*01:30/).waitFor();
  await button(screen, "1 h").click();
  await screen.getByLabel("Repeat", { exact: true }).selectOption("Every week");
  await screen.getByLabel("Last day").fill("2026-12-20");
  await button(screen, /^database/).click();
  await summary(screen)
    .getByText(/^Every week on Sunday at 02:30 \(Europe\/Berlin\), for 1 h/)
    .waitFor();
  await summary(screen).getByText("It silences 1 check: tag database (1 check).").waitFor();
  await screen.audit();
  await button(screen, "Schedule").click();
  const list = screen.getByRole("region", { name: "Occurrences" });
  await list.getByText("scheduled").first().waitFor();
  const [made] = (await app.call("GET", windows)).body;
  assert.equal(made.startsAt, "2026-12-06T01:30:00.000Z");
  assert.equal(list.getByText("scheduled", { exact: true }).count(), 3);
  screen.goto(`${calendar}?view=month&date=2026-12-01`);
  await screen
    .getByRole("listitem", { name: /\b13, 2026$|\b13 December 2026$/ })
    .getByText("01:30", { exact: true })
    .waitFor();
  await screen.getByRole("link", { name: "Next month" }).click();
  await screen.waitForAddress(/date=2027-01-01/);
  await screen.getByRole("link", { name: "Week" }).click();
  await screen.waitForAddress(/view=week/);
  await app.call("DELETE", `${windows}/${made.id}`);
});

test("a draft is restored, and leaving it asks first", async () => {
  const id = await addWindow({ name: "Drafted" });
  const screen = await openScreen(app, `${calendar}/${id}`);
  await screen.getByLabel("Name").fill("Drafted by me");
  screen.reload();
  await screen.getByText("Your unsaved changes were restored.").waitFor();
  assert.equal(await screen.getByLabel("Name").inputValue(), "Drafted by me");
  await screen
    .getByRole("navigation", { name: "Main", exact: true })
    .getByRole("link", { name: "Groups" })
    .first()
    .click();
  const dialog = screen.getByRole("dialog");
  await dialog.waitFor();
  await screen.keyboard("{Escape}");
  await dialog.waitFor({ state: "hidden" });
  assert.match(screen.address, new RegExp(id));
  await button(screen, "Discard changes").click();
  await waitUntil("the stored name is back", async () => {
    return (await screen.getByLabel("Name").inputValue()) === "Drafted";
  });
  await app.call("DELETE", `${windows}/${id}`);
});

test("a repetition is stopped after its warning", async () => {
  const id = await addWindow({
    name: "Nightly",
    startsAt: hours(-1),
    endsAt: hours(1),
    repeatUnit: "DAY",
  });
  const screen = await openScreen(app, `${calendar}/${id}`);
  await button(screen, "Stop repeating").click();
  const dialog = screen.getByRole("dialog", { name: "Stop Nightly?" });
  await dialog.getByText("An occurrence in progress ends as scheduled.").waitFor();
  screen.breakApi(/^(?:PUT|PATCH|POST) \/v1\/maintenance-windows/);
  await dialog.getByRole("button", { name: "Stop repeating" }).click();
  await screen.getByText("It broke.").waitFor();
  screen.restoreApi();
  await dialog.getByRole("button", { name: "Stop repeating" }).click();
  await screen.getByText("Nightly no longer repeats.").waitFor();
  const { body: stored } = await app.call("GET", `${windows}/${id}`);
  // The end is the time of the browser.
  assert.ok(Date.parse(stored.repeatEndsAt) <= Date.now(), stored.repeatEndsAt);
  await app.call("DELETE", `${windows}/${id}`);
});

test("a calendar that cannot be loaded shows the error, and loads on retry", async () => {
  const id = await addWindow({ name: "Behind the error" });
  const screen = await openScreen(app, "/groups");
  await screen.getByText("No groups yet").waitFor();
  screen.breakApi(/^GET \/v1\/maintenance/);
  screen.goto(`${calendar}?view=list`);
  await screen.getByText(faultRequestId).first().waitFor();
  screen.restoreApi();
  await button(screen, "Try again").click();
  await screen.getByRole("link", { name: "Behind the error" }).waitFor();
  await app.call("DELETE", `${windows}/${id}`);
});

test("on a conflict, the second user is warned and keeps their input", async () => {
  const id = await addWindow({});
  const at = `${windows}/${id}`;
  const screen = await openScreen(app, `/alerts/maintenance/${id}`);
  await screen.getByLabel("Name").fill("Disks of mine");
  const times = { startsAt: hours(30), endsAt: hours(32) };
  await app.call("PUT", at, { body: { name: "Disks of theirs", tags: ["rack"], ...times } });
  // The title follows the server: their change has arrived, and mine is still in its field.
  await screen.getByRole("heading", { name: "Disks of theirs" }).waitFor();
  assert.equal(await screen.getByLabel("Name").inputValue(), "Disks of mine");
  await button(screen, "Save").click();
  const conflict = screen.getByRole("alert", { name: /Another user changed/ });
  await conflict.getByText(/rack/).first().waitFor();
  assert.equal((await app.call("GET", at)).body.name, "Disks of theirs");
  await screen.audit();
  await button(screen, "Use selection").click();
  await conflict.waitFor({ state: "hidden" });
  await button(screen, "Save").click();
  await screen.getByRole("heading", { name: "Disks of mine" }).waitFor();
  const { name, tags } = (await app.call("GET", at)).body;
  assert.deepEqual([name, tags], ["Disks of mine", ["rack"]]);
  await app.call("DELETE", at);
});

test("an occurrence is ended, the next is skipped and moved, and deleting names what is lost", async () => {
  const id = await addWindow({
    name: "Router swap",
    startsAt: hours(-1),
    endsAt: hours(2),
    timezone: "America/New_York",
    repeatUnit: "DAY",
    silenceAllAlerts: true,
    statusPageVisibility: { enabled: true },
  });
  const screen = await openScreen(app, "/alerts/maintenance?view=list");
  await screen.getByText("in progress").first().waitFor();
  await screen.getByText("on every status page").waitFor();
  await screen.audit();
  await screen.getByRole("link", { name: "Router swap" }).click();
  const list = screen.getByRole("region", { name: "Occurrences" });
  await list.getByRole("button", { name: /^End now/ }).click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByText(/Alerts are sent again/).waitFor();
  await dialog.getByLabel("Message").fill("Done <i>early</i>.");
  await dialog.getByRole("button", { name: "End now" }).click();
  await dialog.waitFor({ state: "hidden" });
  await list.getByText("in progress").waitFor({ state: "hidden" });
  const occurrences = `${windows}/${id}/maintenances`;
  const [first, second] = (await app.call("GET", occurrences)).body;
  assert.equal(first.status, "SCHEDULED");
  await list.getByRole("button", { name: /^Skip/ }).first().click();
  await dialog.getByRole("button", { name: "Skip this occurrence" }).click();
  await list.getByText("cancelled", { exact: true }).waitFor();
  await list.getByText("The maintenance was cancelled.").waitFor();
  await list.getByRole("button", { name: /^Move/ }).first().click();
  await dialog.getByLabel("Minutes").fill("30");
  await dialog.getByRole("button", { name: "Move", exact: true }).click();
  await list.getByText("moved").first().waitFor();
  const { body: after } = await app.call("GET", occurrences);
  const movedEnd = new Date(Date.parse(second.startsAt) + 1_800_000).toISOString();
  const shown = after.slice(0, 2).map((one: Record<string, string>) => {
    return [one.id, one.status, one.endsAt];
  });
  assert.deepEqual(shown, [
    [first.id, "CANCELLED", first.endsAt],
    [second.id, "SCHEDULED", movedEnd],
  ]);
  await button(screen, /^Delete$/).click();
  await dialog.getByText(/occurrences in the next 400 days will not take place/).waitFor();
  await dialog.getByText(/It silences every check/).waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await screen.waitForAddress(/^\/alerts\/maintenance(?:\?|$)/);
  assert.equal((await app.call("GET", `${windows}/${id}`)).status, 404);
});

test("a window for one check is scheduled from its page", { isLong: true }, async () => {
  const checkId = await addCheck("router-7");
  const screen = await openScreen(app, `/checks/${checkId}`, { width: 390 });
  await screen.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
  await screen.getByRole("menuitem", { name: "Schedule maintenance" }).click();
  await screen.waitForAddress(/maintenance\/new\?checkId=/);
  await screen.getByLabel("Name").fill("Firmware");
  await screen.getByLabel("Start", { exact: true }).fill("2026-11-20T10:00");
  await screen.getByText("It silences 1 check: check router-7.").waitFor();
  await button(screen, "Schedule").click();
  await screen.getByRole("heading", { name: "Firmware" }).waitFor();
  screen.goto("/alerts/maintenance?date=2026-11-20");
  await screen
    .getByRole("link", { name: /Firmware/ })
    .last()
    .waitFor();
  await screen.getByText("silences 1 check").last().waitFor();
  await screen.audit();
  const { body } = await app.call("GET", windows);
  assert.deepEqual(body[0].checkIds ?? body[0].checks, [checkId]);
});

test("READ_ONLY sees the calendar and no control that it may not use", async () => {
  const id = await addWindow({ name: "Visible" });
  const options = { role: "READ_ONLY", width: 390 } as const;
  const screen = await openScreen(app, "/alerts/maintenance?view=list", options);
  await screen.getByRole("link", { name: "Visible" }).click();
  await screen.getByText("you can view maintenance but not change it").waitFor();
  const list = screen.getByRole("region", { name: "Occurrences" });
  await list.getByText("scheduled").first().waitFor();
  assert.equal(button(screen, /Save|Delete|Skip|Move|Stop/).count(), 0);
  await screen.audit();
  await app.call("DELETE", `${windows}/${id}`);
});
