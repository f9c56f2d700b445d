import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, type TestContext, test } from "node:test";
import { reportRun } from "../../../../test/support/apps/alerting-app.ts";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { createChannelConfigs } from "../../../../test/support/modules/channel-configs.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

const authToken = "token-of-the-account";
let app: TestApp;

before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
});
after(() => app.stop());

async function addCheck(alertChannelId: number): Promise<string> {
  const body = {
    name: "Shop",
    request: { hostname: "192.0.2.1" },
    alertChannelSubscriptions: [{ alertChannelId, activated: true }],
  };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

/** Reads what a call says, and the address that it gives to Twilio. */
function readCall(body = "") {
  const text = new URLSearchParams(body).get("Twiml") ?? "";
  return { text, url: /action="([^"]+)"/.exec(text)?.[1] ?? "" };
}

/** Lets a check fail, and returns the address that its call gives to Twilio. */
async function receiveCall(t: TestContext) {
  const twilio = await startHttpReceiver(t, () => ({ status: 201 }));
  const config = createChannelConfigs(twilio.url, authToken).TWILIO;
  const channel = { type: "TWILIO", config };
  const { id: alertChannelId } = (await app.call("POST", "/v1/alert-channels", { body: channel }))
    .body;
  const checkId = await addCheck(alertChannelId);
  await reportRun(app, checkId, "failing");
  await waitUntil("the call was made", () => twilio.requests.length > 0);
  return { checkId, url: readCall(twilio.requests[0]?.body).url, alertChannelId, twilio };
}

test("a call about several alerts acknowledges all of them", async (t) => {
  const { checkId, url, alertChannelId, twilio } = await receiveCall(t);
  const checkIds: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const id = await addCheck(alertChannelId);
    await reportRun(app, id, "failing");
    checkIds.push(id);
  }
  await waitUntil("single calls were made", () => twilio.requests.length === 3);
  app.clock.advance(60_000);
  await waitUntil("one call was made about the others", () => twilio.requests.length === 4);
  const digest = readCall(twilio.requests[3]?.body);
  assert.match(digest.text, /2 checks are failing.+Press 1/);
  assert.match((await press(digest.url, "1")).text, /<Say>Acknowledged\./);
  const counts = [];
  for (const id of [checkId, ...checkIds]) counts.push((await listAcknowledgements(id)).length);
  assert.deepEqual(counts, [0, 0, 0, 1, 1]);
  assert.match((await press(url, "1")).text, /<Say>Acknowledged\./);
});

function press(url: string, digits: string, secret = authToken) {
  const fields = { CallSid: "CA1", Digits: digits, To: "+31612345678" };
  const text = [url, ...Object.entries(fields).flat()].join("");
  const signature = createHmac("sha1", secret).update(text).digest("base64");
  return app.call("POST", new URL(url).pathname, {
    key: null,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": signature,
    },
    rawBody: new URLSearchParams(fields).toString(),
  });
}

async function listAcknowledgements(checkId: string) {
  const { rows } = await app.query(
    `select actor_name, (select count(*)::int from audit_entries where target_id = $2
        and action = 'alert.acknowledged') as audited
      from alert_acknowledgements where check_id = $1`,
    [checkId, checkId],
  );
  return rows;
}

test("pressing 1 acknowledges once, also if Twilio repeats its request", async (t) => {
  const { checkId, url } = await receiveCall(t);
  for (const _attempt of [1, 2]) {
    const reply = await press(url, "1");
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.headers.get("content-type") ?? "", /^text\/xml/);
    assert.match(reply.text, /<Response><Say>Acknowledged\./);
  }
  assert.deepEqual(await listAcknowledgements(checkId), [
    { actor_name: "a call to On call (call to +31612345678)", audited: 1 },
  ]);
});

test("another key acknowledges nothing", async (t) => {
  const { checkId, url } = await receiveCall(t);
  for (const digits of ["2", "", "11"]) {
    assert.match((await press(url, digits)).text, /<Say>Not acknowledged\./);
  }
  assert.deepEqual(await listAcknowledgements(checkId), []);
});

test("a request that Twilio did not sign is rejected", async (t) => {
  const { checkId, url } = await receiveCall(t);
  assert.equal((await press(url, "1", "another token")).status, 403);
  assert.equal((await press(`${url}00`, "1")).status, 404);
  const forged = `${new URL(url).origin}/acknowledge/${"a".repeat(60)}/call/1`;
  assert.equal((await press(forged, "1")).status, 404);
  const path = new URL(url).pathname;
  assert.equal((await app.call("POST", path, { key: null, body: {} })).status, 403);
  assert.deepEqual(await listAcknowledgements(checkId), []);
});

test("a key that is pressed after the recovery is answered with words", async (t) => {
  const { checkId, url } = await receiveCall(t);
  await reportRun(app, checkId, "passing");
  const reply = await press(url, "1");
  assert.equal(reply.status, 200);
  assert.match(reply.text, /already ended/);
  assert.deepEqual(await listAcknowledgements(checkId), []);
});
