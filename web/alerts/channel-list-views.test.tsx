/** The list of channels, and the checks that send to one, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderScreen,
} from "../../test/support/components/part.tsx";
import { loadModule } from "../../test/support/load-module.ts";
import { aboutQuery } from "../api/about.ts";
import { route as channelRoute } from "./channel-screen.tsx";
import { route as channelsRoute } from "./channels-screen.tsx";
import {
  alertSettingsQuery,
  type Channel,
  type ChannelKind,
  channelKindsQuery,
  channelQuery,
  channelsQuery,
  checkCountQuery,
  subscriberNamesQuery,
  subscribersQuery,
} from "./queries.ts";

const { listWireKinds } = await loadModule<{ listWireKinds: () => unknown }>(
  "src/channels/alert-channels/schema.ts",
);

const kinds: readonly ChannelKind[] = JSON.parse(JSON.stringify(listWireKinds()));

const channel = (more: Partial<Channel> = {}) =>
  ({
    id: 7,
    type: "WEBHOOK",
    config: { name: "pager", url: "https://hooks.example.com/x", method: "POST" },
    sendFailure: true,
    sendRecovery: true,
    sendDegraded: false,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    autoSubscribe: true,
    digest: true,
    subscriptions: [],
    problem: null,
    ...more,
  }) as unknown as Channel;

const subscription = (checkId: string, activated = true) => ({
  checkId,
  groupId: null,
  activated,
});

const canSend = (mail: boolean, textMessages: boolean) =>
  [aboutQuery.queryKey, { canSend: { mail, textMessages } }] as const;

const common = [
  [channelKindsQuery.queryKey, kinds],
  [channelsQuery.queryKey, [channel()]],
  [checkCountQuery.queryKey, 3],
  [alertSettingsQuery.queryKey, { data: { escalationStages: [] }, etag: null }],
] as const;

const button = (part: Part, name: string | RegExp) => part.getByRole("button", { name });

const outcome = (more: object = {}) =>
  Response.json({
    outcome: "sent",
    statusCode: 200,
    reason: null,
    responseBody: "ok",
    durationMs: 12,
    ...more,
  });

const renderList = (channels: readonly Channel[], options: PartOptions = {}) =>
  renderScreen(channelsRoute, {
    ...options,
    data: [...common, [channelsQuery.queryKey, channels], ...(options.data ?? [])],
  });

test("the list names each channel, its problem and the number of checks that send to it", async () => {
  const part = await renderList([
    channel({
      subscriptions: [subscription("a"), subscription("b"), subscription("c", false)],
    } as never),
    channel({ id: 8, type: "EMAIL", config: { address: "ada@example.com" } } as never),
    channel({ id: 9, problem: "Its secret cannot be decrypted." } as never),
  ]);
  const rows = part.locator("ul > li").allTextContents();
  assert.match(rows[0] ?? "", /pager Webhook.*2 checks and groups/);
  assert.match(rows[1] ?? "", /ada@example\.com Email.*no check sends here/);
  assert.match(rows[2] ?? "", /Its secret cannot be decrypted\./);
  const link = await part.getByRole("link", { name: "ada@example.com" }).getAttribute("href");
  assert.equal(link, "/alerts/channels/8");
});

test("a channel is tested from the list, with the response of the other side", async () => {
  const part = await renderList([channel()], {
    respond: ({ path }) =>
      path.endsWith("/test") ? outcome({ responseBody: "<b>thanks</b>" }) : rejectRequest(404, ""),
  });
  await button(part, "Send test: pager").click();
  await part.getByText("<b>thanks</b>").waitFor();
  assert.deepEqual(
    part.sent.map(({ method, path }) => `${method} ${path}`),
    ["POST /v1/alert-channels/7/test"],
  );
});

test("a test that cannot be sent shows the error", async () => {
  const part = await renderList([channel()], {
    respond: () => rejectRequest(429, "Too many tests."),
  });
  await button(part, "Send test: pager").click();
  await part.getByText("Too many tests.").waitFor();
  assert.equal(part.getByText("The test was delivered.").count(), 0);
});

test("deleting a channel names what no longer sends to it", async () => {
  const used = channel({
    subscriptions: Array.from({ length: 10 }, (_, index) => subscription(`c-${index}`)),
  } as never);
  const stages = [{ afterMinutes: 15, alertChannelIds: [7] }];
  const part = await renderList([used], {
    respond: () => rejectRequest(409, "It is in use."),
    data: [
      [subscriberNamesQuery(used).queryKey, ["db-1", null, "Group Core"]],
      [alertSettingsQuery.queryKey, { data: { escalationStages: stages }, etag: null }],
    ],
  });
  await button(part, "Delete pager").click();
  const dialog = part.getByRole("dialog", { name: "Delete Webhook: pager?" });
  await dialog.getByText("db-1").waitFor();
  assert.deepEqual(dialog.locator("li").allTextContents(), ["db-1", "Group Core", "and 2 more"]);
  await dialog.getByText(/removed from the escalation stages/).waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByText("It is in use.").waitFor();
  assert.deepEqual([part.sent[0]?.method, part.sent[0]?.path], ["DELETE", "/v1/alert-channels/7"]);
});

test("a channel that nothing sends to is deleted without a loss", async () => {
  const part = await renderList([channel()]);
  await button(part, "Delete pager").click();
  await part.getByRole("dialog").getByText("No check or group sends here.").waitFor();
  assert.equal(part.getByText(/escalation stages/).count(), 0);
});

test("a reader sees channels without any action", async () => {
  const part = await renderList([channel()], { role: "READ_ONLY" });
  await part.getByText("pager").waitFor();
  assert.equal(part.getByRole("button").count(), 0);
  assert.equal(part.getByRole("link", { name: "New channel" }).count(), 0);
});

test("a role that may run checks may test a channel and not delete it", async () => {
  const part = await renderList([channel()], { role: "READ_RUN" });
  await button(part, "Send test: pager").waitFor();
  assert.equal(button(part, /^Delete/).count(), 0);
});

test("an account without channels chooses the type of the first", async () => {
  const part = await renderList([]);
  await part.getByText("No channels yet").waitFor();
  assert.equal(part.locator("li a").count(), kinds.length);
});

const shown = { page: 1, search: "", which: "on" } as const;
const subscriber = (name: string, more: object = {}) => ({
  checkId: `id-of-${name}`,
  groupId: null,
  name,
  isSubscribed: true,
  throughGroup: null,
  ...more,
});

interface ChannelState extends PartOptions {
  readonly stored?: Channel;
  readonly subscribers?: readonly object[];
  readonly total?: number;
  readonly saved?: boolean;
}

function renderChannel({
  stored = channel(),
  subscribers = [],
  total,
  saved,
  ...options
}: ChannelState) {
  const list = { data: subscribers, total: total ?? subscribers.length };
  return renderScreen(channelRoute, {
    ...options,
    fetches: true,
    params: { channelId: "7" },
    search: saved ? { saved: true } : {},
    // The screen shows what is fetched after it was opened.
    respond: (request) => {
      if (request.method === "GET" && request.path === "/v1/alert-channels/7")
        return Response.json(stored, { headers: { etag: '"1"' } });
      return options.respond?.(request) ?? rejectRequest(500, "It broke.");
    },
    data: [
      canSend(true, true),
      ...common,
      [channelQuery(7).queryKey, { data: stored, etag: '"1"' }],
      [subscribersQuery(7, shown).queryKey, list],
      ...(options.data ?? []),
    ],
  });
}

test("checks and groups that send to a channel are listed, also those that do so through a group", async () => {
  const part = await renderChannel({
    role: "READ_ONLY",
    subscribers: [
      subscriber("db-1"),
      subscriber("web", { isSubscribed: false, throughGroup: "Core" }),
      subscriber("Core", { checkId: null, groupId: 3 }),
    ],
  });
  await part.getByText("sends here", { exact: true }).first().waitFor();
  const rows = part.locator("section li").allTextContents();
  assert.deepEqual(rows, [
    "sends heredb-1",
    "does not send herewebsends through its group Core",
    "sends hereCoregroup with all its checks",
  ]);
  assert.equal(await part.getByRole("link", { name: "Core" }).getAttribute("href"), "/groups/3");
  assert.equal(part.getByRole("switch").count(), 0);
  assert.equal(part.getByText(/^1 of/).count(), 0, "one page needs no numbers");
});

test("more subscribers than a page have pages", async () => {
  const part = await renderChannel({ subscribers: [subscriber("db-1")], total: 101 });
  const pages = part.getByRole("navigation", { name: "Checks and groups that send here" });
  assert.match(await pages.textContent(), /1 of 3/);
  assert.equal(await pages.getByRole("button", { name: "Previous" }).isDisabled(), true);
  assert.equal(await pages.getByRole("button", { name: "Next" }).isDisabled(), false);
});
