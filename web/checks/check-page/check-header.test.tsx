/** The head of a check's page: state, group and actions, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
  type SentRequest,
} from "../../../test/support/components/part.tsx";
import { mutesQuery } from "../../alerts/index.ts";
import { groupQuery } from "../../groups/index.ts";
import { Notices } from "../../parts/notices.tsx";
import { checkStatusQuery } from "../../parts/queries.ts";
import { CheckHeader } from "./check-header.tsx";
import { type AnyCheck, ruledCheckQuery } from "./queries.ts";

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const createCheck = (more: object = {}) =>
  ({
    id: "c-1",
    name: "Router <b>",
    checkType: "ICMP",
    activated: true,
    muted: false,
    groupId: null,
    locations: ["eu-west-1"],
    request: { hostname: "192.0.2.1" },
    ...more,
  }) as unknown as AnyCheck;

const failing = {
  status: "failing",
  since: minutesAgo(14),
  lastCheckRunId: "r-1",
  explanation: "100 % of the packets were lost.",
};

interface HeaderOptions extends PartOptions {
  readonly check?: AnyCheck;
  readonly status?: object | undefined;
}

function renderHeader({ check = createCheck(), data = [], ...options }: HeaderOptions = {}) {
  const status = "status" in options ? options.status : failing;
  const part = renderPart(
    <>
      <CheckHeader check={check} />
      <Notices />
    </>,
    {
      ...options,
      data: [
        ...(status === undefined ? [] : [[checkStatusQuery("c-1").queryKey, status] as const]),
        [mutesQuery({ checkId: "c-1" }).queryKey, []],
        ...data,
      ],
    },
  );
  const button = (name: string) => part.getByRole("button", { name, exact: true });
  const state = () => part.getByRole("status").first().textContent();
  const choose = async (name: string) => {
    await button("More").click();
    await part.getByRole("menuitem", { name, exact: true }).click();
  };
  const notice = async (text: string) => {
    await part.getByText(text).waitFor();
    await part.getByRole("button", { name: "Dismiss" }).first().click();
  };
  return { part, button, state, choose, notice };
}

const changed = () => Response.json(createCheck());
const readCall = ({ method, path, body }: SentRequest) => [method, path, body];

test("the state has its duration and its reason, and a name is shown as text", async () => {
  const { part, state } = renderHeader();
  assert.match(await state(), /Failing ?for 14 min ?100 % of the packets were lost\./);
  await part.getByRole("heading", { name: "Router <b>" }).waitFor();
  await part.getByText("192.0.2.1").waitFor();
});

test("a target that is the name is not repeated", () => {
  const { part } = renderHeader({ check: createCheck({ name: "192.0.2.1" }) });
  assert.equal(part.getByText("192.0.2.1").count(), 1);
});

test("a state that is not known yet is not shown as a state", async () => {
  const { state } = renderHeader({ status: undefined });
  assert.equal(await state(), "Loading the state");
});

test("a check without a run has a state without a duration", async () => {
  const status = { status: "unknown", since: minutesAgo(3), lastCheckRunId: null, explanation: "" };
  const { state } = renderHeader({ status });
  assert.doesNotMatch(await state(), /for/);
});

test("an inactive check has no result, and a muted one sends no alerts", async () => {
  const inactive = renderHeader({ check: createCheck({ activated: false, muted: true }) });
  const text = await inactive.state();
  assert.match(text, /Inactive: the check does not run\./);
  assert.doesNotMatch(text, /Failing|Muted/);
  inactive.part.rerender(<p />);
  const muted = renderHeader({ check: createCheck({ muted: true }) });
  assert.match(await muted.state(), /Failing.*Muted: no alerts are sent/);
});

test("the settings that a group overrides are named", () => {
  const check = createCheck({ groupId: 7, runParallel: false });
  const data = (more: object) => [
    [groupQuery(7).queryKey, { data: { name: "Edge" }, etag: null }] as const,
    [ruledCheckQuery("c-1").queryKey, { ...check, ...more }] as const,
  ];
  const same = renderHeader({ check, data: data({}) });
  assert.match(same.part.readText(), /Group Edge/);
  assert.doesNotMatch(same.part.readText(), /Edge:/);
  same.part.rerender(<p />);
  const other = renderHeader({ check, data: data({ locations: [], muted: true }) });
  assert.match(other.part.readText(), /Set by the group Edge: \w+/);
});

test("a manual run waits for its result, which can be opened", async () => {
  const answers: Record<string, object> = {
    POST: { sessions: [{ checkSessionId: "x-1" }] },
    GET: { stoppedAt: minutesAgo(0), results: [{ checkResultId: "r-2" }] },
  };
  const respond = ({ method }: SentRequest) => Response.json(answers[method]);
  const { part, button } = renderHeader({ respond });
  await button("Run now").click();
  await part.getByText("The run finished.").waitFor();
  await button("Show the run").waitFor();
  await button("Dismiss").click();
  assert.deepEqual(part.sent.map(readCall), [
    ["POST", "/v2/check-sessions/trigger", { target: { checkId: ["c-1"] } }],
    ["GET", "/v2/check-sessions/x-1/completion?maxWaitSeconds=25", null],
  ]);
});

test("a run that takes longer is not reported as finished", async () => {
  const respond = ({ method }: SentRequest) =>
    method === "POST"
      ? Response.json({ sessions: [{ checkSessionId: "x-1" }] })
      : Response.json({ stoppedAt: null, results: [] });
  const { part, button, notice } = renderHeader({ respond });
  await button("Run now").click();
  await part.getByText("The check is still running.").waitFor();
  assert.equal(button("Show the run").count(), 0);
  await notice("The check is still running.");
});

test("a check is muted and deactivated, and the other change is not sent along", async () => {
  const { part, button, choose, notice } = renderHeader({ respond: changed });
  await button("Mute").click();
  await notice("Muted. The check runs and stores results but sends no alerts.");
  await choose("Deactivate");
  await notice("The check was deactivated. It no longer runs.");
  assert.deepEqual(part.sent.map(readCall), [
    ["PUT", "/v1/checks/c-1", { muted: true }],
    ["PUT", "/v1/checks/c-1", { activated: false }],
  ]);
});

test("an inactive, muted check is activated and unmuted", async () => {
  const check = createCheck({ activated: false, muted: true });
  const { part, button, choose, notice } = renderHeader({ check, respond: changed });
  await button("Unmute").click();
  await notice("Unmuted. Alerts are sent again.");
  await choose("Activate");
  await notice("The check was activated.");
  assert.deepEqual(
    part.sent.map(({ body }) => body),
    [{ muted: false }, { activated: true }],
  );
});

test("a rejected change is reported with its reason", async () => {
  const { button, notice } = renderHeader({ respond: () => rejectRequest(409, "Not now.") });
  await button("Mute").click();
  await notice("Not now.");
});

test("a check is deleted after a dialog that names it and its loss", async () => {
  const answers = [rejectRequest(500, "It broke."), new Response(null, { status: 204 })];
  const respond = () => answers.shift() ?? changed();
  const { part, choose, notice } = renderHeader({ respond });
  await choose("Delete");
  const dialog = part.getByRole("dialog", { name: "Delete this check?" });
  await dialog.getByText("Router <b>").waitFor();
  await dialog.getByText("Its results, history and alerts are deleted too.").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await notice("It broke.");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await notice("The check was deleted.");
  assert.deepEqual(part.sent.map(readCall), [
    ["DELETE", "/v1/checks/c-1", null],
    ["DELETE", "/v1/checks/c-1", null],
  ]);
});

test("links of the menu lead to forms for this check", async () => {
  const { part, button } = renderHeader();
  await button("More").click();
  const read = (name: string) => part.getByRole("menuitem", { name }).getAttribute("href");
  assert.equal(await read("Create incident"), "/incidents/new?checkId=c-1");
  assert.equal(await read("Schedule maintenance"), "/alerts/maintenance/new?checkId=c-1");
  assert.equal(
    await part.getByRole("link", { name: "Edit" }).getAttribute("href"),
    "/checks/c-1/edit",
  );
});

test("a reader has no action, a runner may run, and a heartbeat is not run", () => {
  const list = (options: HeaderOptions) => {
    const { part } = renderHeader(options);
    const names = part.getByRole("button").allTextContents().filter(Boolean);
    part.rerender(<p />);
    return names;
  };
  assert.deepEqual(list({ role: "READ_ONLY" }), []);
  assert.deepEqual(list({ role: "READ_RUN" }), ["Run now"]);
  assert.deepEqual(list({}), ["Run now", "Mute"]);
  const heartbeat = createCheck({ checkType: "HEARTBEAT", heartbeat: {} });
  assert.deepEqual(list({ check: heartbeat }), ["Mute"]);
});
