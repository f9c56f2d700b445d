/** Occurrences of a window: listed, moved, started, ended, cancelled, and their updates. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { maxChanges } from "../occurrence.ts";
import { readOccurrenceIndex, toOccurrenceId } from "./actions.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = "/v1/maintenance-windows";
const hourMs = 3_600_000;
const inHours = (hours: number) =>
  new Date(app.clock.now().getTime() + hours * hourMs).toISOString();
type Body = Record<string, unknown>;

/** Daily for two hours, starting an hour from now. */
async function createDaily(more: Body = {}): Promise<string> {
  const { status, body, text } = await app.call("POST", path, {
    body: {
      name: "Nightly",
      startsAt: inHours(1),
      endsAt: inHours(3),
      repeatUnit: "DAY",
      tags: ["edge"],
      ...more,
    },
  });
  assert.equal(status, 201, text);
  return `${path}/${body.id}`;
}

async function list(window: string, query = "?limit=50") {
  const { status, body, text } = await app.call("GET", `${window}/maintenances${query}`);
  assert.equal(status, 200, text);
  return body;
}

async function first(window: string): Promise<{ id: string; status: string; startsAt: string }> {
  const [found] = await list(window, "?limit=1");
  return found;
}

const post = (window: string, id: string, body: Body) =>
  app.call("POST", `${window}/maintenances/${id}/updates`, { body });

test("an id identifies a window and an index", () => {
  const calendar = "7d1f2c9e-4b7a-4c0e-9a53-0f6fffffffff";
  for (const index of [0, 1, 2_900_000]) {
    const id = toOccurrenceId(calendar, index);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(readOccurrenceIndex(calendar, id.toUpperCase()), index);
    assert.equal(readOccurrenceIndex("8d1f2c9e-4b7a-4c0e-9a53-0f6fffffffff", id), null);
  }
});

test("occurrences that have not ended are paginated, with their total", async () => {
  const window = await createDaily({ repeatEndsAt: inHours(24 * 4) });
  const firstPage = await app.call("GET", `${window}/maintenances?limit=3`);
  assert.equal(firstPage.headers.get("content-range"), "items 0-2/4");
  const lastPage = await app.call("GET", `${window}/maintenances?limit=3&page=2`);
  const all = [...firstPage.body, ...lastPage.body];
  assert.deepEqual(
    all.map(({ startsAt }: { startsAt: string }) => startsAt),
    [1, 25, 49, 73].map(inHours),
  );
  assert.equal(new Set(all.map(({ id }: { id: string }) => id)).size, 4);
  const [one] = all;
  assert.deepEqual(one, {
    id: one.id,
    maintenanceWindowId: Number(window.split("/").at(-1)),
    startsAt: inHours(1),
    endsAt: inHours(3),
    status: "SCHEDULED",
    isMoved: false,
    created_at: app.clock.now().toISOString(),
    updated_at: app.clock.now().toISOString(),
    updates: [],
  });
  const read = await app.call("GET", `${window}/maintenances/${one.id}`);
  assert.deepEqual([read.status, read.body], [200, one]);
  app.clock.advance(26 * hourMs);
  assert.deepEqual(
    (await list(window)).map(({ status }: { status: string }) => status),
    ["IN_PROGRESS", "SCHEDULED", "SCHEDULED"],
  );
  const past = await list(window, `?from=${inHours(-48)}&to=${inHours(-1)}`);
  assert.deepEqual(
    past.map(({ status }: { status: string }) => status),
    ["COMPLETED", "IN_PROGRESS"],
  );
  assert.equal((await app.call("GET", `${window}/maintenances?limit=51`)).status, 400);
  const backwards = `${window}/maintenances?from=${inHours(2)}&to=${inHours(1)}`;
  assert.equal((await app.call("GET", backwards)).status, 400);
});

test("moving one occurrence does not move the others", async () => {
  const window = await createDaily();
  const { id } = await first(window);
  const body = { startsAt: inHours(5), endsAt: inHours(6) };
  const moved = await app.call("PATCH", `${window}/maintenances/${id}`, { body });
  assert.equal(moved.status, 200, moved.text);
  assert.deepEqual(
    [moved.body.startsAt, moved.body.endsAt, moved.body.isMoved],
    [inHours(5), inHours(6), true],
  );
  const starts = (await list(window, "?limit=2")).map(({ startsAt }: Body) => startsAt);
  assert.deepEqual(starts, [inHours(5), inHours(25)]);
  const longer = await app.call("PATCH", `${window}/maintenances/${id}`, {
    body: { endsAt: inHours(9) },
  });
  assert.deepEqual([longer.body.startsAt, longer.body.endsAt], [inHours(5), inHours(9)]);
  for (const [key, input] of [
    ["endsAt", { endsAt: inHours(5) }],
    ["endsAt", { startsAt: inHours(10) }],
    ["startsAt", { startsAt: "2016-12-31T23:59:60Z" }],
  ] as const) {
    const rejected = await app.call("PATCH", `${window}/maintenances/${id}`, { body: input });
    assert.equal(rejected.status, 400, rejected.text);
    assert.deepEqual(rejected.body.validation.keys, [key]);
  }
});

test("a deleted occurrence is not found", async () => {
  const window = await createDaily();
  const { id } = await first(window);
  const one = `${window}/maintenances/${id}`;
  assert.equal((await app.call("DELETE", one)).status, 204);
  assert.equal((await app.call("GET", one)).status, 404);
  assert.equal((await app.call("DELETE", one)).status, 404);
  assert.equal((await app.call("PATCH", one, { body: {} })).status, 404);
  assert.equal((await first(window)).startsAt, inHours(25));
});

test("starting, verifying and ending an occurrence by hand changes its times", async () => {
  const window = await createDaily();
  const { id } = await first(window);
  const begun = await post(window, id, { status: "IN_PROGRESS", description: "We start early." });
  assert.equal(begun.status, 201, begun.text);
  assert.equal(begun.body.previousStatus, "SCHEDULED");
  assert.deepEqual(begun.body.dateAdjustments, { startsAt: inHours(0), endsAt: inHours(3) });
  assert.deepEqual(
    [begun.body.previousStartsAt, begun.body.previousEndsAt],
    [inHours(1), inHours(3)],
  );
  app.clock.advance(hourMs / 2);
  const checked = await post(window, id, { status: "VERIFYING", description: "We verify it." });
  assert.equal(checked.body.dateAdjustments, null);
  assert.equal((await first(window)).status, "VERIFYING");
  const ended = await post(window, id, { status: "COMPLETED", description: "Done." });
  assert.equal(ended.body.dateAdjustments.endsAt, inHours(0));
  const read = await app.call("GET", `${window}/maintenances/${id}`);
  assert.equal(read.body.status, "COMPLETED");
  assert.deepEqual(
    read.body.updates.map(({ description }: Body) => description),
    ["Done.", "We verify it.", "We start early."],
  );
});

const steps: readonly (readonly [from: string, to: string, status: number])[] = [
  ["SCHEDULED", "VERIFYING", 409],
  ["SCHEDULED", "COMPLETED", 409],
  ["SCHEDULED", "SCHEDULED", 201],
  ["IN_PROGRESS", "SCHEDULED", 409],
  ["IN_PROGRESS", "CANCELLED", 409],
  ["IN_PROGRESS", "IN_PROGRESS", 201],
  ["CANCELLED", "IN_PROGRESS", 409],
  ["CANCELLED", "SCHEDULED", 201],
  ["CANCELLED", "CANCELLED", 201],
];

for (const [from, to, status] of steps) {
  test(`${from} is ${status === 409 ? "never " : ""}followed by ${to}`, async () => {
    const window = await createDaily();
    const { id } = await first(window);
    if (from !== "SCHEDULED") {
      assert.equal((await post(window, id, { status: from, description: "So far." })).status, 201);
    }
    assert.equal((await post(window, id, { status: to, description: "And now." })).status, status);
  });
}

test("a completed occurrence stays completed and cannot be moved", async () => {
  const window = await createDaily();
  const { id } = await first(window);
  app.clock.advance(2 * hourMs);
  await post(window, id, { status: "COMPLETED", description: "Done." });
  const again = await post(window, id, { status: "IN_PROGRESS", description: "Again." });
  assert.equal(again.status, 409);
  const body = { endsAt: inHours(9) };
  assert.equal((await app.call("PATCH", `${window}/maintenances/${id}`, { body })).status, 409);
});

test("editing or deleting an update does not change the occurrence", async () => {
  const window = await createDaily();
  const { id } = await first(window);
  const { body } = await post(window, id, { status: "CANCELLED", description: "Not tody." });
  const one = `${window}/maintenances/${id}/updates/${body.id}`;
  const edited = await app.call("PUT", one, { body: { description: "Not today." } });
  assert.equal(edited.status, 200, edited.text);
  assert.deepEqual(edited.body, { ...body, description: "Not today." });
  assert.equal((await app.call("DELETE", one)).status, 204);
  assert.equal((await app.call("DELETE", one)).status, 404);
  const late = await app.call("PUT", one, { body: { description: "Not today." } });
  assert.equal(late.status, 404);
  const read = await app.call("GET", `${window}/maintenances/${id}`);
  assert.deepEqual([read.body.status, read.body.updates], ["CANCELLED", []]);
  assert.equal((await post(window, id, { status: "CANCELLED", description: " " })).status, 400);
});

test("a status page shows the newest update and the status set by hand", async () => {
  const page = { name: "Page", url: "by-hand", cards: [] };
  assert.equal((await app.call("POST", "/v1/status-pages", { body: page })).status, 201);
  const statusPageVisibility = { enabled: true, autoStart: false };
  const window = await createDaily({ name: "Shown", repeatUnit: null, statusPageVisibility });
  const { id } = await first(window);
  const read = async () => (await app.call("GET", "/status/by-hand/summary.json")).body.maintenance;
  const show = async (text: string, status: string) => {
    await waitUntil(text, async () => JSON.stringify(await read()).includes(text));
    const html = (await app.call("GET", "/status/by-hand")).text;
    assert.ok(html.includes(text));
    assert.deepEqual(
      (await read()).map((one: { status: string }) => one.status),
      [status],
    );
  };
  await post(window, id, { status: "SCHEDULED", description: "We still plan it." });
  await show("We still plan it.", "SCHEDULED");
  const { body } = await post(window, id, { status: "IN_PROGRESS", description: "We have begun." });
  await show("We have begun.", "IN_PROGRESS");
  const update = `${window}/maintenances/${id}/updates/${body.id}`;
  await app.call("PUT", update, { body: { description: "We began." } });
  await show("We began.", "IN_PROGRESS");
});

test("without autoStart and autoEnd, an update starts and ends the maintenance", async () => {
  const statusPageVisibility = { enabled: true, autoStart: false, autoEnd: false };
  const window = await createDaily({ repeatUnit: null, statusPageVisibility });
  const made = await app.call("GET", window);
  assert.equal(made.body.statusPageVisibility.autoStart, false);
  const { id } = await first(window);
  app.clock.advance(2 * hourMs);
  assert.equal((await first(window)).status, "SCHEDULED");
  await post(window, id, { status: "IN_PROGRESS", description: "Now." });
  app.clock.advance(24 * hourMs);
  const late = await first(window);
  assert.deepEqual([late.id, late.status], [id, "IN_PROGRESS"]);
  const ended = await post(window, id, { status: "COMPLETED", description: "At last." });
  assert.equal(ended.body.dateAdjustments.endsAt, inHours(0));
  assert.deepEqual(await list(window), []);
});

test("by hand: maintenance not started by its end is cancelled; maintenance not ended completes after a week", async () => {
  const statusOf = async (visibility: Body, hours: number) => {
    const window = await createDaily({
      repeatUnit: null,
      statusPageVisibility: { enabled: true, ...visibility },
    });
    const { id } = await first(window);
    app.clock.advance(hours * hourMs);
    return (await app.call("GET", `${window}/maintenances/${id}`)).body.status;
  };
  assert.equal(await statusOf({ autoStart: false }, 4), "CANCELLED");
  assert.equal(await statusOf({ autoEnd: false }, 4), "IN_PROGRESS");
  assert.equal(await statusOf({ autoEnd: false }, 4 + 7 * 24), "COMPLETED");
  assert.equal(await statusOf({ autoEnd: false, enabled: false }, 4), "COMPLETED");
});

test("a new schedule discards changes of single occurrences; a new name does not", async () => {
  const window = await createDaily();
  const { id } = await first(window);
  await post(window, id, { status: "CANCELLED", description: "Not today." });
  const { body: whole } = await app.call("GET", window);
  await app.call("PUT", window, { body: { ...whole, name: "Renamed" } });
  assert.equal((await first(window)).status, "CANCELLED");
  await app.call("PUT", window, { body: { ...whole, repeatUnit: "WEEK" } });
  const again = await app.call("GET", `${window}/maintenances/${id}`);
  assert.deepEqual([again.body.status, again.body.updates], ["SCHEDULED", []]);
});

test("the number of changed occurrences is limited; ended ones are dropped first", async () => {
  const window = await createDaily();
  const cancel = async () => {
    const found = (await list(window)).find(({ status }: Body) => status === "SCHEDULED");
    return app.call("DELETE", `${window}/maintenances/${found.id}`);
  };
  for (let count = 0; count < maxChanges; count += 1) assert.equal((await cancel()).status, 204);
  assert.equal((await cancel()).status, 409);
  app.clock.advance(24 * hourMs);
  assert.equal((await cancel()).status, 204);
});

test("occurrences are not found by another account or through another window", async () => {
  const [window, other] = [await createDaily(), await createDaily()];
  const { id } = await first(window);
  const key = stranger.key;
  assert.equal((await app.call("GET", `${window}/maintenances`, { key })).status, 404);
  assert.equal((await app.call("GET", `${window}/maintenances/${id}`, { key })).status, 404);
  assert.equal((await app.call("GET", `${other}/maintenances/${id}`)).status, 404);
  const rejected = await app.call("DELETE", `${window}/maintenances/${id}`, { key });
  assert.equal(rejected.status, 404);
});
