import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { findPolicyFault, listPolicyStages } from "./escalation-policy.ts";

let app: TestApp;
let userId: string;
let channelId: number;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  userId = (await app.call("GET", "/v1/users/me")).body.id;
  const body = { type: "EMAIL", config: { address: "ops@example.com" } };
  channelId = (await app.call("POST", "/v1/alert-channels", { body })).body.id;
});
after(() => app.stop());

const path = "/v1/escalation-policies";
const settingsPath = "/v1/alert-settings";
type Body = Readonly<Record<string, unknown>>;

let count = 0;
function newBody(change: Body = {}): Body {
  count += 1;
  return {
    name: `Policy ${count}`,
    steps: [
      { afterMinutes: 0, targets: [{ userId }] },
      { afterMinutes: 10, targets: [{ userId }, { channelId }] },
    ],
    ...change,
  };
}

async function create(change: Body = {}): Promise<string> {
  const answer = await app.call("POST", path, { body: newBody(change) });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

const hours = {
  timeZone: "Europe/Berlin",
  ranges: [{ days: ["MON"], from: "09:00", to: "17:00" }],
};

test("a policy is created, read, listed, replaced and deleted", async () => {
  const body = newBody({ repeat: 2, repeatAfterMinutes: 5, supportHours: hours });
  const created = await app.call("POST", path, { body });
  assert.equal(created.status, 201, created.text);
  const { id, created_at: _at, ...shown } = created.body;
  assert.deepEqual(shown, { ...body, useFallback: true, updated_at: null });
  const one = `${path}/${id}`;
  const read = await app.call("GET", one);
  const tag = read.headers.get("etag") ?? "";
  assert.deepEqual([read.body, tag], [created.body, created.headers.get("etag")]);
  const listed = await app.call("GET", path);
  assert.ok(listed.body.entries.some((entry: { id: string }) => entry.id === id));
  const headers = { "if-match": tag };
  const put = await app.call("PUT", one, { body: { ...read.body, repeat: 0 }, headers });
  assert.deepEqual([put.status, put.body.repeat], [200, 0]);
  assert.equal((await app.call("PUT", one, { body: read.body, headers })).status, 412);
  assert.equal((await app.call("DELETE", one)).status, 204);
  for (const method of ["GET", "DELETE"]) assert.equal((await app.call(method, one)).status, 404);
  assert.equal((await app.call("PUT", one, { body })).status, 404);
  const { rows } = await app.query(
    "select action from audit_entries where target_id = $1 order by id",
    [id],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ["created", "updated", "deleted"].map((end) => `escalation-policy.${end}`),
  );
});

test("a repeated request creates one policy, and a name is taken once", async () => {
  const body = newBody();
  const send = () => app.call("POST", path, { body, headers: { "idempotency-key": "policy-1" } });
  const [first, second] = [await send(), await send()];
  assert.equal(first.body.id, second.body.id);
  const again = await app.call("POST", path, { body });
  assert.equal(again.status, 409);
  assert.match(again.body.message, /already exists; choose another name/);
  const other = await create();
  assert.equal((await app.call("PUT", `${path}/${other}`, { body })).status, 409);
});

test("invalid policies are rejected with the field", async () => {
  const stranger = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
  const step = (targets: readonly Body[], afterMinutes = 0) => ({ afterMinutes, targets });
  const cases: readonly (readonly [Body, string])[] = [
    [{ steps: [] }, "steps"],
    [{ steps: [step([])] }, "steps.0.targets"],
    [{ steps: [step([{}])] }, "steps.0.targets.0"],
    [{ steps: [step([{ userId, channelId }])] }, "steps.0.targets.0"],
    [{ steps: [step([{ userId }, { userId }])] }, "steps.0.targets.1"],
    [{ steps: [step([{ userId: stranger }])] }, "steps.0.targets.0.userId"],
    [{ steps: [step([{ scheduleId: stranger }])] }, "steps.0.targets.0.scheduleId"],
    [{ steps: [step([{ channelId: 999_999 }])] }, "steps.0.targets.0.channelId"],
    [{ steps: [step([{ userId }], 5), step([{ channelId }], 4)] }, "steps.1.afterMinutes"],
    [{ repeat: 10 }, "repeat"],
    [{ repeatAfterMinutes: 0 }, "repeatAfterMinutes"],
    [{ supportHours: { ...hours, timeZone: "Mars/Olympus" } }, "supportHours.timeZone"],
    [{ supportHours: { ...hours, ranges: [] } }, "supportHours.ranges"],
  ];
  for (const [change, key] of cases) {
    const answer = await app.call("POST", path, { body: newBody(change) });
    assert.equal(answer.status, 400, key);
    assert.deepEqual(answer.body.validation.keys, [key]);
  }
});

test("a rehearsal lists who would be reached, and stores nothing", async () => {
  const id = await create({ useFallback: false, supportHours: hours });
  const url = `${path}/${id}/rehearse`;
  const startsAt = new Date(Math.ceil(Date.now() / 1_000) * 1_000).toISOString();
  const high = await app.call("POST", url, { body: { startsAt } });
  assert.equal(high.status, 200, high.text);
  const { entries, ...shown } = high.body;
  assert.deepEqual(shown, { startsAt, urgency: "HIGH", pagesFrom: startsAt });
  // The server has no SMTP_URL, and the owner no device.
  assert.match(entries[0].reason, /has no working contact method\.$/);
  const { reason: _reason, targetName: _name, userName, ...first } = entries[0];
  assert.equal(typeof userName, "string");
  assert.deepEqual(first, {
    ...{ at: startsAt, round: 1, step: 1, target: { userId }, userId },
    ...{ method: null, note: null },
  });
  assert.deepEqual(
    [entries[1].at, entries[1].step],
    [startsAt, 2],
    "the next step follows at once",
  );
  const untilTuesday = (9 - new Date().getUTCDay()) % 7;
  const tuesday = new Date(Date.now() + untilTuesday * 86_400_000);
  const body = { startsAt: tuesday.toISOString(), urgency: "LOW" };
  const low = await app.call("POST", url, { body });
  const pagesFrom = new Date(low.body.pagesFrom);
  const format = { timeZone: hours.timeZone, weekday: "short" } as const;
  assert.equal(
    pagesFrom.toLocaleString("en", {
      ...format,
      hour: "2-digit",
      minute: "2-digit",
      hour12: false,
    }),
    "Mon 09:00",
  );
  assert.ok(pagesFrom > tuesday);
  assert.equal((await app.query("select 1 from deliveries")).rows.length, 0);
});

test("a policy that is not saved is rehearsed as it would be once saved", async () => {
  const startsAt = new Date(Math.ceil(Date.now() / 1_000) * 1_000).toISOString();
  const rehearse = async (target: string, body: Body) => {
    const answer = await app.call("POST", target, { body: { startsAt, ...body } });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const { name: _name, ...rules } = newBody({ repeat: 1, supportHours: hours });
  const draft = await rehearse(`${path}/rehearse`, rules);
  assert.deepEqual(draft, await rehearse(`${path}/${await create(rules)}/rehearse`, {}));
  assert.deepEqual(
    draft.entries.map(({ round, step }: Body) => [round, step]),
    [
      [1, 1],
      [1, 2],
      [1, 2],
      [2, 1],
      [2, 2],
      [2, 2],
      [null, null],
    ],
  );
  const gone = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
  const targets = [{ scheduleId: gone }, { userId: gone }, { channelId: 999_999 }];
  const { entries } = await rehearse(`${path}/rehearse`, { steps: [{ afterMinutes: 0, targets }] });
  assert.deepEqual(
    entries.slice(0, 3).map(({ targetName }: Body) => targetName),
    ["Deleted schedule", "Former member", "Deleted channel"],
  );
  const steps = [5, 4].map((afterMinutes) => ({ afterMinutes, targets: [{ userId }] }));
  const rejected = await app.call("POST", `${path}/rehearse`, { body: { startsAt, steps } });
  assert.equal(rejected.status, 400);
  assert.deepEqual(rejected.body.validation.keys, ["steps.1.afterMinutes"]);
});

test("invalid rehearsals are rejected with the field", async () => {
  const id = await create();
  const startsAt = new Date().toISOString();
  const cases: readonly (readonly [Body, string])[] = [
    [{}, "startsAt"],
    [{ startsAt: "tomorrow" }, "startsAt"],
    [{ startsAt: "1999-01-01T00:00:00Z" }, "startsAt"],
    [{ startsAt: "9999-12-31T23:59:59Z" }, "startsAt"],
    [{ startsAt, urgency: "MEDIUM" }, "urgency"],
  ];
  for (const [body, key] of cases) {
    const answer = await app.call("POST", `${path}/${id}/rehearse`, { body });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.body.validation.keys, [key]);
  }
  const unknown = `${path}/7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10/rehearse`;
  assert.equal((await app.call("POST", unknown, { body: { startsAt } })).status, 404);
});

test("channels that only policies use are hidden, and shared by policies", async () => {
  const hidden = () => app.query("select id from alert_channels where for_policies order by id");
  await create();
  const { rows } = await hidden();
  assert.equal(rows.length, 2, "one for the member, one for the fallback");
  await create();
  assert.equal((await hidden()).rows.length, 2);
  const { body } = await app.call("GET", "/v1/alert-channels");
  assert.ok(body.every(({ id }: { id: number }) => rows.every((row) => row.id !== id)));
  const one = `/v1/alert-channels/${rows[0].id}`;
  for (const method of ["GET", "DELETE"]) assert.equal((await app.call(method, one)).status, 404);
  const steps = [{ afterMinutes: 0, targets: [{ channelId: rows[0].id }] }];
  assert.equal((await app.call("POST", path, { body: newBody({ steps }) })).status, 400);
});

test("a deleted target stays, and may be sent back", async () => {
  const channel = { type: "EMAIL", config: { address: "gone@example.com" } };
  const { body: gone } = await app.call("POST", "/v1/alert-channels", { body: channel });
  const steps = [{ afterMinutes: 0, targets: [{ channelId: gone.id }] }];
  const one = `${path}/${await create({ steps })}`;
  assert.equal((await app.call("DELETE", `/v1/alert-channels/${gone.id}`)).status, 204);
  const { body } = await app.call("GET", one);
  assert.deepEqual(body.steps, steps);
  assert.equal((await app.call("PUT", one, { body })).status, 200);
});

test("a policy in use cannot be deleted, and the response names where", async () => {
  const id = await create();
  const alertSettings = { escalationPolicyId: id };
  const checkBody = { name: "Shop", request: { url: "http://127.0.0.1" }, activated: false };
  const check = await app.call("POST", "/v1/checks/url", { body: { ...checkBody, alertSettings } });
  assert.equal(check.status, 201, check.text);
  assert.equal(check.body.alertSettings.escalationPolicyId, id);
  const groupBody = { name: "Web", alertSettings };
  const group = await app.call("POST", "/v1/check-groups", { body: groupBody });
  assert.equal(group.status, 201, group.text);
  const account = await app.call("PUT", settingsPath, { body: { escalationPolicyId: id } });
  assert.equal(account.body.escalationPolicyId, id);
  const answer = await app.call("DELETE", `${path}/${id}`);
  assert.equal(answer.status, 409);
  assert.match(
    answer.body.message,
    /used by the account's alert settings, 1 check \(Shop\), and 1 group \(Web\)/,
  );
  const none = { alertSettings: { escalationPolicyId: null } };
  await app.call("PUT", `/v1/checks/url/${check.body.id}`, { body: { ...checkBody, ...none } });
  await app.call("PUT", `/v1/check-groups/${group.body.id}`, { body: none });
  await app.call("PUT", settingsPath, { body: {} });
  assert.equal((await app.call("DELETE", `${path}/${id}`)).status, 204);
});

test("a policy that does not exist is rejected wherever it is named", async () => {
  const missing = { escalationPolicyId: "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10" };
  const request = { url: "http://127.0.0.1" };
  const cases: readonly (readonly [method: string, at: string, body: Body, key: string])[] = [
    ["PUT", settingsPath, missing, ""],
    ["POST", "/v1/check-groups", { name: "G", alertSettings: missing }, "alertSettings."],
    ["POST", "/v1/checks/url", { name: "C", request, alertSettings: missing }, "alertSettings."],
  ];
  for (const [method, at, body, prefix] of cases) {
    const answer = await app.call(method, at, { body });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.body.validation.keys, [`${prefix}escalationPolicyId`]);
  }
});

test("the stages of an account become a policy, and are shown for every policy", async () => {
  const put = async (body: Body) => {
    const answer = await app.call("PUT", settingsPath, { body });
    assert.equal(answer.status, 200, answer.text);
    const { escalationPolicyId: id, escalationStages: stages } = answer.body;
    const read = await app.call("GET", settingsPath);
    assert.deepEqual([read.body.escalationPolicyId, read.body.escalationStages], [id, stages]);
    return { id, stages };
  };
  const stages = [{ afterMinutes: 15, alertChannelIds: [channelId] }];
  const first = await put({ escalationStages: stages });
  assert.deepEqual(first.stages, stages);
  const { body: policy } = await app.call("GET", `${path}/${first.id}`);
  assert.deepEqual(
    [policy.name, policy.steps, policy.useFallback],
    ["Account escalation", [{ afterMinutes: 15, targets: [{ channelId }] }], false],
  );
  const later = [{ afterMinutes: 20, alertChannelIds: [channelId] }];
  const second = await put({ escalationPolicyId: first.id, escalationStages: later });
  assert.deepEqual(second, { id: first.id, stages: later }, "the same policy has other steps");

  const named = await create();
  const third = await put({ escalationPolicyId: named, escalationStages: later });
  assert.deepEqual(third, {
    id: named,
    stages: [{ afterMinutes: 10, alertChannelIds: [channelId] }],
  });
  assert.deepEqual(
    await put({ escalationStages: third.stages }),
    third,
    "sent back as it was read",
  );
  assert.deepEqual(await put({ escalationStages: [] }), { id: null, stages: [] });
  assert.equal((await put({ escalationStages: later })).id, first.id);
  assert.deepEqual(await put({}), { id: null, stages: [] });
});

test("stages of all rounds follow each other, and the fallback is the last", () => {
  const step = (afterMinutes: number, id: number) => ({
    afterMinutes,
    targets: [],
    channelIds: [id],
  });
  const policy = {
    steps: [step(10, 2), step(0, 1)],
    repeat: 1,
    repeatAfterMinutes: 5,
    fallbackChannelId: 9,
  };
  assert.deepEqual(
    listPolicyStages(policy).map(({ afterMinutes, channelIds, place }) => [
      afterMinutes,
      channelIds[0],
      place && [place.round, place.step],
    ]),
    [
      [0, 1, [1, 1]],
      [10, 2, [1, 2]],
      [15, 1, [2, 1]],
      [25, 2, [2, 2]],
      [30, 9, null],
    ],
  );
  assert.equal(listPolicyStages({ ...policy, fallbackChannelId: null }).length, 4);
});

test("steps with the same time are accepted", () => {
  const steps = [5, 5].map((afterMinutes) => ({ afterMinutes, targets: [] }));
  const rest = { name: "A", repeat: 0, repeatAfterMinutes: 1, usesFallback: true };
  assert.equal(findPolicyFault({ ...rest, steps, supportHours: null }), null);
});
