/** The alerts of a check and the back-test of its thresholds, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../../test/support/components/part.tsx";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { checkNameQuery, checkStatusQuery } from "../../parts/queries.ts";
import { AlertsTab } from "./alerts-tab.tsx";
import { BackTestTab } from "./back-test-tab.tsx";
import {
  type Alert,
  type AnyCheck,
  accountAlertSettingsQuery,
  alertsQuery,
  type Message,
  messagesQuery,
  parentsQuery,
} from "./queries.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 16, 3, minute)).toISOString();
const checkId = "c-1";

const alert = (id: string, more: Partial<Alert> = {}) =>
  ({
    id,
    at: at(0),
    alertType: "ALERT_FAILURE",
    heldAlertType: null,
    reason: "run-failed",
    explanation: "1 failed run is enough for an alert.",
    checkResultId: "r-1",
    isReminder: false,
    ...more,
  }) as unknown as Alert;

const message = (id: string, more: Partial<Message> = {}) =>
  ({
    id,
    alertId: "a-1",
    checkId,
    status: "SENT",
    type: "WEBHOOK",
    recipient: "pager",
    attempts: 1,
    statusCode: 200,
    reason: null,
    sentAt: at(1),
    decidedAt: at(0),
    ...more,
  }) as unknown as Message;

interface AlertsState extends PartOptions {
  readonly alerts?: readonly Alert[];
  readonly messages?: readonly Message[];
  readonly status?: string;
  readonly parentIds?: readonly string[];
}

function renderAlerts(state: AlertsState = {}) {
  const { alerts = [], messages = [], status = "failing", parentIds = [], ...options } = state;
  const opened: string[] = [];
  const part = renderPart(<AlertsTab checkId={checkId} onOpenRun={(id) => opened.push(id)} />, {
    ...options,
    data: [
      [alertsQuery(checkId).queryKey, { pages: [{ alerts, nextPage: null }], pageParams: [1] }],
      [messagesQuery(checkId).queryKey, messages],
      [checkStatusQuery(checkId).queryKey, { status }],
      [parentsQuery(checkId).queryKey, { parentIds }],
      ...parentIds.map((id) => [checkNameQuery(id).queryKey, `Name of ${id}`] as const),
    ],
  });
  return { part, opened };
}

test("an alert links to its details, and its run opens beside the list", async () => {
  const { part, opened } = renderAlerts({
    alerts: [alert("a-1"), alert("a-2", { checkResultId: null })],
  });
  const links = part.locator("ol a").elements();
  assert.deepEqual(
    links.map((link) => link.getAttribute("href")),
    ["/alerts/a-1", "/alerts/a-2"],
  );
  const runs = part.locator("ol > li > button");
  assert.equal(runs.count(), 1, "an alert without a run has no button");
  await runs.click();
  assert.deepEqual(opened, ["r-1"]);
});

test("each notification is listed at its alert, with attempts and response", async () => {
  const { part } = renderAlerts({
    alerts: [alert("a-1"), alert("a-2")],
    messages: [
      message("m-1", { attempts: 2 }),
      message("m-2", {
        status: "PENDING",
        statusCode: null,
        sentAt: null,
        attempts: 1,
      }),
      message("m-3", { alertId: "other" }),
    ],
  });
  const lists = part.getByRole("list", { name: "Notifications" }).elements();
  const first = [...(lists[0]?.children ?? [])].map((line) => line.textContent ?? "");
  assert.match(first[0] ?? "", /^DeliveredWebhook pager.*2 attempts, 200$/);
  assert.match(first[1] ?? "", /^WaitingWebhook pager.*1 attempt$/);
  assert.equal(first.length, 2);
  assert.equal(lists[1]?.textContent, "No notification was sent");
});

test("a held alert says why, and lists no notifications", async () => {
  const held = alert("a-1", {
    heldAlertType: "ALERT_FAILURE",
    explanation: "The check is muted.",
  } as Partial<Alert>);
  const { part } = renderAlerts({ alerts: [held] });
  await part.getByText("The check is muted.").waitFor();
  assert.equal(part.getByRole("list", { name: "Notifications" }).count(), 0);
  assert.equal(part.getByRole("button", { name: "Acknowledge" }).count(), 0, "nobody was notified");
});

test("a notification that was not delivered is sent again by a writer", async () => {
  const { part } = renderAlerts({
    alerts: [alert("a-1")],
    messages: [message("m-1", { status: "DEAD", reason: "It answered 410." })],
    respond: () => rejectRequest(409, "It is being sent."),
  });
  await part.getByText("It answered 410.").waitFor();
  await part.getByRole("button", { name: "Send again" }).click();
  await waitUntil("it is sent", () => part.sent.some(({ method }) => method === "POST"));
  assert.equal(part.sent[0]?.path, "/v1/alert-notifications/m-1/replay");
});

test("a reader neither acknowledges nor sends again", async () => {
  const { part } = renderAlerts({
    alerts: [alert("a-1")],
    messages: [message("m-1", { status: "DEAD" })],
    role: "READ_ONLY",
  });
  await part.getByText("Not delivered").waitFor();
  assert.equal(part.getByRole("button", { name: /Send again|Acknowledge|Change/ }).count(), 0);
});

test("an open alert is acknowledged by a role that may run checks", async () => {
  const { part } = renderAlerts({
    alerts: [alert("a-1")],
    role: "READ_RUN",
    respond: () => Response.json({}),
  });
  await part.getByRole("button", { name: "Acknowledge" }).click();
  await waitUntil("it is sent", () => part.sent.length > 0);
  const [sent] = part.sent;
  assert.deepEqual([sent?.method, sent?.path], ["POST", "/v1/check-alerts/c-1/acknowledge"]);
});

test("an alert of a check that passes again needs no acknowledgement", async () => {
  const { part } = renderAlerts({ alerts: [alert("a-1")], status: "passing" });
  await part.getByText(/1 failed run is enough/).waitFor();
  assert.equal(part.getByRole("button", { name: "Acknowledge" }).count(), 0);
});

test("a check without alerts says what appears there", async () => {
  const { part } = renderAlerts();
  await part.getByText("No alerts yet").waitFor();
});

test("the checks that hold its alerts are named, and a writer changes them", async () => {
  const { part } = renderAlerts({
    parentIds: ["p-1", "p-2"],
    respond: () => rejectRequest(400, "It would depend on itself."),
  });
  await part.getByRole("link", { name: "Name of p-2" }).waitFor();
  await part.getByRole("button", { name: /change/i }).click();
  const dialog = part.getByRole("dialog");
  await dialog.getByRole("button", { name: /Name of p-1/ }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("It would depend on itself.").waitFor();
  const [sent] = part.sent;
  assert.deepEqual([sent?.method, sent?.path], ["PUT", "/v1/checks/c-1/parents"]);
  assert.deepEqual(sent?.body, { parentIds: ["p-2"] });
});

test("a reader sees dependencies without a button", async () => {
  const { part } = renderAlerts({ parentIds: ["p-1"], role: "READ_ONLY" });
  await part.getByRole("link", { name: "Name of p-1" }).waitFor();
  assert.equal(part.getByRole("button").count(), 0);
});

const report = (count: number, more: object = {}) => ({
  from: at(0),
  to: at(10),
  runs: 1_234,
  isTruncated: false,
  alerts: Array.from({ length: count }, (_, index) => ({
    at: at(index),
    kind: index % 2 === 0 ? "ALERT_FAILURE" : "ALERT_RECOVERY",
    minutesToDetect: index % 2 === 0 ? index : null,
    resultId: index === 0 ? "r-9" : null,
  })),
  ...more,
});

interface Asked {
  readonly days: number;
  readonly alertSettings: {
    readonly escalationType: string;
    readonly runBasedEscalation: { readonly failedRunThreshold: number };
    readonly timeBasedEscalation: { readonly minutesFailingThreshold: number };
  };
}

function renderBackTest(respond: (asked: Asked) => object, check: object = {}) {
  const opened: string[] = [];
  const asked: Asked[] = [];
  const part = renderPart(
    <BackTestTab
      check={{ id: checkId, alertSettings: {}, ...check } as unknown as AnyCheck}
      onOpenRun={(id) => opened.push(id)}
    />,
    {
      fetches: true,
      data: [[accountAlertSettingsQuery.queryKey, { escalationType: "TIME_BASED" }]],
      respond: ({ body }) => {
        asked.push(body as Asked);
        return Response.json(respond(body as Asked));
      },
    },
  );
  return { part, opened, asked };
}

const isRaised = ({ alertSettings }: Asked) =>
  alertSettings.runBasedEscalation.failedRunThreshold > 1;

test("a higher threshold shows how many problems it would have reported, beside the current one", async () => {
  const { part, asked } = renderBackTest((one) => report(isRaised(one) ? 2 : 6));
  await part.getByText("3 problems").first().waitFor();
  await part.locator("input[type=range]").fill("3");
  await part.getByText("1 problem", { exact: true }).waitFor();
  const facts = part.readFacts();
  assert.equal(facts["Current settings"], "3 problems");
  assert.equal(facts["These settings"], "1 problem");
  assert.equal(facts["runs evaluated"], "1,234");
  assert.equal(asked.at(-1)?.alertSettings.runBasedEscalation.failedRunThreshold, 3);
  await part.getByText(/Threshold: 3 consecutive failed runs/).waitFor();
});

test("the alerts of a back-test are listed, the newest first, and open their runs", async () => {
  const { part, opened } = renderBackTest(() => report(3));
  await part.getByText("immediately").waitFor();
  const rows = part.readRows().map(([, what, delay]) => [what, delay]);
  assert.deepEqual(
    rows.map(([, delay]) => delay),
    ["2.0 min after it started", "", "immediately"],
  );
  assert.equal(part.locator("rect").count(), 3);
  await part.locator("tbody button").click();
  assert.deepEqual(opened, ["r-9"]);
});

test("thresholds in minutes have four steps, and another period is evaluated", async () => {
  const { part, asked } = renderBackTest(() => report(0));
  await part.getByText("No alert would have been sent.").waitFor();
  await part.getByLabel("Alert after").selectOption("TIME_BASED");
  const range = part.locator("input[type=range]");
  await waitUntil("the range has four steps", () => {
    return range.elements()[0]?.getAttribute("max") === "4";
  });
  await range.fill("4");
  await part.getByText(/Threshold: 30 minutes of failing/).waitFor();
  await part.getByLabel("Days").selectOption("7");
  await waitUntil("seven days are evaluated", () => asked.some(({ days }) => days === 7));
  const last = asked.findLast(({ days }) => days === 7);
  assert.equal(last?.alertSettings.timeBasedEscalation.minutesFailingThreshold, 30);
});

test("a check without settings starts with those of the account", async () => {
  const { part } = renderBackTest(() => report(0), {
    useGlobalAlertSettings: true,
  });
  assert.equal(await part.getByLabel("Alert after").inputValue(), "TIME_BASED");
});

test("a history that is too long is named", async () => {
  const { part } = renderBackTest(() => report(1, { isTruncated: true }));
  await part.getByText(/Only its oldest part was evaluated/).waitFor();
});
