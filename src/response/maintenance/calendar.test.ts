/**
 * The calendar of all windows, the checks that each silences, and the preview of an unsaved one.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const path = "/v1/maintenance-windows";
type Body = Record<string, unknown>;
interface Times {
  readonly startsAt: string;
  readonly endsAt: string;
}

async function create(body: Body, key?: string): Promise<number> {
  const answer = await app.call("POST", path, key === undefined ? { body } : { body, key });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

/**
 * Weekly at 02:30 in Berlin: a local time that is skipped on one Sunday and occurs twice on
 * another.
 */
const sundays = {
  name: "Sundays",
  startsAt: "2026-03-22T02:30:00+01:00",
  endsAt: "2026-03-22T03:30:00+01:00",
  timezone: "Europe/Berlin",
  repeatUnit: "WEEK",
};

test("a series across DST changes has the correct times", async () => {
  const id = await create(sundays);
  const read = async (from: string, to: string) => {
    const { status, body } = await app.call(
      "GET",
      `/v1/maintenance-calendar?from=${from}T00:00:00Z&to=${to}T00:00:00Z`,
    );
    assert.equal(status, 200);
    return body.maintenances
      .filter((one: Body) => one.maintenanceWindowId === id)
      .map(({ startsAt, endsAt }: Times) => `${startsAt.slice(0, 16)} ${endsAt.slice(11, 16)}`);
  };
  assert.deepEqual(await read("2026-03-20", "2026-04-10"), [
    "2026-03-22T01:30 02:30",
    // 02:30 does not exist, so the start moves forward by an hour.
    "2026-03-29T01:30 02:30",
    "2026-04-05T00:30 01:30",
  ]);
  assert.deepEqual(await read("2026-10-17", "2026-11-05"), [
    "2026-10-18T00:30 01:30",
    // 02:30 occurs twice; the first one is used.
    "2026-10-25T00:30 01:30",
    "2026-11-01T01:30 02:30",
  ]);
});

test("the calendar lists the distinct checks that each window silences", async () => {
  const key = stranger.key;
  const addGroup = async (name: string, tags: string[]) =>
    (await app.call("POST", "/v1/check-groups", { key, body: { name, tags } })).body.id;
  const addCheck = async (name: string, more: Body) => {
    const body = { name, activated: false, request: { hostname: "127.0.0.1" }, ...more };
    return (await app.call("POST", "/v1/checks/icmp", { key, body })).body.id;
  };
  const shop = await addGroup("Shop", ["shop"]);
  const ids = [
    await addCheck("a", { tags: ["db"] }),
    await addCheck("b", { tags: ["db", "eu"] }),
    await addCheck("c", { tags: ["eu"], groupId: shop }),
    await addCheck("d", {}),
  ];
  const span = { startsAt: "2027-01-01T00:00:00Z", endsAt: "2027-01-01T01:00:00Z" };
  await create({ ...span, name: "by tag", tags: ["db"], silenceAlertsTags: ["shop", "x"] }, key);
  await create({ ...span, name: "by group", groupIds: [shop], checkIds: [ids[2], ids[3]] }, key);
  await create({ ...span, name: "all", silenceAllAlerts: true }, key);
  await create({ ...span, name: "nothing" }, key);
  const { body } = await app.call("GET", "/v1/maintenance-calendar", { key });
  const byName = Object.fromEntries(
    body.windows.map(({ window, silences }: { window: { name: string }; silences: Body }) => [
      window.name,
      silences,
    ]),
  );
  assert.deepEqual(byName["by tag"], {
    isEverything: false,
    checkCount: 3,
    tags: [
      { tag: "db", checkCount: 2 },
      { tag: "shop", checkCount: 1 },
      { tag: "x", checkCount: 0 },
    ],
    groups: [],
    checks: [],
  });
  assert.deepEqual(byName["by group"], {
    isEverything: false,
    checkCount: 2,
    tags: [],
    groups: [{ id: shop, name: "Shop", checkCount: 1 }],
    checks: [
      { id: ids[2], name: "c" },
      { id: ids[3], name: "d" },
    ],
  });
  assert.deepEqual([byName.all.isEverything, byName.all.checkCount], [true, 4]);
  assert.equal(byName.nothing.checkCount, 0);
  assert.equal(body.windows[0].next.startsAt, "2027-01-01T00:00:00.000Z");
  await app.call("DELETE", `/v1/checks/${ids[3]}`, { key });
  const later = await app.call("GET", "/v1/maintenance-calendar", { key });
  const named = later.body.windows[1].silences;
  assert.deepEqual([named.checkCount, named.checks[1]], [1, { id: ids[3], name: null }]);
});

test("a range has at most 400 days and ends after its start", async () => {
  const fetchCalendar = (query: string) => app.call("GET", `/v1/maintenance-calendar?${query}`);
  for (const query of [
    "from=2026-01-01T00:00:00Z&to=2027-02-06T00:00:00Z",
    "from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z",
    "from=yesterday",
  ]) {
    assert.equal((await fetchCalendar(query)).status, 400, query);
  }
  assert.equal(
    (await fetchCalendar("from=2026-01-01T00:00:00Z&to=2027-02-05T00:00:00Z")).status,
    200,
  );
});

test("a preview returns occurrences and silenced checks, and stores nothing", async () => {
  const { body: before } = await app.call("GET", path);
  const startsAt = "2026-10-24T02:30:00+02:00";
  const input = { ...sundays, startsAt, endsAt: "2026-10-24T03:30:00+02:00", repeatUnit: "DAY" };
  const { status, body, text } = await app.call("POST", `${path}/preview`, { body: input });
  assert.equal(status, 200, text);
  assert.equal(body.occurrences.length, 8);
  const [first] = body.occurrences;
  assert.ok(Date.parse(first.endsAt) > app.clock.now().getTime());
  assert.equal(body.silences.checkCount, 0);
  assert.deepEqual((await app.call("GET", path)).body, before);
  const faulty = { ...input, timezone: "Mars/Olympus_Mons" };
  const rejected = await app.call("POST", `${path}/preview`, { body: faulty });
  assert.equal(rejected.status, 400);
  assert.deepEqual(rejected.body.validation.keys, ["timezone"]);
});
