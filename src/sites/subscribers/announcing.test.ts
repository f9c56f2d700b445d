/** Who receives which message, once and in order. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { test } from "node:test";
import {
  createSubscriberFixture,
  makeAnnouncement,
  type SubscriberFixture,
} from "../../../test/support/modules/subscriber-fixture.ts";
import { findMails, readMail } from "../../../test/support/modules/subscribers.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { inTransaction } from "../../platform/database.ts";
import { announce, fanOutBatch, takeFanOutBatch } from "./announcement-store.ts";
import { createSubscriberDeliverer, forgetOldSubscriptions } from "./deliverer.ts";

const told = (fixture: SubscriberFixture) => fixture.mail.mails.flatMap(({ to }) => to).sort();

test("confirmed subscribers of a matching page and service receive the announcement", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout", "Search"]);
  const elsewhere = await fixture.addPage(["Warehouse"]);
  const [checkout = "", search = ""] = page.serviceIds;
  await fixture.addSubscriber(page, { address: "all@example.com" });
  await fixture.addSubscriber(page, { address: "checkout@example.com", services: [checkout] });
  await fixture.addSubscriber(page, { address: "search@example.com", services: [search] });
  await fixture.addSubscriber(page, { address: "pending@example.com", status: "PENDING" });
  await fixture.addSubscriber(page, { address: "quarantined@example.com", status: "QUARANTINED" });
  await fixture.addSubscriber(elsewhere, { address: "elsewhere@example.com" });
  await fixture.addSubscriber(elsewhere, { address: "gone@example.com", services: [checkout] });
  await fixture.announce([checkout]);
  fixture.clock.advance(1);
  await fixture.addSubscriber(page, { address: "late@example.com" });
  await fixture.deliver();
  assert.deepEqual(told(fixture), ["all@example.com", "checkout@example.com"]);
});

test("subscribers who confirm after the announcement do not receive it", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  const id = await fixture.addSubscriber(page, { address: "a@example.com", status: "PENDING" });
  await fixture.announce(page.serviceIds);
  fixture.clock.advance(1_000);
  await fixture.query(
    "update subscribers set status = 'VERIFIED', verified_at = $1 where id = $2",
    fixture.clock.now(),
    id,
  );
  await fixture.deliver();
  assert.deepEqual(told(fixture), []);
});

test("an address on two pages receives one message per page", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const first = await fixture.addPage(["Checkout"], { name: "For customers" });
  const second = await fixture.addPage([], { serviceIds: first.serviceIds, name: "For partners" });
  for (const page of [first, second])
    await fixture.addSubscriber(page, { address: "a@example.com" });
  await fixture.announce(first.serviceIds);
  await fixture.deliver();
  const subjects = fixture.mail.mails.map((mail) => readMail(mail).subject).sort();
  assert.deepEqual(subjects, [
    "[For customers] Payments fail – Investigating",
    "[For partners] Payments fail – Investigating",
  ]);
});

test("an announcement that names pages goes to those, and without services to all of their subscribers", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout", "Search"]);
  const other = await fixture.addPage([], { serviceIds: page.serviceIds });
  const [checkout = "", search = ""] = page.serviceIds;
  await fixture.addSubscriber(page, { address: "all@example.com" });
  await fixture.addSubscriber(page, { address: "search@example.com", services: [search] });
  await fixture.addSubscriber(other, { address: "other@example.com" });
  await fixture.announce([], { kind: "maintenance", statusPageIds: [page.id] });
  await fixture.deliver();
  assert.deepEqual(told(fixture), ["all@example.com", "search@example.com"]);
  fixture.mail.mails.length = 0;
  await fixture.announce([checkout], { statusPageIds: [page.id] });
  await fixture.deliver();
  assert.deepEqual(told(fixture), ["all@example.com"]);
});

test("subscribers of another account never receive it", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  await fixture.addSubscriber(page, { address: "a@example.com" });
  const stranger = await fixture.addAccount();
  const more = { statusPageIds: [page.id] };
  const announcement = makeAnnouncement(page.serviceIds, fixture.clock.now(), more);
  await announce(fixture.context.db, stranger, announcement);
  await fixture.deliver();
  assert.deepEqual(told(fixture), []);
});

test("the same source is announced only once", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  await fixture.addSubscriber(page, { address: "a@example.com" });
  const sourceId = randomUUIDv7();
  await fixture.announce(page.serviceIds, { sourceId });
  await fixture.announce(page.serviceIds, { sourceId });
  const other = await fixture.addAccount();
  const announcement = makeAnnouncement(page.serviceIds, fixture.clock.now(), { sourceId });
  await announce(fixture.context.db, other, announcement);
  await fixture.deliver();
  await fixture.announce(page.serviceIds, { sourceId });
  await fixture.deliver();
  assert.equal(fixture.mail.mails.length, 1);
});

test("an announcement whose transaction fails is not sent", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  await fixture.addSubscriber(page, { address: "a@example.com" });
  const work = inTransaction(fixture.context.db, async (db) => {
    await announce(db, fixture.accountId, makeAnnouncement(page.serviceIds, fixture.clock.now()));
    throw new Error("on purpose");
  });
  await assert.rejects(work, /on purpose/);
  await fixture.deliver();
  assert.equal(fixture.mail.mails.length, 0);
});

async function addMany(fixture: SubscriberFixture, pageId: string, count: number): Promise<void> {
  await fixture.query(
    `insert into subscribers (id, account_id, status_page_id, type, address, address_hash, lane,
      status, asked_at, verified_at, created_at)
    select gen_random_uuid(), $1, $2, 'EMAIL', 'reader-' || n || '@example.com',
      sha256(n::text::bytea), 'mail', 'VERIFIED', $3, $3, $3 from generate_series(1, $4) as n`,
    fixture.accountId,
    pageId,
    fixture.clock.now(),
    count,
  );
}

test("a long list is addressed in concurrent batches, and everyone is included once", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  const count = 2 * fanOutBatch + 7;
  await addMany(fixture, page.id, count);
  await fixture.announce(page.serviceIds);
  const { context } = fixture;
  const now = fixture.clock.now();
  assert.equal(await takeFanOutBatch(context, now), fanOutBatch);
  const [open] = await fixture.query(
    "select is_addressed, reached_subscriber_id from announcements",
  );
  assert.equal(open?.is_addressed, false);
  assert.notEqual(open?.reached_subscriber_id, null, "a restart goes on from here");
  const both = async () => {
    while ((await takeFanOutBatch(context, now)) !== null);
  };
  await Promise.all([both(), both()]);
  await both();
  const [made] = await fixture.query(
    `select count(*)::int as count, count(distinct subscriber_id)::int as people
      from subscriber_deliveries`,
  );
  assert.deepEqual(made, { count, people: count });
});

test("an announcement that cannot be addressed is quarantined, and others continue", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  await addMany(fixture, page.id, 3);
  await fixture.announce(page.serviceIds);
  const [poisoned] = await fixture.query("select id from announcements");
  await fixture.query(
    `create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'on purpose'; end $$`,
  );
  await fixture.query(
    `create trigger fail before update on announcements for each row
      when (old.id = '${poisoned?.id}') execute function fail()`,
  );
  await assert.rejects(takeFanOutBatch(fixture.context, fixture.clock.now()), /on purpose/);
  assert.deepEqual(await fixture.query("select id from subscriber_deliveries"), []);
  const [aside] = await fixture.query("select work, key, reason, attempts from set_aside");
  const reason = "on purpose";
  assert.deepEqual(aside, {
    work: "address announcements",
    key: poisoned?.id,
    reason,
    attempts: 1,
  });
  await fixture.announce(page.serviceIds);
  await fixture.deliver();
  assert.equal(fixture.mail.mails.length, 3, "the second goes out although the first cannot");
  await fixture.query("drop trigger fail on announcements");
  fixture.clock.advance(10_001);
  await fixture.deliver();
  assert.equal(fixture.mail.mails.length, 6, "the first is tried again");
});

test("messages to a subscriber arrive in order, even if the first has to wait", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  const type = "WEBHOOK";
  const address = `http://hooks.test:${fixture.http.port}/hook`;
  await fixture.addSubscriber(page, { type, address });
  fixture.http.respond = () => ({ status: 503 });
  await fixture.announce(page.serviceIds, { status: "INVESTIGATING" });
  await fixture.deliver();
  fixture.http.respond = () => ({});
  await fixture.announce(page.serviceIds, { status: "RESOLVED" });
  await fixture.deliver();
  const statuses = () => fixture.http.requests.map(({ body }) => JSON.parse(body).status);
  assert.deepEqual(statuses(), ["INVESTIGATING"], "the second waits for the first");
  fixture.clock.advance(10_000);
  await fixture.deliver();
  assert.deepEqual(statuses(), ["INVESTIGATING", "INVESTIGATING", "RESOLVED"]);
});

test("a hanging host delays neither mail nor another host", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  const type = "WEBHOOK";
  const hooks = [1, 2, 3, 4, 5, 6].map((n) => `http://slow.test:${fixture.http.port}/slow/${n}`);
  for (const address of hooks) await fixture.addSubscriber(page, { type, address });
  await fixture.addSubscriber(page, {
    type,
    address: `http://fast.test:${fixture.http.port}/fast`,
  });
  await addMany(fixture, page.id, 12);
  const ends: (() => void)[] = [];
  fixture.http.respond = ({ path }, response) => {
    if (path === "/fast") return {};
    ends.push(() => response.end());
    return undefined;
  };
  await fixture.announce(page.serviceIds);
  await fixture.fanOut();
  await waitUntil("all mail and the other host are served", async () => {
    await fixture.deliverer.deliverDue();
    const isFast = fixture.http.requests.some(({ path }) => path === "/fast");
    return isFast && fixture.mail.mails.length === 12;
  });
  assert.equal(ends.length, 4, "and it gets four at a time");
  fixture.http.respond = () => ({});
  for (const end of ends) end();
  await fixture.deliverer.settle();
});

test("two concurrent deliverers send everything once", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  await addMany(fixture, page.id, 40);
  await fixture.announce(page.serviceIds);
  await fixture.fanOut();
  const other = createSubscriberDeliverer(fixture.context, () => 0.5);
  for (;;) {
    const begun = await Promise.all([fixture.deliverer.deliverDue(), other.deliverDue()]);
    await Promise.all([fixture.deliverer.settle(), other.settle()]);
    if (begun.every((count) => count === 0)) break;
  }
  const ids = fixture.mail.mails.map((mail) => readMail(mail).headers.get("message-id"));
  assert.equal(ids.length, 40);
  assert.equal(new Set(ids).size, 40);
});

test("a mail whose sender died is sent again with the same Message-ID after its claim expires", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  await fixture.addSubscriber(page, { address: "a@example.com" });
  await fixture.announce(page.serviceIds);
  await fixture.deliver();
  // Sent, but killed before that was recorded.
  await fixture.query(
    "update subscriber_deliveries set status = 'PENDING', claimed_until = $1",
    new Date(fixture.clock.now().getTime() + 40_000),
  );
  await fixture.deliver();
  assert.equal(fixture.mail.mails.length, 1);
  fixture.clock.advance(40_001);
  await fixture.deliver();
  const mails = findMails(fixture.mail, "a@example.com");
  assert.equal(mails.length, 2);
  assert.equal(new Set(mails.map(({ headers }) => headers.get("message-id"))).size, 1);
});

test("an unsubscribed address does not receive pending messages", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  await fixture.addSubscriber(page, { address: "a@example.com" });
  await fixture.announce(page.serviceIds);
  await fixture.fanOut();
  await fixture.query("delete from subscribers");
  await fixture.deliver();
  assert.equal(fixture.mail.mails.length, 0);
});

test("unconfirmed requests are deleted after two days, old receipts after a year", async (t) => {
  const fixture = await createSubscriberFixture(t);
  const page = await fixture.addPage(["Checkout"]);
  await fixture.addSubscriber(page, { address: "a@example.com" });
  await fixture.addSubscriber(page, { address: "pending@example.com", status: "PENDING" });
  await fixture.announce(page.serviceIds);
  await fixture.deliver();
  const count = async (table: string) =>
    (await fixture.query(`select count(*)::int as count from ${table}`))[0]?.count;
  fixture.clock.advance(48 * 3_600_000);
  await forgetOldSubscriptions(fixture.context);
  assert.equal(await count("subscribers"), 2);
  fixture.clock.advance(1);
  await forgetOldSubscriptions(fixture.context);
  assert.equal(await count("subscribers"), 1);
  assert.equal(await count("subscriber_deliveries"), 1);
  fixture.clock.advance(365 * 86_400_000);
  await forgetOldSubscriptions(fixture.context);
  assert.equal(await count("subscriber_deliveries"), 0);
  assert.equal(await count("announcements"), 0);
});
