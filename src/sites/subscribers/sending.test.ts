/** Messages to subscribers, and what their delivery says about the address. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import {
  createSubscriberFixture,
  type NewcomerInput,
  type SubscriberFixture,
} from "../../../test/support/modules/subscriber-fixture.ts";
import { readMail } from "../../../test/support/modules/subscribers.ts";
import { smtpError } from "../../../test/support/servers/mail-receiver.ts";
import { insertSubscriptionMessages } from "./delivery-store.ts";

const hookUrl = (fixture: SubscriberFixture, path = "/hook") =>
  `http://hooks.test:${fixture.http.port}${path}`;
const slackUrl = "https://hooks.slack.com/services/T000/B000/secret";

async function createScene(t: TestContext, input: Partial<NewcomerInput> = {}) {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  const address = input.type === "WEBHOOK" ? hookUrl(fixture) : "a@example.com";
  const id = await fixture.addSubscriber(page, { address, ...input });
  const find = async () => (await fixture.query("select * from subscribers where id = $1", id))[0];
  const listDeliveries = () => fixture.query("select * from subscriber_deliveries order by number");
  /** Like another submission of the form. */
  const ask = async (purpose: "confirm" | "remind") => {
    const { db, clock } = fixture.context;
    const message = { statusPageId: page.id, subscriberIds: [id], purpose, at: clock.now() };
    await insertSubscriptionMessages(db, fixture.accountId, message);
    await fixture.deliver();
  };
  return { fixture, page, id, find, listDeliveries, ask };
}

test("a mail has the message, the page and an unsubscribe link, in text and HTML", async (t) => {
  const { fixture, page } = await createScene(t);
  const incidentId = "0198c1f0-0000-7000-8000-000000000000";
  await fixture.announce(page.serviceIds, { incidentId, serviceNames: ["Checkout"] });
  await fixture.deliver();
  const [raw] = fixture.mail.mails;
  assert.ok(raw);
  const mail = readMail(raw);
  assert.equal(mail.subject, "[Acme status] Payments fail – Investigating");
  const { headers, body } = mail;
  assert.match(
    headers.get("list-unsubscribe") ?? "",
    /^<https:\/\/vedette\.example\/status\/page-\d+\/unsubscribe\/[\w-]+>$/,
  );
  assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  assert.equal(headers.get("auto-submitted"), "auto-generated");
  assert.match(headers.get("message-id") ?? "", /^<[0-9a-f]{40}@example\.com>$/);
  assert.match(headers.get("content-type") ?? "", /^multipart\/alternative/);
  assert.match(body, /We are looking into it\./, "the text has no marks");
  assert.match(body, /We are looking <strong>into it<\/strong>\./);
  assert.match(body, /Affects: Checkout/);
  assert.ok(body.includes(`/incidents/${incidentId}`));
  assert.match(body, /\/manage\/[\w-]+/);
});

test("user input adds neither headers nor markup to a mail", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const name = "Acme\r\nBcc: victim@example.com\u202e";
  const page = await fixture.addPage(["Checkout"], { name });
  await fixture.addSubscriber(page, { address: "a@example.com" });
  await fixture.announce(page.serviceIds, {
    title: "Down\r\nX-Evil: yes\r\n\r\n<script>alert(1)</script>",
    status: "RESOLVED\nX-Evil: yes",
    body: '<script>alert(2)</script> [x](javascript:alert(3)) ![p](http://beacon.test/) "]]>',
    serviceNames: ["<img src=x onerror=alert(4)>"],
  });
  await fixture.deliver();
  const [raw] = fixture.mail.mails;
  assert.ok(raw);
  assert.deepEqual(raw.to, ["a@example.com"]);
  const { headers, body } = readMail(raw);
  assert.ok(!headers.has("bcc") && !headers.has("x-evil"));
  const html = body.slice(body.indexOf("<!doctype html>"));
  for (const wrong of ["<script", "<img", 'href="javascript:']) {
    assert.ok(!html.includes(wrong), wrong);
  }
});

test("services that a page does not show are not named in its messages", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const open = await fixture.addPage(["Checkout"]);
  const secret = await fixture.addPage(["Secret project"]);
  await fixture.addSubscriber(open, { address: "a@example.com" });
  await fixture.addSubscriber(open, { type: "WEBHOOK", address: hookUrl(fixture) });
  const serviceIds = [...open.serviceIds, ...secret.serviceIds];
  await fixture.announce(serviceIds, { serviceNames: ["Checkout", "Secret project"] });
  await fixture.deliver();
  const [raw] = fixture.mail.mails;
  assert.ok(raw && !readMail(raw).body.includes("Secret project"));
  const [request] = fixture.http.requests;
  assert.deepEqual(JSON.parse(request?.body ?? "{}").services, [
    { id: open.serviceIds[0], name: "Checkout" },
  ]);
});

test("a webhook does not receive services with hidden names", async (t) => {
  const { fixture, page } = await createScene(t, { type: "WEBHOOK" });
  await fixture.announce(page.serviceIds, { kind: "maintenance", serviceNames: [] });
  await fixture.deliver();
  const [request] = fixture.http.requests;
  assert.deepEqual(JSON.parse(request?.body ?? "{}").services, []);
});

test("a webhook receives signed JSON with a timestamp and a stable idempotency key", async (t) => {
  const { fixture, page } = await createScene(t, { type: "WEBHOOK" });
  fixture.http.respond = () => ({ status: 500 });
  await fixture.announce(page.serviceIds);
  await fixture.deliver();
  fixture.http.respond = () => ({});
  fixture.clock.advance(60_000);
  await fixture.deliver();
  const [first, second] = fixture.http.requests;
  assert.ok(first && second);
  const { headers, body } = second;
  const timestamp = String(headers["x-vedette-timestamp"]);
  const proof = createHmac("sha256", "a secret of theirs").update(`${timestamp}.${body}`);
  assert.equal(headers["x-vedette-signature"], proof.digest("hex"));
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["idempotency-key"], first.headers["idempotency-key"]);
  assert.notEqual(timestamp, first.headers["x-vedette-timestamp"]);
  const { type, title, status, severity, at, manageUrl, unsubscribeUrl } = JSON.parse(body);
  assert.deepEqual(
    [type, title, status, severity],
    ["incident", "Payments fail", "INVESTIGATING", "MAJOR"],
  );
  assert.equal(at, new Date(fixture.clock.now().getTime() - 60_000).toISOString());
  assert.match(manageUrl, /\/manage\//);
  assert.match(unsubscribeUrl, /\/unsubscribe\//);
});

const answers = {
  "the challenge alone": (challenge: string) => ({ body: `${challenge}\n` }),
  "JSON that has it": (challenge: string) => ({ body: JSON.stringify({ challenge }) }),
};
for (const [name, answer] of Object.entries(answers)) {
  test(`a webhook that answers with ${name} is confirmed`, async (t) => {
    const { fixture, find, ask } = await createScene(t, { type: "WEBHOOK", status: "PENDING" });
    fixture.http.respond = ({ body }) => {
      const { type, challenge, secret } = JSON.parse(body);
      assert.deepEqual([type, secret], ["challenge", "a secret of theirs"]);
      return answer(challenge);
    };
    await ask("confirm");
    const { status, verified_at } = (await find()) ?? {};
    assert.deepEqual([status, verified_at], ["VERIFIED", fixture.clock.now()]);
  });
}

test("a webhook that does not answer the challenge is not confirmed, and soon abandoned", async (t) => {
  const { fixture, find, ask, listDeliveries } = await createScene(t, {
    type: "WEBHOOK",
    status: "PENDING",
  });
  const wrong = [
    () => ({ body: "ok" }),
    () => ({ body: '{"challenge":null}' }),
    () => ({ status: 302, headers: { location: "http://169.254.169.254/" } }),
  ];
  for (const respond of wrong) {
    fixture.http.respond = respond;
    await ask("confirm");
    fixture.clock.advance(3_600_000);
  }
  for (let hour = 0; hour < 5; hour += 1) {
    await fixture.deliver();
    fixture.clock.advance(3_600_000);
  }
  assert.equal((await find())?.status, "PENDING");
  for (const { status, attempts } of await listDeliveries()) {
    assert.equal(status, "DEAD");
    assert.ok(Number(attempts) <= 3, `${attempts} attempts`);
  }
});

test("repeated sign-ups cannot put a webhook into quarantine", async (t) => {
  const { fixture, find, ask } = await createScene(t, { type: "WEBHOOK" });
  fixture.http.respond = () => ({ status: 400 });
  for (let time = 0; time < 5; time += 1) await ask("remind");
  assert.deepEqual([(await find())?.status, (await find())?.bounces], ["VERIFIED", 0]);
});

test("a webhook name that resolves to a private address is never called", async (t) => {
  const { fixture, page, id, listDeliveries } = await createScene(t, { type: "WEBHOOK" });
  const { encryption } = fixture.context;
  const urls = [
    "http://127.0.0.2/",
    "http://169.254.169.254/",
    "http://[fd00:ec2::254]/",
    "http://inside.example/",
  ];
  for (const url of urls) {
    const values = [encryption.encrypt(url), id];
    await fixture.query(
      "update subscribers set address = $1, status = 'VERIFIED', bounces = 0 where id = $2",
      ...values,
    );
    await fixture.announce(page.serviceIds);
    await fixture.deliver();
    const last = (await listDeliveries()).at(-1);
    assert.equal(last?.status, "DEAD", url);
    assert.match(String(last?.reason), /private, local or reserved network/);
  }
  assert.equal(fixture.http.requests.length, 0);
});

test("Slack receives a confirmation link, and messages cannot mention anyone", async (t) => {
  const { fixture, page, ask } = await createScene(t, { type: "SLACK", address: slackUrl });
  await ask("confirm");
  await fixture.announce(page.serviceIds, {
    title: "<!channel> is <https://evil.test|down>",
    body: "<@U123> & *all* ".repeat(400),
  });
  await fixture.deliver();
  const [asked, told] = fixture.http.requests;
  assert.ok(asked && told);
  assert.equal(told.path, "/slack/services/T000/B000/secret");
  assert.match(asked.body, /\/confirm\/[\w-]+\|Confirm/);
  const { blocks, text } = JSON.parse(told.body);
  for (const wrong of ["<!channel>", "<@U123>", "<https://evil.test"]) {
    assert.ok(!told.body.includes(wrong), wrong);
  }
  assert.match(text, /&lt;!channel&gt;/);
  for (const block of blocks) assert.ok(block.text.text.length <= 3_000);
});

const refusals = {
  "three refusals in a row": { reply: "550 5.2.1 mailbox disabled", after: 3 },
  "one that says nobody is there": { reply: "550 5.1.1 no such user", after: 1 },
} as const;
for (const [name, { reply, after }] of Object.entries(refusals)) {
  test(`after ${name} an address is quarantined`, async (t) => {
    let isRefusing = true;
    const fixture = await createSubscriberFixture(t, {
      onRcptTo: (_address, _session, done) => {
        const error = Object.assign(smtpError(550), { message: reply.slice(4) });
        done(isRefusing ? error : null);
      },
    });
    const page = await fixture.addPage(["Checkout"]);
    const id = await fixture.addSubscriber(page, { address: "a@example.com" });
    const statusNow = async () =>
      (await fixture.query("select status from subscribers where id = $1", id))[0]?.status;
    for (let time = 1; time <= after; time += 1) {
      assert.equal(await statusNow(), "VERIFIED");
      await fixture.announce(page.serviceIds);
      await fixture.deliver();
    }
    assert.equal(await statusNow(), "QUARANTINED");
    isRefusing = false;
    await fixture.announce(page.serviceIds);
    await fixture.deliver();
    assert.equal(fixture.mail.mails.length, 0);
  });
}

test("a delivered mail between rejections resets the count", async (t) => {
  let isRefusing = true;
  const fixture = await createSubscriberFixture(t, {
    onRcptTo: (_address, _session, done) => done(isRefusing ? smtpError(550) : null),
  });
  const page = await fixture.addPage(["Checkout"]);
  await fixture.addSubscriber(page, { address: "a@example.com" });
  const bounces: unknown[] = [];
  for (const isRefused of [true, true, false, true]) {
    isRefusing = isRefused;
    await fixture.announce(page.serviceIds);
    await fixture.deliver();
    bounces.push((await fixture.query("select bounces from subscribers"))[0]?.bounces);
  }
  assert.deepEqual(bounces, [1, 2, 0, 1]);
});

const ownTroubles = {
  "a server that is busy": () => smtpError(451),
  "a policy against this sender": () =>
    Object.assign(smtpError(550), { message: "5.7.1 relaying denied" }),
};
for (const [name, trouble] of Object.entries(ownTroubles)) {
  test(`${name} does not count against the address`, async (t) => {
    const fixture = await createSubscriberFixture(t, {
      onRcptTo: (_address, _session, done) => done(trouble()),
    });
    const page = await fixture.addPage(["Checkout"]);
    await fixture.addSubscriber(page, { address: "a@example.com" });
    for (let time = 0; time < 3; time += 1) {
      await fixture.announce(page.serviceIds);
      await fixture.deliver();
      fixture.clock.advance(3_600_000);
    }
    const [found] = await fixture.query("select status, bounces from subscribers");
    assert.deepEqual(found, { status: "VERIFIED", bounces: 0 });
  });
}

test("without a mail server a mail waits with the reason", async (t) => {
  const { fixture, page, listDeliveries } = await createScene(t);
  Object.assign(fixture.context.sendTools, { mailer: null });
  await fixture.announce(page.serviceIds);
  await fixture.deliver();
  const [one] = await listDeliveries();
  assert.deepEqual([one?.status, one?.reason], ["PENDING", "No SMTP server is configured."]);
});
