/** Incidents. Chromium keeps one journey in `test/browser/incidents.test.ts`. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
} from "../../test/support/components/screen.tsx";
import { test } from "../../test/support/long-run.ts";
import { createIncident, incidentsPath } from "../../test/support/modules/incidents.ts";
import { createService, createStatusPage } from "../../test/support/modules/status-pages.ts";

let app: ServedApp;
let shop = "";
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  shop = await createService(app, "Shop");
  const page = await createStatusPage(app, { cards: [{ name: "All", services: [{ id: shop }] }] });
  const subscriptions = ["ada@example.com", "bob@example.com"].map((config) => {
    return { type: "EMAIL", config };
  });
  const body = { subscriptions, autoVerify: true };
  await app.call("POST", `/v1/status-pages/${page.id}/subscriptions/bulk`, { body });
});
after(() => app.stop());

const press = (screen: Screen, name: string) =>
  screen.getByRole("button", { name, exact: true }).first().click();
const title = (screen: Screen, name: string) =>
  screen.getByRole("heading", { level: 1, name, exact: true });
const notify = (screen: Screen) => screen.getByRole("switch", { name: "Notify 2 subscribers" });

async function signIn(screen: Screen): Promise<void> {
  await screen.getByLabel("Email").fill("owner@example.com");
  await screen.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await press(screen, "Sign in");
}

async function deleteIncident(id: string): Promise<void> {
  assert.equal((await app.call("DELETE", `${incidentsPath}/${id}`)).status, 204);
}

test("on a conflict, the second user keeps their title", async () => {
  const { body: incident } = await createIncident(app, shop, { name: "Slow archive" });
  const screen = await openScreen(app, `/incidents/${incident.id}?edit=true`);
  await screen.getByLabel("Title").fill("Archive is slow");
  const theirs = { name: "Archive is very slow" };
  await app.call("PATCH", `${incidentsPath}/${incident.id}`, { body: theirs });
  await press(screen, "Save");
  await screen.getByRole("alert", { name: "Another user changed this incident" }).waitFor();
  await press(screen, "Keep all mine");
  await press(screen, "Save");
  await title(screen, "Archive is slow").waitFor();
  const { body } = await app.call("GET", `${incidentsPath}/${incident.id}`);
  assert.equal(body.name, "Archive is slow");
  await deleteIncident(incident.id);
});

test("on a conflict, the second user chooses between two versions of a template", async () => {
  const templates = "/v1/status-pages/incident-templates";
  const updates = [{ status: "INVESTIGATING", description: "Wait.", notifySubscribers: false }];
  const given = { name: "Outage", incidentName: null, severity: null, serviceIds: [], updates };
  const { body: template } = await app.call("POST", templates, { body: given });
  const screen = await openScreen(app, `/incidents/templates/${template.id}`);
  await screen.getByLabel("Template name").fill("Mine");
  const theirs = { ...given, name: "Theirs", severity: "MAJOR" };
  await app.call("PUT", `${templates}/${template.id}`, { body: theirs });
  await press(screen, "Save template");
  await screen.getByRole("alert", { name: "Another user changed this template" }).waitFor();
  await press(screen, "Keep all mine");
  await press(screen, "Save template");
  await screen.waitForAddress(/^\/incidents\/templates$/);
  const { body } = await app.call("GET", `${templates}/${template.id}`);
  assert.equal(body.name, "Mine");
  assert.equal(body.severity, "MAJOR", "the other writer's change of another field stays");
  await app.call("DELETE", `${templates}/${template.id}`);
});

test("an update is corrected", async () => {
  const { body: incident } = await createIncident(app, shop, { name: "Slow disks" });
  const screen = await openScreen(app, `/incidents/${incident.id}`);
  await press(screen, "Edit the update Investigating");
  await screen.getByLabel("Message").fill("We look into the *disks*.");
  await press(screen, "Save update");
  await screen.getByLabel("Message").waitFor({ state: "hidden" });
  await screen.getByRole("listitem").filter({ hasText: "We look into the disks." }).waitFor();
  await deleteIncident(incident.id);
});

test("an incident that was deleted elsewhere is reported", async () => {
  const { body: incident } = await createIncident(app, shop, { name: "Short" });
  const screen = await openScreen(app, `/incidents/${incident.id}`);
  await title(screen, "Short").waitFor();
  await deleteIncident(incident.id);
  await screen.getByRole("alert").getByText("This was deleted").waitFor();
});

test("a session that ends while composing loses nothing but the notify switch", async () => {
  const screen = await openScreen(app, `/incidents/new?serviceId=${shop}`);
  await screen.getByLabel("Title").fill("Typed before the end");
  await screen.getByLabel("Message").fill("Words that nobody wants to type twice.");
  await notify(screen).check();
  await screen.pressSignedOut("Post incident");
  await signIn(screen);
  await screen.getByText("Your unsaved changes were restored.").waitFor();
  assert.equal(await screen.getByLabel("Title").inputValue(), "Typed before the end");
  assert.match(await screen.getByLabel("Message").inputValue(), /^Words that nobody/);
  assert.equal(await screen.getByRole("checkbox", { name: "Shop" }).isChecked(), true);
  assert.equal(await notify(screen).isChecked(), false);
  const { body } = await app.call("GET", `${incidentsPath}?serviceId=${shop}&status=ongoing`);
  assert.equal(body.length, 0, "nothing was posted without a session");
  await press(screen, "Post incident");
  await title(screen, "Typed before the end").waitFor();
  await deleteIncident(screen.address.split("/").at(-1) ?? "");
});

test("an incident is posted only with a service, a title and a message", async () => {
  const screen = await openScreen(app, "/incidents/new");
  const post = screen.getByRole("button", { name: "Post incident", exact: true }).first();
  assert.equal(await post.isDisabled(), true);
  await screen.getByText("Select services to see the number of subscribers.").waitFor();
  await screen.getByRole("checkbox", { name: "Shop" }).check();
  await screen.getByLabel("Title").fill("Slow");
  assert.equal(await post.isDisabled(), true);
  await screen.getByLabel("Message").fill("Pages load slowly.");
  await screen.getByText("Subject: [Acme status] Slow – Investigating").waitFor();
  await screen.audit();
  await post.click();
  await title(screen, "Slow").waitFor();
  await deleteIncident(screen.address.split("/").at(-1) ?? "");
});

test("a template is created, lists its variables, is applied and deleted", {
  isLong: true,
}, async () => {
  const screen = await openScreen(app, "/incidents/templates");
  await screen.getByRole("link", { name: "New template", exact: true }).first().click();
  await screen.getByLabel("Template name").fill("Provider");
  await screen.getByLabel("Incident title").fill("{{services}}: {{provider}} is down");
  await screen.getByLabel("Message").fill("**{{provider}}** does not answer.");
  await press(screen, "Save template");
  await screen.getByText("variables: provider").waitFor();
  await screen.audit();
  screen.goto(`/incidents/new?serviceId=${shop}`);
  await screen.getByLabel("Template").selectOption("Provider");
  await screen.getByLabel("provider", { exact: true }).fill("Acme");
  await press(screen, "Apply template");
  await screen.getByText("**Acme** does not answer.").waitFor();
  assert.equal(await screen.getByLabel("Title").inputValue(), "Shop: Acme is down");
});

test("a read-only user is offered no write, and hostile text is shown as text", async () => {
  const name = `<img src=x onerror="alert(1)"> \u202e ${"W".repeat(200)}`;
  const description = "<script>alert(1)</script> [x](javascript:alert(1)) {{constructor}}";
  const incidentUpdates = [{ description }, { description: "Second.", status: "IDENTIFIED" }];
  const { body } = await createIncident(app, shop, { name, incidentUpdates });
  const options = { role: "READ_ONLY", width: 390 } as const;
  const screen = await openScreen(app, `/incidents/${body.id}`, options);
  await screen.getByText("<script>alert(1)</script>").waitFor();
  assert.equal(screen.locator("main script, main img, a[href^='javascript']").count(), 0);
  await screen.audit();
  const offered = /^(?:Post|Resolve|Edit|Delete|New|Save|Draft|Add)\b/;
  for (const path of ["", "/incidents", "/incidents/templates", "/incidents/statistics"]) {
    if (path !== "") screen.goto(path);
    await screen.locator("main :is(h1, h2)").first().waitFor();
    await screen.getByText("Loading", { exact: true }).first().waitFor({ state: "hidden" });
    assert.equal(screen.getByRole("button", { name: offered }).count(), 0, path);
    assert.equal(screen.getByRole("link", { name: offered }).count(), 0, path);
  }
  screen.goto("/incidents/new");
  await screen.getByText("You cannot post incidents").waitFor();
  await deleteIncident(body.id);
});
