/** The editor of checks. Chromium keeps one journey in `test/browser/editor.test.ts`. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  shareTestApp,
} from "../../../test/support/components/screen.tsx";
import { test } from "../../../test/support/long-run.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp();
});
after(() => app.stop());

const target = (screen: Screen) => screen.getByLabel("What do you want to monitor?");
const name = (screen: Screen) => screen.getByRole("textbox", { name: "Name", exact: true });
const press = (screen: Screen, label: string | RegExp) =>
  screen.getByRole("button", { name: label }).first().click();
const openMore = (screen: Screen) =>
  screen.getByRole("main").getByText("More", { exact: true }).click();
const kind = (screen: Screen, label: string) =>
  screen.getByRole("radio", { name: label, exact: true });

/** Waits for the page of a check and returns the id in its address. */
async function waitForCheck(screen: Screen): Promise<string> {
  await screen.waitForAddress(/^\/checks\/[0-9a-f-]{36}$/);
  return screen.address.split("/").at(-1) ?? "";
}

/** Leaves without saving and confirms the prompt. */
async function leave(screen: Screen): Promise<void> {
  await screen.getByRole("link", { name: "Now", exact: true }).first().click();
  const dialog = screen.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.getByRole("button", { name: "Leave" }).click();
  await screen.waitForAddress(/^\/$/);
}

const read = async (id: string) => (await app.call("GET", `/v1/checks/${id}`)).body;

async function createCheck(more: object = {}): Promise<string> {
  const body = {
    checkType: "ICMP",
    name: "Router",
    activated: false,
    request: { hostname: "127.0.0.1" },
    ...more,
  };
  const made = await app.call("POST", "/v1/checks", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

test("a validation error is shown at its field, even if the field is collapsed", async () => {
  const screen = await openScreen(app, "/checks/new?kind=ICMP", { width: 390 });
  await target(screen).fill("no host at all");
  await press(screen, "Create");
  await screen.locator("form [aria-invalid=true]").waitFor();
  assert.equal(await target(screen).getAttribute("aria-invalid"), "true");
  await screen.getByText(/Host or IP address is not a valid host/).waitFor();
  await screen.audit();
  await target(screen).fill("::1");
  await openMore(screen);
  await screen.getByLabel("IP version").selectOption("IPv4");
  await openMore(screen);
  await press(screen, "Create");
  const isFocused = () => document.activeElement?.getAttribute("data-path") === "request.ipFamily";
  await waitUntil("the field is open and focused", isFocused);
  await leave(screen);
});

test("an empty new check names the first wrong field of the form, and focuses it", async () => {
  const screen = await openScreen(app, "/checks/new?kind=URL");
  assert.equal(await name(screen).getAttribute("placeholder"), "Derived from the target");
  await press(screen, "Create");
  await screen.getByText("Enter a name", { exact: true }).waitFor();
  assert.equal(await name(screen).getAttribute("placeholder"), "");
  await waitUntil("the target is focused", () =>
    String(document.activeElement?.getAttribute("data-path")).startsWith("request.url"),
  );
  const alerts = screen.getByRole("alert").allTextContents().join(" ");
  assert.match(alerts, /^Not saved\. Enter a URL/);
});

test("on a conflict, both versions are shown and nothing is lost", async () => {
  const id = await createCheck({ name: "Before", tags: ["old"] });
  const screen = await openScreen(app, `/checks/${id}/edit`);
  await name(screen).fill("Mine");
  await screen.getByLabel("Packets per run").fill("7");
  await app.call("PUT", `/v1/checks/${id}`, { body: { name: "Theirs", tags: ["new"] } });
  await press(screen, "Save");
  const conflict = screen.getByRole("alert", { name: "Another user changed this check" });
  await conflict.waitFor();
  assert.match(await conflict.textContent(), /Tags: ?old ?new/);
  assert.equal((await read(id)).name, "Theirs", "nothing is overwritten");
  await screen.audit();
  await conflict.getByRole("radio", { name: /Theirs/ }).check();
  await press(screen, "Use selection");
  await press(screen, "Save");
  await waitForCheck(screen);
  const { name: saved, tags, request } = await read(id);
  assert.deepEqual([saved, tags, request.pingCount], ["Theirs", ["new"], 7]);
});

test("the second tab is warned before Save, shows the changes, and saves on top of them", async () => {
  const id = await createCheck({ name: "Shared" });
  const screen = await openScreen(app, `/checks/${id}/edit`);
  await screen.getByLabel("Packets per run").fill("7");
  const banner = screen.getByText("Another user changed this check after you opened the form.");
  assert.equal(banner.count(), 0);
  await app.call("PUT", `/v1/checks/${id}`, { body: { tags: ["theirs"] } });
  await banner.waitFor();
  await press(screen, "Show changes");
  const conflict = screen.getByRole("alert", { name: "Another user changed this check" });
  await conflict
    .getByText(/theirs/)
    .first()
    .waitFor();
  await press(screen, "Use selection");
  await banner.waitFor({ state: "hidden" });
  await press(screen, "Save");
  await waitForCheck(screen);
  const { tags, request } = await read(id);
  assert.deepEqual([tags, request.pingCount], [["theirs"], 7]);
});

test("an alert opens an incident for the selected service, which is named before saving", {
  isLong: true,
}, async () => {
  const service = await app.call("POST", "/v1/status-pages/services", { body: { name: "Shop" } });
  const id = await createCheck({ activated: true, frequency: 1_440 });
  const screen = await openScreen(app, `/checks/${id}/edit`);
  await screen.getByLabel("Open an incident on the status pages").check();
  const chosen = screen.getByLabel("Affected service");
  await chosen.getByRole("option", { name: "Shop" }).waitFor();
  await press(screen, "Save");
  await screen.locator("form select[aria-invalid=true]").waitFor();
  await chosen.selectOption("Shop");
  await screen.getByText(/No status page shows this service/).waitFor();
  await screen.getByText("Its alert opens an incident").waitFor();
  await screen.getByLabel("Severity").selectOption("CRITICAL");
  await press(screen, "Save");
  await waitForCheck(screen);
  assert.deepEqual((await read(id)).triggerIncident, {
    serviceId: service.body.id,
    severity: "CRITICAL",
    name: "{{CHECK_NAME}} is down",
    description: "We are investigating.",
    notifySubscribers: false,
  });
  screen.goto(`/checks/${id}/edit`);
  await screen.getByLabel("Open an incident on the status pages").uncheck();
  await press(screen, "Save");
  await waitForCheck(screen);
  assert.equal((await read(id)).triggerIncident, null);
});

test("a session that ends while the user types loses nothing but secrets", async () => {
  const request = { url: "http://127.0.0.1/", method: "GET" };
  const id = await createCheck({ checkType: "API", request });
  const screen = await openScreen(app, `/checks/${id}/edit`);
  await name(screen).fill("Typed before the end");
  await press(screen, "Add header");
  await screen.getByLabel("Name, header 1").fill("x-token");
  await screen.getByLabel("Secret, header 1").check();
  await screen.getByLabel("Value, header 1").fill("hunter2");
  await screen.pressSignedOut("Save");
  await screen.getByLabel("Email").fill(app.owner.email);
  assert.doesNotMatch(JSON.stringify({ ...sessionStorage }), /hunter2/);
  await screen.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await press(screen, "Sign in");
  await screen.getByText("Your unsaved changes were restored.").waitFor();
  assert.equal(screen.address, `/checks/${id}/edit`);
  assert.equal(await name(screen).inputValue(), "Typed before the end");
  assert.equal(await screen.getByLabel("Name, header 1").inputValue(), "x-token");
  assert.equal(await screen.getByLabel("Value, header 1").inputValue(), "");
  await screen.getByLabel("Value, header 1").fill("hunter3");
  await press(screen, "Save");
  await waitForCheck(screen);
  assert.equal((await read(id)).name, "Typed before the end");
});

test("leaving with unsaved changes asks, and staying keeps them", async () => {
  const id = await createCheck();
  const screen = await openScreen(app, `/checks/${id}/edit`);
  await name(screen).fill("Not saved");
  await screen.getByRole("link", { name: "Now", exact: true }).first().click();
  const dialog = screen.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  // Otherwise the next prompt is answered in the dialog that is about to close.
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await name(screen).inputValue(), "Not saved");
  await leave(screen);
  assert.equal((await read(id)).name, "Router");
  screen.goto(`/checks/${id}/edit`);
  assert.equal(await name(screen).inputValue(), "Router", "the discarded input is gone");
});

test("a check is duplicated, and deleted only after a confirmation that names the loss", {
  isLong: true,
}, async () => {
  const id = await createCheck({ name: "Original", tags: ["kept"] });
  const screen = await openScreen(app, `/checks/${id}/edit`);
  await screen.getByRole("link", { name: "Duplicate" }).click();
  await screen.waitForAddress(/from=/);
  const isCopied = async () => (await name(screen).inputValue()) === "Original (copy)";
  await waitUntil("the copy is shown", isCopied);
  await press(screen, "Create");
  const copy = await read(await waitForCheck(screen));
  assert.deepEqual([copy.name, copy.tags], ["Original (copy)", ["kept"]]);
  screen.goto(`/checks/${id}/edit`);
  await press(screen, "Delete");
  const dialog = screen.getByRole("dialog", { name: "Delete this check?" });
  await dialog.getByText(/“Original” is deleted with all its results/).waitFor();
  await dialog.getByRole("button", { name: "Delete check" }).click();
  await screen.waitForAddress(/^\/checks(?:\?.*)?$/);
  assert.equal((await app.call("GET", `/v1/checks/${id}`)).status, 404);
});

test("a read-only user gets a message and no form", async () => {
  const id = await createCheck();
  const screen = await openScreen(app, "/checks/new", { role: "READ_ONLY" });
  for (const path of ["/checks/new", `/checks/${id}/edit`]) {
    screen.goto(path);
    await screen.getByText("You cannot change checks").waitFor();
    assert.equal(screen.locator("form").count(), 0);
  }
  await screen.audit();
});

const draftKey = "vedette.draft.new";

test("a new check guesses its type again after a restored draft is discarded", {
  isLong: true,
}, async () => {
  const screen = await openScreen(app, "/checks/new");
  await target(screen).fill("db.example.com:5432");
  await name(screen).fill("A name of my own");
  const readDraft = () => sessionStorage.getItem(draftKey);
  await waitUntil("the draft is stored", () => readDraft() !== null);
  // As after a session that ended.
  const draft = readDraft() ?? "";
  await target(screen).fill("");
  await name(screen).fill("");
  await kind(screen, "URL").check();
  await waitUntil("nothing is left to save", () => readDraft() === null);
  sessionStorage.setItem(draftKey, draft);
  screen.reload();
  const banner = screen.getByText("Your unsaved changes were restored.");
  await banner.waitFor();
  assert.equal(await kind(screen, "TCP port").isChecked(), true);
  await press(screen, "Discard changes");
  await banner.waitFor({ state: "hidden" });
  assert.equal(await target(screen).inputValue(), "");
  for (const [typed, label] of [
    ["127.0.0.1", "Ping"],
    ["db:5432", "TCP port"],
    ["https://shop.example.com/", "URL"],
  ] as const) {
    await target(screen).fill(typed);
    assert.equal(await kind(screen, label).isChecked(), true, typed);
  }
  assert.equal(await name(screen).inputValue(), "shop.example.com");
});

test("a new check for a bare host name is a URL check, and a ping with one click", async () => {
  const screen = await openScreen(app, "/checks/new");
  await target(screen).fill("shop.example.com");
  assert.equal(await kind(screen, "URL").isChecked(), true);
  await screen.getByText("Requests https://shop.example.com").first().waitFor();
  await screen.audit();
  await press(screen, "Use a ping check instead");
  assert.equal(await kind(screen, "Ping").isChecked(), true);
  await screen.getByText("Pings shop.example.com").first().waitFor();
  await openMore(screen);
  await screen.getByLabel("Active").uncheck();
  await press(screen, "Create");
  const { checkType, request, frequency } = await read(await waitForCheck(screen));
  assert.deepEqual([checkType, request.hostname, frequency], ["ICMP", "shop.example.com", 1]);
});

test("a new check offers locations with a probe, and collapses the others", {
  isLong: true,
}, async () => {
  const screen = await openScreen(app, "/checks/new?kind=URL");
  const from = screen.getByRole("group", { name: "Locations" });
  const here = from.getByRole("checkbox", { name: "This server" });
  assert.equal(await here.isChecked(), true);
  assert.equal(from.getByRole("checkbox").count(), 1);
  await from.getByText("21 more locations without a probe").click();
  assert.equal(from.getByRole("checkbox").count(), 22);
  await from.getByRole("checkbox", { name: "Ireland" }).check();
  await screen
    .getByText(/It runs every minute, from one location at a time: .+ and Ireland/)
    .waitFor();
  await here.uncheck();
  await target(screen).fill(app.url);
  await press(screen, "Try it");
  await screen.getByText("Ran on this server: Ireland has no probe.").waitFor();
  await openMore(screen);
  await screen.getByLabel("Active").uncheck();
  await press(screen, "Create");
  assert.deepEqual((await read(await waitForCheck(screen))).locations, ["eu-west-1"]);
});

test("a variable is completed after two braces, and an undefined one is a warning", {
  isLong: true,
}, async () => {
  const variable = { key: "SHOP_HOST", value: "127.0.0.1" };
  await app.call("POST", "/v1/variables", { body: variable });
  const screen = await openScreen(app, "/checks/new?kind=API");
  await target(screen).fill("http://127.0.0.1/");
  // In user-event, a doubled brace is a typed brace.
  await screen.keyboard("{{{{sho");
  const names = screen.getByRole("listbox", { name: "Variables" });
  await names.getByRole("option", { name: "SHOP_HOST" }).waitFor();
  await screen.audit();
  await screen.keyboard("{Enter}");
  assert.equal(await target(screen).inputValue(), "http://127.0.0.1/{{SHOP_HOST}}");
  await target(screen).fill("http://127.0.0.1/{{SHOP_HOST}}/{{NOPE}}");
  const warning = screen.getByText("The variable NOPE is not defined");
  await warning.waitFor();
  assert.equal(screen.getByText("The variable SHOP_HOST is not defined").count(), 0);
  await press(screen, "Define NOPE");
  await warning.waitFor({ state: "hidden" });
  await screen.getByLabel("Value, variable 1").fill("status");
  await openMore(screen);
  await screen.getByLabel("Active").uncheck();
  await press(screen, "Create");
  const { request, environmentVariables } = await read(await waitForCheck(screen));
  assert.equal(request.url, "http://127.0.0.1/{{SHOP_HOST}}/{{NOPE}}");
  assert.equal(environmentVariables[0].key, "NOPE");
});

test("a pasted list creates a check for each valid line, once, and reports the invalid lines", async () => {
  const good = Array.from({ length: 17 }, (_, index) => `host-${index}.example.com`);
  const bad = ["nothing that is a target", "db.example.com:99999", `http://${"a".repeat(300)}/`];
  bad.push("https://anna:hunter2@shop.example.com/");
  const screen = await openScreen(app, "/checks/new?tab=list", { width: 390 });
  await screen.getByLabel("Host names, IP addresses or URLs").fill([...good, ...bad].join("\n"));
  await screen.getByText("1 line skipped").waitFor();
  await screen.audit();
  assert.doesNotMatch(JSON.stringify({ ...sessionStorage }), /hunter2/);
  screen.loseResponse("/v1/checks/many");
  await press(screen, "Create 20 checks");
  await screen.getByText("The server is unreachable.").first().waitFor();
  await press(screen, "Create 20 checks");
  await screen.getByText("17 created, 3 rejected.").waitFor();
  assert.match(await screen.getByRole("table").textContent(), /port must be between 1 and 65535/);
  await screen.getByLabel("Target, Line 19").fill("db.example.com:5432");
  await press(screen, "Retry the 3 rejected");
  await screen.getByText("18 created, 2 rejected.").waitFor();
  const { body } = await app.call("GET", "/v1/checks?limit=100&search=host-");
  assert.equal(body.length, 17);
});
