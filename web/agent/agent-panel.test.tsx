/** The agent panel. Chromium keeps one journey in `test/browser/agent-panel.test.ts`. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
  systemClock,
} from "../../test/support/components/screen.tsx";
import { test } from "../../test/support/long-run.ts";
import { createIncident } from "../../test/support/modules/incidents.ts";

let app: ServedApp;
let checkId = "";
let incidentId = "";
before(async () => {
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" }, { clock: systemClock });
  // Nothing listens at port 1.
  const request = { hostname: "127.0.0.1", port: 1 };
  const settings = { name: "db-1", frequency: 1440, retryStrategy: null, request };
  checkId = (await app.call("POST", "/v1/checks/tcp", { body: settings })).body.id;
  const service = { name: "Shop", follows: { checkIds: [checkId] } };
  const { body: shop } = await app.call("POST", "/v1/status-pages/services", { body: service });
  incidentId = (await createIncident(app, shop.id, { name: "Checkout fails" })).body.id;
  const target = { target: { checkId: [checkId] } };
  const { body } = await app.call("POST", "/v2/check-sessions/trigger", { body: target });
  await app.call("GET", `/v2/check-sessions/${body.sessions[0].checkSessionId}/completion`);
});
after(() => app.stop());

const field = (screen: Screen) => screen.getByRole("textbox", { name: "Your question" });
const answers = (screen: Screen) => screen.getByRole("log").getByRole("article");
const cards = (screen: Screen) => screen.getByRole("region", { name: /^Confirm: / });
const button = (screen: Screen, name: string) => screen.getByRole("button", { name, exact: true });

async function openPanel(screen: Screen): Promise<void> {
  await screen.getByRole("heading", { level: 1 }).first().waitFor();
  await screen.keyboard("?");
  await field(screen).waitFor();
}

async function ask(screen: Screen, question: string): Promise<void> {
  const count = answers(screen).count();
  await field(screen).fill(question);
  await screen.keyboard("{Enter}");
  await answers(screen).nth(count).waitFor();
  await button(screen, "Send").waitFor();
}

test("an answer links to the service, the incident and the check, and the conversation continues", {
  isLong: true,
}, async () => {
  const screen = await openScreen(app, "/");
  await openPanel(screen);
  await ask(screen, "is the shop down?");
  const answer = answers(screen).last();
  await answer.getByText("Yes: the service").waitFor();
  await answer.getByText("open incident").first().waitFor();
  await screen.getByText("No data leaves your server").waitFor();
  await screen.audit();
  const source = answer.getByRole("link", { name: "Checkout fails", exact: true });
  assert.equal(await source.getAttribute("href"), `/incidents/${incidentId}`);
  await answer
    .getByRole("link", { name: /^Source 1: / })
    .first()
    .click();
  await screen.waitForAddress(new RegExp(`^/checks/${checkId}`));
  // The screen beside the panel stays usable, and the conversation continues.
  await screen.getByText("About the check on this screen").waitFor();
  await button(screen, "Why is this failing?").click();
  await answers(screen)
    .nth(1)
    .getByText(/refused/)
    .first()
    .waitFor();
  screen.reload();
  await openPanel(screen);
  await answers(screen).nth(1).waitFor();
  await field(screen).press("{Escape}");
  await field(screen).waitFor({ state: "hidden" });
});

test("a write waits for confirmation, and declining it changes nothing", async () => {
  const screen = await openScreen(app, `/checks/${checkId}`);
  await openPanel(screen);
  await ask(screen, "mute db-1");
  const card = cards(screen).last();
  await card.getByText("Nothing has been changed yet.").waitFor();
  assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, false);
  await card.getByRole("button", { name: "Decline" }).click();
  await card.getByText("Declined. Nothing was changed.").waitFor();
  assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, false);
  await ask(screen, "mute db-1");
  await cards(screen).last().getByRole("button", { name: "Confirm" }).click();
  await cards(screen)
    .last()
    .getByText(/^Done\./)
    .waitFor();
  assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, true);
});

test("a read-only user is offered no write", async () => {
  const screen = await openScreen(app, `/checks/${checkId}`, { role: "READ_ONLY" });
  await openPanel(screen);
  await ask(screen, "mute db-1");
  await answers(screen).last().getByText("mute_check").waitFor();
  assert.equal(cards(screen).count(), 0);
});
