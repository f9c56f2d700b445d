import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger } from "../../../../test/support/apps/cast.ts";
import { propertyRuns } from "../../../../test/support/properties.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { fillMissingTargets } from "../../../checks/checks/index.ts";
import { openDatabase } from "../../../platform/database-pool.ts";
import { createLog } from "../../../platform/log.ts";

let app: TestApp;
let groupId: number;
const ids = new Map<string, string>();

interface Plan {
  readonly name: string;
  readonly status: string | null;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly lastRunMinutesAgo?: number;
}

const plans: readonly Plan[] = [
  { name: "host 10", status: "passing", body: { tags: ["edge", "red"] } },
  { name: "host 2", status: "failing", body: { tags: ["edge"], locations: ["eu-west-1"] } },
  { name: "Host 1", status: "degraded", body: { muted: true } },
  { name: "unheard", status: "passing", lastRunMinutesAgo: 120 },
  { name: "switched off", status: "failing", body: { activated: false } },
  { name: "new 100%", status: null },
];

/**
 * A check that last ran a while ago may have been due since, and the server then reports a missing
 * result; checks whose state a test relies on have just run.
 */
async function addCheck({ name, status, body = {}, lastRunMinutesAgo = 0 }: Plan): Promise<void> {
  const made = await app.call("POST", "/v1/checks/icmp", {
    body: {
      name,
      frequency: 10,
      request: { hostname: `${name.replaceAll(/\W/g, "-")}x.example` },
      ...body,
    },
  });
  assert.equal(made.status, 201, made.text);
  ids.set(name, made.body.id);
  if (status === null) return;
  // A recently changed check is not overdue.
  const createdAt = new Date(app.clock.nowMs() - 86_400_000);
  const at = new Date(app.clock.nowMs() - lastRunMinutesAgo * 60_000);
  // The settings do not change, but the update notifies the watch list, which may have cached the
  // check.
  await app.query(
    "update checks set status = $2, created_at = $3, settings = settings where id = $1",
    [made.body.id, status, createdAt],
  );
  await app.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id, last_location,
      consecutive_failures, locations, created_at, updated_at)
    values ($1, $2, $3, $3, $4, 'home', 0, '{}', $5, $3)`,
    [made.body.id, status, at, randomUUID(), createdAt],
  );
}

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", PROBE_LOCATION: "home" });
  const group = await app.call("POST", "/v1/check-groups", {
    body: { name: "Core", tags: ["grouped"], locations: ["us-east-1"] },
  });
  groupId = group.body.id;
  for (const plan of plans) await addCheck(plan);
  await addCheck({ name: "member", status: "passing", body: { groupId } });
  await waitUntil("the watch list knows how old the checks are", async () => {
    const found = await app.call("GET", "/v1/check-overviews?search=unheard");
    return found.body.entries[0].state === "unknown";
  });
});
after(() => app.stop());

const list = async (query = "") => {
  const answer = await app.call("GET", `/v1/check-overviews?limit=100&${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const names = async (query = "") =>
  (await list(query)).entries.map(({ name }: { name: string }) => name);

test("a row contains what a list shows, with the effect of its group", async () => {
  const { entries, total, barFrom } = await list("search=member");
  assert.equal(total, 1);
  assert.equal(barFrom, "2026-11-14T12:30:00.000Z");
  const [row] = entries;
  assert.equal(row.checkId, ids.get("member"));
  assert.equal(row.target, "memberx.example");
  assert.equal(row.checkType, "ICMP");
  assert.deepEqual([row.groupId, row.groupName, row.tags], [groupId, "Core", ["grouped"]]);
  assert.deepEqual([row.state, row.activated, row.muted], ["passing", true, false]);
  assert.deepEqual([row.availability, row.p95, row.hasEnoughData], [null, null, false]);
  assert.match(row.bar, /^[-pdf]{48}$/);
});

test("names sort naturally, states by the worst, and checks that never ran come last", async () => {
  const byName = ["Host 1", "host 2", "host 10", "member", "new 100%", "switched off", "unheard"];
  assert.deepEqual(await names(), byName);
  assert.deepEqual(await names("order=desc"), byName.toReversed());
  assert.deepEqual(await names("sort=state"), [
    ...["host 2", "Host 1", "new 100%", "unheard"],
    ...["host 10", "member", "switched off"],
  ]);
  for (const order of ["asc", "desc"]) {
    const last = (await names(`sort=lastRun&order=${order}`)).at(-1);
    assert.equal(last, "new 100%");
  }
  assert.equal((await names("sort=lastRun"))[0], "unheard");
  assert.equal((await names("sort=created&order=desc"))[0], "new 100%");
  for (const sort of ["availability", "p95"]) assert.deepEqual(await names(`sort=${sort}`), byName);
});

test("text is searched literally in names, targets and tags", async () => {
  assert.deepEqual(await names("search=HOST-2X.EX"), ["host 2"]);
  assert.deepEqual(await names("search=grouped"), ["member"]);
  assert.deepEqual(await names("search=100%25"), ["new 100%"]);
  assert.deepEqual(await names("search=_"), []);
  assert.equal((await names("search=")).length, 7);
});

test("a filter matches any of its values, and all filters must match", async () => {
  assert.deepEqual(await names("state=failing&state=inactive"), ["host 2", "switched off"]);
  assert.deepEqual(await names("state=unknown"), ["new 100%", "unheard"]);
  assert.deepEqual(await names("tag=red&tag=grouped"), ["host 10", "member"]);
  assert.deepEqual(await names(`groupId=${groupId}`), ["member"]);
  assert.deepEqual(await names(`groupId=0&tag=edge`), ["host 2", "host 10"]);
  assert.deepEqual(await names("location=us-east-1&location=eu-west-1"), ["host 2", "member"]);
  assert.equal((await names("location=home")).length, 5);
  assert.deepEqual(await names("activated=false"), ["switched off"]);
  assert.deepEqual(await names("muted=true"), ["Host 1"]);
  assert.deepEqual(await names("checkType=TCP"), []);
});

test("a facet ignores its own filter, so that other values can be picked", async () => {
  const read = async (query: string) =>
    (await app.call("GET", `/v1/check-overviews/facets?${query}`)).body;
  const counts = (facet: { value: string; count: number }[]) =>
    Object.fromEntries(facet.map(({ value, count }) => [value, count]));
  const all = await read("");
  assert.deepEqual([all.total, all.muted], [7, 1]);
  const states = { passing: 2, unknown: 2, failing: 1, degraded: 1, inactive: 1 };
  assert.deepEqual(counts(all.state), states);
  assert.deepEqual(counts(all.tag), { edge: 2, grouped: 1, red: 1 });
  assert.deepEqual(counts(all.location), { home: 5, "eu-west-1": 1, "us-east-1": 1 });
  assert.deepEqual(all.groupId, [
    { value: "0", label: null, count: 6 },
    { value: `${groupId}`, label: "Core", count: 1 },
  ]);
  const some = await read("state=failing&state=passing&tag=edge");
  assert.equal(some.total, 2);
  assert.deepEqual(counts(some.state), { failing: 1, passing: 1 });
  assert.deepEqual(counts(some.tag), { edge: 2, grouped: 1, red: 1 });
  assert.deepEqual(counts(some.location), { home: 1, "eu-west-1": 1 });
});

test("pages of any size cover the whole list once, in either direction", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        sort: fc.constantFrom("name", "state", "availability", "p95", "lastRun", "created"),
        order: fc.constantFrom("asc", "desc"),
        limit: fc.integer({ min: 1, max: 8 }),
        filter: fc.constantFrom("", "state=passing&state=unknown", "muted=false", "tag=edge"),
      }),
      async ({ sort, order, limit, filter }) => {
        const query = `sort=${sort}&order=${order}&${filter}`;
        const whole = await names(query);
        const paged: string[] = [];
        for (let page = 1; paged.length < whole.length; page += 1) {
          const { entries, total } = (
            await app.call("GET", `/v1/check-overviews?${query}&limit=${limit}&page=${page}`)
          ).body;
          assert.equal(total, whole.length);
          assert.ok(entries.length > 0, `page ${page} is empty`);
          paged.push(...entries.map(({ name }: { name: string }) => name));
        }
        assert.deepEqual(paged, whole);
        assert.equal(new Set(paged).size, paged.length);
      },
    ),
    { numRuns: propertyRuns / 4 },
  );
});

test("the bar shows the worst state of each half hour up to the current one", async () => {
  const checkId = ids.get("host 10");
  const addChange = (from: string, to: string, at: string) =>
    app.query(
      `insert into state_changes (account_id, check_id, from_status, to_status, at, result_id)
        values ($1, $2, $3, $4, $5, $6)`,
      [app.owner.accountId, checkId, from, to, at, randomUUID()],
    );
  await addChange("passing", "failing", "2026-11-15T11:05:00Z");
  await addChange("failing", "passing", "2026-11-15T11:35:00Z");
  await addChange("passing", "degraded", "2026-11-15T12:00:00Z");
  await addChange("degraded", "passing", "2026-11-15T12:00:00Z");
  // Runs in every hour except the seventh of the window.
  await app.query(
    `insert into hourly_running_totals (check_id, starts_at, runs, counters, samples, parts, hours)
      select $1, day, '{0,6,0,0}', '{}', ''::bytea, '{}', string_agg(
        int4send(extract(hour from hour at time zone 'UTC')::int) || int4send(6) || int4send(0)
          || int4send(0) || int4send(0) || float8send(0), ''::bytea order by hour)
      from (values ('2026-11-14T23:00Z'::timestamptz, '2026-11-14T00:00Z'::timestamptz),
        ('2026-11-15T11:00Z', '2026-11-15T00:00Z')) as one (day, from_hour),
        generate_series(from_hour, day, interval '1 hour') as hour
      where hour <> '2026-11-14T18:00Z' group by day`,
    [checkId],
  );
  await app.query(
    `insert into rollup_progress (unit, starts_at) select 'hour', hour from generate_series(
      '2026-11-14T00:00Z'::timestamptz, '2026-11-15T11:00Z', interval '1 hour') as hour
      on conflict do nothing`,
  );
  const { entries } = await list("search=host%2010");
  assert.equal(entries[0].bar, `${"p".repeat(11)}--${"p".repeat(32)}ffd`);
  assert.equal(entries[0].hasEnoughData, true);
});

test("unknown parameters are rejected, and other accounts see nothing", async () => {
  for (const query of ["sort=odd", "state=odd", "limit=101", "groupId=-1", "checkType=ODD"]) {
    assert.equal((await app.call("GET", `/v1/check-overviews?${query}`)).status, 400, query);
  }
  assert.equal((await app.call("GET", "/v1/check-overviews/facets?state=odd")).status, 400);
  const { key } = await addStranger(app);
  const { body } = await app.call("GET", "/v1/check-overviews", { key });
  assert.deepEqual([body.total, body.entries], [0, []]);
  const facets = await app.call("GET", "/v1/check-overviews/facets", { key });
  assert.deepEqual([facets.body.total, facets.body.tag], [0, []]);
});

test("checks from before targets were stored have them after a start", async () => {
  await app.query("update checks set target = null");
  assert.deepEqual(await names("search=host-2x.ex"), []);
  const database = openDatabase({ connectionString: app.databaseUrl }, createLog("silent"));
  await fillMissingTargets(database.db);
  await database.close();
  assert.deepEqual(await names("search=host-2x.ex"), ["host 2"]);
});
