/** Who is told what, once and in order. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { test } from "node:test";
import {
  createSubscriberRoom,
  makeAnnouncement,
  type SubscriberRoom,
} from "../../../test/support/rooms/subscriber-room.ts";
import { findMails, readMail } from "../../../test/support/rooms/subscribers.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { inTransaction } from "../../platform/database.ts";
import { announce, fanOutBatch, takeFanOutBatch } from "./announcement-store.ts";
import { createSubscriberDeliverer } from "./deliverer.ts";
import { forgetOldSubscriptions } from "./loops.ts";

const told = (room: SubscriberRoom) => room.mail.mails.flatMap(({ to }) => to).sort();

test("those are told who have confirmed and whose page and choice have one of the services", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout", "Search"]);
  const elsewhere = await room.addPage(["Warehouse"]);
  const [checkout = "", search = ""] = page.serviceIds;
  await room.addSubscriber(page, { address: "all@example.com" });
  await room.addSubscriber(page, { address: "checkout@example.com", services: [checkout] });
  await room.addSubscriber(page, { address: "search@example.com", services: [search] });
  await room.addSubscriber(page, { address: "pending@example.com", status: "PENDING" });
  await room.addSubscriber(page, { address: "quarantined@example.com", status: "QUARANTINED" });
  await room.addSubscriber(elsewhere, { address: "elsewhere@example.com" });
  await room.addSubscriber(elsewhere, { address: "gone@example.com", services: [checkout] });
  await room.announce([checkout]);
  room.clock.advance(1);
  await room.addSubscriber(page, { address: "late@example.com" });
  await room.deliver();
  assert.deepEqual(told(room), ["all@example.com", "checkout@example.com"]);
});

test("whoever confirms after the announcement is not told of it, though they had asked before", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  const id = await room.addSubscriber(page, { address: "a@example.com", status: "PENDING" });
  await room.announce(page.serviceIds);
  room.clock.advance(1_000);
  await room.query(
    "update subscribers set status = 'VERIFIED', verified_at = $1 where id = $2",
    room.clock.now(),
    id,
  );
  await room.deliver();
  assert.deepEqual(told(room), []);
});

test("an address on two pages is told once for each", async (t) => {
  const room = await createSubscriberRoom(t);
  const first = await room.addPage(["Checkout"], { name: "For customers" });
  const second = await room.addPage([], { serviceIds: first.serviceIds, name: "For partners" });
  for (const page of [first, second]) await room.addSubscriber(page, { address: "a@example.com" });
  await room.announce(first.serviceIds);
  await room.deliver();
  const subjects = room.mail.mails.map((mail) => readMail(mail).subject).sort();
  assert.deepEqual(subjects, [
    "[For customers] Payments fail – Investigating",
    "[For partners] Payments fail – Investigating",
  ]);
});

test("news that names its pages goes to those, and without services to everybody there", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout", "Search"]);
  const other = await room.addPage([], { serviceIds: page.serviceIds });
  const [checkout = "", search = ""] = page.serviceIds;
  await room.addSubscriber(page, { address: "all@example.com" });
  await room.addSubscriber(page, { address: "search@example.com", services: [search] });
  await room.addSubscriber(other, { address: "other@example.com" });
  await room.announce([], { kind: "maintenance", statusPageIds: [page.id] });
  await room.deliver();
  assert.deepEqual(told(room), ["all@example.com", "search@example.com"]);
  room.mail.mails.length = 0;
  await room.announce([checkout], { statusPageIds: [page.id] });
  await room.deliver();
  assert.deepEqual(told(room), ["all@example.com"]);
});

test("another account's subscribers are never told, whatever the announcement says", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  await room.addSubscriber(page, { address: "a@example.com" });
  const stranger = await room.addAccount();
  const more = { statusPageIds: [page.id] };
  const announcement = makeAnnouncement(page.serviceIds, room.clock.now(), more);
  await announce(room.context.db, stranger, announcement);
  await room.deliver();
  assert.deepEqual(told(room), []);
});

test("the same source is told once, however often and by whomever it is announced", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  await room.addSubscriber(page, { address: "a@example.com" });
  const sourceId = randomUUIDv7();
  await room.announce(page.serviceIds, { sourceId });
  await room.announce(page.serviceIds, { sourceId });
  const other = await room.addAccount();
  const announcement = makeAnnouncement(page.serviceIds, room.clock.now(), { sourceId });
  await announce(room.context.db, other, announcement);
  await room.deliver();
  await room.announce(page.serviceIds, { sourceId });
  await room.deliver();
  assert.equal(room.mail.mails.length, 1);
});

test("an announcement whose transaction fails is not told", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  await room.addSubscriber(page, { address: "a@example.com" });
  const work = inTransaction(room.context.db, async (db) => {
    await announce(db, room.accountId, makeAnnouncement(page.serviceIds, room.clock.now()));
    throw new Error("on purpose");
  });
  await assert.rejects(work, /on purpose/);
  await room.deliver();
  assert.equal(room.mail.mails.length, 0);
});

async function addMany(room: SubscriberRoom, pageId: string, count: number): Promise<void> {
  await room.query(
    `insert into subscribers (id, account_id, status_page_id, type, address, address_hash, lane,
      status, asked_at, verified_at, created_at)
    select gen_random_uuid(), $1, $2, 'EMAIL', 'reader-' || n || '@example.com',
      sha256(n::text::bytea), 'mail', 'VERIFIED', $3, $3, $3 from generate_series(1, $4) as n`,
    room.accountId,
    pageId,
    room.clock.now(),
    count,
  );
}

test("a long list is addressed in batches, by several at once, and everybody is there once", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  const count = 2 * fanOutBatch + 7;
  await addMany(room, page.id, count);
  await room.announce(page.serviceIds);
  const { context } = room;
  const now = room.clock.now();
  assert.equal(await takeFanOutBatch(context, now), fanOutBatch);
  const [open] = await room.query("select is_addressed, reached_subscriber_id from announcements");
  assert.equal(open?.is_addressed, false);
  assert.notEqual(open?.reached_subscriber_id, null, "a restart goes on from here");
  const both = async () => {
    while ((await takeFanOutBatch(context, now)) !== null);
  };
  await Promise.all([both(), both()]);
  await both();
  const [made] = await room.query(
    `select count(*)::int as count, count(distinct subscriber_id)::int as people
      from subscriber_deliveries`,
  );
  assert.deepEqual(made, { count, people: count });
});

test("an announcement that cannot be addressed is set aside, and others go on", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  await addMany(room, page.id, 3);
  await room.announce(page.serviceIds);
  const [poisoned] = await room.query("select id from announcements");
  await room.query(
    `create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'on purpose'; end $$`,
  );
  await room.query(
    `create trigger fail before update on announcements for each row
      when (old.id = '${poisoned?.id}') execute function fail()`,
  );
  await assert.rejects(takeFanOutBatch(room.context, room.clock.now()), /on purpose/);
  assert.deepEqual(await room.query("select id from subscriber_deliveries"), []);
  const [aside] = await room.query("select work, key, reason, attempts from set_aside");
  const reason = "on purpose";
  assert.deepEqual(aside, {
    work: "address announcements",
    key: poisoned?.id,
    reason,
    attempts: 1,
  });
  await room.announce(page.serviceIds);
  await room.deliver();
  assert.equal(room.mail.mails.length, 3, "the second goes out although the first cannot");
  await room.query("drop trigger fail on announcements");
  room.clock.advance(10_001);
  await room.deliver();
  assert.equal(room.mail.mails.length, 6, "the first is tried again");
});

test("what a subscriber is told comes in order, also when the first has to wait", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  const type = "WEBHOOK";
  const address = `http://hooks.test:${room.http.port}/hook`;
  await room.addSubscriber(page, { type, address });
  room.http.respond = () => ({ status: 503 });
  await room.announce(page.serviceIds, { status: "INVESTIGATING" });
  await room.deliver();
  room.http.respond = () => ({});
  await room.announce(page.serviceIds, { status: "RESOLVED" });
  await room.deliver();
  const statuses = () => room.http.requests.map(({ body }) => JSON.parse(body).status);
  assert.deepEqual(statuses(), ["INVESTIGATING"], "the second waits for the first");
  room.clock.advance(10_000);
  await room.deliver();
  assert.deepEqual(statuses(), ["INVESTIGATING", "INVESTIGATING", "RESOLVED"]);
});

test("a host that hangs holds up neither mail nor another host", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  const type = "WEBHOOK";
  const hooks = [1, 2, 3, 4, 5, 6].map((n) => `http://slow.test:${room.http.port}/slow/${n}`);
  for (const address of hooks) await room.addSubscriber(page, { type, address });
  await room.addSubscriber(page, { type, address: `http://fast.test:${room.http.port}/fast` });
  await addMany(room, page.id, 12);
  const ends: (() => void)[] = [];
  room.http.respond = ({ path }, response) => {
    if (path === "/fast") return {};
    ends.push(() => response.end());
    return undefined;
  };
  await room.announce(page.serviceIds);
  await room.fanOut();
  await waitUntil("all mail and the other host are served", async () => {
    await room.deliverer.deliverDue();
    const isFast = room.http.requests.some(({ path }) => path === "/fast");
    return isFast && room.mail.mails.length === 12;
  });
  assert.equal(ends.length, 4, "and it gets four at a time");
  room.http.respond = () => ({});
  for (const end of ends) end();
  await room.deliverer.settle();
});

test("two deliverers at once send everything once", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  await addMany(room, page.id, 40);
  await room.announce(page.serviceIds);
  await room.fanOut();
  const other = createSubscriberDeliverer(room.context, () => 0.5);
  for (;;) {
    const begun = await Promise.all([room.deliverer.deliverDue(), other.deliverDue()]);
    await Promise.all([room.deliverer.settle(), other.settle()]);
    if (begun.every((count) => count === 0)) break;
  }
  const ids = room.mail.mails.map((mail) => readMail(mail).headers.get("message-id"));
  assert.equal(ids.length, 40);
  assert.equal(new Set(ids).size, 40);
});

test("a mail whose sender died is sent again under the same Message-ID once its claim is over", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  await room.addSubscriber(page, { address: "a@example.com" });
  await room.announce(page.serviceIds);
  await room.deliver();
  // Sent, but killed before that was noted.
  await room.query(
    "update subscriber_deliveries set status = 'PENDING', claimed_until = $1",
    new Date(room.clock.now().getTime() + 40_000),
  );
  await room.deliver();
  assert.equal(room.mail.mails.length, 1);
  room.clock.advance(40_001);
  await room.deliver();
  const mails = findMails(room.mail, "a@example.com");
  assert.equal(mails.length, 2);
  assert.equal(new Set(mails.map(({ headers }) => headers.get("message-id"))).size, 1);
});

test("whoever leaves is not told what was still on its way", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  await room.addSubscriber(page, { address: "a@example.com" });
  await room.announce(page.serviceIds);
  await room.fanOut();
  await room.query("delete from subscribers");
  await room.deliver();
  assert.equal(room.mail.mails.length, 0);
});

test("requests that nobody confirmed go after two days, old receipts after a year", async (t) => {
  const room = await createSubscriberRoom(t);
  const page = await room.addPage(["Checkout"]);
  await room.addSubscriber(page, { address: "a@example.com" });
  await room.addSubscriber(page, { address: "pending@example.com", status: "PENDING" });
  await room.announce(page.serviceIds);
  await room.deliver();
  const count = async (table: string) =>
    (await room.query(`select count(*)::int as count from ${table}`))[0]?.count;
  room.clock.advance(48 * 3_600_000);
  await forgetOldSubscriptions(room.context);
  assert.equal(await count("subscribers"), 2);
  room.clock.advance(1);
  await forgetOldSubscriptions(room.context);
  assert.equal(await count("subscribers"), 1);
  assert.equal(await count("subscriber_deliveries"), 1);
  room.clock.advance(365 * 86_400_000);
  await forgetOldSubscriptions(room.context);
  assert.equal(await count("subscriber_deliveries"), 0);
  assert.equal(await count("announcements"), 0);
});
