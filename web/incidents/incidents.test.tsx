/** Incidents. Chromium keeps one journey in `test/browser/incidents.test.ts`. */
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
import { createIncident, incidentsPath } from "../../test/support/modules/incidents.ts";
import { createService, createStatusPage } from "../../test/support/modules/status-pages.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
let shop = "";
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
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
  // The composer, which stays until the sign-in has loaded, has a preview named "Email".
  await screen.getByRole("heading", { name: "Sign in to Vedette" }).waitFor();
  await screen.getByLabel("Email").fill(app.owner.email);
  await screen.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await press(screen, "Sign in");
}

async function deleteIncident(id: string): Promise<void> {
  assert.equal((await app.call("DELETE", `${incidentsPath}/${id}`)).status, 204);
}

test("an account without incidents shows what incidents, templates and statistics are for", async () => {
  const screen = await openScreen(app, "/incidents");
  await screen.getByText("No incidents yet").waitFor();
  await screen.getByText(/^An incident informs the public about an outage/).waitFor();
  await screen.getByRole("main").getByRole("link", { name: "New incident" }).waitFor();
  await screen.getByRole("link", { name: "Templates" }).click();
  await screen.getByText("A template stores the text of recurring incidents.").waitFor();
  await screen.getByRole("link", { name: "Statistics" }).click();
  await screen.getByText("No incidents in this period").waitFor();
});

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

/** Creates an incident that began in the past, and is over unless it has no end. */
async function addPast(name: string, hoursAgo: readonly [number, number?], severity = "MINOR") {
  const at = (hours: number) =>
    new Date(app.clock.now().getTime() - hours * 3_600_000).toISOString();
  const [start, end] = hoursAgo;
  const incidentUpdates = [
    { description: "It began.", publicIncidentUpdateDate: at(start) },
    ...(end === undefined
      ? []
      : [{ description: "Over.", status: "RESOLVED", publicIncidentUpdateDate: at(end) }]),
  ];
  const made = await createIncident(app, shop, { name, severity, incidentUpdates });
  assert.equal(made.status, 201, made.text);
  return made.body.id as string;
}

test("an update is posted, the incident is resolved with the default text, and counted", async () => {
  const id = await addPast("Slow search", [2], "MAJOR");
  const screen = await openScreen(app, `/incidents/${id}`);
  await screen.getByRole("link", { name: "Post update", exact: true }).click();
  const post = screen.getByRole("button", { name: "Post update", exact: true });
  assert.equal(await post.isDisabled(), true);
  await screen.getByLabel("Message").fill("We **found** it.");
  await screen
    .getByRole("region", { name: "New update" })
    .getByLabel("Status")
    .selectOption("IDENTIFIED");
  screen.loseResponse(`${incidentsPath}/${id}/incident-updates`);
  await post.click();
  await screen.getByText("The server is unreachable.").first().waitFor();
  await post.click();
  const list = screen.getByRole("region", { name: "Updates" });
  await list.getByText("found", { exact: true }).waitFor();
  assert.equal(list.getByText("found", { exact: true }).count(), 1, "it was posted once");
  await screen.getByRole("link", { name: "Resolve", exact: true }).click();
  assert.equal(await screen.getByLabel("Message").inputValue(), "This incident has been resolved.");
  await post.click();
  await screen.getByRole("link", { name: "Resolve", exact: true }).waitFor({ state: "hidden" });
  await screen.getByText("lasted 2 h").waitFor();
  screen.goto("/incidents/statistics");
  const row = screen.getByRole("row").filter({ hasText: "Shop" });
  await row.waitFor();
  assert.equal(await row.getByRole("cell").first().textContent(), "1");
  assert.deepEqual(screen.getByRole("definition").allTextContents().slice(0, 4), [
    "1",
    "0",
    "2 h",
    "2 h",
  ]);
  await screen.audit();
  await deleteIncident(id);
});

test("the list is filtered by its address and by its fields", async () => {
  const ids = [await addPast("Open one", [1], "CRITICAL")];
  for (let count = 0; count < 2; count += 1) {
    ids.push(await addPast(`Past ${count}`, [50 + count, 49 + count]));
  }
  const screen = await openScreen(app, "/incidents?severity=CRITICAL");
  await screen.getByRole("link", { name: "Open one" }).waitFor();
  await screen.getByText("No incident matches the filters.").waitFor();
  assert.equal(screen.getByRole("link", { name: /^Past/ }).count(), 0);
  await screen.getByLabel("Severity").selectOption("Any severity");
  await screen.getByRole("link", { name: "Past 1" }).waitFor();
  await screen.getByLabel("State").selectOption("Resolved");
  await screen.waitForAddress(/state=resolved/);
  await screen.getByRole("link", { name: "Open one" }).waitFor({ state: "hidden" });
  await screen.getByText("lasted 1 h").first().waitFor();
  for (const id of ids) await deleteIncident(id);
});

test("a list that cannot be loaded shows the error, and loads on retry", async () => {
  const id = await addPast("Hidden", [1]);
  const screen = await openScreen(app, "/incidents/templates");
  await screen.getByRole("link", { name: "New template" }).waitFor();
  screen.breakApi(/^GET \/v1\/status-pages\/incidents\?/);
  await screen.getByRole("link", { name: "Incidents" }).last().click();
  await screen.getByText(faultRequestId).first().waitFor();
  screen.restoreApi();
  // Each list of the screen fails on its own, one perhaps after the first retry.
  await waitUntil("the list is loaded", async () => {
    for (const again of screen.getByRole("button", { name: "Try again" }).elements()) {
      await screen.user.click(again);
    }
    return screen.getByRole("link", { name: "Hidden" }).count() > 0;
  });
  await deleteIncident(id);
});

test("a note is kept as a draft, added, and deleted; a reader sees no form", async () => {
  const id = await addPast("With notes", [1]);
  const screen = await openScreen(app, `/incidents/${id}`);
  const notes = screen.getByRole("region", { name: "Internal notes" });
  await notes.getByLabel("Note", { exact: true }).fill("Ask the **provider**.");
  screen.reload();
  assert.equal(
    await notes.getByLabel("Note", { exact: true }).inputValue(),
    "Ask the **provider**.",
  );
  screen.breakApi(/^POST .*\/notes/);
  await press(screen, "Add note");
  await screen.getByRole("status").getByText("It broke.").waitFor();
  assert.equal(
    await notes.getByLabel("Note", { exact: true }).inputValue(),
    "Ask the **provider**.",
  );
  screen.restoreApi();
  await press(screen, "Add note");
  await notes.getByText("provider", { exact: true }).waitFor();
  assert.equal(await notes.getByLabel("Note", { exact: true }).inputValue(), "");
  const reader = await openScreen(app, `/incidents/${id}`, { role: "READ_ONLY" });
  await reader.getByText("provider", { exact: true }).waitFor();
  assert.equal(reader.getByLabel("Note", { exact: true }).count(), 0);
  const again = await openScreen(app, `/incidents/${id}`);
  await press(again, `Delete the note by ${app.owner.email}`);
  await again.getByText("provider", { exact: true }).waitFor({ state: "hidden" });
  await deleteIncident(id);
});

test("a post-mortem is a draft until it is published, and can be withdrawn", async () => {
  const id = await addPast("Explained", [3, 2]);
  const at = `${incidentsPath}/${id}/post-mortem`;
  const readPublishedAt = async () => (await app.call("GET", at)).body.postMortem.publishedAt;
  const screen = await openScreen(app, `/incidents/${id}`);
  await press(screen, "Write a post-mortem");
  const text = screen.getByLabel("Post-mortem text");
  assert.equal(await screen.getByRole("button", { name: "Publish" }).isDisabled(), true);
  await text.fill("A **disk** was full.");
  await press(screen, "Save as draft");
  const part = screen.getByRole("region", { name: "Post-mortem" });
  await part.getByText("Draft, not public").waitFor();
  assert.equal(await readPublishedAt(), null);
  await press(screen, "Edit the post-mortem");
  await text.fill("Two **disks** were full.");
  await press(screen, "Cancel");
  await part.getByText("disk", { exact: true }).waitFor();
  await press(screen, "Edit the post-mortem");
  assert.equal(await text.inputValue(), "A **disk** was full.", "cancelling discards the draft");
  await press(screen, "Publish");
  await part.getByText(/^Published/).waitFor();
  await press(screen, "Edit the post-mortem");
  await press(screen, "Withdraw");
  await part.getByText("Draft, not public").waitFor();
  assert.equal(await readPublishedAt(), null);
  await deleteIncident(id);
});

test("deleting an update undoes it, and deleting an incident names what is lost", async () => {
  const id = await addPast("Closed too early", [3, 2]);
  const screen = await openScreen(app, `/incidents/${id}`);
  await press(screen, "Delete the update Resolved");
  const dialog = screen.getByRole("dialog");
  await dialog.getByText("Over.").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await screen.getByRole("link", { name: "Resolve", exact: true }).waitFor();
  const deletes = screen.getByRole("button", { name: /^Delete the update/ });
  await deletes.waitFor({ state: "hidden" });
  await press(screen, "Delete incident");
  await dialog.getByText("Its update is deleted too").waitFor();
  screen.breakApi(/^DELETE /);
  await dialog.getByRole("button", { name: "Delete incident" }).click();
  await screen.getByRole("status").getByText("It broke.").waitFor();
  screen.restoreApi();
  await dialog.getByRole("button", { name: "Delete incident" }).click();
  await screen.waitForAddress(/^\/incidents$/);
  assert.equal((await app.call("GET", `${incidentsPath}/${id}`)).status, 404);
});

test("leaving a form with unsaved changes asks first", async () => {
  const id = await addPast("Edited", [1]);
  const screen = await openScreen(app, `/incidents/${id}?edit=true`);
  await screen.getByLabel("Title").fill("Edited by me");
  await screen.getByRole("link", { name: "All incidents" }).click();
  const dialog = screen.getByRole("dialog");
  await dialog.waitFor();
  await screen.keyboard("{Escape}");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await screen.getByLabel("Title").inputValue(), "Edited by me");
  assert.match(screen.address, /edit=true/);
  await deleteIncident(id);
});
