/** The command palette and the keyboard shortcuts. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  shareTestApp,
} from "../../test/support/components/screen.tsx";
import { createIncident } from "../../test/support/modules/incidents.ts";
import { createService } from "../../test/support/modules/status-pages.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
let checkId = "";
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  const body = { name: "db-1.fra", activated: false, request: { hostname: "192.0.2.1" } };
  checkId = (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
  await app.call("POST", "/v1/variables", { body: { key: "SHOP_TOKEN", value: "one" } });
});
after(() => app.stop());

const field = (screen: Screen) => screen.getByRole("combobox", { name: /^Search checks/ });
const option = (screen: Screen, name: string | RegExp) =>
  screen.getByRole("option", { name, exact: true });

async function openPalette(screen: Screen): Promise<void> {
  await screen.getByRole("heading", { level: 1 }).first().waitFor();
  await screen.keyboard("{Control>}k{/Control}");
  await field(screen).waitFor();
}

test("a check is found and opened by keyboard alone", async () => {
  const screen = await openScreen(app, "/alerts");
  await openPalette(screen);
  await field(screen).fill("db-1");
  await screen.getByRole("option", { name: /db-1\.fra/ }).waitFor();
  await screen.audit();
  await screen.keyboard("{Enter}");
  await screen.waitForAddress(new RegExp(`^/checks/${checkId}`));
  assert.equal(field(screen).count(), 0);
});

test("shortcuts open the sections and the list of shortcuts", async () => {
  const screen = await openScreen(app, "/alerts");
  await screen.getByRole("heading", { level: 1 }).first().waitFor();
  await screen.keyboard("gc");
  await screen.waitForAddress(/^\/checks/);
  await screen.keyboard("gn");
  await screen.waitForAddress(/^\/$/);
  await screen.keyboard("?");
  const dialog = screen.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.waitFor();
  await screen.audit();
});

test("letters in the editor of scripts, which is in a shadow tree, are not shortcuts", async () => {
  const screen = await openScreen(app, "/alerts");
  await screen.getByRole("heading", { level: 1 }).first().waitFor();
  const host = document.body.appendChild(document.createElement("div"));
  const root = host.attachShadow({ mode: "open" });
  const press = (name: string) => {
    const target = root.appendChild(document.createElement(name));
    const options = { key: "c", bubbles: true, composed: true, cancelable: true };
    return !target.dispatchEvent(new KeyboardEvent("keydown", options));
  };
  assert.equal(press("textarea"), false);
  assert.equal(press("p"), true, "elsewhere they are");
  host.remove();
});

test("variables, guides, incidents and actions are found", async () => {
  const { body: incident } = await createIncident(app, await createService(app), {
    name: "Archive is slow",
  });
  const screen = await openScreen(app, "/alerts");
  await openPalette(screen);
  await field(screen).fill("shop_tok");
  await option(screen, "SHOP_TOKEN").waitFor();
  await field(screen).fill("prometheus");
  await option(screen, "Prometheus").waitFor();
  await field(screen).fill("Archive is");
  await screen.getByRole("option", { name: /Archive is slow/ }).click();
  await screen.waitForAddress(new RegExp(`^/incidents/${incident.id}`));
  await openPalette(screen);
  await field(screen).fill("new channel");
  await option(screen, "New channel").click();
  await screen.getByRole("heading", { name: "Choose a channel type" }).waitFor();
});

test("an action changes the theme", async () => {
  const screen = await openScreen(app, "/alerts");
  for (const theme of ["dark", "light"]) {
    await openPalette(screen);
    await field(screen).fill(`theme: ${theme}`);
    await field(screen).press("{Enter}");
    const isShown = () => document.documentElement.dataset.theme === theme;
    await waitUntil(`the theme is ${theme}`, isShown, 20_000);
  }
});

test("a read-only user is not offered actions that write", async () => {
  const screen = await openScreen(app, "/alerts", { role: "READ_ONLY" });
  await openPalette(screen);
  await field(screen).fill("new channel");
  await screen
    .getByText(/No results|Nothing/i)
    .first()
    .waitFor();
  assert.equal(option(screen, "New channel").count(), 0);
});
