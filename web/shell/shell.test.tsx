/** The frame of every screen: navigation, account menu, theme, unknown addresses. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  addMember,
  openScreen,
  type Screen,
  type ServedApp,
  shareTestApp,
} from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const navigation = (screen: Screen) =>
  screen.getByRole("navigation", { name: "Main", exact: true });
const button = (screen: Screen, name: string | RegExp) => screen.getByRole("button", { name });
const currentSections = (screen: Screen) =>
  navigation(screen).getByRole("link").and(screen.locator("[aria-current=page]")).allTextContents();

async function openMenu(screen: Screen, account = "Vedette") {
  await button(screen, `Account: ${account}`).click();
}

test("signing in is required, and then shows the requested screen", async () => {
  const screen = await openScreen(app, "/groups?x=1", { role: null });
  await screen.getByLabel("Email").fill(app.owner.email);
  await screen.getByRole("textbox", { name: "Password" }).fill("not the password");
  await button(screen, "Sign in").click();
  await screen.getByRole("alert").getByText("Wrong email or password").waitFor();
  await screen.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await button(screen, "Sign in").click();
  await navigation(screen).waitFor();
  assert.equal(screen.address, "/groups?x=1");
});

test("an unknown address shows a not-found page", async () => {
  const screen = await openScreen(app, "/settings/nowhere");
  await screen.getByRole("heading", { name: "Page not found", level: 1 }).waitFor();
  assert.equal(document.title, "Page not found · Vedette");
  await navigation(screen).waitFor();
  await screen.audit();
  await screen.getByRole("link", { name: "go to the Now screen" }).click();
  await screen.waitForAddress(/^\/$/);
});

test("the navigation marks the section of the current screen", async () => {
  const screen = await openScreen(app, "/");
  await screen.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual([...new Set(currentSections(screen))], ["Now"]);
  const { body } = await app.call("POST", "/v1/dashboards", { body: { header: "Wall" } });
  const marks = {
    "/checks/new": "Checks",
    "/alerts/channels": "Alerts",
    "/incidents/templates": "Incidents",
    [`/edit-dashboard/${body.dashboardId}`]: "Dashboards",
    "/settings/profile": "Settings",
  };
  for (const [path, section] of Object.entries(marks)) {
    screen.goto(path);
    await waitUntil(`${path} is in ${section}`, () => {
      const found = [...new Set(currentSections(screen))];
      return found.length === 1 && found[0] === section;
    });
  }
});

test("the first Tab leads to the content, past the navigation", async () => {
  const screen = await openScreen(app, "/groups");
  await navigation(screen).waitFor();
  await screen.user.tab();
  const skip = document.activeElement;
  assert.equal(skip?.textContent, "Skip to content");
  const target = skip?.getAttribute("href")?.slice(1) ?? "";
  assert.equal(document.getElementById(target)?.localName, "main");
  assert.equal(document.getElementById(target)?.tabIndex, -1, "it can be focused");
});

test("on a phone, entries that do not fit in the bar are under More, which closes", async () => {
  const screen = await openScreen(app, "/", { width: 390 });
  const more = navigation(screen).getByRole("button", { name: "More" });
  const sheet = screen.locator("#more-sections");
  assert.equal(await more.getAttribute("aria-expanded"), "false");
  assert.equal(sheet.getByRole("link").count(), 0);
  await more.click();
  assert.deepEqual(sheet.getByRole("link").allTextContents(), [
    "Groups",
    "Incidents",
    "Status pages",
    "Dashboards",
    "Locations",
    "Settings",
    "Docs",
  ]);
  assert.equal(await more.getAttribute("aria-expanded"), "true");
  await screen.audit();
  await sheet.getByRole("link", { name: "Locations" }).click();
  await screen.waitForAddress(/^\/locations/);
  await sheet.getByRole("link").first().waitFor({ state: "hidden" });
  assert.equal(await more.getAttribute("aria-expanded"), "false");
});

test("the theme is cycled, and stays after a reload", async () => {
  const screen = await openScreen(app, "/groups");
  const theme = () => button(screen, /theme\. Change theme$/).first();
  await button(screen, "System theme. Change theme").first().click();
  await button(screen, "Light theme. Change theme").first().click();
  await button(screen, "Dark theme. Change theme").first().waitFor();
  assert.equal(document.documentElement.dataset.theme, "dark");
  screen.reload();
  await button(screen, "Dark theme. Change theme").first().click();
  assert.match((await theme().getAttribute("aria-label")) ?? "", /^System theme/);
  assert.equal(document.documentElement.dataset.theme, "light");
});

test("the title of the tab counts failing checks on every screen", async () => {
  const body = { name: "Router", request: { hostname: "192.0.2.1" } };
  const { body: check } = await app.call("POST", "/v1/checks/icmp", { body });
  await app.query("update checks set status = 'failing' where id = $1", [check.id]);
  await app.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id, last_location,
      consecutive_failures, locations, created_at, updated_at)
    values ($1, 'failing', now(), now(), gen_random_uuid(), 'home', 1, '{}', now(), now())`,
    [check.id],
  );
  const screen = await openScreen(app, "/groups");
  await waitUntil("it counts", () => document.title === "(1) Groups · Vedette");
  await navigation(screen).getByRole("link", { name: "Locations" }).click();
  await waitUntil("also elsewhere", () => document.title === "(1) Locations · Vedette");
  await app.call("DELETE", `/v1/checks/${check.id}`);
  await waitUntil("nothing fails", () => document.title === "Locations · Vedette");
});

test("an owner creates an account, which opens, and switches back", async () => {
  const screen = await openScreen(app, "/groups");
  await openMenu(screen);
  await screen.getByText(app.owner.email).waitFor();
  assert.equal(screen.getByRole("list", { name: "Switch account" }).count(), 0, "there is one");
  await screen.getByText("New account").click();
  const create = button(screen, "Create account");
  await screen.getByLabel("Account name").fill("   ");
  assert.equal(await create.isDisabled(), true);
  await screen.getByLabel("Account name").fill("  Second & Sons ");
  await screen.audit();
  await create.click();
  const isChosen = () => Object.values({ ...localStorage }).length > 0;
  await waitUntil("the account is chosen", isChosen);
  // A browser loads the page again.
  screen.goto("/");
  await openMenu(screen, "Second & Sons");
  await screen.getByText("Second & Sons, owner").waitFor();
  const accounts = screen.getByRole("list", { name: "Switch account" });
  const current = accounts.getByRole("button").and(screen.locator("[aria-current=true]"));
  assert.match(await current.textContent(), /^Second & Sons/);
  await accounts.getByRole("button", { name: /^Vedette/ }).click();
  screen.goto("/");
  await button(screen, "Account: Vedette").waitFor();
});

test("closing the form of a new account leaves the menu open", async () => {
  const screen = await openScreen(app, "/groups");
  await openMenu(screen);
  for (const state of ["visible", "hidden"] as const) {
    await screen.getByText("New account").click();
    await screen.locator("details[open]").waitFor({ state });
    assert.equal(await button(screen, "Account: Vedette").getAttribute("aria-expanded"), "true");
  }
});

test("a failed request for a new account is reported, and its name stays", async () => {
  const screen = await openScreen(app, "/groups");
  await openMenu(screen);
  await screen.getByText("New account").click();
  await screen.getByLabel("Account name").fill("Third");
  screen.breakApi(/^POST \/v1\/accounts/);
  await button(screen, "Create account").click();
  await screen.getByRole("status").getByText("It broke.").waitFor();
  assert.equal(await screen.getByLabel("Account name").inputValue(), "Third");
});

test("only owners are offered another account", async () => {
  for (const role of ["READ_ONLY", "ADMIN"] as const) {
    const screen = await openScreen(app, "/groups", { role });
    await openMenu(screen);
    await screen.getByText(/^Vedette, (?:read only|admin)$/).waitFor();
    assert.equal(screen.getByText("New account").count(), 0, role);
  }
});

test("a failed sign-out is reported, and a repeated one ends the session", async () => {
  await addMember(app, "leaver@example.com", { role: "READ_ONLY" });
  const screen = await openScreen(app, "/", { role: null });
  await screen.getByLabel("Email").fill("leaver@example.com");
  await screen.getByRole("textbox", { name: "Password" }).fill("password of leaver@example.com");
  await button(screen, "Sign in").click();
  await openMenu(screen);
  screen.breakApi(/^DELETE \/v1\/sessions/, { message: "Busy." });
  await button(screen, "Sign out").click();
  await screen.getByText("You are still signed in. Busy.").waitFor();
  assert.equal(screen.cookies.size, 1);
  screen.restoreApi();
  await button(screen, "Sign out").click();
  await waitUntil("the session is over", () => screen.cookies.size === 0);
});
