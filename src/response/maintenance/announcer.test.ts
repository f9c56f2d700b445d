/** Maintenance announcements to subscribers: each is sent once, whatever fails. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { type TestContext, test } from "node:test";
import {
  type AlertingFixture,
  createAlertingFixture,
} from "../../../test/support/modules/alerting.ts";
import { addService } from "../../../test/support/modules/automatic-incidents.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import type { Caller } from "../../access/accounts/index.ts";
import { changeWindow, createWindow, removeWindow } from "./actions.ts";
import { deleteAnnouncementsBefore, saveNextAnnouncement } from "./announcement-store.ts";
import { announceMaintenance } from "./announcer.ts";
import type { MaintenanceWindow, OccurrenceStatus } from "./maintenance-window.ts";
import { listMaintenances, postUpdate } from "./occurrences/actions.ts";
import { hiddenFromPages, type PageVisibility } from "./planned-window.ts";

interface Told {
  readonly title: string;
  readonly status: string;
  readonly body: string;
  readonly serviceIds: readonly string[];
  readonly serviceNames: readonly string[];
  readonly statusPageIds: readonly string[];
}

const minuteMs = 60_000;

async function createScene(t: TestContext) {
  const fixture = await createAlertingFixture(t);
  const { accountId, context } = fixture;
  const caller: Caller = {
    type: "API_KEY",
    credentialId: randomUUIDv7(),
    userId: null,
    label: "somebody",
    role: "ADMIN",
    address: "192.0.2.9",
    requestId: "one",
    accountId,
    accountIds: [accountId],
    roleIn: () => null,
  };
  const planInput = (
    visibility: Partial<PageVisibility>,
    schedule: Partial<MaintenanceWindow> = {},
  ) => {
    const nowMs = fixture.clock.now().getTime();
    return {
      name: "Patch day",
      description: "We *patch*.",
      visibility: { ...hiddenFromPages, enabled: true, ...visibility },
      schedule: {
        startsAtMs: nowMs + 120 * minuteMs,
        endsAtMs: nowMs + 180 * minuteMs,
        timeZone: "UTC",
        repeatInterval: null,
        repeatUnit: null,
        repeatEndsAtMs: null,
        tags: [],
        pauseAllChecks: false,
        silenceAllAlerts: false,
        silenceAlertsTags: [],
        ...schedule,
      },
    };
  };
  return {
    fixture,
    planInput,
    plan: (...input: Parameters<typeof planInput>) =>
      createWindow(context, caller, planInput(...input)),
    change: (id: number, input: ReturnType<typeof planInput>) =>
      changeWindow(context, caller, { id, input }),
    remove: (id: number) => removeWindow(context, caller, id),
    /** Times of its first occurrence that has not ended. */
    post: async (windowId: number, status: OccurrenceStatus, notifySubscribers = false) => {
      const query = { windowId, limit: 1, page: 1 };
      const { maintenances } = await listMaintenances(context, caller, query);
      const place = { windowId, maintenanceId: maintenances[0]?.id ?? "" };
      const update = { status, description: `It is ${status}.`, notifySubscribers };
      await postUpdate(context, caller, { ...place, ...update });
    },
    /** Advances time in steps and sends the announcements that are due after each. */
    pass: async (minutes: number, step = 1) => {
      for (let passed = 0; passed < minutes; passed += step) {
        fixture.clock.advance(step * minuteMs);
        await announceMaintenance(context);
      }
    },
    listAnnouncements: async () =>
      (await fixture.query("select message from announcements order by created_at, id")).map(
        ({ message }) => message as Told,
      ),
  };
}

async function addPage(fixture: AlertingFixture, serviceIds: readonly string[]): Promise<string> {
  const [pageId, cardId] = [randomUUIDv7(), randomUUIDv7()];
  await fixture.query(
    `insert into status_pages (id, account_id, name, url, is_private, settings, version, created_at)
      values ($1, $2, 'Page', $3, false, '{}', 1, now())`,
    pageId,
    fixture.accountId,
    pageId,
  );
  await fixture.query(
    `insert into status_page_cards (id, status_page_id, name, position, created_at)
      values ($1, $2, 'Card', 0, now())`,
    cardId,
    pageId,
  );
  for (const [position, serviceId] of serviceIds.entries()) {
    await fixture.query(
      "insert into status_page_card_services values ($1, $2, $3)",
      cardId,
      serviceId,
      position,
    );
  }
  return pageId;
}

const everything = { notifyOnStart: true, notifyOnEnd: true, reminderMinutesBefore: [60] };

test("reminder, start and end are announced once each, in order", async (t) => {
  const scene = await createScene(t);
  const serviceId = await addService(scene.fixture);
  const { schedule } = await scene.plan({ ...everything, serviceIds: [serviceId] });
  await scene.pass(240);
  const sent = await scene.listAnnouncements();
  assert.deepEqual(
    sent.map(({ status }) => status),
    ["SCHEDULED", "IN_PROGRESS", "COMPLETED"],
  );
  const show = (atMs: number) => new Date(atMs).toISOString().slice(0, 16).replace("T", " ");
  const [start, end] = [show(schedule.startsAtMs), show(schedule.endsAtMs)];
  assert.deepEqual(sent[0], {
    kind: "maintenance",
    title: "Patch day",
    status: "SCHEDULED",
    severity: null,
    body: `Maintenance is planned from ${start} UTC to ${end} UTC.\n\nWe *patch*.`,
    serviceIds: [serviceId],
    serviceNames: ["Website"],
    incidentId: null,
    statusPageIds: [],
  });
  assert.match(sent[1]?.body ?? "", new RegExp(`in progress .* end at ${end} UTC`));
  assert.match(sent[2]?.body ?? "", new RegExp(`started at ${start} UTC has ended`));
});

test("concurrent announcers announce everything once", async (t) => {
  const scene = await createScene(t);
  for (let made = 0; made < 5; made += 1) await scene.plan({ notifyOnStart: true });
  scene.fixture.clock.advance(121 * minuteMs);
  await Promise.all(Array.from({ length: 6 }, () => announceMaintenance(scene.fixture.context)));
  assert.equal(await announceMaintenance(scene.fixture.context), 0);
  assert.equal((await scene.listAnnouncements()).length, 5);
});

test("an announcement that fails midway is rolled back and sent once later", async (t) => {
  const scene = await createScene(t);
  const { fixture } = scene;
  const bad = await scene.plan({ notifyOnStart: true });
  await fixture.query(
    `create function refuse() returns trigger language plpgsql as
      $$ begin if new.source_id like 'maintenance:${bad.id}:%' then raise 'rejected'; end if;
        return new; end $$`,
  );
  await fixture.query(
    "create trigger refuse before insert on announcements for each row execute function refuse()",
  );
  const good = await scene.plan({ notifyOnStart: true });
  await scene.pass(121);
  const listRecorded = async () =>
    (await fixture.query("select window_id from maintenance_announcements")).map(
      ({ window_id }) => window_id,
    );
  assert.deepEqual(await listRecorded(), [good.id], "the one after it was sent");
  await fixture.query("drop trigger refuse on announcements");
  await scene.pass(5);
  assert.deepEqual((await listRecorded()).toSorted(), [bad.id, good.id].toSorted());
  assert.equal((await scene.listAnnouncements()).length, 2);
});

test("after a downtime, announcements are sent at most an hour late", async (t) => {
  const scene = await createScene(t);
  const nowMs = scene.fixture.clock.now().getTime();
  const long = { endsAtMs: nowMs + 600 * minuteMs };
  await scene.plan({ notifyOnStart: true }, long);
  await scene.pass(179, 179);
  assert.equal((await scene.listAnnouncements()).length, 1);
  await scene.plan({ notifyOnStart: true });
  await scene.pass(181, 181);
  assert.equal((await scene.listAnnouncements()).length, 1);
});

test("a window that starts when it is saved, or has just started, is announced", async (t) => {
  const scene = await createScene(t);
  const nowMs = scene.fixture.clock.now().getTime();
  for (const startsAtMs of [nowMs, nowMs - minuteMs]) {
    await scene.plan({ notifyOnStart: true }, { startsAtMs });
  }
  await announceMaintenance(scene.fixture.context);
  assert.equal((await scene.listAnnouncements()).length, 2);
});

test("an edit repeats no announcement and reschedules future ones", async (t) => {
  const scene = await createScene(t);
  const input = scene.planInput({ notifyOnStart: true, notifyOnEnd: true });
  const { id } = await scene.plan({ notifyOnStart: true, notifyOnEnd: true });
  await scene.pass(130);
  const schedule = { ...input.schedule, endsAtMs: input.schedule.endsAtMs + 60 * minuteMs };
  await scene.change(id, { ...input, schedule });
  await scene.pass(100);
  assert.deepEqual(
    (await scene.listAnnouncements()).map(({ status }) => status),
    ["IN_PROGRESS"],
  );
  await scene.pass(20);
  assert.deepEqual(
    (await scene.listAnnouncements()).map(({ status }) => status),
    ["IN_PROGRESS", "COMPLETED"],
  );
});

test("nothing is announced twice, even after the announcement itself is deleted", async (t) => {
  const scene = await createScene(t);
  const input = scene.planInput({ notifyOnStart: true });
  const { id } = await scene.plan({ notifyOnStart: true });
  await scene.pass(121, 121);
  assert.equal((await scene.listAnnouncements()).length, 1);
  await scene.fixture.query("delete from announcements");
  await scene.change(id, { ...input, name: "Renamed" });
  await scene.pass(10);
  assert.deepEqual(await scene.listAnnouncements(), []);
});

test("a window that is hidden, without notifications, or deleted is not announced", async (t) => {
  const scene = await createScene(t);
  await scene.plan({ ...everything, enabled: false });
  await scene.plan({});
  const { id } = await scene.plan(everything);
  await scene.remove(id);
  await scene.pass(240, 10);
  assert.deepEqual(await scene.listAnnouncements(), []);
});

test("announcements name the services that the window shows, or all if it affects all", async (t) => {
  const scene = await createScene(t);
  const { fixture } = scene;
  const [one, two, three] = [
    await addService(fixture, "One"),
    await addService(fixture, "Two"),
    await addService(fixture, "Three"),
  ];
  const page = await addPage(fixture, [one, two]);
  await addPage(fixture, [two, three]);
  const start = { notifyOnStart: true };
  await scene.plan({ ...start, serviceIds: [one], showAffectedServices: false });
  await scene.plan({ ...start, affectAllServices: true });
  await scene.plan({ ...start, affectAllServices: true, statusPageIds: [page] });
  await scene.plan({ ...start, statusPageIds: [page] });
  await scene.pass(121, 121);
  const sent = (await scene.listAnnouncements()).map(
    ({ serviceIds, serviceNames, statusPageIds }) => [
      serviceIds.toSorted(),
      serviceNames.toSorted(),
      statusPageIds,
    ],
  );
  assert.deepEqual(sent, [
    [[one], [], []],
    [[one, two, three].toSorted(), ["One", "Three", "Two"], []],
    [[one, two].toSorted(), ["One", "Two"], [page]],
    [[one, two].toSorted(), [], [page]],
  ]);
});

test("a daily window is announced at its local time across a DST change", async (t) => {
  const scene = await createScene(t);
  const { fixture } = scene;
  // Berlin sets its clocks forward on 2027-03-28; 04:00 there is first 03:00, then 02:00 UTC.
  fixture.clock.advance(Date.parse("2027-03-26T12:00:00Z") - fixture.clock.now().getTime());
  const first = Date.parse("2027-03-27T03:00:00Z");
  await scene.plan(
    { notifyOnStart: true },
    {
      startsAtMs: first,
      endsAtMs: first + 30 * minuteMs,
      timeZone: "Europe/Berlin",
      repeatUnit: "DAY",
      repeatEndsAtMs: Date.parse("2027-03-29T12:00:00Z"),
    },
  );
  await scene.pass(5 * 24 * 60, 10);
  const rows = await fixture.query(
    "select occurrence_start as at from maintenance_announcements order by 1",
  );
  assert.deepEqual(
    rows.map(({ at }) => (at as Date).toISOString()),
    ["2027-03-27T03:00:00.000Z", "2027-03-28T02:00:00.000Z", "2027-03-29T02:00:00.000Z"],
  );
  const [left] = await fixture.query(
    "select next_announcement_at as next from maintenance_windows",
  );
  assert.equal(left?.next, null);
});

test("old announcements are deleted", async (t) => {
  const scene = await createScene(t);
  const { context, clock, query } = scene.fixture;
  await scene.plan({ notifyOnStart: true });
  await scene.pass(121, 121);
  await deleteAnnouncementsBefore(context.db, clock.now());
  assert.equal((await query("select 1 from maintenance_announcements")).length, 1);
  await deleteAnnouncementsBefore(context.db, new Date(clock.now().getTime() + 1));
  assert.equal((await query("select 1 from maintenance_announcements")).length, 0);
});

test("pages are notified of a changed window, but not of its next announcement", async (t) => {
  const scene = await createScene(t);
  const { context, pool, accountId } = scene.fixture;
  const listener = await pool.connect();
  const received: (string | undefined)[] = [];
  listener.on("notification", ({ payload }) => received.push(payload));
  await listener.query("listen pages_changed");
  const { id } = await scene.plan({});
  await saveNextAnnouncement(context.db, id, context.clock.now());
  await scene.remove(id);
  await pool.query("select pg_notify('pages_changed', 'end')");
  await waitUntil("all notifications arrived", () => received.includes("end")).finally(() =>
    listener.release(true),
  );
  assert.deepEqual(received, [accountId, accountId, "end"]);
});

test("a start or end by a person is announced with their text, and not again by the clock", async (t) => {
  const scene = await createScene(t);
  const { id } = await scene.plan(everything);
  await scene.pass(90);
  await scene.post(id, "IN_PROGRESS");
  await scene.pass(5);
  await scene.post(id, "VERIFYING");
  await scene.post(id, "VERIFYING", true);
  await scene.pass(5);
  await scene.post(id, "COMPLETED");
  await scene.pass(200);
  assert.deepEqual(
    (await scene.listAnnouncements()).map(({ status, body }) => [status, body.slice(0, 14)]),
    [
      ["SCHEDULED", "Maintenance is"],
      ["IN_PROGRESS", "It is IN_PROGR"],
      ["VERIFYING", "It is VERIFYIN"],
      ["COMPLETED", "It is COMPLETE"],
    ],
  );
});

test("a cancelled occurrence is not announced, and later ones are", async (t) => {
  const scene = await createScene(t);
  const { id } = await scene.plan(everything, { repeatUnit: "DAY" });
  await scene.post(id, "CANCELLED");
  await scene.pass(60 * 30, 30);
  assert.deepEqual(
    (await scene.listAnnouncements()).map(({ status }) => status),
    ["SCHEDULED", "IN_PROGRESS", "COMPLETED"],
  );
});

test("an end is announced if a person started the maintenance, and only then", async (t) => {
  const scene = await createScene(t);
  const { id } = await scene.plan(
    { ...everything, autoStart: false },
    { repeatUnit: "DAY", repeatInterval: 1 },
  );
  await scene.pass(125);
  await scene.post(id, "IN_PROGRESS");
  await scene.pass(60 * 30, 30);
  assert.deepEqual(
    (await scene.listAnnouncements()).map(({ status }) => status),
    ["SCHEDULED", "IN_PROGRESS", "COMPLETED", "SCHEDULED"],
  );
});

test("without autoStart and autoEnd, the clock announces neither start nor end", async (t) => {
  const scene = await createScene(t);
  await scene.plan({ ...everything, autoStart: false, autoEnd: false });
  await scene.pass(400, 10);
  assert.deepEqual(
    (await scene.listAnnouncements()).map(({ status }) => status),
    ["SCHEDULED"],
  );
});
