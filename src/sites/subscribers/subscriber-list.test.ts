/** Actions on the whole list, and on undelivered messages. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  addPage,
  findMails,
  type SubscriberFixture,
  startSubscriberFixture,
  waitForMail,
} from "../../../test/support/modules/subscribers.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let fixture: SubscriberFixture;
let refuses = true;
before(async () => {
  fixture = await startSubscriberFixture({
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith("away") && refuses
        ? done(Object.assign(new Error("5.7.1 not now"), { responseCode: 550 }))
        : done(),
  });
});
after(() => fixture.stop());

const nobody = "0198c1f0-0000-7000-8000-000000000000";
const call = (method: string, path: string, body?: unknown) =>
  fixture.app.call(method, path, body === undefined ? {} : { body });
async function openPage(): Promise<string> {
  return `/v1/status-pages/${(await addPage(fixture.app)).id}/subscriptions`;
}

test("a list is imported line by line, and every invalid line is reported", async () => {
  const path = await openPage();
  const text =
    "name,email\nAda,ada@example.com\nBob,bob\n,\nEve,EVE@example.com\nAda,Ada@example.com";
  const { status, body } = await call("POST", `${path}/import`, { text, autoVerify: true });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    created: 2,
    skipped: 1,
    status: "VERIFIED",
    faults: [
      { line: 3, text: "Bob,bob", rule: "must be an email address" },
      { line: 4, text: ",", rule: "must be an email address" },
    ],
  });
  assert.deepEqual((await call("GET", `${path}/counts`)).body, {
    total: 2,
    PENDING: 0,
    VERIFIED: 2,
    QUARANTINED: 0,
  });
  const nothing = await call("POST", `${path}/import`, { text: "nobody" });
  assert.deepEqual([nothing.body.created, nothing.body.faults.length], [0, 1]);
  const many = Array.from({ length: 5_001 }, (_, index) => `m${index}@example.com`).join("\n");
  assert.equal((await call("POST", `${path}/import`, { text: many })).status, 400);
  const most = many.slice(0, many.lastIndexOf("\n"));
  const whole = await call("POST", `${path}/import`, { text: most, autoVerify: true });
  assert.equal(whole.body.created, 5_000);
  assert.equal((await call("GET", `${path}/counts`)).body.total, 5_002);
  const elsewhere = `/v1/status-pages/${nobody}/subscriptions/import`;
  assert.equal((await call("POST", elsewhere, { text })).status, 404);
});

test("a list is searched and filtered, with the total of matches", async () => {
  const path = await openPage();
  const text = "ada@example.com\nadam@example.org\nb_b@example.com";
  await call("POST", `${path}/import`, { text, autoVerify: true });
  const found = await call("GET", `${path}?search=ADA&limit=1`);
  assert.equal(found.headers.get("content-range"), "items 0-0/2");
  const next = /<([^>]+)>/.exec(found.headers.get("link") ?? "")?.[1] ?? "";
  const rest = await call("GET", next);
  assert.deepEqual(
    rest.body.map(({ address }: { address: string }) => address),
    ["adam@example.org"],
  );
  assert.equal((await call("GET", `${path}?search=_b`)).body.length, 1);
  assert.equal((await call("GET", `${path}?status=PENDING`)).body.length, 0);
  assert.equal((await call("GET", `${path}?status=NO`)).status, 400);
});

test("a download of the list is recorded in the audit log", async () => {
  const path = await openPage();
  await call("POST", `${path}/import`, {
    text: "=cmd@example.com\nb@example.com",
    autoVerify: true,
  });
  const { status, text, headers } = await call("GET", `${path}/export`);
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/csv/);
  assert.deepEqual(text.split("\r\n").slice(0, 3), [
    "address,type,status,created_at",
    "'=cmd@example.com,EMAIL,VERIFIED,2026-11-15",
    "b@example.com,EMAIL,VERIFIED,2026-11-15",
  ]);
  const log = await call("GET", "/v1/audit-log?limit=1");
  assert.equal(log.body.entries[0].action, "subscription.exported");
});

test("an unconfirmed subscriber gets at most three requests per hour", async () => {
  const path = await openPage();
  const address = "slow@example.com";
  await call("POST", `${path}/import`, { text: address });
  await waitForMail(fixture.mail, address);
  const [{ id }] = (await call("GET", path)).body;
  for (const expected of [204, 204, 204, 429]) {
    assert.equal((await call("POST", `${path}/${id}/confirmation`)).status, expected);
  }
  await waitUntil("all arrived", () => findMails(fixture.mail, address).length === 4);
  await fixture.app.query("update subscribers set status = 'VERIFIED' where id = $1", [id]);
  assert.equal((await call("POST", `${path}/${id}/confirmation`)).status, 409);
  assert.equal((await call("POST", `${path}/${nobody}/confirmation`)).status, 404);
});

test("an abandoned message is sent again, and a delivered one is not", async () => {
  const path = await openPage();
  const address = "away@example.com";
  await call("POST", `${path}/import`, { text: `${address}\nhere@example.com` });
  const list = async (query = "") => (await call("GET", `${path}/deliveries${query}`)).body.entries;
  await waitUntil("one is given up", async () => (await list("?status=DEAD")).length === 1);
  const [dead] = await list("?status=DEAD");
  assert.equal(dead.address, address);
  assert.match(dead.reason, /The mail server responded with 550/);
  const mine = await list(`?subscriptionId=${dead.subscriptionId}`);
  assert.deepEqual(
    mine.map((one: { id: string }) => one.id),
    [dead.id],
  );
  refuses = false;
  assert.equal((await call("POST", `${path}/deliveries/${dead.id}/resend`)).status, 204);
  await waitForMail(fixture.mail, address);
  await waitUntil("it is known", async () => (await list("?status=DEAD")).length === 0);
  assert.equal((await call("POST", `${path}/deliveries/${dead.id}/resend`)).status, 409);
  assert.equal((await call("POST", `${path}/deliveries/${nobody}/resend`)).status, 404);
});

test("without a mail server no confirmation can be requested", async (t) => {
  const app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  t.after(() => app.stop());
  const { id } = await addPage(app);
  const path = `/v1/status-pages/${id}/subscriptions`;
  const body = { text: "a@example.com" };
  assert.equal((await app.call("POST", `${path}/import`, { body })).status, 409);
});
