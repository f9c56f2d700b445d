/** Tests that one member gets few messages about many alerts. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { deliverAll, failing, passing } from "../../../../test/support/modules/alerting.ts";
import { createPagesFixture } from "../../../../test/support/modules/pages.ts";
import { makeResult } from "../../../../test/support/modules/runs.ts";
import type { Database } from "../../../platform/database.ts";
import { recordResults } from "../../../runs/recording/recorder.ts";
import type { Watched } from "../../../runs/scheduling/watch-list.ts";
import { acknowledgeByLink, previewAcknowledgement } from "../acknowledgements/actions.ts";
import { decideOnRuns } from "../decider.ts";
import { createAlertDeliverer, createPageExpander } from "../deliverer.ts";

type Steps = readonly (readonly [path: string, afterMinutes: number])[];
const webhooks: Steps = [
  ["ada", 0],
  ["later", 5],
];

interface Body {
  readonly title: string;
  readonly alertType: string;
  readonly alerts?: readonly { readonly checkName: string }[];
}

async function createScene(t: TestContext, count: number, steps: Steps = webhooks) {
  const scene = await createPagesFixture(t);
  const checks: Watched[] = [];
  for (let place = 1; place <= count; place += 1) {
    checks.push(await scene.addCheck({ frequency: 1, name: `Shop ${place}` }));
  }
  const ada = await scene.addMember("Ada", steps);
  await scene.addPolicy({ targets: [[0, ada]] });
  const runAll = async (some: readonly Watched[], outcome: typeof failing) => {
    for (const check of some) await scene.run(check, outcome);
  };
  const received = (path = "/ada") =>
    scene.http.requests
      .filter((request) => request.path === path)
      .map(({ body }) => JSON.parse(body) as Body);
  const pass = async (seconds: number) => {
    scene.clock.advance(seconds * 1_000);
    await scene.deliver();
  };
  return { ...scene, checks, runAll, received, passSeconds: pass };
}

const countAlerts = ({ alerts }: Body) => alerts?.length ?? 1;

test("a storm is one message to a member, which is updated as it grows", async (t) => {
  const scene = await createScene(t, 12);
  const { checks, runAll, received, passSeconds } = scene;
  await runAll(checks.slice(0, 1), failing);
  await scene.deliver();
  scene.clock.advance(1_000);
  await runAll(checks.slice(1, 8), failing);
  await scene.deliver();
  assert.deepEqual(received().map(countAlerts), [1], "the others wait for the update");
  await passSeconds(4);
  assert.deepEqual(received().map(countAlerts), [1, 8], "the update repeats the first alert");
  assert.match(received()[1]?.title ?? "", /^8 checks are failing: .+ and 7 more$/);
  await runAll(checks.slice(8), failing);
  await passSeconds(15);
  assert.deepEqual(received().map(countAlerts), [1, 8, 12]);
  const rows = await scene.query("select status from deliveries where after_minutes = 0");
  assert.deepEqual(
    rows.map(({ status }) => status),
    Array.from({ length: 12 }, () => "SENT"),
    "every alert keeps its own receipt",
  );
});

test("alerts that fail at once are one message, and so are their recoveries", async (t) => {
  const scene = await createScene(t, 6);
  const { checks, runAll, received, passSeconds } = scene;
  await runAll(checks, failing);
  await scene.deliver();
  assert.deepEqual(received().map(countAlerts), [6]);
  await passSeconds(90);
  await runAll(checks, passing);
  await scene.deliver();
  assert.deepEqual(received().map(countAlerts), [6, 6]);
  assert.match(received()[1]?.title ?? "", /^6 checks have recovered/);
  await passSeconds(600);
  assert.equal(received("/later").length, 0);
});

test("a problem that ends or is acknowledged before its update is not sent", async (t) => {
  const scene = await createScene(t, 4);
  const [first, ...others] = scene.checks;
  assert.ok(first);
  await scene.run(first, failing);
  await scene.deliver();
  scene.clock.advance(1_000);
  await scene.runAll(others, failing);
  await scene.deliver();
  scene.clock.advance(1_000);
  await scene.run(others[0] ?? first, passing);
  await scene.passSeconds(3);
  assert.deepEqual(scene.received().map(countAlerts), [1, 3]);
  assert.ok(scene.received().every(({ alertType }) => alertType !== "ALERT_RECOVERY"));
});

test("the link of a grouped page acknowledges all of its alerts and no later one", async (t) => {
  const scene = await createScene(t, 5, []);
  const { checks, runAll, context } = scene;
  await runAll(checks.slice(0, 4), failing);
  await scene.deliver();
  const [mail, ...others] = scene.mail.mails.map(({ raw }) => raw.replaceAll("=\r\n", ""));
  assert.deepEqual(others, []);
  assert.match(mail ?? "", /Subject: 4 checks are failing: Shop 1 and 3 more/);
  assert.match(mail ?? "", /Acknowledge all/);
  assert.doesNotMatch(mail ?? "", /Snooze|Escalate/);
  const token = /\/acknowledge\/([\w-]+)/.exec(mail ?? "")?.[1] ?? "";
  scene.clock.advance(1_000);
  await runAll(checks.slice(4), failing);
  const preview = await previewAcknowledgement(context, token);
  assert.deepEqual([preview.checkName, preview.isOpen, preview.isGroup], ["4 checks", true, true]);
  assert.match(preview.reason, /./, "the reason of most alerts");
  const origin = { address: "192.0.2.1", requestId: "one" };
  await acknowledgeByLink(context, token, origin);
  const [states] = await scene.query(
    `select count(*) filter (where state ->> 'acknowledgedAtMs' is not null)::int as done,
      count(*)::int as total, min(state ->> 'acknowledgedBy') as by from alert_states`,
  );
  assert.deepEqual(states, { done: 4, total: 5, by: "Ada, by a link in a message" });
  assert.equal((await previewAcknowledgement(context, token)).isOpen, false);
  await scene.deliver();
  await scene.passSeconds(20);
  assert.equal(scene.mail.mails.length, 2);
  assert.match(scene.mail.mails[1]?.raw ?? "", /Subject: Shop 5 is failing/);
});

test("a grouped page can be acknowledged after the check of its first alert was deleted", async (t) => {
  const scene = await createScene(t, 3, []);
  await scene.runAll(scene.checks, failing);
  await scene.deliver();
  const mail = (scene.mail.mails[0]?.raw ?? "").replaceAll("=\r\n", "");
  const token = /\/acknowledge\/([\w-]+)/.exec(mail)?.[1] ?? "";
  await scene.query("delete from checks where id = $1", scene.checks[0]?.checkId);
  await acknowledgeByLink(scene.context, token, { address: "192.0.2.1", requestId: "one" });
  assert.equal((await previewAcknowledgement(scene.context, token)).isOpen, false);
});

test("later steps of a storm are one message as well", async (t) => {
  const scene = await createScene(t, 5);
  await scene.runAll(scene.checks, failing);
  await scene.deliver();
  await scene.passSeconds(300);
  assert.deepEqual(scene.received("/later").map(countAlerts), [5]);
});

test("if a grouped message fails, the next step of every alert is sent at once", async (t) => {
  const scene = await createScene(t, 5);
  scene.http.respond = ({ path }) => ({ status: path === "/ada" ? 400 : 200 });
  await scene.runAll(scene.checks, failing);
  await scene.deliver();
  assert.deepEqual(scene.received("/later").map(countAlerts), [5]);
});

test("a large storm takes as many statements as a small one", async (t) => {
  const countStatements = async (checkCount: number) => {
    const scene = await createScene(t, checkCount);
    let statements = 0;
    const count = (db: Database): Database => ({
      isTransaction: db.isTransaction,
      run: (statement) => {
        statements += 1;
        return db.run(statement);
      },
      transaction: (work) => db.transaction((within) => work(count(within))),
      connection: (work) => db.connection((within) => work(count(within))),
    });
    const context = { ...scene.context, db: count(scene.context.db) };
    const deliverers = [createPageExpander, createAlertDeliverer].map((create) =>
      create(context, () => 0.5),
    );
    const counts = [];
    for (const outcome of [failing, passing]) {
      scene.clock.advance(90_000);
      const dueAtMs = scene.clock.now().getTime();
      const results = scene.checks.map((check) => makeResult(check, { dueAtMs, outcome }));
      await recordResults(scene.context, results);
      statements = 0;
      await decideOnRuns(context);
      await deliverAll(deliverers);
      counts.push(statements);
    }
    assert.deepEqual(scene.received().map(countAlerts), [checkCount, checkCount]);
    return counts;
  };
  assert.deepEqual(await countStatements(40), await countStatements(10));
});
