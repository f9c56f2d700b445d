/** What the form rejects, and its rate limits. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp } from "../../../test/support/apps/app.ts";
import {
  addPage,
  findLink,
  findMails,
  postForm,
  type SubscriberFixture,
  type SubscriberPage,
  signUp,
  startSubscriberFixture,
  waitForMail,
} from "../../../test/support/modules/subscribers.ts";
import { startHttpReceiver } from "../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let fixture: SubscriberFixture;
let page: SubscriberPage;
before(async () => {
  fixture = await startSubscriberFixture();
  page = await addPage(fixture.app);
});
after(() => fixture.stop());

let count = 0;
function nextAddress(): string {
  count += 1;
  return `reader-${count}@example.com`;
}

async function countPending(): Promise<number> {
  const { rows } = await fixture.app.query(
    "select count(*)::int as count from subscriber_deliveries where status = 'PENDING'",
  );
  return rows[0].count;
}

test("an invalid address is rejected with a reason, and nothing is stored or sent", async () => {
  const wrong = [
    ["EMAIL", ""],
    ["EMAIL", "nobody"],
    ["EMAIL", "a@b"],
    ["EMAIL", "a@example.com, b@example.com"],
    ["EMAIL", "a@example.com\r\nBcc: victim@example.com"],
    ["EMAIL", "Somebody <a@example.com>"],
    ["EMAIL", `${"a".repeat(65)}@example.com`],
    ["EMAIL", `a@${"b".repeat(250)}.com`],
    ["EMAIL", "a\u0000@example.com"],
    ["WEBHOOK", "reader@example.com"],
    ["WEBHOOK", "http://127.0.0.1/hook"],
    ["WEBHOOK", "http://169.254.169.254/latest/meta-data"],
    ["WEBHOOK", "http://[::1]/"],
    ["WEBHOOK", "http://[fd00:ec2::254]/"],
    ["WEBHOOK", "http://2130706433/"],
    ["WEBHOOK", "http://0x7f.1/"],
    ["WEBHOOK", "http://10.0.0.1/"],
    ["WEBHOOK", "http://100.64.0.1/"],
    ["WEBHOOK", "http://user:password@hooks.test/"],
    ["WEBHOOK", "file:///etc/passwd"],
    ["WEBHOOK", "gopher://hooks.test/"],
    ["WEBHOOK", "http://hooks.test:25/"],
    ["SLACK", "https://hooks.slack.com.evil.test/services/T0/B0/x"],
    ["SLACK", "http://hooks.slack.com/services/T0/B0/x"],
    ["SLACK", "https://hooks.slack.com/workflows/T0/B0/x"],
    ["SLACK", "https://hooks.slack.com/services/T0/B0/x?to=1"],
    ["SLACK", "https://user@hooks.slack.com/services/T0/B0/x"],
  ] as const;
  const before = await fixture.app.query("select count(*)::int as count from subscribers");
  const heard = fixture.http.requests.length;
  for (const [type, address] of wrong) {
    const answer = await signUp(fixture.app, page, { type, address });
    assert.equal(answer.status, 400, `${type} ${address}`);
    assert.match(answer.text, /role="alert"/);
    assert.match(answer.text, /role="alert"[^<]*[^.]\.<\/p>/, "one sentence, one full stop");
    assert.ok(!answer.text.includes("<a@example.com>"), "what was typed is text, not markup");
  }
  const later = await fixture.app.query("select count(*)::int as count from subscribers");
  assert.equal(later.rows[0].count, before.rows[0].count);
  assert.equal(fixture.http.requests.length, heard);
});

test("services that the page does not show are rejected", async () => {
  const other = await addPage(fixture.app);
  for (const services of [other.serviceIds, ["x"], ["' or 1=1 --"]]) {
    const answer = await signUp(fixture.app, page, { address: nextAddress(), services });
    assert.equal(answer.status, 400);
  }
});

test("a name that resolves into a private network is rejected when it is called", async () => {
  await signUp(fixture.app, page, { type: "WEBHOOK", address: "http://rebinding.example/hook" });
  await waitUntil("it was tried", async () => {
    const { rows } = await fixture.app.query(
      "select reason from subscriber_deliveries where lane = 'web:rebinding.example'",
    );
    return rows[0]?.reason?.includes("private, local or reserved network") ?? false;
  });
});

test("no setting allows visitors to reach a private network", async (t) => {
  const receiver = await startHttpReceiver(t);
  const app = await startTestApp({ BUILT_IN_PROBE: "false", OUTBOUND_ALLOW_PRIVATE: "true" });
  try {
    const open = await addPage(app);
    const address = `http://localhost:${receiver.port}/hook`;
    assert.equal((await signUp(app, open, { type: "WEBHOOK", address })).status, 200);
    await waitUntil("it was refused", async () => {
      const { rows } = await app.query("select status, reason from subscriber_deliveries");
      return rows[0]?.status === "DEAD" && /private, local or reserved/.test(rows[0].reason);
    });
    assert.equal(receiver.requests.length, 0);
  } finally {
    await app.stop();
  }
});

test("a form of another site is rejected; our own, with the origin null, is accepted", async () => {
  const path = `/status/${page.url}/subscribe`;
  const send = (headers: Readonly<Record<string, string>>) => {
    fixture.app.clock.advance(600_000);
    const fields = [["address", nextAddress()]] as const;
    return postForm(fixture.app, path, fields, headers);
  };
  const { host } = new URL(fixture.app.url);
  assert.equal((await send({ origin: "https://evil.example" })).status, 403);
  assert.equal((await send({ origin: "null", "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await send({ origin: "not a url" })).status, 403);
  assert.equal((await send({ origin: `http://${host}` })).status, 200);
  assert.equal((await send({ origin: "null", "sec-fetch-site": "same-origin" })).status, 200);
});

test("a body that is too large or of another type is rejected", async () => {
  const path = `/status/${page.url}/subscribe`;
  const large = await postForm(fixture.app, path, [["address", "a".repeat(20_000)]]);
  assert.equal(large.status, 413);
  const json = await fixture.app.call("POST", path, {
    key: null,
    body: { address: "a@b.example" },
  });
  assert.equal(json.status, 415);
  const text = { key: null, headers: { "content-type": "text/plain" }, rawBody: "address=x" };
  assert.equal((await fixture.app.call("POST", path, text)).status, 415);
});

test("one client may send ten requests in ten minutes", async () => {
  fixture.app.clock.advance(3_600_000);
  const path = `/status/${page.url}/subscribe`;
  const statuses: number[] = [];
  for (let number = 0; number < 11; number += 1) {
    const answer = await postForm(fixture.app, path, [["address", nextAddress()]]);
    statuses.push(answer.status);
    if (answer.status === 429) {
      assert.ok(Number(answer.headers.get("retry-after")) > 0);
      assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
    }
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429]);
});

test("a mailbox gets at most three such mails per hour, and the response stays the same", async () => {
  fixture.app.clock.advance(3_600_000);
  const address = nextAddress();
  const other = await addPage(fixture.app);
  const texts = new Set<string>();
  for (let number = 0; number < 6; number += 1) {
    const { url } = number % 2 === 0 ? page : other;
    const answer = await postForm(fixture.app, `/status/${url}/subscribe`, [["address", address]]);
    assert.equal(answer.status, 200);
    if (number % 2 === 0) texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  await waitUntil("nothing waits", async () => (await countPending()) === 0);
  assert.equal(findMails(fixture.mail, address).length, 3);
});

test("plus tags do not bypass the limit of a mailbox", async () => {
  fixture.app.clock.advance(3_600_000);
  const spellings = [1, 2, 3, 4, 5, 6].map((number) => `Victim+${number}@example.com`);
  for (const address of spellings) {
    const path = `/status/${page.url}/subscribe`;
    assert.equal((await postForm(fixture.app, path, [["address", address]])).status, 200);
  }
  await waitUntil("nothing waits", async () => (await countPending()) === 0);
  assert.equal(spellings.flatMap((address) => findMails(fixture.mail, address)).length, 3);
});

test("a forged header does not make a different client", async () => {
  fixture.app.clock.advance(3_600_000);
  const statuses: number[] = [];
  for (let number = 0; number < 11; number += 1) {
    const client = { "x-forwarded-for": `192.0.2.${number}` };
    const fields = [["address", nextAddress()]] as const;
    const path = `/status/${page.url}/subscribe`;
    statuses.push((await postForm(fixture.app, path, fields, client)).status);
  }
  assert.equal(statuses.at(-1), 429);
});

test("a page accepts two hundred requests per hour, independently of other pages", async () => {
  const app = await startTestApp({
    BUILT_IN_PROBE: "false",
    SMTP_URL: fixture.mail.url,
    TRUSTED_PROXIES: "127.0.0.1",
  });
  try {
    const [busy, calm] = [await addPage(app), await addPage(app)];
    const send = (url: string, number: number) =>
      postForm(app, `/status/${url}/subscribe`, [["address", "same@example.com"]], {
        "x-forwarded-for": `192.0.2.${number}`,
      });
    for (let number = 0; number < 200; number += 1) {
      assert.equal((await send(busy.url, number)).status, 200);
    }
    assert.equal((await send(busy.url, 200)).status, 429);
    assert.equal((await send(calm.url, 200)).status, 200);
    app.clock.advance(3_600_000);
    assert.equal((await send(busy.url, 201)).status, 200);
  } finally {
    await app.stop();
  }
});

test("the form of a private page requires its key; links work without it", async () => {
  const closed = await addPage(fixture.app, { isPrivate: true });
  const path = `/status/${closed.url}/subscribe`;
  for (const method of ["GET", "POST"]) {
    const answer = await fetch(`${fixture.app.url}${path}`, { method, redirect: "manual" });
    assert.equal(answer.status, 303, method);
    assert.equal(answer.headers.get("location"), `/status/${closed.url}/`);
  }
  const made = await fixture.app.call("POST", `/v1/status-pages/${closed.id}/keys`);
  const key = made.body.key ?? made.body.rawKey;
  assert.ok(key, made.text);
  const address = nextAddress();
  fixture.app.clock.advance(3_600_000);
  const fields = [["address", address]] as const;
  assert.equal((await postForm(fixture.app, `${path}?key=${key}`, fields)).status, 200);
  const confirm = findLink(await waitForMail(fixture.mail, address), "confirm");
  assert.equal((await postForm(fixture.app, confirm)).status, 200);
});

test("without a mail server the form offers no email and does not reveal why", async () => {
  const app = await startTestApp({ BUILT_IN_PROBE: "false" });
  try {
    const quiet = await addPage(app);
    const shown = await app.call("GET", `/status/${quiet.url}/subscribe`, { key: null });
    assert.doesNotMatch(shown.text, /mail/i);
    assert.ok(!shown.text.includes('value="EMAIL"'));
    const answer = await signUp(app, quiet, { address: "reader@example.com" });
    assert.equal(answer.status, 503);
    assert.match(answer.text, /by email are not available/);
    assert.equal((await app.query("select id from subscribers")).rows.length, 0);
  } finally {
    await app.stop();
  }
});
