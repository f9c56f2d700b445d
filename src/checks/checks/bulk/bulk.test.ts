import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

async function addCheck(body: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const made = await app.call("POST", "/v1/checks/icmp", {
    body: { name: "one", request: { hostname: "192.0.2.1" }, ...body },
  });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}
const bulk = (body: Readonly<Record<string, unknown>>) =>
  app.call("POST", "/v1/checks/bulk", { body });
const read = async (id: string) => (await app.call("GET", `/v1/checks/${id}`)).body;
const outcomes = ({ body }: { body: { checks: { outcome: string }[] } }) =>
  body.checks.map(({ outcome }) => outcome);
const listEntries = async (action: string) =>
  (await app.call("GET", `/v1/audit-log?action=${action}&limit=100`)).body.entries;

test("a bulk change mutes and deactivates checks and reports each outcome", async () => {
  const ids = [await addCheck(), await addCheck({ muted: true }), randomUUID()];
  const before = (await listEntries("check.updated")).length;
  const muted = await bulk({ ids, action: "mute" });
  assert.equal(muted.status, 200, muted.text);
  assert.deepEqual(outcomes(muted), ["changed", "unchanged", "notFound"]);
  assert.equal(muted.body.changed, 1);
  assert.equal((await read(ids[0] ?? "")).muted, true);
  const entries = await listEntries("check.updated");
  assert.equal(entries.length, before + 1);
  assert.deepEqual(entries[0].changes, { bulk: "mute", fields: ["muted"] });
  assert.deepEqual(outcomes(await bulk({ ids, action: "unmute" })), [
    "changed",
    "changed",
    "notFound",
  ]);
  assert.deepEqual(outcomes(await bulk({ ids, action: "deactivate" })).slice(0, 2), [
    "changed",
    "changed",
  ]);
  assert.equal((await read(ids[0] ?? "")).activated, false);
  assert.deepEqual(outcomes(await bulk({ ids, action: "activate" })).slice(0, 2), [
    "changed",
    "changed",
  ]);
});

test("tags are added and removed without duplicates and within the limit", async () => {
  const full = await addCheck({ tags: Array.from({ length: 100 }, (_, n) => `t${n}`) });
  const ids = [await addCheck({ tags: ["a"] }), full];
  const added = await bulk({ ids, action: "addTags", tags: ["a", "b"] });
  assert.deepEqual(outcomes(added), ["changed", "refused"]);
  assert.match(added.body.checks[1].message, /more than 100 tags/);
  assert.deepEqual((await read(ids[0] ?? "")).tags, ["a", "b"]);
  assert.equal((await app.call("GET", "/v1/checks?tag=b")).body.length, 1);
  await bulk({ ids, action: "removeTags", tags: ["a", "t0"] });
  assert.deepEqual((await read(ids[0] ?? "")).tags, ["b"]);
  assert.equal((await read(full)).tags.length, 99);
});

test("checks move to a group and out of it, unless they would have no location", async () => {
  const { body: group } = await app.call("POST", "/v1/check-groups", {
    body: { name: "Core", locations: ["eu-west-1"] },
  });
  const homeless = await addCheck({ groupId: group.id, locations: [] });
  const ids = [await addCheck(), homeless];
  assert.deepEqual(outcomes(await bulk({ ids, action: "move", groupId: group.id })), [
    "changed",
    "unchanged",
  ]);
  assert.equal((await read(ids[0] ?? "")).groupId, group.id);
  const out = await bulk({ ids, action: "move", groupId: null });
  assert.deepEqual(outcomes(out), ["changed", "refused"]);
  assert.match(out.body.checks[1].message, /no location/);
  assert.equal((await read(homeless)).groupId, group.id);
  assert.equal((await read(ids[0] ?? "")).groupId, null);
});

async function addChannel(): Promise<number> {
  const config = { address: "ops@example.com" };
  const made = await app.call("POST", "/v1/alert-channels", { body: { type: "EMAIL", config } });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

test("checks are subscribed to channels and unsubscribed together", async () => {
  const ids = [await addCheck(), await addCheck()];
  const alertChannelIds = [await addChannel(), await addChannel()];
  const [first, second] = alertChannelIds;
  const channelsOf = async (id = "") => (await read(id)).alertChannelSubscriptions;
  assert.deepEqual(outcomes(await bulk({ ids, action: "addChannels", alertChannelIds })), [
    "changed",
    "changed",
  ]);
  const active = (id: number | undefined) => ({ alertChannelId: id, activated: true });
  assert.deepEqual(await channelsOf(ids[0]), [active(first), active(second)]);
  assert.deepEqual(outcomes(await bulk({ ids, action: "addChannels", alertChannelIds: [first] })), [
    "unchanged",
    "unchanged",
  ]);
  const [one = ""] = ids;
  const off = { ids: [one], action: "removeChannels", alertChannelIds: [first] };
  assert.deepEqual(outcomes(await bulk(off)), ["changed"]);
  assert.deepEqual(outcomes(await bulk(off)), ["unchanged"]);
  assert.deepEqual(await channelsOf(one), [active(second)]);
  assert.deepEqual(await channelsOf(ids[1]), [active(first), active(second)]);
  const [entry] = await listEntries("check.updated");
  assert.deepEqual(entry.changes, {
    bulk: "removeChannels",
    fields: ["alertChannelSubscriptions"],
  });
});

test("frequency and locations change together, except for heartbeats", async () => {
  const heartbeat = { period: 1, periodUnit: "days", grace: 5, graceUnit: "minutes" };
  const { body: job } = await app.call("POST", "/v1/checks/heartbeat", {
    body: { name: "Job", heartbeat },
  });
  const ids = [await addCheck({ frequency: 0, frequencyOffset: 30 }), job.id];
  const faster = await bulk({ ids, action: "setFrequency", frequency: 5 });
  assert.deepEqual(outcomes(faster), ["changed", "refused"]);
  assert.match(faster.body.checks[1].message, /heartbeat has no frequency/);
  const [one = ""] = ids;
  assert.equal((await read(one)).frequency, 5);
  const often = { ids: [one], action: "setFrequency", frequency: 0, frequencyOffset: 10 };
  assert.deepEqual(outcomes(await bulk(often)), ["changed"]);
  assert.deepEqual(outcomes(await bulk(often)), ["unchanged"]);
  assert.deepEqual([(await read(one)).frequency, (await read(one)).frequencyOffset], [0, 10]);
  const moved = { ids, action: "setLocations", locations: ["eu-west-1", "eu-central-1"] };
  assert.deepEqual(outcomes(await bulk(moved)), ["changed", "refused"]);
  assert.deepEqual(outcomes(await bulk(moved)), ["unchanged", "refused"]);
  assert.deepEqual((await read(one)).locations, ["eu-west-1", "eu-central-1"]);
});

test("a filter changes its matches, and nothing if their number differs", async () => {
  const ids = [await addCheck({ tags: ["by-filter"] }), await addCheck({ tags: ["by-filter"] })];
  const filter = { tag: ["by-filter"] };
  const refused = await bulk({ filter, expectedCount: 3, action: "delete" });
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /matches 2 checks instead of 3/);
  assert.equal((await read(ids[0] ?? "")).id, ids[0]);
  const before = (await listEntries("check.deleted")).length;
  const done = await bulk({ filter, expectedCount: 2, action: "delete" });
  assert.deepEqual(outcomes(done), ["deleted", "deleted"]);
  for (const id of ids) assert.equal((await app.call("GET", `/v1/checks/${id}`)).status, 404);
  assert.equal((await listEntries("check.deleted")).length, before + 2);
});

test("an incomplete request is rejected", async () => {
  const id = await addCheck();
  const ids = [id];
  for (const body of [
    { action: "mute" },
    { ids, filter: {}, expectedCount: 1, action: "mute" },
    { filter: {}, action: "mute" },
    { ids, action: "addTags" },
    { ids, action: "move" },
    { ids, action: "odd" },
    { ids: [], action: "mute" },
    { ids, action: "move", groupId: 999_999 },
    { filter: { odd: 1 }, expectedCount: 1, action: "mute" },
    { ids, action: "addChannels" },
    { ids, action: "addChannels", alertChannelIds: [] },
    { ids, action: "removeChannels", alertChannelIds: [999_999] },
    { ids, action: "setFrequency" },
    { ids, action: "setFrequency", frequency: 7 },
    { ids, action: "setFrequency", frequency: 0 },
    { ids, action: "setLocations" },
    { ids, action: "setLocations", locations: ["nowhere-1"] },
    { ids, action: "setLocations", privateLocations: ["no-such-place"] },
  ]) {
    const answer = await bulk(body);
    assert.equal(answer.status, 400, `${JSON.stringify(body)} ${answer.text}`);
  }
  assert.equal((await read(id)).muted, false);
});

test("a bulk change of another account matches no check", async () => {
  const id = await addCheck();
  const { key } = await addStranger(app);
  const answer = await app.call("POST", "/v1/checks/bulk", {
    key,
    body: { ids: [id], action: "delete" },
  });
  assert.deepEqual(outcomes(answer), ["notFound"]);
  assert.equal((await read(id)).id, id);
});
