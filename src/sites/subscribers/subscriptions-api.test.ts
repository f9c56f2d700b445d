import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { createIncident, postUpdate } from "../../../test/support/modules/incidents.ts";
import {
  addPage,
  addSubscriber,
  findLink,
  findMails,
  postForm,
  type SubscriberFixture,
  type SubscriberPage,
  signUp,
  startSubscriberFixture,
  waitForMail,
} from "../../../test/support/modules/subscribers.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let fixture: SubscriberFixture;
let page: SubscriberPage;
let stranger: Stranger;
let path: string;
before(async () => {
  fixture = await startSubscriberFixture();
  stranger = await addStranger(fixture.app);
});
after(() => fixture.stop());

const nobody = "0198c1f0-0000-7000-8000-000000000000";
const mailbox = (config: string) => ({ type: "EMAIL", config });

/** Every test has a separate page, so that subscribers are counted separately. */
async function openPage(): Promise<void> {
  page = await addPage(fixture.app);
  path = `/v1/status-pages/${page.id}/subscriptions`;
}

function addBulk(
  configs: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const body = { subscriptions: configs.map(mailbox), ...more };
  return fixture.app.call("POST", `${path}/bulk`, { body, headers });
}

test("many subscribers are added at once, and existing ones are skipped", async () => {
  await openPage();
  const first = await addBulk(["a@example.com", "B@example.com"], { autoVerify: true });
  assert.equal(first.status, 201, first.text);
  assert.deepEqual(first.body, { created: 2, skipped: 0, status: "VERIFIED" });
  const second = await addBulk(["b@example.com", "c@example.com", "C@EXAMPLE.com"]);
  assert.deepEqual(second.body, { created: 1, skipped: 2, status: "PENDING" });
  const list = await fixture.app.call("GET", path);
  assert.equal(list.status, 200);
  const shown = list.body.map((one: Record<string, unknown>) => [one.address, one.status]);
  assert.deepEqual(shown, [
    ["a@example.com", "VERIFIED"],
    ["B@example.com", "VERIFIED"],
    ["c@example.com", "PENDING"],
  ]);
  const [{ id, created_at, updated_at, type }] = list.body;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(created_at, "2026-11-15");
  assert.deepEqual([type, updated_at], ["EMAIL", null]);
});

test("subscribers added without autoVerify receive a confirmation mail", async () => {
  await openPage();
  const address = "asked@example.com";
  await addBulk([address]);
  const link = findLink(await waitForMail(fixture.mail, address), "confirm");
  assert.equal((await postForm(fixture.app, link)).status, 200);
  const { body } = await fixture.app.call("GET", path);
  assert.equal(body[0].status, "VERIFIED");
  assert.equal(body[0].updated_at, "2026-11-15");
});

test("a repeated Idempotency-Key adds nothing and returns the same response", async () => {
  await openPage();
  const headers = { "idempotency-key": "import-1" };
  const input = { autoVerify: true };
  const answers = await Promise.all(
    [1, 2, 3].map(() => addBulk(["i@example.com", "j@example.com"], input, headers)),
  );
  for (const answer of answers) {
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.body, { created: 2, skipped: 0, status: "VERIFIED" });
  }
  const other = await addBulk(["k@example.com"], input, headers);
  assert.equal(other.status, 409);
  assert.equal((await fixture.app.call("GET", path)).body.length, 2);
});

test("errors of a list are reported, and nothing of it is stored", async () => {
  await openPage();
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [{}, /^subscriptions /],
    [{ subscriptions: [] }, /^subscriptions /],
    [
      { subscriptions: Array.from({ length: 101 }, () => mailbox("a@example.com")) },
      /^subscriptions /,
    ],
    [
      { subscriptions: [mailbox("a@example.com"), mailbox("nobody")] },
      /^subscriptions\.1\.config /,
    ],
    [
      { subscriptions: [mailbox("a@example.com\r\nBcc: b@example.com")] },
      /^subscriptions\.0\.config /,
    ],
    [
      { subscriptions: [{ type: "WEBHOOK", config: "https://a.example" }] },
      /^subscriptions\.0\.type /,
    ],
    [{ subscriptions: [{ type: "EMAIL" }] }, /^subscriptions\.0\.config /],
    [{ subscriptions: [mailbox("a@example.com")], autoVerify: "yes" }, /^autoVerify /],
  ];
  for (const [body, message] of wrong) {
    const answer = await fixture.app.call("POST", `${path}/bulk`, { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.body.message, message);
  }
  assert.deepEqual((await fixture.app.call("GET", path)).body, []);
});

test("a long list continues at the Link header, with the total in Content-Range", async () => {
  await openPage();
  await addBulk(["a@example.com", "b@example.com", "c@example.com"], { autoVerify: true });
  const first = await fixture.app.call("GET", `${path}?limit=2`);
  assert.deepEqual([first.body.length, first.headers.get("content-range")], [2, "items 0-1/3"]);
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
  assert.ok(next);
  const second = await fixture.app.call("GET", next);
  assert.deepEqual([second.body.length, second.headers.get("content-range")], [1, "items 2-2/3"]);
  assert.equal(second.headers.get("link"), null);
  const found = [...first.body, ...second.body].map((one: { address: string }) => one.address);
  assert.deepEqual(found.sort(), ["a@example.com", "b@example.com", "c@example.com"]);
  for (const bad of ["limit=0", "limit=101", "limit=x", "nextId=x"]) {
    assert.equal((await fixture.app.call("GET", `${path}?${bad}`)).status, 400, bad);
  }
});

test("webhook and Slack URLs are masked and encrypted at rest", async () => {
  await openPage();
  const slack = "https://hooks.slack.com/services/T000/B000/hidden";
  await signUp(fixture.app, page, { type: "WEBHOOK", address: fixture.hookUrl("/hidden") });
  await signUp(fixture.app, page, { type: "SLACK", address: slack });
  const { text, body } = await fixture.app.call("GET", path);
  assert.ok(!text.includes("hidden"));
  assert.deepEqual(
    body.map((one: { address: string }) => one.address),
    [`http://hooks.test:${fixture.http.port}/…`, "https://hooks.slack.com/services/…"],
  );
  await waitUntil("both were called", () => fixture.http.requests.length >= 2);
  const deliveries = await fixture.app.call("GET", `${path}/deliveries`);
  assert.ok(!deliveries.text.includes("hidden"));
  const { rows } = await fixture.app.query("select * from subscribers where status_page_id = $1", [
    page.id,
  ]);
  assert.ok(!JSON.stringify(rows).includes("hidden"));
  assert.ok(!fixture.app.logText().includes("hidden"));
});

test("an incident update with notification reaches subscribers, and its delivery is listed", async () => {
  await openPage();
  const address = "reader@example.com";
  await addSubscriber(fixture, page, { address });
  const [serviceId = ""] = page.serviceIds;
  const incident = await createIncident(fixture.app, serviceId, {
    incidentUpdates: [{ description: "We are *on* it.", notifySubscribers: true }],
  });
  assert.equal(incident.status, 201, incident.text);
  const mail = await waitForMail(fixture.mail, address, 2);
  assert.equal(mail.subject, "[Acme status] Payments fail – Investigating");
  await postUpdate(fixture.app, incident.body.id, { description: "Quiet.", status: "IDENTIFIED" });
  await postUpdate(fixture.app, incident.body.id, {
    description: "Over.",
    status: "RESOLVED",
    notifySubscribers: true,
  });
  const last = await waitForMail(fixture.mail, address, 3);
  assert.match(last.subject, /Resolved$/);
  assert.ok(!findMails(fixture.mail, address).some(({ body }) => body.includes("Quiet.")));
  await waitUntil("the receipts are there", async () => {
    const { body } = await fixture.app.call("GET", `${path}/deliveries`);
    return body.entries.every(({ status }: { status: string }) => status === "SENT");
  });
  const { status, body } = await fixture.app.call("GET", `${path}/deliveries?limit=2`);
  assert.deepEqual([status, body.length], [200, 2]);
  const { id, subscriptionId, created_at, sentAt, ...rest } = body.entries[0];
  assert.ok(id && subscriptionId && created_at && sentAt);
  assert.deepEqual(rest, {
    type: "EMAIL",
    address,
    purpose: "announce",
    title: "Payments fail",
    incidentId: incident.body.id,
    status: "SENT",
    attempts: 1,
    statusCode: null,
    reason: null,
    nextAttemptAt: null,
  });
  const rest2 = await fixture.app.call("GET", `${path}/deliveries?nextId=${body.nextId}`);
  assert.deepEqual(
    rest2.body.entries.map(({ purpose }: { purpose: string }) => purpose),
    ["confirm"],
  );
  assert.equal(rest2.body.nextId, null);
});

test("a subscriber is deleted with its pending messages, and only with write access", async () => {
  await openPage();
  await addBulk(["d@example.com"], { autoVerify: true });
  const [{ id }] = (await fixture.app.call("GET", path)).body;
  const one = `${path}/${id}`;
  const readOnly = (await createKey(fixture.app, "READ_ONLY")).key;
  const who = [
    [{ key: null }, 401],
    [{ key: readOnly }, 403],
    [{ key: stranger.key }, 404],
  ] as const;
  for (const [options, status] of who) {
    assert.equal((await fixture.app.call("DELETE", one, options)).status, status);
  }
  assert.equal((await fixture.app.call("DELETE", `${path}/x`)).status, 400);
  const other = await addPage(fixture.app);
  const wrongPage = `/v1/status-pages/${other.id}/subscriptions/${id}`;
  assert.equal((await fixture.app.call("DELETE", wrongPage)).status, 404);
  assert.equal((await fixture.app.call("DELETE", one)).status, 204);
  assert.equal((await fixture.app.call("DELETE", one)).status, 404);
  const { rows } = await fixture.app.query(
    "select changes from audit_entries where action = 'subscription.deleted' and target_id = $1",
    [id],
  );
  assert.ok(rows.length === 1 && !JSON.stringify(rows).includes("d@example.com"));
});

test("a page that is unknown or of another account is not found", async () => {
  await openPage();
  const body = { subscriptions: [mailbox("a@example.com")], autoVerify: true };
  for (const [id, key] of [
    [page.id, stranger.key],
    [nobody, undefined],
  ] as const) {
    const who = key === undefined ? {} : { key };
    const base = `/v1/status-pages/${id}/subscriptions`;
    assert.equal((await fixture.app.call("GET", base, who)).status, 404);
    assert.equal((await fixture.app.call("GET", `${base}/deliveries`, who)).status, 404);
    assert.equal((await fixture.app.call("POST", `${base}/bulk`, { body, ...who })).status, 404);
  }
});

test("a page has at most fifty thousand subscribers, in the API and the form", async () => {
  await openPage();
  await fixture.app.query(
    `insert into subscribers (id, account_id, status_page_id, type, address, address_hash, lane,
      status, asked_at, created_at)
    select gen_random_uuid(), $1, $2, 'EMAIL', n || '@example.com', sha256(n::text::bytea), 'mail',
      'VERIFIED', now(), now() from generate_series(1, 49999) as n`,
    [fixture.app.owner.accountId, page.id],
  );
  const two = await addBulk(["x@example.com", "y@example.com"], { autoVerify: true });
  assert.equal(two.status, 409);
  assert.match(two.body.message, /at most 50000 subscribers/);
  assert.equal((await addBulk(["x@example.com"], { autoVerify: true })).status, 201);
  const full = await signUp(fixture.app, page, { address: "z@example.com" });
  assert.equal(full.status, 503);
  await fixture.app.query("delete from subscribers where status_page_id = $1", [page.id]);
});

test("without a mail server the API reports that no confirmation can be sent", async () => {
  const app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  try {
    const quiet = await addPage(app);
    const bulk = `/v1/status-pages/${quiet.id}/subscriptions/bulk`;
    const body = { subscriptions: [mailbox("a@example.com")] };
    const refused = await app.call("POST", bulk, { body });
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /no SMTP server is configured/);
    const taken = await app.call("POST", bulk, { body: { ...body, autoVerify: true } });
    assert.equal(taken.status, 201);
  } finally {
    await app.stop();
  }
});
