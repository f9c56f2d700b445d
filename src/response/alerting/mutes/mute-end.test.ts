/** Tests on a real database that mutes hold alerts, and what their end sends. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCaller } from "../../../../test/support/modules/agent.ts";
import {
  type AlertingFixture,
  createAlertingFixture,
  failing,
  passing,
} from "../../../../test/support/modules/alerting.ts";
import { makeResult } from "../../../../test/support/modules/runs.ts";
import { mergeGroupSettings } from "../../../checks/checks/check-group.ts";
import { insertGroup } from "../../../checks/checks/groups/store.ts";
import type { Outcome } from "../../../contract/result.ts";
import { recordResults } from "../../../runs/recording/recorder.ts";
import type { Watched } from "../../../runs/scheduling/watch-list.ts";
import { decideOnTicks } from "../decider.ts";
import { muteTargets } from "./actions.ts";
import type { TargetInput } from "./mute.ts";
import { applyingMutes } from "./mute-store.ts";

const minuteMs = 60_000;

interface Scene {
  readonly fixture: AlertingFixture;
  readonly check: Watched;
  /** A check that no mute but the account's applies to. */
  readonly other: Watched;
  readonly groupId: number;
  readonly mute: (target: TargetInput, minutes: number | null) => Promise<unknown>;
}

async function createScene(t: TestContext): Promise<Scene> {
  const fixture = await createAlertingFixture(t);
  const { context, accountId } = fixture;
  await fixture.setSettings({ noDataMinutes: null, flapDamping: null });
  const settings = mergeGroupSettings(null, { tags: ["edge"] });
  const draft = { name: "Edge", settings, variables: [], createdAt: fixture.clock.now() };
  const group = await insertGroup(context.db, accountId, draft);
  const check = await fixture.addCheck({ frequency: 1, groupId: group.id, tags: ["web"] });
  const other = await fixture.addCheck({ frequency: 1, name: "Other" });
  for (const [path, { checkId }] of [["/hook", check] as const, ["/other", other] as const]) {
    await fixture.subscribe(await fixture.addWebhook(path), { checkId });
  }
  const mute: Scene["mute"] = (target, minutes) => {
    const end =
      minutes === null ? null : new Date(fixture.clock.now().getTime() + minutes * 60_000);
    const mutedUntil = end?.toISOString() ?? null;
    const change = { targets: [target], mutedUntil, reason: "New router" };
    return muteTargets(context, createCaller(accountId), change);
  };
  return { fixture, check, other, groupId: group.id, mute };
}

async function received({ fixture }: Scene, path = "/hook"): Promise<string[]> {
  await fixture.deliver();
  return fixture.listReceived(path);
}

/** Records a run without deciding on it. */
function record({ fixture, check }: Scene, outcome: Outcome) {
  const dueAtMs = fixture.clock.now().getTime();
  return recordResults(fixture.context, [makeResult(check, { dueAtMs, outcome })]);
}

const targets = (scene: Scene): readonly (readonly [string, TargetInput])[] => [
  ["check", { type: "CHECK", checkId: scene.check.checkId }],
  ["group", { type: "GROUP", groupId: scene.groupId }],
  ["tag of the check", { type: "TAG", tag: "web" }],
  ["tag of its group", { type: "TAG", tag: "edge" }],
  ["account", { type: "ACCOUNT" }],
];

test("every kind of mute holds alerts, and its end sends what still applies once", async (t) => {
  const scene = await createScene(t);
  const { fixture, check, other } = scene;
  let expected = 0;
  for (const [name, target] of targets(scene)) {
    await scene.mute(target, 10);
    await fixture.run(check, failing);
    await fixture.run(other, failing);
    await fixture.pass(9);
    assert.equal((await received(scene)).length, expected, `${name}: held`);
    const held = (
      await fixture.query("select explanation from alerts order by id desc limit 1")
    )[0];
    if (target.type === "ACCOUNT") {
      assert.match(String(held?.explanation), /muted until .* by a key: New router/);
    }
    await fixture.pass(1);
    await fixture.pass(1);
    expected += 1;
    assert.equal((await received(scene)).length, expected, `${name}: sent at the end`);
    assert.equal((await received(scene)).at(-1), "ALERT_FAILURE", name);
    await fixture.run(check, passing);
    await fixture.run(other, passing);
    expected += 1;
    await received(scene);
    fixture.clock.advance(minuteMs);
  }
  assert.equal((await received(scene, "/other")).length, 2 * 5, "others alert as usual");
});

test("an alert that was sent before is repeated when a mute is ended by hand", async (t) => {
  const scene = await createScene(t);
  const { fixture, check } = scene;
  const target = { type: "CHECK", checkId: check.checkId } as const;
  await fixture.run(check, failing);
  await scene.mute(target, 600);
  await fixture.pass(1);
  assert.deepEqual(await received(scene), ["ALERT_FAILURE"]);
  await scene.mute(target, null);
  await fixture.pass(0);
  await fixture.pass(1);
  assert.deepEqual(await received(scene), ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN"]);
  const [alert] = await fixture.query("select reason, explanation from alerts order by id desc");
  assert.equal(alert?.reason, "mute-ended");
  assert.equal(alert?.explanation, "The mute ended, and it is still failing.");
});

test("a longer mute replaces the end, and a shorter one too", async (t) => {
  const scene = await createScene(t);
  const { fixture, check } = scene;
  const target = { type: "CHECK", checkId: check.checkId } as const;
  await scene.mute(target, 10);
  await fixture.run(check, failing);
  await scene.mute(target, 60);
  await fixture.pass(11);
  assert.deepEqual(await received(scene), []);
  await scene.mute(target, 5);
  await fixture.pass(0);
  await fixture.pass(5);
  assert.deepEqual(await received(scene), ["ALERT_FAILURE"]);
});

test("a problem that ended during the mute sends nothing, though its run is not decided yet", async (t) => {
  const scene = await createScene(t);
  const { fixture, check } = scene;
  await scene.mute({ type: "ACCOUNT" }, 10);
  await fixture.run(check, failing);
  fixture.clock.advance(9 * minuteMs);
  await record(scene, passing);
  await fixture.pass(1);
  assert.deepEqual(await received(scene), [], "the tick leaves it to the queued run");
  fixture.clock.advance(minuteMs);
  await fixture.run(check, passing);
  await fixture.pass(1);
  assert.deepEqual(await received(scene), []);
});

test("a server that was down at the end waits a minute for runs, then alerts once", async (t) => {
  const scene = await createScene(t);
  const { fixture, check } = scene;
  await scene.mute({ type: "ACCOUNT" }, 10);
  await fixture.run(check, failing);
  fixture.clock.advance(60 * minuteMs);
  const startedAtMs = fixture.clock.now().getTime();
  const tick = () => decideOnTicks(fixture.context, startedAtMs);
  await tick();
  assert.deepEqual(await received(scene), []);
  fixture.clock.advance(minuteMs);
  await Promise.all([tick(), tick()]);
  await tick();
  assert.deepEqual(await received(scene), ["ALERT_FAILURE"]);
});

test("a check that recovered while the server was down sends nothing", async (t) => {
  const scene = await createScene(t);
  const { fixture, check } = scene;
  await scene.mute({ type: "ACCOUNT" }, 10);
  await fixture.run(check, failing);
  fixture.clock.advance(60 * minuteMs);
  const startedAtMs = fixture.clock.now().getTime();
  await decideOnTicks(fixture.context, startedAtMs);
  await fixture.run(check, passing);
  fixture.clock.advance(minuteMs);
  await decideOnTicks(fixture.context, startedAtMs);
  assert.deepEqual(await received(scene), []);
});

test("a decision that is lost at the end of a mute is repeated, and sent once", async (t) => {
  const scene = await createScene(t);
  const { fixture, check } = scene;
  await scene.mute({ type: "ACCOUNT" }, 10);
  await fixture.run(check, failing);
  await fixture.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose'; end $$`);
  await fixture.query(`create trigger fail before insert on deliveries for each row
    execute function fail()`);
  await fixture.pass(10);
  const sent = "select count(*)::int as count from alerts where kind <> 'NO_ALERT'";
  assert.deepEqual(await fixture.query(sent), [{ count: 0 }], "alert and delivery are one");
  await fixture.query("drop trigger fail on deliveries");
  await fixture.pass(60);
  await fixture.pass(1);
  assert.deepEqual(await received(scene), ["ALERT_FAILURE"]);
});

test("mutes are read by index, with one query for any number of checks", async (t) => {
  const { fixture } = await createScene(t);
  await fixture.query(
    `insert into accounts (id, name, created_at)
      select gen_random_uuid(), 'other ' || n, now() from generate_series(1, 500) n`,
  );
  await fixture.query(
    `insert into mutes (id, account_id, tag, target, ends_at, reason, author, created_at)
      select gen_random_uuid(), id, 'x' || n, 'tag x' || n, now() + interval '1 day', '', '', now()
      from accounts cross join generate_series(1, 20) n`,
  );
  await fixture.query("analyze mutes");
  const rows = await fixture.query(
    `explain ${applyingMutes}`,
    [fixture.accountId],
    [fixture.accountId],
    new Date(),
  );
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  assert.doesNotMatch(plan, /Seq Scan on mutes/);
});
