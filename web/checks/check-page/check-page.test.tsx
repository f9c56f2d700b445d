/** The page of a check. Chromium keeps its charts in `test/browser/check-page.test.ts`. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  loadHistories,
  openScreen,
  type ServedApp,
  startTestApp,
  systemClock,
} from "../../../test/support/components/screen.tsx";
import { test } from "../../../test/support/long-run.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: ServedApp;
let past: { readonly checkId: string; readonly fromMs: number; readonly toMs: number };
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" }, { clock: systemClock });
  const { addCheckWithPast, addAlertWithMessages } = await loadHistories();
  past = await addCheckWithPast(app);
  const from = Math.floor(past.fromMs / 1_000);
  const path = `/v2/check-results/${past.checkId}?limit=1&verdict=failing&from=${from}`;
  const runId = (await app.call("GET", path)).body.entries[0].id;
  await addAlertWithMessages(app, past.checkId, runId);
});
after(() => app.stop());

const checkPath = (more = "") => `/checks/${past.checkId}${more}`;

/** A fixed range, so that nothing moves while values are compared. */
const fixedRange = () => {
  const [from, to] = [past.fromMs, past.toMs].map((ms) => Math.floor(ms / 1_000));
  return `from=${from}&to=${to}`;
};

/** Parses "240 µs" or "8.31 ms". */
function readMs(shown: string): number {
  return Number.parseFloat(shown) / (shown.endsWith("µs") ? 1_000 : 1);
}

test("the table of the chart has the values of the API", async () => {
  const screen = await openScreen(app, checkPath(`?${fixedRange()}`));
  await screen.getByRole("img", { name: /^Round trip: P50/ }).waitFor();
  await screen.getByRole("button", { name: "Show as a table" }).click();
  await screen.getByRole("table", { name: /Each row covers/ }).waitFor();
  assert.match(screen.address, /view=table/);
  const [from, to] = [past.fromMs, past.toMs].map((ms) => new Date(ms).toISOString());
  const path = `/v1/check-series/${past.checkId}?from=${from}&to=${to}&points=300`;
  const { body } = await app.call("GET", path);
  const slots = body.series[0].slots.filter(({ runs }: { runs: number }) => runs > 0).reverse();
  const rows = [...document.querySelectorAll("#check-tab table tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent ?? ""),
  );
  assert.equal(rows.length, slots.length);
  for (const [place, slot] of slots.entries()) {
    const [, state, , p50, p95, , , runs, failing] = rows[place] ?? [];
    assert.equal(state?.toLowerCase(), slot.state);
    assert.deepEqual([runs, failing], [String(slot.runs), String(slot.failing)]);
    for (const [shown, value] of [
      [p50, slot.p50],
      [p95, slot.p95],
    ]) {
      if (value === null) assert.equal(shown, "–");
      else assert.ok(Math.abs(readMs(shown ?? "") - value) <= 0.05 + value / 1_000);
    }
  }
});

test("the range and the locations are stored in the address", { isLong: true }, async () => {
  const screen = await openScreen(app, checkPath());
  await screen.getByRole("button", { name: "7 days" }).click();
  await screen.waitForAddress(/range=7d/);
  await screen.getByRole("button", { name: "By location" }).click();
  await screen.getByRole("heading", { name: "N. Virginia" }).waitFor();
  const { address } = screen;
  screen.reload();
  await screen.getByRole("heading", { name: "N. Virginia" }).waitFor();
  assert.equal(screen.address, address);
});

test("the history shows reasons, and alerts show their notifications", async () => {
  const screen = await openScreen(app, checkPath("?tab=history"));
  await screen
    .getByText(/100 % of the packets were lost/)
    .first()
    .waitFor();
  await screen
    .getByText(/Failing from Tokyo; passing from/)
    .first()
    .waitFor();
  await screen.audit();
  await screen.getByRole("tab", { name: "Alerts" }).click();
  await screen.getByText("ops@example.com").waitFor();
  await screen.getByText("the receiver answered 500").waitFor();
  await screen.getByRole("button", { name: "Send again" }).click();
  await screen.getByText("The notification is being sent again.").waitFor();
});

test("a check depends on another one, and is shown as code", async () => {
  const body = { name: "Router", activated: false, request: { hostname: "192.0.2.1" } };
  const router = (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
  const screen = await openScreen(app, checkPath("?tab=alerts"));
  await screen.getByRole("button", { name: "Change", exact: true }).click();
  await screen.getByRole("dialog").getByLabel("Depends on").fill("router");
  await screen.getByRole("option", { name: /Router/ }).click();
  await screen.getByRole("button", { name: "Remove Router" }).waitFor();
  await screen.getByRole("button", { name: "Save" }).click();
  await screen.getByRole("tabpanel").getByRole("link", { name: "Router" }).waitFor();
  const { body: stored } = await app.call("GET", `/v1/checks/${past.checkId}/parents`);
  assert.deepEqual(stored, { parentIds: [router] });
  await screen.getByRole("tab", { name: "As code" }).click();
  await screen.getByText("curl -X POST").waitFor();
  await screen.audit();
});

test("a note is added to the chart, shown with its author, and deleted", {
  isLong: true,
}, async () => {
  const screen = await openScreen(app, checkPath());
  await screen.getByRole("button", { name: "Add a note" }).click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByLabel("Text").fill("Failover to the second uplink");
  await dialog.getByLabel("Link (optional)").fill("example.com");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText(/must be a URL that starts with http/i).waitFor();
  await dialog.getByLabel("Link (optional)").fill("https://example.com/7");
  await screen.audit();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const note = screen.getByRole("link", { name: /^Note: Failover to the second uplink, by / });
  assert.equal(await note.getAttribute("href"), "https://example.com/7");
  await screen.getByRole("button", { name: /^Delete “Note: Failover/ }).click();
  await note.waitFor({ state: "hidden" });
  assert.deepEqual((await app.call("GET", "/v1/annotations")).body, []);
});

test("the page of a heartbeat has commands to copy, and no run metrics", async () => {
  const body = {
    name: "Nightly backup",
    heartbeat: { period: 1, periodUnit: "hours", grace: 5, graceUnit: "minutes" },
  };
  const { id, heartbeat } = (await app.call("POST", "/v1/checks/heartbeat", { body })).body;
  const screen = await openScreen(app, `/checks/${id}`);
  await screen.getByText("Waiting for the first ping.").waitFor();
  const curl = `curl -fsS -m 10 --retry 5 --retry-connrefused -o /dev/null ${heartbeat.pingUrl}`;
  await screen.getByText(curl, { exact: true }).waitFor();
  await screen.getByText(`0 * * * * /path/to/job; ${curl}/$?`).waitFor();
  await screen.getByText(/^\[Service\]/).waitFor();
  await screen.audit();
  const main = screen.getByRole("main");
  const ofRuns = /run the check now|Run now|P50|P95|P99|No runs in this range/i;
  assert.doesNotMatch(await main.textContent(), ofRuns);
  const pinged = await app.call("GET", new URL(heartbeat.pingUrl).pathname, { key: null });
  assert.equal(pinged.status, 200);
  await screen.getByRole("heading", { name: "Runs" }).waitFor();
  await screen.getByText("Waiting for the first ping.").waitFor({ state: "hidden" });
});

test("a back-test counts the problems that other thresholds would have reported", {
  isLong: true,
}, async () => {
  const screen = await openScreen(app, checkPath("?tab=back-test"));
  await screen.getByText("These settings").waitFor();
  const readCount = () => {
    const [term] = screen.getByText("These settings").elements();
    return Number.parseInt(term?.nextElementSibling?.textContent ?? "", 10);
  };
  await waitUntil("the problems are counted", () => readCount() >= 2);
  const before = readCount();
  const slider = screen.getByRole("slider");
  await slider.fill((await slider.getAttribute("max")) ?? "");
  await waitUntil("the back-test counts fewer problems", () => readCount() < before);
});

test("a read-only user is offered no write", async () => {
  const screen = await openScreen(app, checkPath("?tab=alerts"), { role: "READ_ONLY" });
  await screen.getByText("ops@example.com").waitFor();
  for (const name of ["Run now", "Mute", "More", "Send again", "Acknowledge"]) {
    assert.equal(screen.getByRole("main").getByRole("button", { name }).count(), 0, name);
  }
  assert.equal(screen.getByRole("link", { name: "Edit" }).count(), 0);
  await screen.audit();
  screen.goto(checkPath("?range=1h"));
  await screen.getByRole("img", { name: /^Round trip/ }).waitFor();
  assert.equal(screen.getByRole("button", { name: "Add a note" }).count(), 0);
});
