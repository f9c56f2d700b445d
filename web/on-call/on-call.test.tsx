/** On call. Chromium has the journeys in `test/browser/on-call.test.ts`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { renderPart, renderScreen } from "../../test/support/components/part.tsx";
import { openScreen, type ServedApp, shareTestApp } from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { Warnings } from "./on-duty.tsx";
import { describePolicy, keyOf, parseKey } from "./policy-sentences.ts";
import { type PolicyStep, reportQuery, warningsQuery } from "./queries.ts";
import { findPeriod, route as reportRoute } from "./report-screen.tsx";
import { joinBars } from "./timeline.tsx";
import { moveUp, newSchedule, toInput, toPreview } from "./values.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const path = "/v1/on-call/schedules";

test("a new layer starts on Monday, and is previewed while it has a participant", () => {
  const values = newSchedule(Date.parse("2026-11-22T12:00:00Z"), "a");
  const [layer] = values.layers;
  assert.equal(layer?.start, "2026-11-16T09:00");
  const layers = layer === undefined ? [] : [layer];
  const empty = layers.map((one) => ({ ...one, participants: [] }));
  assert.equal(toPreview({ ...values, layers: empty }), null);
  assert.equal(toPreview({ ...values, layers })?.name, "Preview");
  assert.equal(toInput({ ...values, name: " Primary ", layers }).layers?.[0]?.end, null);
  assert.deepEqual(moveUp(["a", "b", "c"], 2), ["a", "c", "b"]);
  assert.deepEqual(moveUp(["a", "b"], 0), ["a", "b"]);
});

test("consecutive shifts of one person are one bar, and gaps separate them", () => {
  const bar = (from: string, to: string, userId: string | null) => ({
    from,
    to,
    userId,
    name: userId,
  });
  assert.deepEqual(joinBars([bar("1", "2", "a"), bar("2", "3", "a"), bar("4", "5", "a")]), [
    bar("1", "3", "a"),
    bar("4", "5", "a"),
  ]);
});

test("the first screen shows three warnings, and how many more there are", async () => {
  const warn = (scheduleName: string | null, sentence: string) => ({
    ...{ kind: "GAP", scheduleId: scheduleName, scheduleName, userId: null },
    ...{ sentence, fix: "Add an override." },
  });
  const data = ["One", "Two", null, "Four"].map((name) => warn(name, `${name} is wrong.`));
  const entries = [[warningsQuery.queryKey, data]] as const;
  const none = await renderPart(<Warnings />, { data: [[warningsQuery.queryKey, []]] });
  assert.equal(none.getByRole("region").count(), 0);
  const short = await renderPart(<Warnings isShort />, { data: entries });
  assert.equal(short.getByText(/is wrong/).count(), 3);
  assert.equal(short.getByRole("link", { name: "1 more" }).count(), 1);
  const many = ["One", "Two", null, "Four", "Five", "Six", "Seven"];
  const all = many.map((name) => warn(name, `${name} is wrong.`));
  const whole = await renderPart(<Warnings />, { data: [[warningsQuery.queryKey, all]] });
  assert.equal(whole.getByText("Add an override.").count(), 5);
  await whole.getByRole("button", { name: "2 more" }).click();
  assert.equal(whole.getByText("Add an override.").count(), 7);
  assert.equal(whole.getByRole("button", { name: /more/ }).count(), 0);
});

test("a policy reads as sentences, and a deleted recipient is named as such", () => {
  const names = new Map([
    ["s:a", "Primary"],
    ["u:b", "Ben"],
  ]);
  const steps: PolicyStep[] = [
    { afterMinutes: 0, targets: [{ scheduleId: "a" }] },
    { afterMinutes: 10, targets: [{ userId: "b" }, { channelId: 7 }] },
  ];
  const policy = { steps, repeat: 2, repeatAfterMinutes: 5, useFallback: true };
  assert.deepEqual(describePolicy(policy, names), [
    "At once: Primary.",
    "After 10 min without acknowledgement: Ben, a deleted recipient.",
    "Repeated 2 times, 5 min after the last step.",
    "5 min after the last step: the fallback.",
  ]);
  const [first] = describePolicy({ ...policy, steps: [{ afterMinutes: 0, targets: [] }] }, names);
  assert.equal(first, "At once: nobody yet.");
  for (const target of steps.flatMap(({ targets }) => targets)) {
    assert.deepEqual(parseKey(keyOf(target)), target);
  }
});

test("a period of the report is whole days, and a month is the calendar month", () => {
  const nowMs = new Date(2026, 10, 18, 20, 5).getTime();
  const show = (period: Parameters<typeof findPeriod>[0]) =>
    Object.values(findPeriod(period, nowMs)).map((at) => {
      const date = new Date(at);
      return `${date.getMonth() + 1}-${date.getDate()} ${date.getHours()}`;
    });
  assert.deepEqual(show("7d"), ["11-12 0", "11-19 0"]);
  assert.deepEqual(show("month"), ["11-1 0", "11-19 0"]);
  assert.deepEqual(show("last-month"), ["10-1 0", "11-1 0"]);
});

test("the report shows hours and pages, and changes the period", async () => {
  const person = {
    ...{ userId: "a", name: "Anna", isMember: false, timezone: "UTC", hours: 84.52 },
    ...{ pages: 6, pagesAtNight: 2, acknowledged: 5, medianSecondsToAcknowledge: 95 },
  };
  const range = findPeriod("30d", Date.now());
  const empty = findPeriod("last-month", Date.now());
  const data = [
    [reportQuery(range).queryKey, { ...range, people: [person] }],
    [reportQuery(empty).queryKey, { ...empty, people: [] }],
  ] as const;
  const screen = await renderScreen(reportRoute, { data });
  const row = screen.getByRole("row", { name: /Anna/ });
  await row.waitFor();
  assert.match(await row.textContent(), /^Anna \(left the account\)84\.5 h625 of 61 min$/);
  await screen.getByLabel("Period").selectOption("last-month");
  await screen.getByText("Nobody was on call or paged").waitFor();
});

test("without schedules the screen explains itself, and a reader sees no controls", async () => {
  const screen = await openScreen(app, "/on-call", { role: "READ_ONLY" });
  await screen.getByText("Nobody is on call yet").waitFor();
  assert.equal(screen.getByRole("link", { name: "New schedule" }).count(), 0);
});

test("an override is added and ended on the screen of a schedule", async () => {
  const { body } = await app.call("POST", path, { body: { name: "Night watch" } });
  const screen = await openScreen(app, `/on-call/${body.id}`);
  await screen.getByText("No override is planned.").waitFor();
  await screen.getByLabel("Reason").fill("Dentist");
  await screen.getByRole("button", { name: "Add override" }).click();
  await screen.getByText("The override was added.").waitFor();
  await screen.getByText(/Dentist, by /).waitFor();
  const overrides = `${path}/${body.id}/overrides`;
  assert.equal((await app.call("GET", overrides)).body.length, 1);
  await screen.getByRole("button", { name: /^End the override/ }).click();
  await screen.getByText("The override has ended.").waitFor();
  await waitUntil("no override is left", async () => {
    return (await app.call("GET", overrides)).body.length === 0;
  });
});

test("one step on the screen of a schedule pages it for all checks", async () => {
  const { body } = await app.call("POST", path, { body: { name: "Paged" } });
  const screen = await openScreen(app, `/on-call/${body.id}`);
  await screen.getByRole("button", { name: "Page this schedule for all checks" }).click();
  await screen.getByText("Alerts of all checks page this schedule now.").waitFor();
  const { body: policies } = await app.call("GET", "/v1/escalation-policies");
  const [policy] = policies.entries;
  assert.deepEqual(policy.steps, [{ afterMinutes: 0, targets: [{ scheduleId: body.id }] }]);
  const settings = await app.call("GET", "/v1/alert-settings");
  assert.equal(settings.body.escalationPolicyId, policy.id);
  await screen.getByRole("link", { name: "On call" }).first().click();
  await screen.getByRole("link", { name: "Escalation" }).click();
  await screen.getByText("At once: Paged.").waitFor();
  await screen.getByRole("link", { name: "Paged" }).click();
  await screen.getByLabel("Minutes between rounds").fill("7");
  await screen.getByLabel(/^Alerts of low urgency wait/).click();
  await screen.getByLabel("To", { exact: true }).fill("18:00");
  await screen.getByRole("button", { name: "Save", exact: true }).click();
  await screen.getByText("The policy “Paged” was saved.").waitFor();
  const saved = await app.call("GET", `/v1/escalation-policies/${policy.id}`);
  assert.equal(saved.body.repeatAfterMinutes, 7);
  const days = ["MON", "TUE", "WED", "THU", "FRI"];
  assert.deepEqual(saved.body.supportHours.ranges, [{ days, from: "09:00", to: "18:00" }]);
  await screen.getByRole("button", { name: "Delete" }).click();
  await screen.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await screen.getByText(/used by the account's alert settings/).waitFor();
});
