/** The list of alerts and the details of one, with loaded data and without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderScreen,
} from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import type { Schemas } from "../api/client.ts";
import { privateNamesQuery } from "../locations/index.ts";
import type { AlertFilter } from "./alert-search.ts";
import { route as alertsRoute } from "./alerts-screen.tsx";
import {
  alertsQuery,
  channelsQuery,
  leadingRunsQuery,
  openAlertsQuery,
  problemGroupsQuery,
  storyCheckQuery,
  storyQuery,
} from "./queries.ts";
import type { Decision, Story } from "./story.ts";
import { route as storyRoute } from "./story-screen.tsx";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 16, 3, minute)).toISOString();

type Open = Schemas["OpenAlert"];

const open = (checkId: string, more: Partial<Open> = {}) =>
  ({
    checkId,
    alertId: `a-${checkId}`,
    name: `check ${checkId}`,
    alertType: "ALERT_FAILURE",
    openedAt: new Date(Date.now() - 600_000).toISOString(),
    acknowledgedAt: null,
    ...more,
  }) as unknown as Open;

const decision = (id: string, more: Partial<Decision> = {}) =>
  ({
    id,
    at: at(0),
    checkId: "c-1",
    name: "db-1",
    alertType: "ALERT_FAILURE",
    heldAlertType: null,
    reason: "run-failed",
    explanation: "1 failed run is enough for an alert.",
    parentCheckId: null,
    checkResultId: null,
    isReminder: false,
    messages: { sent: 1, pending: 0, dead: 0 },
    ...more,
  }) as unknown as Decision;

interface ListState extends PartOptions {
  readonly alerts?: readonly Open[];
  readonly past?: readonly Decision[];
  readonly total?: number;
  readonly filter?: AlertFilter;
  readonly groups?: readonly object[];
}

function renderAlerts(state: ListState) {
  const { alerts = [], past = [], total = past.length, filter = {}, groups, ...options } = state;
  const listed = { data: past, total };
  return renderScreen(alertsRoute, {
    ...options,
    search: { ...filter },
    data: [
      [openAlertsQuery.queryKey, alerts],
      [alertsQuery(filter).queryKey, listed],
      [alertsQuery({}).queryKey, listed],
      [problemGroupsQuery("cause").queryKey, groups],
      [problemGroupsQuery("tag").queryKey, groups],
    ],
  });
}

const button = (part: Part, name: string | RegExp) => part.getByRole("button", { name });
const link = (part: Part, name: string | RegExp) => part.getByRole("link", { name });

test("an open alert shows since when, and whether somebody acknowledged it", async () => {
  const acknowledgedAt = new Date(Date.now() - 120_000).toISOString();
  const part = await renderAlerts({
    alerts: [open("1"), open("2", { acknowledgedAt })],
  });
  const rows = part.locator("ul > li").allTextContents();
  assert.match(rows[0] ?? "", /check 1 for 10 min\s*not acknowledged/);
  assert.match(rows[1] ?? "", /acknowledged 2 min ago/);
  assert.equal(button(part, /^Acknowledge/).count(), 1);
  assert.equal(await link(part, "check 1").getAttribute("href"), "/alerts/a-1");
});

test("an open alert whose details have expired leads to its check", async () => {
  const part = await renderAlerts({
    alerts: [open("1", { alertId: null } as Partial<Open>)],
  });
  assert.equal(await link(part, "check 1").getAttribute("href"), "/checks/1");
});

test("a reader acknowledges nothing", async () => {
  const part = await renderAlerts({ alerts: [open("1")], role: "READ_ONLY" });
  await part.getByText("not acknowledged").waitFor();
  assert.equal(button(part, /^Acknowledge/).count(), 0);
});

test("an account whose alerts recovered has no open ones", async () => {
  const part = await renderAlerts({ past: [decision("a-1")] });
  await part.getByText(/Every check that alerted has recovered/).waitFor();
});

test("an account without alerts reads that none has fired", async () => {
  const part = await renderAlerts({});
  await part.getByText(/No alert has fired yet/).waitFor();
  await part.getByText(/When a check fails or recovers/).waitFor();
});

const problem = (checkId: string, isAlerted: boolean, status = "failing") => ({
  checkId,
  name: `check ${checkId}`,
  status,
  isAlerted,
  isAcknowledged: false,
});

const group = (key: string, checks: readonly object[]) => ({
  key,
  label: key,
  since: at(0),
  failing: checks.length,
  degraded: 0,
  checks,
});

test("many open alerts are grouped by cause, and those of no group are listed", async () => {
  const alerts = Array.from({ length: 11 }, (_, index) => open(String(index)));
  const part = await renderAlerts({
    alerts,
    groups: [
      group("refused", [problem("0", true), problem("1", true, "degraded"), problem("x", false)]),
      group("quiet", [problem("y", false)]),
    ],
  });
  await part.getByRole("heading", { level: 3, name: "refused" }).waitFor();
  await part.getByText(/1 failing, 1 degraded/).waitFor();
  assert.equal(part.getByText("quiet").count(), 0, "a group without an alert is left out");
  await part.getByText("Show 2 checks").waitFor();
  await part.getByRole("heading", { name: "Other open alerts" }).waitFor();
  assert.equal(part.getByText("not acknowledged").count(), 9);
});

test("all alerts of a group are acknowledged with one request", async () => {
  const part = await renderAlerts({
    alerts: [open("0"), open("1")],
    filter: { by: "tag" },
    groups: [group("db", [problem("0", true), problem("1", true)])],
    respond: () => Response.json({ acknowledged: 2 }),
  });
  await button(part, "Acknowledge all 2: db").click();
  await waitUntil("it is sent", () => part.sent.length > 0);
  assert.deepEqual(part.sent[0]?.body, { checkIds: ["0", "1"] });
});

test("the pages of the history keep the filters", async () => {
  const filter = { page: 2, show: "held", search: "db" } as const;
  const part = await renderAlerts({
    past: [decision("a-1")],
    total: 101,
    filter,
  });
  await part.getByText("2 of 3").waitFor();
  assert.equal(await link(part, "Newer").getAttribute("href"), "/alerts?show=held&search=db");
  assert.equal(
    await link(part, "Older").getAttribute("href"),
    "/alerts?show=held&search=db&page=3",
  );
  assert.equal(await part.getByLabel("Check", { exact: true }).inputValue(), "db");
  assert.equal(await part.getByLabel("Sent or held").inputValue(), "held");
});

test("a filter without a match is explained", async () => {
  const part = await renderAlerts({ filter: { show: "held" } });
  await part.getByText("No alert matches. Clear a filter to see more.").waitFor();
});

test("the choice of types has one entry for a recovery, and none for a test", async () => {
  const part = await renderAlerts({});
  const options = part.getByLabel("Type", { exact: true }).locator("option").allTextContents();
  assert.equal(options[0], "Any type");
  assert.equal(options.filter((one) => one === "Recovered").length, 1);
  assert.equal(options.includes("Test"), false);
});

const story = (more: Partial<Story> = {}): Story => ({
  id: "s-1",
  checkId: "c-1",
  name: "db-1",
  status: "open",
  startedAt: new Date(Date.now() - 900_000).toISOString(),
  openedAt: at(1),
  recoveredAt: null,
  acknowledgement: null,
  responses: [],
  path: null,
  decisions: [decision("a-1")],
  decisionsTotal: 1,
  messages: [],
  next: null,
  ...more,
});

interface StoryState extends PartOptions {
  readonly shown?: Story;
  readonly runs?: readonly object[];
  readonly check?: object;
}

function renderStory(state: StoryState = {}) {
  const {
    shown = story(),
    runs = [],
    check = { muted: false, checkType: "ICMP" },
    ...options
  } = state;
  return renderScreen(storyRoute, {
    ...options,
    params: { alertId: "a-1" },
    data: [
      [storyQuery("a-1").queryKey, shown],
      [storyCheckQuery("c-1").queryKey, check],
      [leadingRunsQuery("c-1", shown.openedAt ?? at(0)).queryKey, { entries: runs }],
      [channelsQuery.queryKey, [{ id: 7, type: "WEBHOOK", config: { name: "pager" } }]],
      [privateNamesQuery.queryKey, []],
    ],
  });
}

test("an open alert shows its duration and may be acknowledged", async () => {
  const part = await renderStory();
  await part.getByText("for 15 min").waitFor();
  const buttons = part.getByRole("button").elements();
  assert.equal(buttons[0]?.getAttribute("aria-label"), "Acknowledge db-1");
  assert.equal(await link(part, "db-1").getAttribute("href"), "/checks/c-1");
});

test("the reason of an open alert is above its actions", async () => {
  const run = { startedAt: at(5), verdict: "failing", runLocation: "home", responseTime: 9 };
  const runs = [
    { ...run, id: "r-2", explanation: "A later run." },
    { ...run, id: "r-1", explanation: "Connection refused." },
  ];
  const part = await renderStory({
    runs,
    shown: story({ decisions: [decision("a-1", { checkResultId: "r-1" })] }),
  });
  const header = part.locator("header").elements()[0]?.textContent ?? "";
  assert.match(header, /^db-1Connection refused\..*open for 15 min.*Acknowledge/);
});

test("an acknowledged alert names who did it, and is not acknowledged again", async () => {
  const acknowledgement = {
    at: new Date(Date.now() - 60_000).toISOString(),
    by: "ada@example.com",
  };
  const part = await renderStory({
    shown: story({ acknowledgement } as never),
  });
  await part
    .getByText(/acknowledged by ada@example\.com/)
    .first()
    .waitFor();
  assert.equal(button(part, /^Acknowledge/).count(), 0);
});

test("a recovered alert shows how long it lasted", async () => {
  const shown = story({
    status: "recovered",
    startedAt: at(0),
    recoveredAt: at(25),
  } as never);
  const part = await renderStory({ shown });
  await part.getByText("lasted 25 min").waitFor();
  assert.equal(part.getByText("not acknowledged").count(), 0);
});

test("the runs that led to an alert are listed with their location and reason", async () => {
  const startedAt = at(5);
  const run = (id: string, minute: number, more: object = {}) => ({
    id,
    startedAt: at(minute),
    verdict: "failing",
    runLocation: "home",
    responseTime: 120,
    explanation: "Connection refused.",
    reasons: [{ name: "connection-failed" }],
    ...more,
  });
  const part = await renderStory({
    shown: story({ startedAt } as never),
    runs: [
      run("r-3", 6),
      run("r-2", 5, { responseTime: 0 }),
      run("r-1", 4, { verdict: "passing" }),
    ],
  });
  const runs = part.locator("ol a").elements();
  assert.deepEqual(
    runs.slice(0, 3).map((one) => one.getAttribute("href")),
    ["r-1", "r-2", "r-3"].map((id) => `/checks/c-1?run=${id}`),
  );
  assert.match(runs[2]?.textContent ?? "", /120 msConnection refused\.$/);
  assert.doesNotMatch(runs[1]?.textContent ?? "", /ms/);
});

test("a job that pings has no location", async () => {
  const entry = {
    id: "r-1",
    startedAt: at(0),
    verdict: "failing",
    runLocation: "home",
    responseTime: 0,
    explanation: "No ping.",
  };
  const part = await renderStory({
    check: { muted: false, checkType: "HEARTBEAT" },
    runs: [entry],
    shown: story({ startedAt: at(0) } as never),
  });
  await part.getByText("No ping.").waitFor();
  assert.equal(part.getByText("home").count(), 0);
});

test("runs that are no longer stored are named", async () => {
  await (await renderStory()).getByText(/The runs are no longer stored/).waitFor();
});

test("the alert of a deleted check has neither link nor actions", async () => {
  const part = await renderStory({ shown: story({ name: null } as never) });
  await part.getByRole("heading", { level: 1, name: "deleted check" }).waitFor();
  await part.getByText("The check and its runs were deleted.").waitFor();
  assert.equal(button(part, /Acknowledge|Mute/).count(), 0);
  assert.equal(link(part, "Create incident").count(), 0);
});

test("what comes next names the channels, and a deleted one by its number", async () => {
  const next = {
    reminderAt: at(30),
    heldReason: null,
    escalation: { at: at(40), stage: 2, alertChannelIds: [7, 8, 9] },
  };
  const part = await renderStory({ shown: story({ next } as never) });
  await part.getByText(/a reminder is sent\.$/).waitFor();
  await part
    .getByText(/escalation stage 2 notifies Webhook: pager, a recipient of the escalation policy$/)
    .waitFor();
});

test("a stage without a channel notifies nobody, and a held alert sends nothing", async () => {
  const next = {
    reminderAt: null,
    heldReason: "under-maintenance",
    escalation: { at: at(40), stage: 1, alertChannelIds: [] },
  };
  const part = await renderStory({ shown: story({ next } as never) });
  await part.getByText("Nothing is sent while the check is under maintenance.").waitFor();
  await part.getByText(/notifies nobody: it has no channel\.$/).waitFor();
});

test("a writer mutes the check from its alert", async () => {
  const part = await renderStory({
    respond: () => rejectRequest(500, "It broke."),
  });
  await button(part, "Mute").click();
  await waitUntil("it is sent", () => part.sent.some(({ method }) => method === "PUT"));
  const sent = part.sent.find(({ method }) => method === "PUT");
  assert.deepEqual([sent?.path, sent?.body], ["/v1/checks/c-1", { muted: true }]);
  const incident = await link(part, "Create incident").getAttribute("href");
  assert.equal(incident, "/incidents/new?checkId=c-1");
});

test("a muted check is unmuted", async () => {
  const part = await renderStory({ check: { muted: true, checkType: "ICMP" } });
  await button(part, "Unmute").waitFor();
});

test("a reader of an alert has no actions", async () => {
  const part = await renderStory({ role: "READ_ONLY" });
  await part.getByText("for 15 min").waitFor();
  assert.equal(part.getByRole("button").count(), 0);
});
