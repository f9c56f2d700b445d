/** Tests ETag and If-Match of checks: a change based on an outdated state is rejected. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { allKinds } from "../../kinds/index.ts";

let app: TestApp;

before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const tagOf = async (id: string) =>
  (await app.call("GET", `/v1/checks/${id}`)).headers.get("etag") ?? "";

for (const { type, path, operations } of allKinds) {
  test(`a change of ${type} with an outdated ETag returns 412 and changes nothing`, async () => {
    const body = { checkType: type, name: "First", activated: false, ...operations.example };
    const { id } = (await app.call("POST", "/v1/checks", { body })).body;
    const tag = await tagOf(id);
    assert.match(tag, /^"[\w-]{22}"$/);
    const put = (name: string, ifMatch: string, route = "/v1/checks") =>
      app.call("PUT", `${route}/${id}`, { body: { name }, headers: { "if-match": ifMatch } });
    const changed = await put("Second", tag);
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.headers.get("etag"), await tagOf(id));
    const late = await put("Third", tag);
    assert.equal(late.status, 412);
    const whole = (await app.call("GET", `/v1/checks/${id}`)).body;
    assert.equal(whole.name, "Second");
    const route = `/v1/checks/${path}`;
    const own = {
      headers: { "if-match": tag },
      body: { heartbeat: {}, script: "", ...whole, name: "Fourth" },
    };
    assert.equal((await app.call("PUT", `${route}/${id}`, own)).status, 412);
    assert.equal((await put("Third", `"none", ${await tagOf(id)}`)).status, 200);
    assert.equal((await put("Fifth", "*")).status, 200);
  });
}

test("the ETag changes with the channels but not with the status", async () => {
  const [kind] = allKinds;
  const body = { checkType: kind?.type, name: "One", ...kind?.operations.example };
  const { id } = (await app.call("POST", "/v1/checks", { body })).body;
  const tag = await tagOf(id);
  await app.query("update checks set status = 'failing' where id = $1", [id]);
  assert.equal(await tagOf(id), tag);
  const channel = { type: "EMAIL", config: { address: "on-call@example.com" } };
  const { id: alertChannelId } = (await app.call("POST", "/v1/alert-channels", { body: channel }))
    .body;
  const alertChannelSubscriptions = [{ alertChannelId, activated: true }];
  await app.call("PUT", `/v1/checks/${id}`, { body: { alertChannelSubscriptions } });
  assert.notEqual(await tagOf(id), tag);
});
