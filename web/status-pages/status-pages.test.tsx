/** Status pages. Chromium keeps one journey in `test/browser/status-pages.test.ts`. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
} from "../../test/support/components/screen.tsx";
import { test } from "../../test/support/long-run.ts";
import { createPage } from "../../test/support/modules/public-page.ts";
import { type DnsZone, startDnsZone } from "../../test/support/servers/dns-zone.ts";
import { smtpError, startMailReceiver } from "../../test/support/servers/mail-receiver.ts";

let app: ServedApp;
let zone: DnsZone;
let snapshots = "";
const ends: (() => unknown)[] = [];
before(async () => {
  const t = { after: (end: unknown) => void ends.push(end as () => unknown) };
  zone = await startDnsZone(t);
  const mail = await startMailReceiver(t, {
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith("full") ? smtpError(550) : null),
  });
  snapshots = await mkdtemp(join(tmpdir(), "vedette-status-pages-"));
  app = await startTestApp({
    BUILT_IN_PROBE: "false",
    SMTP_URL: mail.url,
    SNAPSHOT_DIR: snapshots,
    DOMAIN_PROOF: "required",
    DOMAIN_DNS_SERVERS: zone.server,
  });
});
after(async () => {
  await app.stop();
  for (const end of ends) await end();
  await rm(snapshots, { recursive: true, force: true });
});

const button = (screen: Screen, name: string | RegExp) =>
  screen.getByRole("button", { name, exact: true });
/** The button inside the dialog, not the one with the same name that opened it. */
const inDialog = (screen: Screen, name: string) =>
  screen.getByRole("dialog").getByRole("button", { name, exact: true });
const tab = (screen: Screen, name: string) => screen.getByRole("link", { name, exact: true });
const read = async (id: string) => (await app.call("GET", `/v1/status-pages/${id}`)).body;

test("the address follows the name, and a taken one is rejected at its field", async () => {
  await createPage(app, { url: "taken", cards: {} });
  const screen = await openScreen(app, "/status-pages/new");
  await screen.getByLabel("Name").fill("Ácme <b>Status</b>");
  const address = screen.getByRole("textbox", { name: "Address" });
  assert.equal(await address.inputValue(), "acme-b-status-b");
  await address.fill("taken");
  await button(screen, "Create page").click();
  await screen.locator("[aria-invalid=true]").first().waitFor();
  await screen.audit();
  await address.fill("free");
  await button(screen, "Create page").click();
  await screen.waitForAddress(/^\/status-pages\/[0-9a-f-]{36}/);
});

test("services are moved by keyboard, through the card and on to the next one", {
  isLong: true,
}, async () => {
  const cards = { Website: ["Shop", "Search"], Interfaces: ["API"] };
  const { id } = await createPage(app, { url: "moved", cards });
  const screen = await openScreen(app, `/status-pages/${id}`);
  const listMoved = () =>
    screen
      .getByRole("button", { name: /^Move / })
      .elements()
      .map((one) => one.getAttribute("aria-label")?.replace("Move ", ""));
  await button(screen, "Move Shop").press("{ArrowDown}");
  await screen.getByText("Shop: position 2 of 2 on Website.").waitFor();
  await screen.keyboard("{ArrowDown}");
  await screen.getByText("Shop: position 1 of 2 on Interfaces.").waitFor();
  assert.deepEqual(listMoved(), ["Website", "Search", "Interfaces", "Shop", "API"]);
  await button(screen, "Move Interfaces").press("{ArrowUp}");
  await screen.getByText("Card Interfaces: position 1 of 2.").waitFor();
  await button(screen, "Save").click();
  await screen.getByText("The page was saved.").waitFor();
  const { cards: saved } = await read(id);
  assert.deepEqual(
    saved.map(({ name }: { name: string }) => name),
    ["Interfaces", "Website"],
  );
});

test("a session that ends loses nothing, and two users' changes are merged", async () => {
  const { id } = await createPage(app, { url: "phone", name: "Phone", cards: { Web: ["Pay"] } });
  const screen = await openScreen(app, `/status-pages/${id}`, { width: 390 });
  const description = screen.getByLabel("Description");
  await description.fill("Typed before the session ended");
  await screen.pressSignedOut("Save");
  await screen.getByLabel("Email").fill("owner@example.com");
  await screen.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await button(screen, "Sign in").click();
  await screen.getByText("Your unsaved changes were restored.").waitFor();
  assert.equal(await description.inputValue(), "Typed before the session ended");
  const theirs = { name: "Phone of others", url: "phone", cards: [], description: "Theirs" };
  await app.call("PUT", `/v1/status-pages/${id}`, { body: theirs });
  await button(screen, "Save").click();
  await screen.getByRole("alert", { name: "Another user changed this page" }).waitFor();
  await screen.audit();
  await button(screen, "Use selection").click();
  await button(screen, "Save").click();
  await screen.getByText("The page was saved.").waitFor();
  const saved = await read(id);
  assert.deepEqual(
    [saved.name, saved.description],
    ["Phone of others", "Typed before the session ended"],
  );
});

test("unsaved changes are guarded, and deleting names what is lost", { isLong: true }, async () => {
  const { id } = await createPage(app, { url: "gone", name: "Gone", cards: {} });
  const screen = await openScreen(app, `/status-pages/${id}`);
  await screen.getByLabel("Description").fill("Not saved");
  await screen.getByRole("link", { name: "Alerts" }).first().click();
  const guard = screen.getByRole("dialog", { name: "Leave without saving?" });
  await guard.getByRole("button", { name: "Cancel" }).click();
  await guard.waitFor({ state: "hidden" });
  await button(screen, "Delete").click();
  const dialog = screen.getByRole("dialog", { name: /Delete the status page/ });
  await dialog.getByText(/0 subscribers are removed/).waitFor();
  await dialog.getByRole("button", { name: "Delete page" }).click();
  await screen.getByRole("heading", { name: "Status pages", exact: true }).waitFor();
  assert.equal((await app.call("GET", `/v1/status-pages/${id}`)).status, 404);
});

test("a low contrast is a warning, and a picture that is no picture an error", {
  isLong: true,
}, async () => {
  const { id } = await createPage(app, { url: "colours", cards: {} });
  const screen = await openScreen(app, `/status-pages/${id}`);
  await screen.getByLabel("Custom").click();
  await screen.getByLabel("Text", { exact: true }).fill("#eeeeee");
  await screen.getByText(/Low contrast on “Cards”: 1\.1\d? to 1, at least 4\.5/).waitFor();
  await screen.getByLabel("Text", { exact: true }).fill("#223344");
  await screen
    .getByText(/Low contrast/)
    .first()
    .waitFor({ state: "hidden" });
  const svg = new window.File(["<svg>"], "a.svg", { type: "image/svg+xml" });
  await screen.locator("input[type=file]").first().upload(svg);
  await screen
    .getByText(/logo is rejected/)
    .first()
    .waitFor();
});

test("a read-only user sees the page and its state, and no controls", {
  isLong: true,
}, async () => {
  const { id } = await createPage(app, { url: "look", name: "Look", cards: { Web: ["Mail"] } });
  const screen = await openScreen(app, `/status-pages/${id}`, { role: "READ_ONLY" });
  await screen
    .getByText("Your role is read-only: you can view this page but not change it.")
    .waitFor();
  assert.equal(button(screen, "Save").count(), 0);
  await tab(screen, "Access").click();
  await screen.getByText("Public: visible to everyone").waitFor();
  assert.equal(button(screen, "New key").count(), 0);
  await tab(screen, "Subscribers").click();
  await screen.getByText("No subscribers yet").waitFor();
  assert.equal(button(screen, "Add or import").count(), 0);
  screen.goto("/status-pages");
  await screen.getByText("All systems operational").first().waitFor();
  assert.equal(screen.getByRole("link", { name: "New status page" }).count(), 0);
  await screen.audit();
});

test("a domain is verified by its DNS record, and removed", { isLong: true }, async () => {
  const { id } = await createPage(app, { url: "domain", cards: {} });
  const screen = await openScreen(app, `/status-pages/${id}/domain`);
  await screen.getByLabel("Domain").fill("Status.Acme.test");
  await button(screen, "Add domain").click();
  await screen.getByText("Not served yet: no record found").waitFor();
  const value = await screen.getByText(/^vedette=[0-9a-f]{32}$/).textContent();
  const host = "_vedette-challenge.status.acme.test";
  await screen.getByText(host, { exact: true }).waitFor();
  zone.texts.set(host, ["vedette=somebody-else"]);
  await button(screen, "Check now").click();
  await screen.getByText("vedette=somebody-else").waitFor();
  await screen.audit();
  zone.texts.set(host, [value]);
  await button(screen, "Check now").click();
  await screen.getByText("Verified and served").waitFor();
  await screen.getByText("The record was found.").waitFor();
  await button(screen, "Remove domain").click();
  await screen.getByRole("dialog").getByText("https://status.acme.test").waitFor();
  await inDialog(screen, "Remove domain").click();
  await screen.getByLabel("Domain").waitFor();
  assert.equal((await read(id)).customDomain, null);
});

test("a list is imported with an error for each invalid line, searched, resent and removed", async () => {
  const { id } = await createPage(app, { url: "list", cards: {} });
  const screen = await openScreen(app, `/status-pages/${id}/subscribers`, { width: 390 });
  await button(screen, "Add or import").first().click();
  await screen
    .getByLabel("Email addresses")
    .fill("name,email\nAda,ada@list.test\nBob,no address\nGrace,full@list.test");
  await button(screen, "Add subscribers").click();
  await screen.getByText("2 subscribers were added and asked to confirm.").waitFor();
  await screen.getByText(/^Line 3/).waitFor();
  await screen.audit();
  await button(screen, "Done").click();
  await screen.getByLabel("Search addresses").fill("ADA");
  await screen.waitForAddress(/search=ADA$/);
  await screen.getByText("1 subscriber", { exact: true }).waitFor();
  await button(screen, "Messages").click();
  await button(screen, "Not delivered").click();
  await screen.getByText("The mail server responded with 550.").waitFor();
  await button(screen, /^Send again full@list.test/).click();
  await screen.getByText("The message is being sent again.").waitFor();
  await button(screen, "Subscribers").click();
  await button(screen, "Remove ada@list.test").click();
  await inDialog(screen, "Remove").click();
  await screen.getByRole("link", { name: "ada@list.test" }).waitFor({ state: "hidden" });
  await tab(screen, "Snapshots").click();
  await button(screen, "Write now").click();
  await screen.getByText(/\d files$/).waitFor();
});

test("a private page opens with its key until the key is revoked, and has no snapshot", {
  isLong: true,
}, async () => {
  const { id } = await createPage(app, { url: "secret", cards: {} });
  const screen = await openScreen(app, `/status-pages/${id}/access`);
  await button(screen, "Make private").click();
  await inDialog(screen, "Make private").click();
  await screen.getByText("Private: visible only to visitors with a key.").waitFor();
  await button(screen, "New key").click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByText("It is not shown again.").waitFor();
  const link = await dialog.locator("code").nth(1).textContent();
  assert.match(link, /\?key=da_[0-9a-f]{32}$/);
  await button(screen, "Done").click();
  const headers = { authorization: `Bearer ${new URL(link).searchParams.get("key")}` };
  const visit = () => app.call("GET", "/status/secret/", { key: null, headers });
  assert.match((await visit()).text, /No services yet/);
  screen.reload();
  const row = screen.getByRole("row", { name: /da_\.\.\./ });
  await row.waitFor();
  assert.equal(row.getByText("Never").count(), 0, "its use is shown");
  await screen.audit();
  await button(screen, /^Revoke da_/).click();
  await inDialog(screen, "Revoke").click();
  await screen.getByText("No keys yet").waitFor();
  assert.equal((await visit()).status, 401);
  await tab(screen, "Snapshots").click();
  await screen.getByText("A private page has no snapshot").waitFor();
});
