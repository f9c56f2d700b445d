/** Parts of the alert screens that show data: rows, the timeline, groups and forms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../test/support/components/part.tsx";
import { ApiError } from "../api/api-error.ts";
import { AlertKind, AlertRow, formatAlertType } from "./alert-parts.tsx";
import { type By, decideBy, groupings } from "./alert-search.ts";
import { TestResult } from "./channel-parts.tsx";
import { ConfigFields } from "./config-fields.tsx";
import { describeChannel, nameChannel, nameKind } from "./describe-channel.ts";
import { type Group, GroupBySelect, ProblemGroups } from "./problem-groups.tsx";
import { type Config, type JsonSchema, listFields } from "./schema-fields.ts";
import type { Decision, Message, Story } from "./story.ts";
import { Timeline } from "./story-timeline.tsx";
import { words } from "./words.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 16, 3, minute)).toISOString();

function createDecision(more: Partial<Decision> = {}): Decision {
  return {
    id: "a-1",
    at: at(0),
    checkId: "c-1",
    name: "db-1",
    alertType: "ALERT_FAILURE",
    heldAlertType: null,
    reason: "run-failed",
    explanation: "1 failed run is enough for an alert.",
    parentCheckId: null,
    checkResultId: "r-1",
    isReminder: false,
    messages: { sent: 0, pending: 0, dead: 0 },
    ...more,
  } as Decision;
}

function createMessage(more: Partial<Message> = {}): Message {
  return {
    id: "m-1",
    alertId: "a-1",
    alertChannelId: 7,
    type: "WEBHOOK",
    recipient: "pager",
    status: "SENT",
    sentAt: at(1),
    statusCode: 200,
    reason: null,
    nextAttemptAt: null,
    digestId: null,
    heldUntil: null,
    reroutedFromId: null,
    history: [],
    ...more,
  } as Message;
}

test("every alert type has a word and the mark of its state", () => {
  const part = renderPart(
    <>
      <AlertKind type="ALERT_FAILURE" />
      <AlertKind type="ALERT_SSL" />
      <AlertKind type="ALERT_RECOVERY" />
      <AlertKind type="ALERT_NO_DATA" />
      <AlertKind type="ALERT_OF_A_NEWER_SERVER" />
    </>,
  );
  const states = part
    .locator("[data-state]")
    .elements()
    .map(({ dataset }) => dataset.state);
  assert.deepEqual(states, ["failing", "degraded", "passing", "unknown", "unknown"]);
  assert.equal(formatAlertType("ALERT_SSL"), "Certificate expires");
  assert.equal(formatAlertType("ALERT_OF_A_NEWER_SERVER"), "ALERT_OF_A_NEWER_SERVER");
});

test("the row of an alert shows who was notified, what waits and what failed", () => {
  const messages = { sent: 2, pending: 1, dead: 3 };
  const part = renderPart(<AlertRow alert={createDecision({ messages, isReminder: true })} />);
  const text = part.readText();
  assert.match(text, /db-1 reminder/);
  assert.match(text, /sent to 2waiting for 13 failed$/);
  part.rerender(<AlertRow alert={createDecision({ name: null })} />);
  assert.match(part.readText(), /deleted checknobody was notified$/);
  part.rerender(<AlertRow alert={createDecision({ heldAlertType: "ALERT_DEGRADED" })} />);
  assert.match(part.readText(), /Degraded.*Held$/);
});

test("the row of an alert links to its details", async () => {
  const part = renderPart(<AlertRow alert={createDecision({ name: "<b>db</b>" })} />);
  const link = part.getByRole("link");
  assert.equal(await link.getAttribute("href"), "/alerts/a-1");
  assert.match(await link.textContent(), /<b>db<\/b>/);
});

const createStory = (messages: readonly Message[], decisions = [createDecision()]) =>
  ({
    decisions,
    decisionsTotal: decisions.length,
    messages,
    acknowledgement: { at: at(5), by: "ada@example.com" },
    responses: [],
  }) as unknown as Story;

test("the timeline shows the reason, each delivery and the acknowledgement", async () => {
  const part = renderPart(<Timeline story={createStory([createMessage()])} />);
  await part.getByText("1 failed run is enough for an alert.").waitFor();
  const run = part.getByRole("link", { name: "Run" });
  assert.equal(await run.getAttribute("href"), "/checks/c-1?run=r-1");
  const channel = part.getByRole("link", { name: "Webhook pager" });
  assert.equal(await channel.getAttribute("href"), "/alerts/channels/7");
  await part.getByText("answered 200").waitFor();
  await part.getByText("acknowledged by").waitFor();
  await part.getByText("ada@example.com").waitFor();
  await part.getByRole("button", { name: "Send again: pager" }).waitFor();
});

test("a failed delivery shows its reason and each attempt", async () => {
  const message = createMessage({
    status: "PENDING",
    sentAt: null,
    statusCode: 503,
    reason: "The webhook answered 503.",
    nextAttemptAt: at(9),
    history: [
      { at: at(1), what: "failed", statusCode: 503, reason: "busy", by: null },
      { at: at(2), what: "replayed", statusCode: null, reason: null, by: "ada@example.com" },
      { at: at(3), what: "sent", statusCode: 200, reason: null, by: null },
    ] as Message["history"],
  });
  const part = renderPart(<Timeline story={createStory([message])} />);
  await part.getByText("The webhook answered 503.").waitFor();
  await part.getByText(/next attempt/).waitFor();
  await part.getByText("2 attempts").waitFor();
  const steps = part.locator("details li").allTextContents();
  assert.match(steps[0] ?? "", /rejected: busy$/);
  assert.match(steps[1] ?? "", /sent again by ada@example\.com$/);
  assert.match(steps[2] ?? "", /sent, answered 200$/);
  const again = part.getByRole("button", { name: /^Send again/ });
  assert.equal(again.count(), 0, "a waiting notification is not sent again");
});

test("a digest, a held alert and an alert without notifications are named", async () => {
  const held = createDecision({
    id: "a-2",
    heldAlertType: "ALERT_FAILURE",
    explanation: null,
    reason: "parent-is-failing",
    parentCheckId: "c-9",
    checkResultId: null,
  });
  const decisions = [createDecision(), held, createDecision({ id: "a-3", at: at(9) })];
  const part = renderPart(
    <Timeline story={createStory([createMessage({ digestId: "d-1" })], decisions)} />,
  );
  await part.getByText("in a digest").waitFor();
  await part.getByText("parent is failing").waitFor();
  const parent = part.getByRole("link", { name: "Check it depends on" });
  assert.equal(await parent.getAttribute("href"), "/checks/c-9");
  assert.equal(part.getByText("nobody was notified").count(), 1, "not for the held one");
});

test("a recipient is not named twice, and a read-only user is offered neither link nor button", () => {
  const message = createMessage({ type: "SLACK", recipient: "Slack #ops" });
  const part = renderPart(<Timeline story={createStory([message])} />, { role: "READ_ONLY" });
  assert.match(part.readText(), /Slack #ops/);
  assert.doesNotMatch(part.readText(), /Slack Slack/);
  assert.equal(part.getByRole("link", { name: "Slack #ops" }).count(), 0);
  assert.equal(part.getByRole("button").count(), 0);
});

test("the result of a test shows the answer of the receiver", () => {
  const result = {
    outcome: "sent",
    reason: null,
    statusCode: 200,
    durationMs: 123,
    responseBody: "<b>ok</b>",
  } as const;
  const part = renderPart(<TestResult result={result as never} />);
  assert.match(part.readText(), /200.*123 ms/);
  assert.match(part.readText(), /<b>ok<\/b>/);
  part.rerender(<TestResult result={{ ...result, responseBody: null } as never} />);
  assert.match(part.readText(), new RegExp(words.channel.noAnswer));
  const failed = { ...result, outcome: "failed", statusCode: null, reason: "Host not found." };
  part.rerender(<TestResult result={{ ...failed, responseBody: null } as never} />);
  assert.match(part.readText(), /Host not found\./);
  assert.doesNotMatch(part.readText(), new RegExp(words.channel.noAnswer));
});

function createGroup(more: Partial<Group> = {}): Group {
  const check = { checkId: "c-1", name: "db-1", status: "failing", isAlerted: true };
  return {
    key: "k",
    label: "Connection refused",
    failing: 2,
    degraded: 1,
    since: at(0),
    checks: [
      { ...check, isAcknowledged: false },
      { ...check, checkId: "c-2", name: "db-2", isAcknowledged: true },
      { ...check, checkId: "c-3", name: "db-3", isAlerted: false, isAcknowledged: false },
    ],
    ...more,
  } as Group;
}

test("a group of problems has its counts, its checks and one button for all open alerts", async () => {
  const part = renderPart(<ProblemGroups groups={[createGroup()]} by="cause" />);
  await part.getByRole("heading", { name: "Connection refused" }).waitFor();
  assert.match(part.readText(), /2 failing, 1 degraded/);
  await part.getByText("Show 3 checks").click();
  await part.getByRole("button", { name: "Acknowledge: Connection refused" }).waitFor();
  assert.deepEqual(part.getByRole("link").allTextContents(), ["db-1", "db-2", "db-3"]);
});

test("a group without a label is named, and a read-only user cannot acknowledge", async () => {
  const groups = [createGroup({ label: null, failing: 0 })];
  const part = renderPart(<ProblemGroups groups={groups} by="tag" />, { role: "READ_ONLY" });
  await part.getByRole("heading", { name: "No tag" }).waitFor();
  assert.match(part.readText(), /1 degraded/);
  assert.doesNotMatch(part.readText(), /0 failing/);
  assert.equal(part.getByRole("button").count(), 0);
  assert.equal(part.locator("[data-state=degraded]").count() > 0, true);
});

test("many alerts are grouped by cause unless another grouping is chosen", async () => {
  assert.equal(decideBy(undefined, 10), "none");
  assert.equal(decideBy(undefined, 11), "cause");
  assert.equal(decideBy("none", 500), "none");
  const chosen: By[] = [];
  const part = renderPart(<GroupBySelect by="none" onChange={(by) => chosen.push(by)} />);
  const select = part.getByLabel("Group by");
  assert.equal(select.getByRole("option").count(), groupings.length);
  await select.selectOption("location");
  assert.deepEqual(chosen, ["location"]);
});

const schema: JsonSchema = {
  type: "object",
  required: ["name", "url"],
  properties: {
    name: { type: "string", examples: ["Pager"] },
    url: { type: "string", maxLength: 100 },
    method: { type: "string", enum: ["GET", "POST"], default: "POST" },
    template: { anyOf: [{ type: "string", maxLength: 9_000 }, { type: "null" }] },
    headers: { type: "array", items: { type: "object" } },
    priority: { anyOf: [{ type: "integer" }, { type: "null" }] },
    webhookSecret: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
};
const fields = listFields(schema, ["webhookSecret"], "WEBHOOK");

function renderForm(initial: Config, error: unknown = null) {
  let current = initial;
  function Form() {
    const [config, setConfig] = useState(initial);
    current = config;
    return <ConfigFields fields={fields} config={config} error={error} onChange={setConfig} />;
  }
  return { part: renderPart(<Form />), read: () => current };
}

test("required fields come first, and optional ones are collapsed with their defaults", async () => {
  const { part, read } = renderForm({});
  assert.equal(await part.locator("details").getAttribute("open"), null);
  await part.getByLabel("Name").fill("Pager");
  await part.getByLabel("URL").fill("https://example.com/");
  assert.equal(await part.getByLabel("URL").getAttribute("maxlength"), "100");
  assert.equal(await part.getByLabel("Method").inputValue(), "POST");
  await part.getByLabel("Method").selectOption("GET");
  await part.getByLabel("Priority").fill("3");
  assert.deepEqual(read(), {
    name: "Pager",
    url: "https://example.com/",
    method: "GET",
    priority: 3,
  });
});

test("headers are added, changed, locked and removed", async () => {
  const { part, read } = renderForm({});
  await part.getByText("More", { exact: true }).click();
  await part.getByRole("button", { name: /: Headers$/ }).click();
  await part.getByLabel("Headers 1, name").fill("x-team");
  await part.getByLabel("Headers 1, value").fill("ops");
  await part.getByRole("button", { name: /: Headers$/ }).click();
  await part.getByLabel("Headers 2, name").fill("authorization");
  await part.getByRole("checkbox").nth(1).check();
  assert.deepEqual(read().headers, [
    { key: "x-team", value: "ops", locked: false },
    { key: "authorization", value: "", locked: true },
  ]);
  await part.getByRole("button", { name: /Headers 1$/ }).click();
  assert.deepEqual(read().headers, [{ key: "authorization", value: "", locked: true }]);
});

test("a stored secret is replaced as a whole, and a rejected optional field is shown", async () => {
  const error = new ApiError({
    kind: "rejected",
    message: "",
    status: 400,
    fieldErrors: { "config.template": "is not valid" },
  });
  const { part, read } = renderForm({ webhookSecret: "********" }, error);
  await part.getByText(words.channel.secretKept).waitFor();
  assert.notEqual(await part.locator("details").getAttribute("open"), null);
  assert.equal(await part.getByLabel("Body").getAttribute("aria-invalid"), "true");
  await part.getByLabel("Signing secret", { exact: true }).fill("new");
  assert.equal(read().webhookSecret, "new");
  assert.equal(part.getByText(words.channel.secretKept).count(), 0);
});

test("a channel is named by what distinguishes it from others of its type", () => {
  const channel = (type: string, config: object) => ({ type, config }) as never;
  assert.equal(describeChannel(channel("EMAIL", { address: "a@b.test" })), "Email: a@b.test");
  assert.equal(describeChannel(channel("MSTEAMS", { url: "" })), "Microsoft Teams");
  assert.equal(nameChannel(channel("NTFY", { url: "https://ntfy.sh", topic: "ops" })), "ops");
  assert.equal(nameKind("NEW_KIND"), "NEW_KIND");
});
