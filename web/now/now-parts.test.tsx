/** Rows of the Now screen, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPart } from "../../test/support/components/part.tsx";
import { SharedHops } from "./now-screen.tsx";
import { ProblemRow } from "./problem-row.tsx";
import { activityQuery, type FailingCheck, sharedHopsQuery, trendsQuery } from "./queries.ts";
import { GettingWorse, RecentActivity } from "./recent-activity.tsx";

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

type Alert = NonNullable<FailingCheck["alert"]>;

const alert = {
  alertId: "a-1",
  acknowledgedAt: null,
  acknowledgedBy: null,
  told: [
    { type: "WEBHOOK", recipient: "pager", status: "SENT", sentAt: minutesAgo(13), reason: null },
    { type: "EMAIL", recipient: "ops@x.test", status: "DEAD", sentAt: null, reason: "550" },
    { type: "SLACK", recipient: "#ops", status: "PENDING", sentAt: null, reason: null },
  ],
} as unknown as Alert;

function createProblem(more: Partial<FailingCheck> = {}): FailingCheck {
  return {
    checkId: "c-1",
    name: "db-1.fra",
    target: "192.0.2.1",
    status: "failing",
    since: minutesAgo(14),
    explanation: "100 % of the packets were lost.",
    locations: [],
    lastHour: [...Array(9).fill("passing"), null, "failing", "failing"],
    alert,
    untold: null,
    ...more,
  } as FailingCheck;
}

test("a problem shows since when, why and who was notified", async () => {
  const part = renderPart(<ProblemRow check={createProblem()} isCompact={false} />);
  const text = part.readText();
  assert.match(text, /failing 14 min/);
  assert.match(text, /100 % of the packets were lost\./);
  assert.match(text, /pager ✓ \d\d:\d\d/);
  assert.match(text, /ops@x\.test ✗ not delivered/);
  assert.match(text, /#ops … sending/);
  assert.match(text, /Not acknowledged/);
  assert.equal(
    await part.getByRole("link", { name: "Open alert" }).getAttribute("href"),
    "/alerts/a-1",
  );
  await part.getByRole("img", { name: "Last hour: 2 of 12" }).waitFor();
  await part.getByRole("button", { name: "Acknowledge db-1.fra" }).waitFor();
  const incident = part.getByRole("link", { name: "Create incident for db-1.fra" });
  assert.equal(await incident.getAttribute("href"), "/incidents/new?checkId=c-1");
});

test("an acknowledged problem names the user, and offers no second acknowledgement", () => {
  const acknowledged = { ...alert, acknowledgedAt: minutesAgo(1), acknowledgedBy: "ada" };
  const part = renderPart(
    <ProblemRow check={createProblem({ alert: acknowledged })} isCompact={false} />,
  );
  assert.match(part.readText(), /Acknowledged by ada/);
  assert.equal(part.getByRole("button", { name: /^Acknowledge/ }).count(), 0);
});

test("a reader may look, a runner may acknowledge, and only a writer opens an incident", () => {
  const count = (role: "READ_ONLY" | "READ_RUN" | "READ_WRITE") => {
    const part = renderPart(<ProblemRow check={createProblem()} isCompact={false} />, { role });
    const found = [
      part.getByRole("button", { name: /^Acknowledge/ }).count(),
      part.getByRole("link", { name: /^Create incident/ }).count(),
    ];
    part.rerender(<p />);
    return found;
  };
  assert.deepEqual(count("READ_ONLY"), [0, 0]);
  assert.deepEqual(count("READ_RUN"), [1, 0]);
  assert.deepEqual(count("READ_WRITE"), [1, 1]);
});

test("if nobody was notified, the reason and a way to change it are shown", async () => {
  const untold = { reason: "no-channel", explanation: "No channel is connected." };
  const check = createProblem({ alert: null, untold } as unknown as Partial<FailingCheck>);
  const part = renderPart(<ProblemRow check={check} isCompact={false} />);
  assert.match(part.readText(), /Nobody was notified\. No channel is connected\./);
  part.rerender(<p />);
  const reader = renderPart(<ProblemRow check={check} isCompact={false} />, { role: "READ_ONLY" });
  assert.equal(reader.getByRole("link").count(), 1, "only the check itself");
});

test("a problem without a stored reason reports it, and a target that is the name is omitted", () => {
  const check = createProblem({ explanation: null, target: "db-1.fra", status: "degraded" });
  const part = renderPart(<ProblemRow check={check} isCompact={false} />);
  assert.match(part.readText(), /The result that caused this is no longer stored\./);
  assert.equal(part.getByText("db-1.fra", { exact: true }).count(), 1);
  assert.match(part.readText(), /degraded 14 min/);
});

test("many problems are compact, with their details on demand", async () => {
  const part = renderPart(<ProblemRow check={createProblem()} isCompact />);
  assert.equal(await part.locator("details").getAttribute("open"), null);
  await part.getByText("Details", { exact: true }).click();
  await part.getByRole("button", { name: "Acknowledge db-1.fra" }).waitFor();
});

const activity = (more: object) => ({
  type: "state",
  at: minutesAgo(5),
  checkId: "c-1",
  name: "db-1",
  what: "failing",
  by: null,
  fields: [],
  ...more,
});

test("recent activity lists eight entries first, then all, with links to checks", async () => {
  const entries = Array.from({ length: 12 }, (_, n) =>
    activity({ name: `check ${n}`, checkId: `c-${n}`, at: minutesAgo(n) }),
  );
  const part = renderPart(<RecentActivity range="24h" />, {
    data: [[activityQuery("24h").queryKey, entries]],
  });
  await part.getByRole("heading", { name: "Last 24 hours" }).waitFor();
  assert.equal(part.getByRole("listitem").count(), 8);
  await part.getByRole("button").click();
  assert.equal(part.getByRole("listitem").count(), 12);
  const link = part.getByRole("link", { name: "check 11", exact: true });
  assert.equal(await link.getAttribute("href"), "/checks/c-11");
});

test("a day without activity reports it", async () => {
  const part = renderPart(<RecentActivity range="7d" />, {
    data: [[activityQuery("7d").queryKey, []]],
  });
  await part.getByText("No state changes and no edits.").waitFor();
});

test("what is getting worse shows both figures with their unit", () => {
  const trend = (more: object) => ({ checkId: "c-1", name: "shop", host: null, ...more });
  const trends = [
    trend({ type: "latency", earlier: 180, recent: 240 }),
    trend({ type: "loss", earlier: 0, recent: 2.5, checkId: "c-2", name: "db" }),
    trend({ type: "certificate", earlier: null, recent: 12, host: "shop.test", checkId: "c-3" }),
  ];
  const part = renderPart(<GettingWorse />, { data: [[trendsQuery.queryKey, { trends }]] });
  const lines = part.getByRole("listitem").allTextContents();
  assert.match(lines[0] ?? "", /^shop.*180 ms → 240 ms$/);
  assert.match(lines[1] ?? "", /^db.*0 % → 2\.50 %$/);
  assert.match(lines[2] ?? "", /shop\.test.*12/);
});

test("a hop that failing checks share is shown with the checks that it explains", async () => {
  const hop = {
    address: "203.0.113.9",
    name: "edge.example.net",
    summary: "2 of 2 failing checks whose path ends early share the hop 203.0.113.9; …",
    checks: [
      { checkId: "c-1", name: "db-1.fra" },
      { checkId: "c-2", name: "shop" },
    ],
  };
  const show = (hops: readonly object[]) =>
    renderPart(<SharedHops />, {
      data: [[sharedHopsQuery.queryKey, { failing: 2, passing: 3, hops }]],
    });
  assert.equal(show([]).readText(), "");
  const section = show([hop]).getByRole("region", { name: "Shared network hops" });
  await section.getByText(/share the hop 203\.0\.113\.9/).waitFor();
  await section.getByText("edge.example.net").click();
  const link = section.getByRole("link", { name: "shop" });
  assert.equal(await link.getAttribute("href"), "/checks/c-2");
});
