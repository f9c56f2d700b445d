/** ETag and If-Match of check groups. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const path = "/v1/check-groups";
const readGroup = async (id: number) => {
  const answer = await app.call("GET", `${path}/${id}`);
  return { tag: answer.headers.get("etag") ?? "", body: answer.body };
};
const createGroup = (more: object = {}) =>
  app.call("POST", path, { body: { name: "Network", ...more } });

test("the second of two writers of a group gets 412 and changes nothing", async () => {
  const created = await createGroup();
  const { id } = created.body;
  const { tag } = await readGroup(id);
  assert.equal(created.headers.get("etag"), tag);
  const put = (body: object, ifMatch: string) =>
    app.call("PUT", `${path}/${id}`, { body, headers: { "if-match": ifMatch } });
  const first = await put({ muted: true }, tag);
  assert.equal(first.status, 200, first.text);
  const now = await readGroup(id);
  assert.equal(first.headers.get("etag"), now.tag);
  assert.equal((await put({ name: "Late" }, tag)).status, 412);
  assert.deepEqual((await readGroup(id)).body, now.body);
  assert.equal((await put({ name: "Backbone" }, `"none", ${now.tag}`)).status, 200);
  assert.equal((await put({ name: "Any" }, "*")).status, 200);
  assert.equal((await app.call("PUT", `${path}/${id}`, { body: { name: "Old" } })).status, 200);
});

test("a group that was changed since it was read is not deleted", async () => {
  const { id } = (await createGroup()).body;
  const { tag } = await readGroup(id);
  await app.call("PUT", `${path}/${id}`, { body: { muted: true } });
  const remove = (ifMatch: string) =>
    app.call("DELETE", `${path}/${id}`, { headers: { "if-match": ifMatch } });
  assert.equal((await remove(tag)).status, 412);
  const now = await readGroup(id);
  assert.equal(now.body.muted, true);
  assert.equal((await remove(now.tag)).status, 204);
  assert.equal((await app.call("GET", `${path}/${id}`)).status, 404);
});

test("the ETag of a group changes with its name, settings, variables and channels", async () => {
  const { id } = (await createGroup()).body;
  const channel = { type: "EMAIL", config: { address: "on-call@example.com" } };
  const { id: channelId } = (await app.call("POST", "/v1/alert-channels", { body: channel })).body;
  const put = (body: object) => () => app.call("PUT", `${path}/${id}`, { body });
  const steps = [
    put({ name: "Backbone" }),
    put({ tags: ["core"] }),
    put({ environmentVariables: [{ key: "REGION", value: "eu" }] }),
    () =>
      app.call("PUT", `/v1/alert-channels/${channelId}/subscriptions`, {
        body: { groupId: id, activated: true },
      }),
    () => app.call("DELETE", `/v1/alert-channels/${channelId}`),
    put({ name: "Core" }),
  ];
  let before = (await readGroup(id)).tag;
  for (const step of steps) {
    const { status, text } = await step();
    assert.ok(status < 300, text);
    const { tag } = await readGroup(id);
    assert.match(tag, /^"[\w-]{22}"$/);
    assert.notEqual(tag, before);
    before = tag;
  }
});

test("a group shows the channels that were added and removed on the channel's side", async () => {
  const { id } = (await createGroup()).body;
  const channel = { type: "EMAIL", config: { address: "desk@example.com" } };
  const { id: channelId } = (await app.call("POST", "/v1/alert-channels", { body: channel })).body;
  await app.call("PUT", `/v1/alert-channels/${channelId}/subscriptions`, {
    body: { groupId: id, activated: true },
  });
  const expected = [{ alertChannelId: channelId, activated: true }];
  assert.deepEqual((await readGroup(id)).body.alertChannelSubscriptions, expected);
  const list = (await app.call("GET", `${path}?limit=100`)).body;
  const listed = list.find((one: { id: number }) => one.id === id);
  assert.deepEqual(listed.alertChannelSubscriptions, expected);
  await app.call("DELETE", `/v1/alert-channels/${channelId}`);
  assert.deepEqual((await readGroup(id)).body.alertChannelSubscriptions, []);
});
