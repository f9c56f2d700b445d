/** Tests alerts about expiring certificates on a real database with real receivers. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type AlertingFixture,
  createAlertingFixture,
} from "../../../test/support/modules/alerting.ts";
import { createPeople } from "../../../test/support/modules/pages.ts";
import { makeResult } from "../../../test/support/modules/runs.ts";
import { mergeGroupSettings } from "../../checks/checks/check-group.ts";
import { insertGroup } from "../../checks/checks/groups/store.ts";
import type { CheckInput } from "../../checks/checks/index.ts";
import type { Outcome } from "../../contract/result.ts";
import { SeenCertificates } from "../../runs/recording/index.ts";
import { recordResults } from "../../runs/recording/recorder.ts";
import type { Watched } from "../../runs/scheduling/watch-list.ts";
import { decideOnCertificates } from "./certificate-decider.ts";

const dayMs = 86_400_000;

interface Shown {
  readonly days: number;
  /** Two hexadecimal digits. */
  readonly id?: string;
  readonly issuer?: string;
}

function show(fixture: AlertingFixture, { days, id = "ab", issuer = "R11" }: Shown): Outcome {
  const validToMs = fixture.clock.now().getTime() + days * dayMs;
  const certificate = {
    fingerprint: id.repeat(32),
    issuerName: issuer,
    validFromMs: 0,
    validToMs,
  };
  const tls = {
    protocol: "TLSv1.3",
    cipher: "TLS_AES_128_GCM_SHA256",
    alpn: null,
    certificate,
    fitsName: true,
    trustError: null,
    staple: null,
    chainLength: 1,
    chainValidToMs: validToMs,
    chain: [],
  };
  const times = { dnsMs: 1, connectMs: 1, handshakeMs: 1 };
  const measurement = { resolvedIp: "192.0.2.1", ...times, daysLeft: Math.floor(days), tls };
  return { kind: "measured", measurement };
}

async function setUp(t: TestContext) {
  const fixture = await createAlertingFixture(t);
  const addCheck = (input: CheckInput = {}) =>
    fixture.addCheck(
      { name: "Shop", request: { sslConfig: { hostname: "shop.example" } }, ...input },
      "SSL",
    );
  const see = async (watched: Watched, shown: Shown, location?: string) => {
    fixture.clock.advance(1_000);
    const dueAtMs = fixture.clock.now().getTime();
    const outcome = show(fixture, shown);
    const result = makeResult(watched, { dueAtMs, outcome, ...(location && { location }) });
    await recordResults(fixture.context, [result]);
    await decide();
  };
  /** Evaluates all due certificates and delivers the messages. */
  const decide = async () => {
    await decideOnCertificates(fixture.context);
    await fixture.deliver();
  };
  const passDays = async (days: number) => {
    fixture.clock.advance(days * dayMs);
    await decide();
  };
  const addHook = async (watched: Watched, path = "/hook", extras = {}) => {
    const id = await fixture.addWebhook(path, { sslExpiry: true, ...extras });
    await fixture.subscribe(id, { checkId: watched.checkId });
    return id;
  };
  const received = (path = "/hook") =>
    fixture.http.requests
      .filter((request) => request.path === path)
      .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
      .filter(({ alertType }) => alertType === "ALERT_SSL");
  return { fixture, addCheck, see, decide, passDays, addHook, received };
}

test("a certificate is reported once at its threshold and once at its expiry", async (t) => {
  const { fixture, addCheck, see, passDays, addHook, received } = await setUp(t);
  const check = await addCheck();
  await addHook(check);
  await see(check, { days: 31.5 });
  assert.deepEqual(received(), []);
  await passDays(1);
  assert.deepEqual(received(), []);
  await passDays(1);
  const [first, ...more] = received();
  assert.deepEqual(more, []);
  assert.equal(
    first?.reason,
    "The certificate of shop.example expires in 29 days (on 17 December 2026). It was issued by R11.",
  );
  assert.match(String(first?.title), /^Shop: the certificate of shop\.example expires in 29 days/);
  const notice = first?.certificate as Record<string, unknown>;
  assert.deepEqual([notice.host, notice.issuer, notice.daysLeft], ["shop.example", "R11", 29]);
  for (let day = 0; day < 35; day += 1) await passDays(1);
  assert.deepEqual(
    received().map(({ reason }) => /expire[sd]/.exec(String(reason))?.[0]),
    ["expires", "expired"],
  );
  const alerts = await fixture.listAlerts(check.checkId);
  assert.deepEqual(
    alerts.map(({ kind, reason }) => [kind, reason]),
    [
      ["ALERT_SSL", "certificate-expires"],
      ["ALERT_SSL", "certificate-expired"],
    ],
  );
});

test("twelve locations and a restart send no second message and lose none", async (t) => {
  const { fixture, addCheck, see, decide, passDays, addHook, received } = await setUp(t);
  const check = await addCheck({ locations: ["home", "away"], runParallel: true });
  await addHook(check);
  await see(check, { days: 10 });
  await see(check, { days: 10 - 1e-5 }, "away");
  assert.equal(received().length, 1);
  // A restart clears the in-memory cache.
  Object.assign(fixture.context, { seenCertificates: new SeenCertificates() });
  for (const location of ["home", "away"]) await see(check, { days: 9.9 }, location);
  await passDays(1);
  assert.equal(received().length, 1);

  // The server crashes after the decision and before sending.
  const other = await addCheck({ name: "Other" });
  await addHook(other, "/other");
  const outcome = show(fixture, { days: 5, id: "cd" });
  const dueAtMs = fixture.clock.now().getTime();
  await recordResults(fixture.context, [makeResult(other, { dueAtMs, outcome })]);
  await decideOnCertificates(fixture.context);
  assert.deepEqual(received("/other"), []);
  await decide();
  assert.equal(received("/other").length, 1);
});

test("a decision that fails midway stores nothing and is retried", async (t) => {
  const { fixture, addCheck, see, decide, addHook, received } = await setUp(t);
  const check = await addCheck();
  await addHook(check);
  await fixture.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose'; end $$`);
  await fixture.query(`create trigger fail before insert on deliveries for each row
    when (new.check_id = '${check.checkId}') execute function fail()`);
  const sound = await addCheck({ name: "Sound" });
  await addHook(sound, "/sound");
  await see(check, { days: 10 });
  await see(sound, { days: 10, id: "cd" });
  assert.equal(received("/sound").length, 1, "a broken row does not stop the others");
  assert.deepEqual(received(), []);
  assert.deepEqual(await fixture.query("select work, key, reason from set_aside"), [
    { work: "decide on certificates", key: check.checkId, reason: "on purpose" },
  ]);
  await fixture.query("drop trigger fail on deliveries");
  fixture.clock.advance(3_600_000);
  await decide();
  assert.equal(received().length, 1);
});

test("a renewed certificate is alerted on separately, and the old one no longer", async (t) => {
  const { fixture, addCheck, see, passDays, addHook, received } = await setUp(t);
  const check = await addCheck();
  await addHook(check);
  await see(check, { days: 20 });
  assert.equal(received().length, 1);
  await passDays(0.2);
  await see(check, { days: 90, id: "cd" });
  for (let day = 0; day < 20; day += 1) await passDays(1);
  assert.equal(received().length, 1, "no alert about the expiry of the old certificate");
  for (let day = 0; day < 45; day += 1) await passDays(1);
  assert.equal(received().length, 2, "an alert about the new certificate");
  const rows = await fixture.query("select told_days from check_certificates order by seen_at");
  assert.deepEqual(rows, [{ told_days: 30 }, { told_days: 30 }]);
});

test("a server with a new certificate each time causes neither many rows nor many messages", async (t) => {
  const { fixture, addCheck, see, addHook, received } = await setUp(t);
  const check = await addCheck();
  await addHook(check);
  for (let place = 16; place < 46; place += 1) {
    await see(check, { days: 5, id: place.toString(16) });
  }
  assert.equal(received().length, 1);
  const [row] = await fixture.query("select count(*)::int as count from check_certificates");
  assert.deepEqual(row, { count: 10 });
});

test("a channel is alerted only if enabled and at its own threshold", async (t) => {
  const { fixture, addCheck, see, passDays, addHook, received } = await setUp(t);
  const check = await addCheck();
  await addHook(check, "/never", { sslExpiry: false });
  await addHook(check, "/early", { sslExpiryThreshold: 20 });
  await addHook(check, "/late", { sslExpiryThreshold: 3 });
  const elsewhere = await fixture.addWebhook("/unsubscribed", { sslExpiry: true });
  assert.ok(elsewhere > 0);
  await see(check, { days: 15.5 });
  const counts = () =>
    ["/never", "/early", "/late", "/unsubscribed"].map((path) => received(path).length);
  assert.deepEqual(counts(), [0, 1, 0, 0]);
  await passDays(10);
  assert.deepEqual(counts(), [0, 1, 0, 0]);
  await passDays(3);
  assert.deepEqual(counts(), [0, 1, 1, 0]);
  await passDays(3);
  assert.deepEqual(counts(), [0, 2, 2, 0]);
});

test("where only a policy is used, its first step learns of certificates", async (t) => {
  const { fixture, addCheck, see, addHook, received } = await setUp(t);
  const { addMember, addPolicy } = createPeople(fixture);
  const ada = await addMember("Ada", [["ada", 0]]);
  const ben = await addMember("Ben", [["ben", 0]]);
  const never = await fixture.addWebhook("/never");
  await addPolicy({
    targets: [
      [5, ada, never],
      [10, ben],
    ],
  });
  const check = await addCheck();
  await see(check, { days: 10 });
  await fixture.deliver();
  const counts = () => ["/ada", "/never", "/ben"].map((path) => received(path).length);
  assert.deepEqual(counts(), [1, 0, 0]);
  const subscribed = await addCheck({ name: "Subscribed" });
  await addHook(subscribed);
  await see(subscribed, { days: 10, id: "cd" });
  await fixture.deliver();
  assert.deepEqual([...counts(), received().length], [1, 0, 0, 1], "a step that is not at once");
  await addPolicy({
    targets: [
      [0, ben],
      [5, ada],
    ],
  });
  await see(subscribed, { days: 11, id: "ef" });
  const other = await addCheck({ name: "Other" });
  await see(other, { days: 10, id: "12" });
  await fixture.deliver();
  assert.deepEqual(counts(), [1, 0, 1], "the step with 0 minutes");
});

test("settings of check, group and account control certificate alerts", async (t) => {
  const { fixture, addCheck, see, passDays, received } = await setUp(t);
  const off = { sslCertificates: { enabled: false, alertThreshold: 30 } };
  const late = { sslCertificates: { enabled: true, alertThreshold: 2 } };
  await fixture.setSettings(late);
  const base = (await addCheck()).settings.alertSettings;
  const own = { useGlobalAlertSettings: false } as const;
  const ruling = mergeGroupSettings(null, { ...own, alertSettings: { ...base, ...off } });
  const group = await insertGroup(fixture.context.db, fixture.accountId, {
    name: "Group",
    settings: ruling,
    variables: [],
    createdAt: fixture.clock.now(),
  });
  const checks = {
    account: await addCheck({ useGlobalAlertSettings: true }),
    own: await addCheck({ ...own, alertSettings: { ...base, ...late } }),
    off: await addCheck({ ...own, alertSettings: { ...base, ...off } }),
    usual: await addCheck(own),
    grouped: await addCheck({ groupId: group.id }),
  };
  for (const [path, { checkId }] of Object.entries(checks)) {
    const id = await fixture.addWebhook(`/${path}`, { sslExpiry: true });
    await fixture.subscribe(id, { checkId });
  }
  for (const check of Object.values(checks)) await see(check, { days: 5 });
  const notified = () => Object.keys(checks).filter((path) => received(`/${path}`).length > 0);
  assert.deepEqual(notified(), ["usual"]);
  await passDays(3.5);
  assert.deepEqual(notified(), ["account", "own", "usual"]);
});

test("the alert of a muted check is sent after unmuting", async (t) => {
  const { fixture, addCheck, see, decide, addHook, received } = await setUp(t);
  const check = await addCheck({ muted: true });
  await addHook(check);
  await see(check, { days: 5 });
  fixture.clock.advance(3_600_000);
  await decide();
  assert.deepEqual(received(), []);
  await fixture.editCheck(check.checkId, { muted: false });
  fixture.clock.advance(3_600_000);
  await decide();
  assert.equal(received().length, 1);
});

test("a check with a configured domain alerts only on that domain's certificate", async (t) => {
  const { fixture, addCheck, see, addHook, received } = await setUp(t);
  const [one, other] = [await addCheck(), await addCheck()];
  const name = (checkId: string, domain: string) =>
    fixture.query(
      `update checks set private_settings = jsonb_build_object('sslCheckDomain', $2::text)
        where id = $1`,
      checkId,
      domain,
    );
  await name(one.checkId, "Shop.example ");
  await name(other.checkId, "elsewhere.example");
  await addHook(one, "/one");
  await addHook(other, "/other");
  await see(one, { days: 5 });
  await see(other, { days: 5 });
  assert.deepEqual([received("/one").length, received("/other").length], [1, 0]);
});

test("text of a certificate is escaped", async (t) => {
  const { addCheck, see, addHook, received } = await setUp(t);
  const check = await addCheck();
  await addHook(check);
  await see(check, { days: 5, issuer: "Evil\r\nBcc: x\u202e<b>" });
  const [first] = received();
  assert.match(String(first?.reason), /It was issued by Evil Bcc: x<b>\.$/);
});
