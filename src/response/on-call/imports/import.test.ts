import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
let owner: Body;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  const { body } = await app.call("GET", "/v1/users/me");
  owner = { type: "user", id: "u1", username: body.email.toUpperCase() };
});
after(() => app.stop());

const path = "/v1/on-call/imports";
type Body = Readonly<Record<string, unknown>>;
const post = (body: Body) => app.call("POST", path, { body });

const stranger = { type: "user", id: "u2", username: "gone@example.com" };

function newDocuments(name: string, change: Body = {}): Body[] {
  const rotation = {
    ...{ name: "Weekly", startDate: "2026-11-02T08:00:00Z", type: "weekly", length: 1 },
    participants: [owner, stranger],
    ...change,
  };
  const rule = (timeAmount: number, recipient: Body) => ({ delay: { timeAmount }, recipient });
  const schedule = { type: "schedule", id: name, name };
  return [
    { data: [{ id: name, name, timezone: "Europe/Berlin", rotations: [rotation] }] },
    { data: [{ name, rules: [rule(0, schedule), rule(5, owner), rule(9, stranger)] }] },
  ];
}

const listNames = async (list: string): Promise<string[]> =>
  (await app.call("GET", list)).body.entries.map(({ name }: { name: string }) => name);
const countAudit = async () =>
  (await app.query("select 1 from audit_entries where action like '%.created'")).rows.length;

test("a dry run creates nothing, and the import what it reported", async () => {
  const documents = newDocuments("Primary");
  const before = await countAudit();
  const dry = await post({ source: "OPSGENIE", documents });
  assert.equal(dry.status, 200, dry.text);
  assert.equal(dry.body.dryRun, true);
  assert.deepEqual(dry.body.schedules, [{ id: null, name: "Primary" }]);
  assert.deepEqual(dry.body.policies, [{ id: null, name: "Primary" }]);
  assert.deepEqual(dry.body.peopleNotFound, [{ person: "gone@example.com", usedIn: ["Primary"] }]);
  assert.deepEqual(await listNames("/v1/on-call/schedules"), []);
  assert.deepEqual(await listNames("/v1/escalation-policies"), []);
  assert.equal(await countAudit(), before);

  const { status, body } = await post({ source: "OPSGENIE", documents, dryRun: false });
  assert.equal(status, 200);
  const [schedule] = body.schedules;
  const [policy] = body.policies;
  assert.deepEqual(
    {
      ...body,
      dryRun: true,
      schedules: [{ ...schedule, id: null }],
      policies: [{ ...policy, id: null }],
    },
    dry.body,
  );
  const stored = (await app.call("GET", `/v1/on-call/schedules/${schedule.id}`)).body;
  const ownerId = (await app.call("GET", "/v1/users/me")).body.id;
  assert.deepEqual(stored.layers[0].participants, [ownerId]);
  assert.equal(stored.layers[0].start, "2026-11-02T09:00");
  const steps = (await app.call("GET", `/v1/escalation-policies/${policy.id}`)).body.steps;
  assert.deepEqual(steps, [
    { afterMinutes: 0, targets: [{ scheduleId: schedule.id }] },
    { afterMinutes: 5, targets: [{ userId: ownerId }] },
  ]);
  assert.equal(await countAudit(), before + 2);

  const again = await post({ source: "OPSGENIE", documents, dryRun: false });
  assert.deepEqual(again.body.schedules, []);
  assert.deepEqual(again.body.skipped, [
    { type: "SCHEDULE", name: "Primary" },
    { type: "POLICY", name: "Primary" },
  ]);
});

test("objects that would page nobody are not created", async () => {
  const documents = newDocuments("Nobody", { participants: [stranger] });
  const { body } = await post({ source: "OPSGENIE", documents: documents.slice(0, 1) });
  assert.deepEqual(body.schedules, []);
  assert.deepEqual(
    body.leftOut.map(({ name }: { name: string }) => name),
    ["Nobody / Weekly", "Nobody"],
  );
});

test("documents with a wrong shape are rejected with the place", async () => {
  const rotation = { data: [{ id: "s", name: "S", rotations: [{ participants: "anna" }] }] };
  const layer = { schedules: [{ id: "P", name: "P", time_zone: "UTC", schedule_layers: [{}] }] };
  const shift = { results: [{ id: "O", type: "single_event", start: 1, duration: 5 }] };
  const cases: readonly (readonly [string, unknown, string])[] = [
    ["OPSGENIE", [{ data: [] }, {}], "documents.1"],
    ["OPSGENIE", [{ data: [7] }], "documents.0.data.0"],
    ["OPSGENIE", [rotation], "documents.0.data.0.rotations.0"],
    ["PAGERDUTY", [layer], "documents.0.schedules.0.schedule_layers.0"],
    ["GRAFANA_ONCALL", [{ results: 1 }], "documents.0.results"],
    ["GRAFANA_ONCALL", [shift], "documents.0.results.0.start"],
    ["OPSGENIE", [], "documents"],
    ["OPSGENIE", [1], "documents.0"],
    ["VICTOROPS", [{ data: [] }], "source"],
  ];
  for (const [source, documents, key] of cases) {
    const answer = await post({ source, documents });
    assert.equal(answer.status, 400, JSON.stringify([source, documents]));
    assert.deepEqual(answer.body.validation.keys, [key]);
  }
});

test("too many policies are a conflict, and nothing is imported", async () => {
  const rules = [{ delay: { timeAmount: 0 }, recipient: owner }];
  const data = Array.from({ length: 101 }, (_, index) => ({ name: `Many ${index}`, rules }));
  const answer = await post({ source: "OPSGENIE", documents: [{ data }], dryRun: false });
  assert.equal(answer.status, 409);
  assert.ok(!(await listNames("/v1/escalation-policies")).some((name) => name.startsWith("Many")));
});

test("a body above 4 MiB is rejected", async () => {
  const data = [{ name: "x".repeat(4 * 1024 * 1024), rules: [] }];
  assert.equal((await post({ source: "OPSGENIE", documents: [{ data }] })).status, 413);
});
