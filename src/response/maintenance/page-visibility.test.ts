import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let stranger: Stranger;
let serviceId: string;
let pageId: string;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  serviceId = await newService();
  pageId = await newPage("ours");
});
after(() => app.stop());

type Options = { readonly key?: string };

async function newService(options: Options = {}): Promise<string> {
  const body = { name: "Website" };
  const made = await app.call("POST", "/v1/status-pages/services", { body, ...options });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function newPage(url: string, services: readonly string[] = [], options: Options = {}) {
  const cards = [{ name: "All", services: services.map((id) => ({ id })) }];
  const body = { name: "Ours", url, cards };
  const made = await app.call("POST", "/v1/status-pages", { body, ...options });
  assert.equal(made.status, 201, made.text);
  return made.body.id as string;
}

const path = "/v1/maintenance-windows";
const minimal = {
  name: "Patch day",
  startsAt: "2026-12-01T22:00:00.000Z",
  endsAt: "2026-12-02T00:00:00.000Z",
};
type Body = Record<string, unknown>;
const create = (visibility: Body, more: Body = {}) =>
  app.call("POST", path, { body: { ...minimal, ...more, statusPageVisibility: visibility } });
const replace = (id: number, visibility: Body) =>
  app.call("PUT", `${path}/${id}`, { body: { ...minimal, statusPageVisibility: visibility } });

function assertNames(answer: Answer, key: string): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.validation, { source: "body", keys: [key] });
}

const full = () => ({
  enabled: true,
  severity: "MEDIUM",
  affectAllServices: true,
  showAffectedServices: false,
  suppressAutoIncidents: true,
  notifyOnStart: true,
  notifyOnEnd: true,
  reminderMinutesBefore: [60, 10_080, 1_440],
  autoStart: true,
  autoEnd: true,
  statusPageIds: [pageId],
  serviceIds: [serviceId],
});

test("every field of the visibility is stored and shown", async () => {
  const description = "We *patch*.\n\nAll of it.";
  const { status, body, text } = await create({ ...full(), more: "ignored" }, { description });
  assert.equal(status, 201, text);
  assert.deepEqual([body.description, body.statusPageVisibility], [description, full()]);
  const read = await app.call("GET", `${path}/${body.id}`);
  assert.deepEqual(read.body, body);
  const { body: list } = await app.call("GET", `${path}?limit=100`);
  assert.deepEqual(
    list.find(({ id }: { id: number }) => id === body.id),
    body,
  );
});

test("an update replaces the visibility; missing fields get their defaults", async () => {
  const { body: made } = await create(full(), { description: "Words" });
  const { status, body } = await replace(made.id, { enabled: true });
  assert.equal(status, 200);
  assert.equal(body.description, null);
  assert.deepEqual(body.statusPageVisibility, {
    enabled: true,
    severity: null,
    affectAllServices: false,
    showAffectedServices: true,
    suppressAutoIncidents: false,
    notifyOnStart: false,
    notifyOnEnd: false,
    reminderMinutesBefore: [],
    autoStart: true,
    autoEnd: true,
    statusPageIds: [],
    serviceIds: [],
  });
});

test("duplicate ids are removed, ignoring case", async () => {
  const ids = [serviceId, serviceId.toUpperCase()];
  const reminderMinutesBefore = [90, 60, 90];
  const { body } = await create({ ...full(), serviceIds: ids, reminderMinutesBefore });
  assert.deepEqual(body.statusPageVisibility.serviceIds, [serviceId]);
  assert.deepEqual(body.statusPageVisibility.reminderMinutesBefore, [90, 60]);
});

const inside = "statusPageVisibility";
const faulty: readonly (readonly [string, Body, string])[] = [
  ["an unknown severity", { severity: "HIGH" }, `${inside}.severity`],
  ["a word for a boolean", { enabled: "yes" }, `${inside}.enabled`],
  ["a reminder too late", { reminderMinutesBefore: [59] }, `${inside}.reminderMinutesBefore.0`],
  [
    "a reminder too early",
    { reminderMinutesBefore: [10_081] },
    `${inside}.reminderMinutesBefore.0`,
  ],
  ["half a minute", { reminderMinutesBefore: [60.5] }, `${inside}.reminderMinutesBefore.0`],
  [
    "four reminders",
    { reminderMinutesBefore: [60, 61, 62, 63] },
    `${inside}.reminderMinutesBefore`,
  ],
  ["a name for an id", { serviceIds: ["website"] }, `${inside}.serviceIds.0`],
  ["too many pages", { statusPageIds: Array(101).fill("x") }, `${inside}.statusPageIds`],
];

for (const [what, input, key] of faulty) {
  test(`a window with ${what} is rejected, naming ${key}`, async () => {
    const made = await create({});
    for (const rejected of [await create(input), await replace(made.body.id, input)]) {
      assert.equal(rejected.status, 400, rejected.text);
      assert.ok(rejected.body.validation.keys.includes(key), rejected.text);
    }
  });
}

test("a description is limited in length and may be null", async () => {
  assertNames(await create({}, { description: "d".repeat(2_001) }), "description");
  assert.equal((await create({}, { description: "d".repeat(2_000) })).status, 201);
  assert.equal((await create({}, { description: null })).body.description, null);
  assertNames(
    await app.call("POST", path, { body: { ...minimal, statusPageVisibility: 7 } }),
    inside,
  );
});

test("pages and services of another account are rejected like missing ones", async () => {
  const theirService = await newService({ key: stranger.key });
  const theirPage = await newPage("theirs", [], { key: stranger.key });
  const nobodys = "0199a1f0-0000-7000-8000-000000000000";
  const { body: made } = await create(full());
  for (const id of [theirService, theirPage, nobodys]) {
    for (const [field, known] of [
      ["serviceIds", serviceId],
      ["statusPageIds", pageId],
    ] as const) {
      const input = { ...full(), [field]: [known, id] };
      assertNames(await create(input), `${inside}.${field}.1`);
      assertNames(await replace(made.id, input), `${inside}.${field}.1`);
    }
  }
});

test("a window can be sent back unchanged after its page and service were deleted", async () => {
  const [service, page] = [await newService(), await newPage("for-a-while")];
  const ids = { serviceIds: [service], statusPageIds: [page] };
  const { body: made } = await create({ ...full(), ...ids });
  for (const gone of [`services/${service}`, page]) {
    assert.equal((await app.call("DELETE", `/v1/status-pages/${gone}`)).status, 204);
  }
  const { body: read } = await app.call("GET", `${path}/${made.id}`);
  assert.deepEqual(read.statusPageVisibility.statusPageIds, [page]);
  const again = await replace(made.id, read.statusPageVisibility);
  assert.equal(again.status, 200, again.text);
  assertNames(await create({ ...full(), ...ids }), `${inside}.serviceIds.0`);
});

test("subscribers are notified when a window starts and ends", async () => {
  await newPage("sent", [serviceId]);
  const startMs = app.clock.now().getTime() + 60_000;
  const times = {
    name: "Told window",
    startsAt: new Date(startMs).toISOString(),
    endsAt: new Date(startMs + 60_000).toISOString(),
  };
  const input = { enabled: true, notifyOnStart: true, notifyOnEnd: true, serviceIds: [serviceId] };
  const made = await create(input, times);
  assert.equal(made.status, 201, made.text);
  const listAnnouncements = async () =>
    (
      await app.query(
        `select message ->> 'status' as s from announcements where message ->> 'title' = $1
          order by created_at`,
        [times.name],
      )
    ).rows.map(({ s }) => s);
  assert.deepEqual(await listAnnouncements(), []);
  for (const expected of [["IN_PROGRESS"], ["IN_PROGRESS", "COMPLETED"]]) {
    app.clock.advance(60_000);
    await waitUntil(
      "it was sent",
      async () => (await listAnnouncements()).length === expected.length,
    );
    assert.deepEqual(await listAnnouncements(), expected);
  }
});
