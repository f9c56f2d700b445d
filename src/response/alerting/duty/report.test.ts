import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCaller } from "../../../../test/support/modules/agent.ts";
import { failing, passing } from "../../../../test/support/modules/alerting.ts";
import { createPagesFixture } from "../../../../test/support/modules/pages.ts";
import { acknowledgeCheck } from "../acknowledgements/actions.ts";
import { createReport } from "./report.ts";

/** A failing check that pages Ada, who is on call with Ben in turn; the clock shows noon UTC. */
async function createScene(t: TestContext) {
  const fixture = await createPagesFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const ada = await fixture.addMember("Ada", [["ada", 0]]);
  const ben = await fixture.addMember("Ben", [["ben", 0]]);
  const primary = await fixture.addSchedule("Primary", [ada, ben]);
  await fixture.subscribe(primary, { checkId: check.checkId });
  const caller = createCaller(fixture.accountId);
  const page = async () => {
    await fixture.run(check, failing);
    await fixture.deliver();
  };
  const recover = async () => {
    await fixture.pass(1);
    await fixture.run(check, passing);
    await fixture.deliver();
    await fixture.pass(1);
  };
  const report = async (query: { from?: Date; to?: Date } = {}) => {
    await fixture.pass(1);
    const { people } = await createReport(fixture.context, caller, query);
    return new Map(people.map(({ name, userId: _id, ...rest }) => [name, rest]));
  };
  return { ...fixture, check, ada, caller, page, recover, report };
}

test("pages count for the person who was paged, with the time to acknowledge", async (t) => {
  const scene = await createScene(t);
  await scene.page();
  await scene.pass(3);
  await acknowledgeCheck(scene.context, scene.caller, scene.check.checkId);
  await scene.recover();
  await scene.page();
  const all = [...(await scene.report()).values()];
  const [paged, ...others] = all.filter(({ pages }) => pages > 0);
  assert.deepEqual(others, [], "one person had the turn");
  const { pages, pagesAtNight, acknowledged, medianSecondsToAcknowledge } = paged ?? {};
  assert.deepEqual([pages, pagesAtNight, acknowledged], [2, 0, 1]);
  assert.equal(medianSecondsToAcknowledge, 180);
});

test("a page at night is counted in the zone of the person's schedule", async (t) => {
  const scene = await createScene(t);
  await scene.page();
  const atNight = async (timeZone: string) => {
    await scene.query("update on_call_schedules set time_zone = $1", timeZone);
    return [...(await scene.report()).values()].reduce((sum, one) => sum + one.pagesAtNight, 0);
  };
  // Noon in UTC.
  assert.equal(await atNight("UTC"), 0);
  assert.equal(await atNight("Pacific/Auckland"), 1);
});

test("hours that have passed count once, also with two schedules at the same time", async (t) => {
  const scene = await createScene(t);
  const now = scene.clock.now().getTime();
  const range = { from: new Date(now - 4 * 86_400_000), to: new Date(now + 86_400_000) };
  const hours = async () => {
    const people = await scene.report(range);
    return ["Ada", "Ben"].map((name) => Math.round(people.get(name)?.hours ?? 0));
  };
  assert.deepEqual(await hours(), [48, 48]);
  await scene.addSchedule("Second", [scene.ada]);
  assert.deepEqual(await hours(), [96, 48]);
});
