/** Tests digests with a real receiver and a real database. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type AlertingFixture,
  createAlertingFixture,
  failing,
  passing,
} from "../../../test/support/modules/alerting.ts";
import type { Watched } from "../../runs/scheduling/watch-list.ts";
import { claimDeliveries } from "./delivery-store.ts";
import { formDigests } from "./digest-store.ts";
import { replayDelivery } from "./notifications/store.ts";

const minuteMs = 60_000;
const digest = { digest: true };

interface Scene {
  readonly fixture: AlertingFixture;
  readonly checks: readonly Watched[];
  readonly channelId: number;
}

async function createScene(t: TestContext, count: number): Promise<Scene> {
  const fixture = await createAlertingFixture(t);
  const channelId = await fixture.addWebhook("/hook", digest);
  const checks: Watched[] = [];
  for (let place = 1; place <= count; place += 1) {
    const check = await fixture.addCheck({ frequency: 1, name: `Check ${place}` });
    await fixture.subscribe(channelId, { checkId: check.checkId });
    checks.push(check);
  }
  return { fixture, checks, channelId };
}

async function fail({ fixture, checks }: Scene): Promise<void> {
  for (const check of checks) await fixture.run(check, failing);
}

const bodiesOf = ({ fixture }: Scene) => fixture.http.requests.map(({ body }) => JSON.parse(body));
const listRows = ({ fixture }: Scene) =>
  fixture.query("select id, digest_id, status, attempts from deliveries order by id");

test("the first messages of a minute are sent individually, the rest as a digest", async (t) => {
  const scene = await createScene(t, 8);
  const { fixture } = scene;
  await fail(scene);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived(), ["ALERT_FAILURE", "ALERT_FAILURE", "ALERT_FAILURE"]);
  fixture.clock.advance(minuteMs);
  await fixture.deliver();
  const received = bodiesOf(scene);
  assert.equal(received.length, 4);
  const [, , , storm] = received;
  assert.deepEqual(
    [storm.alertType, storm.title, storm.alertUrl],
    ["ALERT_DIGEST", "5 checks are failing: Check 4 and 4 more", "https://vedette.example/alerts"],
  );
  assert.deepEqual(
    storm.alerts.map(({ checkName }: { checkName: string }) => checkName),
    [4, 5, 6, 7, 8].map((place) => `Check ${place}`),
  );
  const rows = await listRows(scene);
  assert.deepEqual(
    rows.map(({ status, attempts }) => [status, attempts]),
    rows.map(() => ["SENT", 1]),
  );
  assert.equal(new Set(rows.slice(3).map((row) => row.digest_id)).size, 1);
  assert.deepEqual(
    rows.slice(0, 3).map((row) => row.digest_id),
    [null, null, null],
  );
  fixture.clock.advance(1);
  const [first] = scene.checks;
  assert.ok(first);
  await fixture.run(first, passing);
  await fixture.deliver();
  assert.equal(
    fixture.listReceived().at(-1),
    "ALERT_RECOVERY",
    "a minute with few messages has no digest",
  );
});

test("a failed digest is retried unchanged, and later messages form another one", async (t) => {
  const scene = await createScene(t, 6);
  const { fixture } = scene;
  fixture.http.respond = () => ({ status: 500 });
  await fail(scene);
  await fixture.query("delete from deliveries where not is_collected");
  fixture.clock.advance(minuteMs);
  await fixture.deliver();
  for (const check of scene.checks) await fixture.run(check, passing);
  fixture.http.respond = () => ({ status: 200 });
  fixture.clock.advance(2 * minuteMs);
  await fixture.deliver();
  // Four messages are sent at the same time, so any of them may arrive first.
  const [tried, ...later] = fixture.http.requests;
  const { true: repeated = [], false: others = [] } = Object.groupBy(later, ({ headers }) =>
    String(headers["idempotency-key"] === tried?.headers["idempotency-key"]),
  );
  assert.deepEqual(
    repeated.map(({ body }) => body),
    [tried?.body],
  );
  assert.deepEqual(JSON.parse(tried?.body ?? "{}").alerts.length, 3);
  const types = others.flatMap(({ body }) => {
    const { alertType, alerts = [{ alertType }] } = JSON.parse(body);
    return alerts.map((one: { alertType: string }) => one.alertType);
  });
  assert.deepEqual(
    types,
    Array.from({ length: 6 }, () => "ALERT_RECOVERY"),
  );
  assert.ok((await listRows(scene)).every(({ status }) => status === "SENT"));
});

test("a digest sent before a crash is claimed again with the same key", async (t) => {
  const scene = await createScene(t, 7);
  const { fixture } = scene;
  const { clock } = fixture;
  const { db } = fixture.context;
  await fail(scene);
  await fixture.deliver();
  clock.advance(minuteMs);
  const claim = async () => {
    const now = clock.now();
    await formDigests(db, now);
    const until = new Date(now.getTime() + 40_000);
    return claimDeliveries(db, { now, until, limit: 10, underWay: new Map() }, 4);
  };
  const [claimed, ...more] = await claim();
  assert.deepEqual([more, claimed?.deliveryIds.length], [[], 4]);
  assert.deepEqual(await claim(), [], "it is under way");
  clock.advance(41_000);
  const [again, ...others] = await claim();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [again?.id, again?.deliveryIds, again?.message],
    [claimed?.id, claimed?.deliveryIds, claimed?.message],
  );
  assert.equal(again?.message.idempotencyKey, claimed?.id);
});

test("a delivery waits for an earlier one of its check that is in retry", async (t) => {
  const scene = await createScene(t, 6);
  const { fixture } = scene;
  const [first] = scene.checks;
  assert.ok(first);
  fixture.http.respond = () => ({ status: 503 });
  await fixture.run(first, failing);
  await fixture.deliver();
  await fixture.query(
    "update deliveries set next_attempt_at = next_attempt_at + interval '1 hour'",
  );
  fixture.http.respond = () => ({ status: 200 });
  for (const check of scene.checks.slice(1)) await fixture.run(check, failing);
  fixture.clock.advance(1_000);
  await fixture.run(first, passing);
  fixture.clock.advance(minuteMs);
  await fixture.deliver();
  const names = () =>
    bodiesOf(scene).flatMap(({ alertType, checkName, alerts = [{ alertType, checkName }] }) =>
      alerts.map((one: Record<string, string>) => `${one.alertType} ${one.checkName}`),
    );
  assert.ok(!names().includes("ALERT_RECOVERY Check 1"));
  fixture.clock.advance(61 * minuteMs);
  await fixture.deliver();
  assert.deepEqual(names().slice(-2), ["ALERT_FAILURE Check 1", "ALERT_RECOVERY Check 1"]);
});

test("a channel without digests, an incident service or a template gets one message per alert", async (t) => {
  const scene = await createScene(t, 6);
  const { fixture, checks } = scene;
  const template = '{"alertType":"{{ALERT_TYPE}}"}';
  const url = `${fixture.http.url}/template`;
  const ids = [
    await fixture.addWebhook("/plain", { digest: false }),
    await fixture.addChannel("WEBHOOK", { name: "T", url, template }, digest),
    await fixture.addChannel(
      "PAGERDUTY",
      { serviceKey: "key", baseUrl: `${fixture.http.url}/pager` },
      digest,
    ),
  ];
  for (const id of ids) {
    for (const { checkId } of checks) await fixture.subscribe(id, { checkId });
  }
  await fail(scene);
  await fixture.deliver();
  const count = (path: string) =>
    fixture.http.requests.filter((request) => request.path === path).length;
  assert.deepEqual(["/plain", "/template", "/pager/v2/enqueue", "/hook"].map(count), [6, 6, 6, 3]);
});

test("a replayed message of a digest is sent alone", async (t) => {
  const scene = await createScene(t, 6);
  const { fixture } = scene;
  await fail(scene);
  fixture.clock.advance(minuteMs);
  await fixture.deliver();
  const row = (await listRows(scene)).at(-1);
  const id = String(row?.id);
  assert.notEqual(row?.digest_id, null);
  const replay = { id, now: fixture.clock.now(), by: "ada" };
  assert.equal(await replayDelivery(fixture.context.db, fixture.accountId, replay), true);
  await fixture.deliver();
  const last = fixture.http.requests.at(-1);
  assert.equal(last?.headers["idempotency-key"], id);
  assert.equal(JSON.parse(last?.body ?? "{}").checkName, "Check 6");
});

test("a digest by mail is one mail that lists every alert", async (t) => {
  const fixture = await createAlertingFixture(t);
  const channelId = await fixture.addChannel("EMAIL", { address: "ops@example.com" }, digest);
  const checks: Watched[] = [];
  for (let place = 1; place <= 9; place += 1) {
    const check = await fixture.addCheck({ frequency: 1, name: `Check ${place}` });
    await fixture.subscribe(channelId, { checkId: check.checkId });
    checks.push(check);
  }
  await fail({ fixture, checks, channelId });
  fixture.clock.advance(minuteMs);
  await fixture.deliver();
  assert.equal(fixture.mail.mails.length, 4);
  const raw = fixture.mail.mails.find((mail) =>
    /Subject: 6 checks are failing/.test(mail.raw),
  )?.raw;
  for (let place = 4; place <= 9; place += 1) {
    assert.ok(raw?.includes(`Check ${place} is failing`), `Check ${place}`);
  }
});
