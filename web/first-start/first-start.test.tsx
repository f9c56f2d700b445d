/** The first steps on the screen Now, and the example that the server creates. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
} from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await startTestApp({ EXAMPLE: "true", BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const steps = (screen: Screen) => screen.getByRole("region", { name: "First steps" });
const step = (screen: Screen, name: string) =>
  steps(screen)
    .getByRole("listitem")
    .filter({ has: screen.getByRole("heading", { name }) });
const button = (screen: Screen, name: string) => screen.getByRole("button", { name });

async function post(path: string, body: unknown): Promise<void> {
  const { status, text } = await app.call("POST", path, { body });
  assert.equal(status, 201, text);
}

test("a reader is offered no steps, and nothing is requested for them", async () => {
  const screen = await openScreen(app, "/", { role: "READ_ONLY" });
  await screen.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  await screen.getByText("Loading", { exact: true }).first().waitFor({ state: "hidden" });
  assert.equal(steps(screen).count(), 0);
  assert.equal(screen.requested.filter((line) => line.includes("/v1/alert-channels")).length, 0);
});

test("the example counts as no step, and names what its removal deletes", async () => {
  const screen = await openScreen(app, "/");
  const { body: checks } = await app.call("GET", "/v1/checks");
  await steps(screen)
    .getByText(`Removing it deletes ${checks.length} checks, a status page and a dashboard.`)
    .waitFor();
  assert.equal(steps(screen).getByText("Done").count(), 0);
  const page = step(screen, "Publish a status page").getByRole("link", {
    name: "View the example",
  });
  assert.equal(await page.getAttribute("href"), "/status/example");
  await screen.audit();
});

test("a failed removal is reported, and a repeated one removes the rest", async () => {
  await post("/v1/checks/icmp", {
    name: "Mine",
    activated: false,
    request: { hostname: "192.0.2.1" },
  });
  const screen = await openScreen(app, "/");
  screen.breakApi(/^DELETE \/v1\/checks\//, { message: "Busy." });
  await button(screen, "Remove the example").click();
  await screen.getByText("The example was not removed completely. Busy.").waitFor();
  assert.deepEqual((await app.call("GET", "/v1/dashboards")).body, []);
  screen.restoreApi();
  await button(screen, "Remove the example").click();
  await screen.getByText("The example was removed").waitFor();
  await button(screen, "Remove the example").waitFor({ state: "hidden" });
  const { body: left } = await app.call("GET", "/v1/checks");
  assert.deepEqual(
    left.map(({ name }: { name: string }) => name),
    ["Mine"],
  );
  const { body: pages } = await app.call("GET", "/v1/status-pages");
  assert.deepEqual(pages.entries, []);
  const { body: services } = await app.call("GET", "/v1/status-pages/services");
  assert.deepEqual(services.entries ?? services, []);
});

test("a step is done when its object exists, and leads to the screen that adds one", async () => {
  const screen = await openScreen(app, "/", { role: "READ_WRITE" });
  await step(screen, "Add a check").getByText("Done").waitFor();
  assert.equal(steps(screen).getByText("Done").count(), 1);
  const hrefs = await Promise.all(
    ["Add a check", "Paste a list", "Add a channel", "Create a status page"].map((name) =>
      steps(screen).getByRole("link", { name }).getAttribute("href"),
    ),
  );
  assert.deepEqual(hrefs, [
    "/checks/new",
    "/checks/new?tab=list",
    "/alerts/channels",
    "/status-pages/new",
  ]);
  await steps(screen).getByRole("link", { name: "Paste a list" }).click();
  await screen.waitForAddress(/^\/checks\/new\?tab=list$/);
});

test("hidden steps stay hidden in this browser", async () => {
  const screen = await openScreen(app, "/");
  await button(screen, "Hide these steps").click();
  await steps(screen).waitFor({ state: "hidden" });
  screen.reload();
  await screen.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  await screen.getByText("Loading", { exact: true }).first().waitFor({ state: "hidden" });
  assert.equal(steps(screen).count(), 0);
  const other = await openScreen(app, "/");
  await steps(other).waitFor();
});

test("the last step closes the list for good", async () => {
  await post("/v1/alert-channels", {
    type: "WEBHOOK",
    config: { name: "Pager", url: "https://example.com/" },
  });
  const screen = await openScreen(app, "/");
  await step(screen, "Get notified").getByText("Done").waitFor();
  await post("/v1/status-pages", { name: "Ours", url: "ours", cards: [] });
  screen.reload();
  const isStored = () => JSON.stringify({ ...localStorage }).includes("first-steps-done");
  await waitUntil("the steps are over", isStored);
  await steps(screen).waitFor({ state: "hidden" });
  const asked = () => screen.requested.filter((line) => line.includes("/v1/alert-channels")).length;
  const before = asked();
  screen.reload();
  await screen.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
  await screen.getByText("Loading", { exact: true }).first().waitFor({ state: "hidden" });
  assert.equal(asked(), before, "the steps are not queried again");
});
