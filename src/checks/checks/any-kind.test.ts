/** Tests that POST and PUT /v1/checks behave like the routes of each kind. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Type } from "typebox";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { allKinds, checkTypes } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp();
});
after(() => app.stop());

type Body = Readonly<Record<string, unknown>>;

const wholeBody = ({ operations }: Kind): Body => ({ name: "Router", ...operations.example });

/** Removes ids and generated tokens, which differ for each check. */
function withoutDrawn(value: Body): string {
  const drawn = /[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9_-]{20,}/g;
  return JSON.stringify(value).replaceAll(drawn, "…");
}

for (const kind of allKinds) {
  const { type, path } = kind;

  test(`${type}: POST /v1/checks creates the same check as the route of the kind`, async () => {
    const body = wholeBody(kind);
    const own = await app.call("POST", `/v1/checks/${path}`, { body });
    const any = await app.call("POST", "/v1/checks", { body: { checkType: type, ...body } });
    assert.equal(own.status, 201, own.text);
    assert.equal(any.status, 201, any.text);
    assert.equal(withoutDrawn(any.body), withoutDrawn(own.body));
    const read = await app.call("GET", `/v1/checks/${any.body.id}`);
    assert.deepEqual(read.body, any.body);
    const { body: listed } = await app.call("GET", "/v1/checks?limit=100");
    assert.deepEqual(
      listed.find(({ id }: { id: string }) => id === any.body.id),
      any.body,
    );
  });

  test(`${type}: a fault has the message and the field of the kind's own route`, async () => {
    const whole = wholeBody(kind);
    const targets = Object.entries(kind.fields.target.create);
    const bodies: Body[] = [
      {},
      ...(targets.every(([, schema]) => Type.IsOptional(schema)) ? [] : [{ name: "Router" }]),
      { ...whole, name: 5 },
      { ...whole, name: "" },
      { ...whole, frequency: 7 },
      { ...whole, maxResponseTime: kind.responseTimeLimits.highestMs + 1 },
      ...(kind.isOrdered ? [{ ...whole, frequency: 0, frequencyOffset: 7 }] : []),
      { ...whole, alertChannelSubscriptions: [{ alertChannelId: 999_999 }] },
      ...targets.flatMap(([target, schema]) => [
        ...(Type.IsOptional(schema) ? [] : [{ ...whole, [target]: null }]),
        { ...whole, [target]: { hostname: 5, url: 5, assertions: [{ source: "NOTHING" }] } },
      ]),
    ];
    for (const body of bodies) {
      const own = await app.call("POST", `/v1/checks/${path}`, { body });
      const any = await app.call("POST", "/v1/checks", { body: { checkType: type, ...body } });
      assert.equal(own.status, 400, JSON.stringify(body));
      assert.deepEqual(any.body, own.body);
    }
  });

  test(`${type}: PUT /v1/checks/{id} changes a check and keeps omitted fields`, async () => {
    const { body: made } = await app.call("POST", "/v1/checks", {
      body: { checkType: type, ...wholeBody(kind), tags: ["kept"] },
    });
    const path = `/v1/checks/${made.id}`;
    const changed = await app.call("PUT", path, { body: { name: "Renamed" } });
    assert.equal(changed.status, 200, changed.text);
    const expected = { ...made, name: "Renamed", updated_at: changed.body.updated_at };
    assert.deepEqual(changed.body, expected);
    const named = await app.call("PUT", path, { body: { checkType: type, muted: true } });
    assert.deepEqual([named.status, named.body.muted], [200, true]);
    const wrong = await app.call("PUT", path, { body: { name: "" } });
    assert.deepEqual(wrong.body.validation, { source: "body", keys: ["name"] });
    for (const other of checkTypes.filter((candidate) => candidate !== type)) {
      const refused = await app.call("PUT", path, { body: { checkType: other } });
      assert.equal(refused.status, 400);
      assert.equal(refused.body.message, `checkType cannot be changed: it is ${type}`);
    }
  });
}

test("an unknown or missing type is rejected", async () => {
  const body = { name: "Router", checkType: "TELEX" };
  const unknown = await app.call("POST", "/v1/checks", { body });
  assert.equal(unknown.status, 400);
  assert.equal(unknown.body.message, `checkType must be one of ${checkTypes.join(", ")}`);
  const none = await app.call("POST", "/v1/checks", { body: { name: "Router" } });
  assert.equal(none.body.message, "checkType is required");
  const id = "00000000-0000-7000-8000-000000000000";
  assert.equal((await app.call("PUT", `/v1/checks/${id}`, { body: {} })).status, 404);
});

test("autoAssignAlerts=false subscribes the check to no channel", async () => {
  const channel = { type: "EMAIL", config: { address: "on-call@example.com" } };
  assert.equal((await app.call("POST", "/v1/alert-channels", { body: channel })).status, 201);
  const [kind] = allKinds;
  assert.ok(kind);
  const body = { checkType: kind.type, ...wholeBody(kind) };
  const subscribed = await app.call("POST", "/v1/checks", { body });
  const alone = await app.call("POST", "/v1/checks?autoAssignAlerts=false", { body });
  const count = (answer: { body: { alertChannels: { email: unknown[] } } }) =>
    answer.body.alertChannels.email.length;
  assert.deepEqual([count(subscribed), count(alone)], [1, 0]);
});
