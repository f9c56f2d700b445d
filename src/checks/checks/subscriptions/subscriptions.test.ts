/** Tests subscriptions of checks and groups to channels. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";
import { createChannelConfigs } from "../../../../test/support/modules/channel-configs.ts";

let app: TestApp;
let stranger: Stranger;
/** All channels in creation order. */
let channelIds: number[];
const secret = "s3cret-canary";
const configs = createChannelConfigs("https://hooks.example.com", secret);
const shown = ["EMAIL", "WEBHOOK", "SLACK", "SMS"] as const;
type Body = Record<string, unknown>;

before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
  channelIds = [];
  for (const type of shown) {
    const body = { type, config: configs[type] };
    const { body: made } = await app.call("POST", "/v1/alert-channels", { body });
    channelIds.push(made.id);
  }
});
after(() => app.stop());

/** The contract requires these fields in an update of every kind. */
const required = { heartbeat: {}, script: "" };
const minimal = { name: "Router", request: { hostname: "192.0.2.1" } };
const createCheck = async (more: Body = {}, query = "") => {
  const answer = await app.call("POST", `/v1/checks/icmp${query}`, {
    body: { ...minimal, ...more },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const subscribe = (body: Body, options: { key?: string; id?: number | undefined } = {}) => {
  const { key, id = channelIds[0] } = options;
  const where = `/v1/alert-channels/${id}/subscriptions`;
  return app.call("PUT", where, key === undefined ? { body } : { body, key });
};
const active = (ids: readonly (number | undefined)[]) =>
  ids.map((alertChannelId) => ({ alertChannelId, activated: true }));

test("a channel with autoSubscribe is added to new checks and groups unless disabled", async () => {
  const body = { type: "EMAIL", config: configs.EMAIL, autoSubscribe: true };
  const { id } = (await app.call("POST", "/v1/alert-channels", { body })).body;
  const [first] = channelIds;
  try {
    const named = { alertChannelSubscriptions: active([first]) };
    const refused = { alertChannelSubscriptions: [{ alertChannelId: id, activated: false }] };
    const none = "?autoAssignAlerts=false";
    assert.deepEqual((await createCheck({}, none)).alertChannelSubscriptions, active([id]));
    assert.deepEqual((await createCheck(named)).alertChannelSubscriptions, active([first, id]));
    const unwilling = (await createCheck(refused)).alertChannelSubscriptions;
    assert.deepEqual(unwilling, refused.alertChannelSubscriptions);
    const createGroup = async (more: Body) =>
      (await app.call("POST", "/v1/check-groups", { body: { name: "Group", ...more } })).body;
    const group = await createGroup(named);
    assert.deepEqual(group.alertChannelSubscriptions, active([first, id]));
    assert.deepEqual((await createGroup(refused)).alertChannelSubscriptions, [
      { alertChannelId: id, activated: false },
    ]);
    const { subscriptions } = (await app.call("GET", `/v1/alert-channels/${id}`)).body;
    const groupIds = subscriptions
      .filter((one: Body) => one.activated)
      .flatMap((one: Body) => one.groupId ?? []);
    assert.deepEqual(groupIds, [group.id]);
  } finally {
    await app.call("DELETE", `/v1/alert-channels/${id}`);
  }
});

test("a new check subscribes to every channel, unless disabled", async () => {
  assert.deepEqual((await createCheck()).alertChannelSubscriptions, active(channelIds));
  const alone = await createCheck({}, "?autoAssignAlerts=false");
  assert.deepEqual(alone.alertChannelSubscriptions, []);
  assert.deepEqual(alone.alertChannels, { email: [], webhook: [], slack: [], sms: [] });
});

test("a new check with a channel list subscribes to exactly these channels", async () => {
  const named = active(channelIds.slice(1, 2));
  const check = await createCheck({ alertChannelSubscriptions: named });
  assert.deepEqual(check.alertChannelSubscriptions, named);
  const none = await createCheck({ alertChannelSubscriptions: [] });
  assert.deepEqual(none.alertChannelSubscriptions, []);
});

test("the response contains the channels without their secrets", async () => {
  const { id } = await createCheck();
  const answer = await app.call("GET", `/v1/checks/${id}`);
  assert.ok(!answer.text.includes(secret), answer.text);
  const { email, webhook, slack, sms } = answer.body.alertChannels;
  assert.deepEqual(email, [{ address: "owner@example.com" }]);
  assert.deepEqual([webhook[0].name, webhook[0].method], ["Mine", "POST"]);
  assert.deepEqual(webhook[0].headers, [{ key: "authorization", value: "********", locked: true }]);
  assert.deepEqual(slack, [{ url: "https://hooks.example.com/********" }]);
  assert.deepEqual(sms, [{ number: "+31 6 12 34 56 78", name: "On call" }]);
  const list = await app.call("GET", "/v1/checks?limit=100");
  assert.ok(!list.text.includes(secret));
});

test("an update with a list replaces the list, and one without keeps it", async () => {
  const { id } = await createCheck();
  const put = (input: Body) =>
    app.call("PUT", `/v1/checks/icmp/${id}`, { body: { ...required, ...minimal, ...input } });
  const unchanged = await put({ name: "Renamed" });
  assert.equal(unchanged.status, 200, unchanged.text);
  assert.deepEqual(unchanged.body.alertChannelSubscriptions, active(channelIds));
  const [first] = channelIds;
  const one = [{ alertChannelId: first, activated: false }];
  const replaced = await put({ alertChannelSubscriptions: one });
  assert.deepEqual(replaced.body.alertChannelSubscriptions, one);
  assert.deepEqual(replaced.body.alertChannels.email, []);
  const unknown = await put({ alertChannelSubscriptions: active([first, 2_000_000_000]) });
  assert.equal(unknown.status, 400);
  const keys = ["alertChannelSubscriptions.1.alertChannelId"];
  assert.deepEqual(unknown.body.validation.keys, keys);
});

test("a check subscribes and unsubscribes, and the channel shows it", async () => {
  const { id: checkId } = await createCheck({}, "?autoAssignAlerts=false");
  const on = await subscribe({ checkId, activated: true });
  assert.equal(on.status, 200, on.text);
  const off = await subscribe({ checkId, activated: false });
  assert.deepEqual(off.body, { ...on.body, activated: false });
  const channel = await app.call("GET", `/v1/alert-channels/${channelIds[0]}`);
  const own = channel.body.subscriptions.filter(
    (one: { checkId: string }) => one.checkId === checkId,
  );
  assert.deepEqual(own, [{ id: on.body.id, checkId, groupId: null, activated: false }]);
});

test("a group subscribes by the channel and by its own list", async () => {
  const group = { name: "Edge", alertChannelSubscriptions: active(channelIds.slice(0, 1)) };
  const { body: made } = await app.call("POST", "/v1/check-groups", { body: group });
  const answer = await subscribe({ groupId: made.id, activated: true });
  assert.equal(answer.status, 200, answer.text);
  const { rows } = await app.query(
    "select count(*)::int as count from alert_channel_subscriptions where group_id = $1",
    [made.id],
  );
  assert.equal(rows[0].count, 1);
});

test("either a check or a group is required, but not both", async () => {
  const { id: checkId } = await createCheck();
  for (const body of [{}, { checkId, groupId: 1 }, { checkId: null, groupId: null }]) {
    const answer = await subscribe({ ...body, activated: true });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.body.validation.keys, ["checkId"]);
  }
  assert.equal((await subscribe({ checkId })).status, 400);
});

test("unknown resources and those of other accounts are not found", async () => {
  const { id: checkId } = await createCheck();
  const theirs = await app.call("POST", "/v1/checks/icmp", { body: minimal, key: stranger.key });
  const inputs = [
    [{ checkId: theirs.body.id }, {}],
    [{ groupId: 2_000_000_000 }, {}],
    [{ checkId: "0198c1f0-0000-7000-8000-000000000000" }, {}],
    [{ checkId }, { id: 2_000_000_000 }],
    [{ checkId: theirs.body.id }, { key: stranger.key }],
  ] as const;
  for (const [input, options] of inputs) {
    const { status } = await subscribe({ ...input, activated: true }, options);
    assert.equal(status, 404, JSON.stringify(input));
  }
});

test("a channel lists direct, indirect and possible subscribers", async () => {
  const [id] = channelIds;
  const group = (await app.call("POST", "/v1/check-groups", { body: { name: "Zeta group" } })).body;
  const inGroup = { name: "Zeta member", groupId: group.id };
  const member = await createCheck(inGroup, "?autoAssignAlerts=false");
  const find = (query: string, key?: string) =>
    app.call("GET", `/v1/alert-channels/${id}/subscribers?search=zeta${query}`, {
      ...(key !== undefined && { key }),
    });
  const ofGroup = { checkId: null, groupId: group.id, name: "Zeta group", throughGroup: null };
  const ofMember = { checkId: member.id, groupId: null, name: "Zeta member" };
  const before = await find("");
  assert.deepEqual(before.body, [
    { ...ofGroup, isSubscribed: false },
    { ...ofMember, isSubscribed: false, throughGroup: null },
  ]);
  assert.match(before.headers.get("content-range") ?? "", /\/2$/);
  await subscribe({ groupId: group.id, activated: true });
  assert.deepEqual((await find("")).body, [
    { ...ofGroup, isSubscribed: true },
    { ...ofMember, isSubscribed: false, throughGroup: "Zeta group" },
  ]);
  assert.deepEqual((await find("&isSubscribed=true")).body, [{ ...ofGroup, isSubscribed: true }]);
  assert.equal((await find("&isSubscribed=false&limit=1&page=2")).body.length, 0);
  assert.equal((await find("&limit=0")).status, 400);
  assert.equal((await find("", stranger.key)).status, 404);
});

test("all checks are subscribed at once, and unsubscribed with the groups", async () => {
  const none = "?autoAssignAlerts=false";
  const name = "All at once";
  const ids = [(await createCheck({ name }, none)).id, (await createCheck({ name }, none)).id];
  const other = (await createCheck({ name: "Apart" }, none)).id;
  const group = (await app.call("POST", "/v1/check-groups", { body: { name } })).body;
  const id = channelIds[2];
  const path = `/v1/alert-channels/${id}/subscribers`;
  const change = (body: Body, key?: string) =>
    app.call("PUT", path, key === undefined ? { body } : { body, key });
  const connected = async () =>
    (await app.call("GET", `${path}?isSubscribed=true&limit=100`)).body.map(
      (one: { checkId: string | null; groupId: number | null }) => one.checkId ?? one.groupId,
    );
  const some = await change({ activated: true, search: "all at ONCE" });
  assert.deepEqual([some.status, some.body], [200, { checks: 2, groups: 0 }]);
  const now = await connected();
  assert.ok(ids.every((one) => now.includes(one)) && !now.includes(other));
  const again = await change({ activated: true, search: name, of: "all" });
  assert.deepEqual(again.body, { checks: 0, groups: 1 });
  assert.ok((await connected()).includes(group.id));
  assert.ok((await change({ activated: true })).body.checks >= 1);
  assert.ok((await connected()).includes(other));
  const off = await change({ activated: false });
  assert.ok(off.body.checks >= 3 && off.body.groups >= 1, off.text);
  assert.deepEqual(await connected(), []);
  const [entry] = (await app.call("GET", "/v1/audit-log?action=alert-channel.subscribed&limit=1"))
    .body.entries;
  assert.deepEqual(entry.changes, { ...off.body, activated: false, search: null });
  assert.equal((await change({ activated: true }, stranger.key)).status, 404);
  assert.equal((await change({})).status, 400);
  assert.equal((await change({ activated: true, of: "odd" })).status, 400);
});
