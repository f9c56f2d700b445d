import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { failing } from "../../../../test/support/modules/alerting.ts";
import { createPagesFixture } from "../../../../test/support/modules/pages.ts";
import type { ReceivedMail } from "../../../../test/support/servers/mail-receiver.ts";
import {
  createShiftMailDeliverer,
  decideShiftMails,
  formatForReader,
  planShiftMails,
} from "./shift-mails.ts";
import { defaultPreferences, type Preferences, savePreferences } from "./store.ts";

const hourMs = 3_600_000;

test("mails are due at handoffs since the last planning, and before shifts that start soon", () => {
  const turn = (userId: string | null, fromHour: number, toHour: number) => ({
    ...{ userId, fromMs: fromHour * hourMs, toMs: toHour * hourMs },
    ...{ layer: 0, overrideId: null },
  });
  const turns = [turn("a", 0, 8), turn(null, 8, 9), turn("a", 9, 12), turn("b", 12, 20)];
  const decide = (doneUntil: number, now: number, chosen: Record<string, Partial<Preferences>>) =>
    decideShiftMails({
      ...{ scheduleId: "s", turns, doneUntilMs: doneUntil * hourMs, nowMs: now * hourMs },
      preferences: new Map(
        Object.entries(chosen).map(([id, one]) => [id, { ...defaultPreferences, ...one }]),
      ),
    }).map(({ userId, kind }) => `${userId} ${kind}`);
  assert.deepEqual(decide(11, 12, {}), ["b HANDOFF"]);
  assert.deepEqual(decide(12, 13, {}), [], "planned before");
  assert.deepEqual(decide(8, 9, {}), [], "the same person before the gap");
  assert.deepEqual(decide(7, 13, {}), ["b HANDOFF"], "after a downtime, the current shift only");
  assert.deepEqual(decide(11, 12, { b: { sendsHandoffs: false } }), []);
  assert.deepEqual(decide(10, 11, { b: { reminderMinutes: 60 } }), ["b REMINDER"]);
  assert.deepEqual(decide(10, 10.9, { b: { reminderMinutes: 60 } }), []);
  assert.deepEqual(decide(8, 8.5, { a: { reminderMinutes: 30 } }), ["a REMINDER"]);
});

test("times are in the reader's zone, with the schedule's in brackets if different", () => {
  const atMs = Date.parse("2026-11-23T08:00:00Z");
  assert.equal(formatForReader(atMs, null, "Europe/Berlin"), "Mon 23 Nov 09:00 (Europe/Berlin)");
  assert.equal(
    formatForReader(atMs, "Asia/Tokyo", "Europe/Berlin"),
    "Mon 23 Nov 17:00 (Mon 23 Nov 09:00 Europe/Berlin)",
  );
  assert.equal(
    formatForReader(atMs, "Europe/Rome", "Europe/Berlin"),
    "Mon 23 Nov 09:00 (Europe/Berlin)",
  );
});

/** Ada and Ben take turns, with a handoff at midnight UTC; the clock shows noon. */
async function createScene(t: TestContext) {
  const fixture = await createPagesFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const people = [await fixture.addMember("Ada", []), await fixture.addMember("Ben", [])];
  await fixture.addSchedule("Primary", people);
  const deliverer = createShiftMailDeliverer(fixture.context, () => 0.5);
  const send = async () => {
    await deliverer.deliverDue();
    await deliverer.settle();
  };
  const choose = async (preferences: Partial<Preferences>) => {
    for (const userId of people) {
      const at = fixture.clock.now();
      const all = { ...defaultPreferences, ...preferences };
      await savePreferences(fixture.context.db, fixture.accountId, {
        ...{ userId, preferences: all, at },
      });
    }
  };
  const plan = () => planShiftMails(fixture.context);
  await plan();
  return {
    ...fixture,
    check,
    plan,
    send,
    choose,
    mails: (): readonly ReceivedMail[] => fixture.mail.mails,
  };
}

test("the incoming person receives one mail, whatever number of servers plans it", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  assert.deepEqual(scene.mails(), []);
  await scene.pass(12 * 60);
  await Promise.all([scene.plan(), scene.plan()]);
  // A crash before the cursor is stored plans the same mails again.
  await scene.query("update shift_mail_cursors set done_until = done_until - interval '1 hour'");
  await scene.plan();
  await Promise.all([scene.send(), scene.send()]);
  const [mail, ...others] = scene.mails();
  assert.deepEqual(others, []);
  assert.match(mail?.to[0] ?? "", /^(ada|ben)@example\.com$/);
  const text = mail?.raw.replaceAll("=\r\n", "") ?? "";
  assert.match(text, /Subject: You are on call: Primary/);
  assert.match(text, /1 open alert/);
  assert.match(text, /1 alert since/);
  assert.match(text, /Before you: (Ada|Ben)/);
});

test("a failed mail is sent later, and one that is out of date is not sent", async (t) => {
  const scene = await createScene(t);
  await scene.pass(12 * 60);
  await scene.plan();
  const failedMailer = { ...scene.context.sendTools, mailer: null };
  const broken = createShiftMailDeliverer({ ...scene.context, sendTools: failedMailer }, () => 0.5);
  await broken.deliverDue();
  await broken.settle();
  assert.equal((await scene.query("select status from shift_mails"))[0]?.status, "PENDING");
  await scene.query("update on_call_schedules set layers = '[]'");
  await scene.pass(60);
  await scene.send();
  const [row] = await scene.query("select status, reason from shift_mails");
  assert.deepEqual(row, { status: "DEAD", reason: "Somebody else has the shift now." });
  assert.deepEqual(scene.mails(), []);
});

test("a reminder is sent once, that many minutes before the shift", async (t) => {
  const scene = await createScene(t);
  await scene.choose({ sendsHandoffs: false, reminderMinutes: 90, timeZone: "Asia/Tokyo" });
  await scene.pass(10 * 60);
  await scene.plan();
  await scene.send();
  assert.deepEqual(scene.mails(), []);
  for (const minutes of [31, 30, 60]) {
    await scene.pass(minutes);
    await scene.plan();
    await scene.send();
  }
  assert.equal(scene.mails().length, 1);
  const raw = scene.mails()[0]?.raw.replaceAll("=\r\n", "") ?? "";
  assert.match(raw, /09:00 \(\w+ \d+ \w+ 00:00 UTC\)/);
});
