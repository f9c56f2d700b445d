/** Tests automation rules from a run to the public incident on a real database. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { type TestContext, test } from "node:test";
import {
  createAlertingFixture,
  degraded,
  failing,
  passing,
} from "../../../../test/support/modules/alerting.ts";
import {
  addPlannedWindow,
  addService,
} from "../../../../test/support/modules/automatic-incidents.ts";
import { mergeGroupSettings } from "../../../checks/checks/check-group.ts";
import { insertGroup } from "../../../checks/checks/groups/store.ts";
import type { Watched } from "../../../runs/scheduling/index.ts";
import { completeSettings } from "../../../sites/status-pages/index.ts";
import type { Impact } from "../../../sites/status-pages/rules/rule.ts";
import {
  listRulesByIds,
  replaceRuleComponents,
  type StoredRule,
  saveRule,
} from "../../../sites/status-pages/rules/store.ts";
import { insertStatusPage, replaceCards } from "../../../sites/status-pages/store.ts";
import { mapOngoingSeverities } from "../../incidents/index.ts";
import { evaluateDueRules, reviewOngoingRules } from "./rule-evaluator.ts";

const look = { position: 0, description: null, isHidden: false, showsHistory: true };

/** A page with the services API and Web on one card, and a rule for the tag "api". */
async function createScene(t: TestContext, changes: Partial<StoredRule> = {}) {
  const fixture = await createAlertingFixture(t);
  const { accountId, clock } = fixture;
  const { db } = fixture.context;
  const at = clock.now();
  const [api, web] = [await addService(fixture, "API"), await addService(fixture, "Web")];
  const page = randomUUIDv7();
  await insertStatusPage(db, accountId, {
    ...{ id: page, name: "Acme", url: "acme", isPrivate: false, settings: completeSettings({}) },
    ...{ cssWarnings: [], version: 1, usesComponents: true, createdAt: at, updatedAt: null },
  });
  const card = randomUUIDv7();
  const places = [api, web].map((serviceId, position) => {
    return { serviceId, componentId: randomUUIDv7(), look: { ...look, position } };
  });
  const base = { isUngrouped: false, look, createdAt: at, updatedAt: null };
  await replaceCards(db, accountId, {
    id: page,
    cards: [{ id: card, name: "Core", services: places, ...base }],
  });
  const rule: StoredRule = {
    ...{ id: randomUUIDv7(), statusPageId: page, name: "API outage", isEnabled: true },
    ...{ firstUpdate: "We look into it.", lastUpdate: "It works again.", tags: ["api"] },
    ...{ notifySubscribers: true, coolDownMinutes: 5, ...changes },
  };
  await saveRule(db, accountId, { ...rule, at });
  const setImpacts = (impacts: readonly (Impact | null)[]) =>
    replaceRuleComponents(db, accountId, {
      ruleId: rule.id,
      components: impacts.flatMap((impact, index) => {
        const cardServiceId = places[index]?.componentId ?? null;
        return impact === null ? [] : [{ id: randomUUIDv7(), cardId: null, cardServiceId, impact }];
      }),
    });
  await setImpacts(["MAJOR_OUTAGE", "DEGRADED_PERFORMANCE"]);
  const evaluate = () => evaluateDueRules(fixture.context);
  const run = async (check: Watched, outcome: typeof failing) => {
    await fixture.run(check, outcome);
    await evaluate();
    clock.advance(60_000);
  };
  const listCourses = async () => {
    const rows = await fixture.query(
      `select array(select status from incident_updates where incident_id = incidents.id
        order by public_at, number) as course from incidents order by id`,
    );
    return rows.map(({ course }) => (course as string[]).join(" "));
  };
  const readRule = async () => {
    const [found] = await listRulesByIds(db, accountId, [rule.id]);
    assert.ok(found);
    return found;
  };
  const addCheck = (name: string, tags: readonly string[]) =>
    fixture.addCheck({ name, frequency: 1, tags: [...tags] });
  return { fixture, rule, api, web, page, card, run, evaluate, listCourses, readRule, addCheck };
}

const open = "INVESTIGATING";
const closed = "INVESTIGATING RESOLVED";

test("a failing check with the tag opens one incident, and the last recovery resolves it", async (t) => {
  const { fixture, run, listCourses, readRule, addCheck, api, web } = await createScene(t);
  const [one, two] = [await addCheck("One", ["api"]), await addCheck("Two", ["x", "api"])];
  const other = await addCheck("Other", ["db"]);
  await run(other, failing);
  assert.deepEqual(await listCourses(), []);
  await run(one, failing);
  await run(two, failing);
  assert.deepEqual(await listCourses(), [open]);
  const [incident] = await fixture.query(
    "select id, name, severity, is_automatic, check_id from incidents",
  );
  const expected = { name: "API outage", severity: "CRITICAL", is_automatic: true, check_id: null };
  assert.deepEqual(incident, { id: (await readRule()).incidentId, ...expected });
  const severities = await mapOngoingSeverities(fixture.context.db, fixture.accountId, {
    serviceIds: [api, web],
    to: fixture.clock.now(),
  });
  assert.deepEqual([severities.get(api), severities.get(web)], ["CRITICAL", "MINOR"]);
  await run(one, passing);
  assert.deepEqual(await listCourses(), [open]);
  await run(two, passing);
  assert.deepEqual(await listCourses(), [closed]);
  assert.equal((await readRule()).incidentId, null);
  const sent = await fixture.query(
    "select message ->> 'body' as body from announcements order by id",
  );
  assert.deepEqual(
    sent.map(({ body }) => body),
    ["We look into it.", "It works again."],
  );
});

test("the tag of a group counts, and a degraded check neither opens nor resolves", async (t) => {
  const { fixture, run, listCourses } = await createScene(t);
  const settings = mergeGroupSettings(null, { tags: ["api"] });
  const draft = { name: "Edge", settings, variables: [], createdAt: fixture.clock.now() };
  const { id: groupId } = await insertGroup(fixture.context.db, fixture.accountId, draft);
  const check = await fixture.addCheck({ name: "In group", frequency: 1, groupId });
  await run(check, degraded);
  assert.deepEqual(await listCourses(), []);
  await run(check, failing);
  await run(check, degraded);
  assert.deepEqual(await listCourses(), [open]);
  await run(check, passing);
  assert.deepEqual(await listCourses(), [closed]);
});

test("the next incident waits for the cool-down, and opens if the check still fails", async (t) => {
  const { fixture, run, evaluate, listCourses, addCheck } = await createScene(t);
  const check = await addCheck("One", ["api"]);
  await run(check, failing);
  await run(check, passing);
  await run(check, failing);
  assert.deepEqual(await listCourses(), [closed]);
  fixture.clock.advance(5 * 60_000);
  await evaluate();
  assert.deepEqual(await listCourses(), [closed, open]);
});

test("a muted check and a suppressing window open none", async (t) => {
  const { fixture, run, evaluate, listCourses, addCheck, api } = await createScene(t);
  const muted = await fixture.addCheck({ name: "M", frequency: 1, tags: ["api"], muted: true });
  await run(muted, failing);
  assert.deepEqual(await listCourses(), []);
  const times = { fromMinutes: -1, toMinutes: 5 };
  const visibility = { enabled: true, suppressAutoIncidents: true, serviceIds: [api] };
  await addPlannedWindow(fixture, times, visibility);
  await run(await addCheck("One", ["api"]), failing);
  assert.deepEqual(await listCourses(), []);
  fixture.clock.advance(6 * 60_000);
  await evaluate();
  assert.deepEqual(await listCourses(), [open]);
});

test("a person who posts takes the incident over, and the same outage opens no second one", async (t) => {
  const { fixture, run, listCourses, readRule, addCheck } = await createScene(t);
  const check = await addCheck("One", ["api"]);
  await run(check, failing);
  await fixture.query("update incidents set taken_over_at = now()");
  await run(check, failing);
  await run(check, passing);
  assert.deepEqual(await listCourses(), [open]);
  assert.deepEqual((await readRule()).failingCheckIds, []);
});

test("a check that is deleted or loses its tag ends the outage", async (t) => {
  const { fixture, run, evaluate, listCourses, addCheck } = await createScene(t);
  const check = await addCheck("One", ["api"]);
  await run(check, failing);
  await fixture.deleteCheck(check.checkId);
  await reviewOngoingRules(fixture.context);
  await evaluate();
  assert.deepEqual(await listCourses(), [closed]);
});

test("a rule without components or that is disabled opens none", async (t) => {
  const { fixture, run, listCourses, addCheck, card } = await createScene(t);
  const check = await addCheck("One", ["api"]);
  await fixture.query("delete from status_page_cards where id = $1", card);
  await run(check, failing);
  assert.deepEqual(await listCourses(), []);
  const disabled = await createScene(t, { isEnabled: false });
  await disabled.run(await disabled.addCheck("One", ["api"]), failing);
  assert.deepEqual(await disabled.listCourses(), []);
});

test("a rule that somebody edits is evaluated later, and alerts do not wait for it", async (t) => {
  const { fixture, run, evaluate, listCourses, addCheck, rule } = await createScene(t);
  const check = await addCheck("One", ["api"]);
  const client = await fixture.pool.connect();
  try {
    await client.query("begin");
    await client.query("select 1 from status_page_rules where id = $1 for update", [rule.id]);
    await run(check, failing);
    assert.deepEqual(await listCourses(), []);
    assert.equal((await fixture.listAlerts(check.checkId)).length, 1);
    await client.query("commit");
  } finally {
    client.release();
  }
  await evaluate();
  assert.deepEqual(await listCourses(), [open]);
});
