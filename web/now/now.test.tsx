/** The Now screen. Chromium keeps one journey in `test/browser/now.test.ts`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openScreen,
  type ServedApp,
  startTestApp,
  systemClock,
} from "../../test/support/components/screen.tsx";

let app: ServedApp;
let checkId = "";
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" }, { clock: systemClock });
});
after(() => app.stop());

const create = async (path: string, body: object) => {
  const made = await app.call("POST", path, { body });
  assert.equal(made.status, 201, made.text);
  return made.body;
};

test("the first steps lead to a check, a channel and a page, and stay until all three exist", async () => {
  const screen = await openScreen(app, "/", { width: 390 });
  const steps = screen.getByRole("region", { name: "First steps" });
  const links = [
    ["Add a check", "/checks/new"],
    ["Add a channel", "/alerts/channels"],
    ["Create a status page", "/status-pages/new"],
  ] as const;
  for (const [name, href] of links) {
    assert.equal(await steps.getByRole("link", { name }).getAttribute("href"), href);
  }
  await screen.audit();
  const request = { hostname: "192.0.2.1" };
  checkId = (await create("/v1/checks/icmp", { name: "db-1.fra", request })).id;
  await create("/v1/alert-channels", { type: "EMAIL", config: { address: "ops@example.com" } });
  screen.reload();
  await steps.getByRole("link", { name: "Create a status page" }).waitFor();
  assert.equal(steps.getByText("Done").count(), 2);
  const feed = screen.getByRole("region", { name: "Last 24 hours" });
  await feed.getByText("ops@example.com").first().waitFor();
  await create("/v1/status-pages", { name: "Ours", url: "ours", cards: [] });
  screen.reload();
  await screen.getByRole("heading", { name: "Last 24 hours" }).waitFor();
  assert.equal(steps.count(), 0);
});

test("a failing check is listed, and a read-only user is offered no button", async () => {
  await app.query("update checks set status = 'failing' where id = $1", [checkId]);
  await app.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id, last_location,
      consecutive_failures, locations, created_at, updated_at)
    values ($1, 'failing', now(), now(), gen_random_uuid(), 'home', 1, '{}', now(), now())`,
    [checkId],
  );
  const options = { role: "READ_ONLY", width: 390 } as const;
  const screen = await openScreen(app, "/?range=7d", options);
  await screen.getByRole("listitem").filter({ hasText: "db-1.fra" }).first().waitFor();
  assert.equal(screen.getByRole("button", { name: /^Acknowledge/ }).count(), 0);
  await screen.getByRole("heading", { name: "Last 7 days" }).waitFor();
  await screen.audit();
  await screen.getByLabel("Time range").selectOption("24h");
  await screen.getByRole("heading", { name: "Last 24 hours" }).waitFor();
  assert.equal(screen.address, "/");
});

test("an overload is shown with its effect and advice", async () => {
  await app.query(`insert into servers (id, instance, place, name, version, started_at, seen_at,
      is_scheduling, skipped_share)
    values ('busy', gen_random_uuid(), 'there', 'busy', '1', now(),
      clock_timestamp() + interval '5 min', true, 0.338)`);
  const screen = await openScreen(app, "/");
  const note = screen.getByRole("complementary", { name: "Overload" });
  await note.getByText("Overloaded: 34 % of runs are skipped").waitFor();
  await note.getByText(/^Give the server more CPU/).waitFor();
  await screen.audit();
  await app.query("delete from servers where id = 'busy'");
  screen.reload();
  await screen.getByRole("heading", { name: "Last 24 hours" }).waitFor();
  assert.equal(note.count(), 0);
});
