import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAgentFixture } from "../../../test/support/modules/agent.ts";
import { failing } from "../../../test/support/modules/alerting.ts";
import { createPeople } from "../../../test/support/modules/pages.ts";
import {
  escalateAlertTool,
  pageMemberTool,
  reassignAlertTool,
  snoozeAlertTool,
} from "./on-call-tools.ts";
import { resolveInput } from "./resolve-input.ts";

const dayMs = 86_400_000;

/** Ada and Ben take turns every day at midnight in UTC. */
async function createScene(t: TestContext) {
  const fixture = await createAgentFixture(t);
  const people = createPeople(fixture);
  const ada = await people.addMember("Ada Moor", [["ada", 0]]);
  const ben = await people.addMember("Ben", [["ben", 0]]);
  await people.addSchedule("Primary", [ada, ben]);
  await people.addSchedule("Nobody", []);
  const use = async (input: object) =>
    // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
    (await fixture.use("who_is_on_call", input)).data as any;
  const midnightMs = Math.floor(fixture.clock.nowMs() / dayMs) * dayMs;
  const at = (days: number) => new Date(midnightMs + days * dayMs).toISOString();
  return { ...fixture, ...people, ada, ben, ask: use, at };
}

test("who is on call, until when and who is next, for all schedules or one by name", async (t) => {
  const { ask, at, ada, ben } = await createScene(t);
  const all = await ask({});
  assert.deepEqual(
    all.schedules.map(({ name }: { name: string }) => name),
    ["Nobody", "Primary"],
  );
  assert.equal(all.schedules[0].person, null);
  const { schedules } = await ask({ scheduleId: "primary" });
  const [one] = schedules;
  assert.equal(schedules.length, 1);
  const isAda = one.person.memberId === ada;
  assert.deepEqual([ada, ben].includes(one.person.memberId), true);
  assert.equal(one.until, at(1));
  assert.deepEqual([one.next.memberId, one.next.from], [isAda ? ben : ada, at(1)]);
  assert.deepEqual(one.shifts, []);
});

test("at another time somebody else is on call, and an end lists every shift until then", async (t) => {
  const { ask, at } = await createScene(t);
  const [now] = (await ask({ scheduleId: "Primary" })).schedules;
  const [later] = (await ask({ scheduleId: "Primary", from: "+1d" })).schedules;
  assert.equal(later.person.memberId, now.next.memberId);
  const [range] = (await ask({ scheduleId: "Primary", from: at(0), to: at(3) })).schedules;
  assert.deepEqual(
    range.shifts.map(({ from, to }: { from: string; to: string }) => [from, to]),
    [0, 1, 2].map((day) => [at(day), at(day + 1)]),
  );
  const [first, second, third] = range.shifts;
  assert.equal(first.person.name, third.person.name);
  assert.notEqual(first.person.name, second.person.name);
});

test("a page is proposed with its steps, and sent once when it runs", async (t) => {
  const scene = await createScene(t);
  const { context, caller, ada, ben } = scene;
  const watched = await scene.addCheck({ name: "Shop" });
  await scene.run(watched, failing);
  const named = { memberId: "ada moor", checkId: "Shop", note: "Please look" };
  const input = await resolveInput(context, caller, named);
  assert.deepEqual(input, { ...named, memberId: ada, checkId: watched.checkId });
  const { summary, changes } = await pageMemberTool.propose(context, caller, input);
  assert.match(summary, /^Page "Ada Moor" about the open alert of the check "Shop" \(.*\)\.$/);
  assert.match(changes[0]?.after ?? "", /^ada at /);
  await scene.deliver();
  assert.deepEqual([scene.countAt("ada"), scene.countAt("ben")], [0, 0]);
  await pageMemberTool.run(context, caller, input);
  await scene.deliver();
  assert.deepEqual([scene.countAt("ada"), scene.countAt("ben")], [1, 0]);
  const byMail = await resolveInput(context, caller, { memberId: "ben@example.com" });
  assert.deepEqual(byMail, { memberId: ben });
});

test("snoozing, reassigning and escalating are proposed with their effect, and then done", async (t) => {
  const scene = await createScene(t);
  const { context, caller, ada, ben, clock } = scene;
  const watched = await scene.addCheck({ name: "Shop" });
  const { checkId } = watched;
  const named = { checkId: "Shop", minutes: 60 };
  const input = await resolveInput(context, caller, named);
  const noAlert = { errorName: "conflict" };
  await assert.rejects(snoozeAlertTool.propose(context, caller, input), noAlert);
  await assert.rejects(escalateAlertTool.propose(context, caller, { checkId }), noAlert);
  await scene.run(watched, failing);
  await assert.rejects(escalateAlertTool.propose(context, caller, { checkId }), /no further step/);
  await scene.addPolicy({ targets: [[30, ada]] });

  const snooze = await snoozeAlertTool.propose(context, caller, input);
  assert.match(
    snooze.summary,
    /^Snooze the open alert of the check "Shop" \(.*\) for 60 minutes\.$/,
  );
  assert.equal(snooze.changes[0]?.before, "open");
  const snoozed = await snoozeAlertTool.run(context, caller, input);
  const until = new Date(clock.nowMs() + 3_600_000).toISOString();
  assert.equal((snoozed.data as { summary: string }).summary, `Snoozed until ${until}.`);
  const again = await snoozeAlertTool.propose(context, caller, input);
  assert.equal(again.changes[0]?.before, `snoozed until ${until}`);

  const assignee = await resolveInput(context, caller, { checkId, memberId: "ben" });
  const reassign = await reassignAlertTool.propose(context, caller, assignee);
  assert.match(reassign.summary, / to "Ben"\.$/);
  await scene.deliver();
  assert.deepEqual([scene.countAt("ada"), scene.countAt("ben")], [0, 0]);
  await reassignAlertTool.run(context, caller, reassign.proposal);
  await scene.deliver();
  assert.deepEqual([scene.countAt("ada"), scene.countAt("ben")], [0, 1]);
  assert.deepEqual(reassign.proposal, { checkId, memberId: ben });

  const escalate = await escalateAlertTool.propose(context, caller, { checkId });
  assert.match(escalate.summary, /: step 1 of 1 starts now\.$/);
  await escalateAlertTool.run(context, caller, { checkId });
  await scene.pass(0);
  await scene.deliver();
  assert.deepEqual([scene.countAt("ada"), scene.countAt("ben")], [1, 1]);
});
