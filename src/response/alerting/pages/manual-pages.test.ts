import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createCaller } from "../../../../test/support/modules/agent.ts";
import { failing } from "../../../../test/support/modules/alerting.ts";
import { createPagesFixture } from "../../../../test/support/modules/pages.ts";
import { acknowledgeCheck } from "../acknowledgements/actions.ts";
import { pageSomebody } from "./manual-pages.ts";

/** A failing check without channels, and Ada with two steps. */
async function createScene(t: TestContext) {
  const fixture = await createPagesFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const ada = await fixture.addMember("Ada", [
    ["first", 0],
    ["second", 5],
  ]);
  const caller = createCaller(fixture.accountId);
  const { checkId } = check;
  const page = (more: object = {}, key?: string) =>
    pageSomebody(fixture.context, caller, { checkId, userId: ada, ...more }, key);
  const received = (path: string) =>
    fixture.http.requests.filter((one) => one.path === `/${path}`).map(({ body }) => body);
  return { ...fixture, check, ada, caller, page, received };
}

const hidesPorts = (text: string) => text.replaceAll(/ at [\d.:]+/g, "");

test("a page reaches the member by their rules, with the note and who sent it", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  const page = await scene.page({ note: "Customers cannot pay" });
  assert.equal(hidesPorts(page.recipient), "Ada (first; after 5 minutes second)");
  assert.equal(page.userId, scene.ada);
  await scene.deliver();
  assert.deepEqual([scene.countAt("first"), scene.countAt("second")], [1, 0]);
  assert.match(scene.received("first")[0] ?? "", /Paged by a key: Customers cannot pay/);
  await scene.pass(5);
  await scene.deliver();
  assert.deepEqual([scene.countAt("first"), scene.countAt("second")], [1, 1]);
});

test("acknowledgement cancels the later steps of a page", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  await scene.page();
  await scene.deliver();
  await acknowledgeCheck(scene.context, scene.caller, scene.check.checkId);
  await scene.pass(10);
  await scene.deliver();
  assert.equal(scene.countAt("second"), 0);
});

test("a page about an acknowledged alert is sent once, without later steps", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  await acknowledgeCheck(scene.context, scene.caller, scene.check.checkId);
  assert.equal(hidesPorts((await scene.page()).recipient), "Ada (first)");
});

test("a page that reaches nobody goes to the owners", async (t) => {
  const scene = await createScene(t);
  await scene.addMember("Olga", [], "OWNER");
  await scene.run(scene.check, failing);
  scene.http.respond = () => ({ status: 400 });
  await scene.page();
  await scene.deliver();
  await scene.deliver();
  const rows = await scene.listRows();
  assert.match(rows[0]?.reason ?? "", /^No message reached Ada .* Sent to the owners by email\.$/);
  assert.ok(rows.some(({ recipient }) => recipient === "Olga: olga@example.com"));
});

test("the person on call for a schedule is paged", async (t) => {
  const scene = await createScene(t);
  await scene.addSchedule("Primary", [scene.ada]);
  const [row] = await scene.query("select id from on_call_schedules");
  await scene.run(scene.check, failing);
  const page = await scene.page({ userId: null, scheduleId: row?.id });
  assert.equal(page.userId, scene.ada);
  await scene.query("update on_call_schedules set layers = '[]'");
  await scene.pass(2);
  const again = scene.page({ userId: null, scheduleId: row?.id });
  await assert.rejects(again, /Nobody is on call for Primary/);
});

test("a repeated request pages once, and a second request within a minute is rejected", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  const first = await scene.page({}, "one");
  assert.equal((await scene.page({}, "one")).id, first.id);
  await assert.rejects(scene.page(), /Ada was paged about this alert within the last minute/);
  await scene.pass(2);
  assert.notEqual((await scene.page()).id, first.id);
  const pages = (await scene.listRows()).filter(({ recipient }) => recipient.startsWith("Ada ("));
  assert.equal(pages.length, 2);
});

test("what cannot be paged is rejected with a reason, and stores nothing", async (t) => {
  const scene = await createScene(t);
  await assert.rejects(scene.page(), /the check has no open alert to page about/);
  await scene.run(scene.check, failing);
  await assert.rejects(scene.page({ userId: randomUUIDv7() }), /is not a member of this account/);
  await assert.rejects(scene.page({ userId: null }), /is required, or scheduleId; not both/);
  await assert.rejects(scene.page({ scheduleId: randomUUIDv7() }), /not both/);
  await assert.rejects(scene.page({ checkId: randomUUIDv7() }), /not found/i);
  await scene.query("update contact_methods set verified_at = null");
  const sendTools = { ...scene.context.sendTools, mailer: null };
  const request = { checkId: scene.check.checkId, userId: scene.ada };
  const silent = pageSomebody({ ...scene.context, sendTools }, scene.caller, request);
  await assert.rejects(silent, /Ada has no working contact method/);
  assert.deepEqual(await scene.listRows(), []);
});
