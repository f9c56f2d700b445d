/** States of the escalation policies that a server in a test does not reach, or reaches slowly. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
  renderScreen,
  type SentRequest,
} from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { alertSettingsQuery, channelsQuery } from "../alerts/index.ts";
import { ownerQuery } from "../editing/queries.ts";
import { route as schedulesRoute } from "./on-call-screen.tsx";
import { OnDuty } from "./on-duty.tsx";
import { route as policiesRoute } from "./policies-screen.tsx";
import { route } from "./policy-screen.tsx";
import { PolicySelect } from "./policy-select.tsx";
import {
  nowQuery,
  type Policy,
  peopleQuery,
  policiesQuery,
  policyQuery,
  type Rehearsal,
  usesQuery,
  warningsQuery,
} from "./queries.ts";
import { RehearsalResult } from "./rehearsal-panel.tsx";

const id = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
const policy = (change: Partial<Policy> = {}): Policy => ({
  ...{ id, name: "Shop", repeat: 0, repeatAfterMinutes: 10, useFallback: true },
  steps: [{ afterMinutes: 0, targets: [{ userId: "a" }] }],
  ...{ supportHours: null, created_at: "2026-11-18T09:00:00Z", updated_at: null },
  ...change,
});
const version = (data = policy()) => ({ data, etag: '"1"', total: null });
const usesOf = (checkCount: number) => ({
  policies: [{ id, checkCount, troubledCount: 0 }],
  ...{ schedules: [], troubledCount: 0 },
});
const people = [
  { userId: "a", name: "Anna" },
  { userId: "b", name: "Ben <b>" },
];
const seeds = [
  [nowQuery.queryKey, [{ scheduleId: "p", scheduleName: "Primary" }]],
  [peopleQuery.queryKey, people],
  [channelsQuery.queryKey, []],
  [policyQuery(id).queryKey, version()],
  [ownerQuery({ type: "escalation-policy", id }).queryKey, null],
  [alertSettingsQuery.queryKey, { data: { escalationPolicyId: id }, etag: '"s"', total: null }],
  [usesQuery.queryKey, usesOf(7)],
] as const;
const withoutPolicy = { data: { escalationPolicyId: null }, etag: '"s"', total: null };

const openPolicy = (options: PartOptions = {}, policyId = id) =>
  renderScreen(route, { params: { policyId }, ...options, data: options.data ?? seeds });

const rehearsal = (change: Partial<Rehearsal> = {}): Rehearsal => ({
  ...{ startsAt: "2026-11-21T22:00:00Z", pagesFrom: "2026-11-21T22:00:00Z", urgency: "HIGH" },
  entries: [],
  ...change,
});
const entry = (minutes: number): Rehearsal["entries"][number] => ({
  at: new Date(Date.parse("2026-11-21T22:00:00Z") + minutes * 60_000).toISOString(),
  ...{ round: 1, step: 1, target: { userId: "a" }, targetName: "Anna", userId: "a" },
  ...{ userName: "Anna", method: "push", reason: null, note: null },
});

test("a policy is rehearsed as the form shows it, and again when the form changes", async () => {
  const respond = ({ body }: SentRequest) => {
    const { steps } = body as { steps: Policy["steps"] };
    const entries = steps.map(({ afterMinutes }) => entry(afterMinutes));
    return Response.json(rehearsal({ entries }));
  };
  const part = await openPolicy({ fetches: true, respond });
  await part.getByLabel("The alert starts").fill("2026-11-21T22:00");
  await part
    .getByLabel("Urgency", { exact: true })
    .selectOption("Not urgent: a check is degraded, or a certificate expires");
  await part.getByRole("button", { name: "Rehearse" }).click();
  await part.getByText("At once, Anna is reached.").waitFor();
  const first = part.sent.find(({ method }) => method === "POST");
  assert.equal(first?.path, "/v1/escalation-policies/rehearse");
  const { startsAt, urgency, steps, ...rest } = (first?.body ?? {}) as Record<string, unknown>;
  assert.deepEqual([startsAt, urgency], [new Date("2026-11-21T22:00").toISOString(), "LOW"]);
  assert.deepEqual(steps, policy().steps);
  assert.equal("name" in rest, false);
  await part.getByLabel("Minutes after the alert").fill("15");
  await part.getByText("After 15 min, Anna is the first to be reached.").waitFor();
  assert.ok(
    part.sent.every(({ method, path }) => method === "GET" || path.endsWith("/rehearse")),
    "nothing is saved",
  );
});

test("a new policy cannot be rehearsed before each step has a recipient", async () => {
  const part = await openPolicy({}, "new");
  await part.getByText("Add a recipient to each step to rehearse the policy.").waitFor();
  assert.ok(await part.getByRole("button", { name: "Rehearse" }).isDisabled());
  assert.ok(await part.getByRole("button", { name: "Create policy" }).isDisabled());
  await part.getByLabel("Who is alerted").selectOption("u:b");
  await part.getByRole("button", { name: "Add", exact: true }).click();
  assert.equal(await part.getByRole("button", { name: "Rehearse" }).isDisabled(), false);
  assert.ok(await part.getByRole("button", { name: "Create policy" }).isDisabled(), "no name");
});

test("settings that the server rejects are reported instead of a rehearsal", async () => {
  const message = "steps.1.afterMinutes must not be less than that of the step before";
  const part = await openPolicy({ fetches: true, respond: () => rejectRequest(400, message) });
  await part.getByRole("button", { name: "Rehearse" }).click();
  await part.getByText(`The server rejects these settings: ${message}`).waitFor();
});

test("a rehearsal that fails is repeated on request", async () => {
  let isBroken = true;
  const respond = () => (isBroken ? rejectRequest(500, "It broke.") : Response.json(rehearsal()));
  const part = await openPolicy({ fetches: true, respond });
  await part.getByRole("button", { name: "Rehearse" }).click();
  await part.getByText("The policy could not be rehearsed").waitFor();
  isBroken = false;
  await part.getByRole("button", { name: "Try again" }).click();
  await part.getByText("Nobody would be reached.").waitFor();
});

test("a long rehearsal shows the first times, and all on request", async () => {
  const entries = Array.from({ length: 30 }, (_, index) => entry(index * 10));
  const part = renderPart(
    <RehearsalResult rehearsal={rehearsal({ entries, pagesFrom: "2026-11-23T08:00:00Z" })} />,
  );
  const list = part.getByRole("list", { name: "Rehearsal" });
  assert.equal(list.locator(":scope > li").count(), 12);
  await part.getByText(/^The alert waits for the support hours until/).waitFor();
  await part.getByRole("button", { name: "Show all 30 messages" }).click();
  assert.equal(list.locator(":scope > li").count(), 30);
});

test("who cannot be reached is named with the reason, and a held message with its note", () => {
  const failed = { userId: null, userName: null, method: null };
  const entries = [
    { ...entry(0), ...failed, targetName: "Gap", reason: "Nobody is on call for Gap." },
    { ...entry(5), note: "Held until the quiet hours of #ops end." },
  ];
  const part = renderPart(<RehearsalResult rehearsal={rehearsal({ entries })} />);
  const text = part.readText();
  assert.match(text, /Nobody is on call for Gap\. Step 1: Gap/);
  assert.match(text, /Anna, push Step 1: Anna\. Held until the quiet hours of #ops end\./);
  assert.match(text, /^After 5 min, Anna is the first to be reached\./);
});

test("a reader rehearses a policy but sees no controls to change it", async () => {
  const part = await openPolicy({ role: "READ_ONLY" });
  await part.getByText(/Your role is read-only/).waitFor();
  for (const name of ["Save", "Delete"]) {
    assert.equal(part.getByRole("button", { name }).count(), 0, name);
  }
  assert.ok(await part.getByLabel("Name").isDisabled());
  assert.equal(await part.getByRole("button", { name: "Rehearse" }).isDisabled(), false);
});

test("errors of the API are at their fields", async () => {
  const respond = ({ method }: SentRequest) =>
    method === "PUT"
      ? rejectRequest(400, "Rejected.", {
          "steps.0.afterMinutes": "must be at most 10080",
          repeat: "must be at most 9",
        })
      : Response.json([]);
  const part = await openPolicy({ respond });
  await part.getByLabel("Name").fill("Shop 2");
  await part.getByRole("button", { name: "Save" }).click();
  for (const label of ["Minutes after the alert", "Repetitions"]) {
    await waitUntil(
      `${label} is marked`,
      async () => (await part.getByLabel(label).getAttribute("aria-invalid")) === "true",
    );
  }
});

test("a conflict shows the steps of both versions as sentences", async () => {
  const theirs = policy({ steps: [{ afterMinutes: 5, targets: [{ scheduleId: "p" }] }] });
  const respond = ({ method }: SentRequest) =>
    method === "PUT"
      ? rejectRequest(412, "It has changed since you read it.")
      : Response.json(theirs, { headers: { etag: '"2"' } });
  const part = await openPolicy({ respond });
  await part.getByLabel("Minutes after the alert").fill("30");
  await part.getByRole("button", { name: "Save" }).click();
  await part.getByText("After 5 min without acknowledgement: Primary.").waitFor();
  await part.getByText("After 30 min without acknowledgement: Anna.").first().waitFor();
});

test("a policy in use is not deleted, and the reason is shown", async () => {
  const message = "the policy is used by 1 check (Shop); choose another policy there first";
  const part = await openPolicy({ respond: () => rejectRequest(409, message) });
  await part.getByRole("button", { name: "Delete" }).click();
  await part.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await waitUntil("the dialog closes", () => part.getByRole("dialog").count() === 0);
  assert.deepEqual(
    part.sent.map(({ method, path }) => [method, path]),
    [["DELETE", `/v1/escalation-policies/${id}`]],
  );
});

for (const [role, controls] of [
  ["READ_WRITE", 1],
  ["READ_ONLY", 0],
] as const) {
  test(`without policies the list explains them, with ${controls} controls for ${role}`, async () => {
    const data = [...seeds, [policiesQuery.queryKey, []]] as const;
    const part = await renderScreen(policiesRoute, { data, role });
    await part.getByText("No escalation policy yet").waitFor();
    assert.equal(part.getByRole("link", { name: "New policy" }).count(), controls);
  });
}

test("the list names the policy of the account, and reads as sentences", async () => {
  const other = policy({ id: "o", name: "Other", useFallback: false, steps: [] });
  const data = [...seeds, [policiesQuery.queryKey, [policy(), other]]] as const;
  const part = await renderScreen(policiesRoute, { data });
  const text = part.readText();
  assert.match(text, /Shop.*At once: Anna\..*Used by all checks that select no other: 7 checks\./);
  assert.match(text, /Other.*Then nobody else is alerted\./);
});

test("a list that cannot be loaded is loaded again on request", async () => {
  let isBroken = true;
  const respond = () =>
    isBroken ? rejectRequest(500, "It broke.") : Response.json({ entries: [], nextId: null });
  const part = await renderScreen(policiesRoute, { data: seeds, fetches: true, respond });
  await part.getByText("The escalation policies could not be loaded").waitFor();
  isBroken = false;
  await part.getByRole("button", { name: "Try again" }).click();
  await part.getByText("No escalation policy yet").waitFor();
});

test("a selected policy has a link to its rehearsal, and one that is gone stays selected", () => {
  const data = [[policiesQuery.queryKey, [policy()]]] as const;
  const chosen: (string | null)[] = [];
  const select = (value: string | null) => (
    <PolicySelect
      label="Escalation"
      none="No escalation"
      value={value}
      onChange={(next) => chosen.push(next)}
    />
  );
  const part = renderPart(select(id), { data });
  assert.equal(
    part
      .getByRole("link", { name: "Edit or rehearse this policy" })
      .elements()[0]
      ?.getAttribute("href"),
    `/on-call/policies/${id}`,
  );
  part.rerender(select(null));
  assert.equal(part.getByRole("link", { name: "Edit the policies" }).count(), 1);
  part.rerender(select("gone"));
  assert.equal(part.getByRole("option", { name: "A policy that could not be loaded" }).count(), 1);
});

test("a policy shows how many checks use it, and warns that no check does", async () => {
  const used = await openPolicy();
  await used.getByText("Used by all checks that select no other: 7 checks.").waitFor();
  const settings = [alertSettingsQuery.queryKey, withoutPolicy] as const;
  const one = await openPolicy({ data: [...seeds, settings, [usesQuery.queryKey, usesOf(1)]] });
  await one.getByText("Used by 1 check.").waitFor();
  const data = [...seeds, settings, [usesQuery.queryKey, usesOf(0)]] as const;
  const respond = ({ method, path }: SentRequest) => {
    if (method === "GET" && path === "/v1/alert-settings") {
      return Response.json({ escalationPolicyId: null }, { headers: { etag: '"s"' } });
    }
    return method === "PUT" ? Response.json({}) : rejectRequest(404, "Not here.");
  };
  const unused = await openPolicy({ data, fetches: true, respond, role: "ADMIN" });
  await unused.getByText("Used by no check, so it alerts nobody.").waitFor();
  await unused.getByRole("button", { name: "Use it for all checks" }).click();
  await waitUntil("the policy is selected", () =>
    unused.sent.some(({ method }) => method === "PUT"),
  );
  const put = unused.sent.find(({ method }) => method === "PUT");
  assert.deepEqual(put?.body, { escalationPolicyId: id, escalationStages: [] });
});

const duty = {
  ...{ scheduleId: "p", scheduleName: "Primary", name: "Cleo Ruiz", userId: "c" },
  ...{ until: null, next: null, overrideId: null, departed: [] },
};

function renderDuty(uses: { checkCount: number; troubledCount: number } | null, troubled: number) {
  const schedules = uses === null ? [] : [{ id: "p", ...uses }];
  return renderPart(<OnDuty />, {
    data: [
      [nowQuery.queryKey, [duty]],
      [warningsQuery.queryKey, []],
      [usesQuery.queryKey, { policies: [], schedules, troubledCount: troubled }],
    ],
  });
}

test("the first screen names the person on call whom alerts reach", async () => {
  await renderDuty({ checkCount: 3, troubledCount: 1 }, 1).getByText("Cleo Ruiz").waitFor();
});

const openSchedules = (schedules: readonly object[]) =>
  renderScreen(schedulesRoute, {
    respond: () => rejectRequest(500, "It broke."),
    data: [
      [nowQuery.queryKey, [duty]],
      [warningsQuery.queryKey, []],
      [usesQuery.queryKey, { policies: [], schedules, troubledCount: 0 }],
    ],
  });

test("the list of schedules warns about a schedule that no check pages", async () => {
  const part = await openSchedules([]);
  await part.getByText("No check pages this schedule.").waitFor();
});

test("the list of schedules does not warn about a schedule that checks page", async () => {
  const part = await openSchedules([{ id: "p", checkCount: 3, troubledCount: 0 }]);
  await part.getByText("Cleo Ruiz").first().waitFor();
  assert.equal(part.getByText("No check pages this schedule.").count(), 0);
});

test("the first screen names nobody whom the failing check does not reach", async () => {
  const part = renderDuty({ checkCount: 3, troubledCount: 0 }, 1);
  await part.getByRole("link", { name: "On call" }).waitFor();
  assert.equal(part.getByText("Cleo Ruiz").count(), 0);
});

test("the first screen names nobody of a schedule that no check pages", async () => {
  const part = renderDuty(null, 0);
  await part.getByText("no check pages it").waitFor();
  assert.equal(part.getByText("Cleo Ruiz").count(), 0);
});
