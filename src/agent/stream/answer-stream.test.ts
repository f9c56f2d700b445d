/** The agent without a model: one question by JSON, by events and over MCP. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { findTokens } from "../../../test/support/apps/agent-app.ts";
import { ownerKey, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let path: string;
let checkId: string;
let resultId: string;

/** Nothing listens at port 1. */
before(async () => {
  app = await startTestApp({ PUBLIC_URL: "https://vedette.example" });
  path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const request = { hostname: "127.0.0.1", port: 1 };
  const body = { name: "Gateway", activated: false, request };
  checkId = (await app.call("POST", "/v1/checks/tcp", { body })).body.id;
  await app.call("POST", "/v2/check-sessions/trigger", {
    body: { target: { checkId: [checkId] } },
  });
  await waitUntil("it has run", async () => {
    const { body: status } = await app.call("GET", `/v1/check-statuses/${checkId}`);
    resultId = status.lastCheckRunId;
    return status.status === "failing";
  });
});
after(() => app.stop());

const question = "What is failing, and why?";
const ask = (content: string, more: object = {}) =>
  app.call("POST", path, { body: { messages: [{ role: "user", content }], ...more } });

test("by JSON: one string that names the check, the reason and the result", async () => {
  const { status, body } = await ask(question);
  assert.equal(status, 200);
  assert.match(body, /Gateway/);
  assert.match(body, /failing/);
  assert.ok(body.includes(`https://vedette.example/checks/${checkId}?run=${resultId}`), body);
});

test("by events: the same text, with the result among the sources", async () => {
  const transport = new DefaultChatTransport({
    api: `${app.url}${path}`,
    headers: { authorization: `Bearer ${ownerKey}`, accept: "text/event-stream" },
  });
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "chat",
    messageId: undefined,
    messages: [{ id: "q", role: "user", parts: [{ type: "text", text: question }] }],
    abortSignal: undefined,
  });
  let message: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream })) message = state;
  const parts = message?.parts ?? [];
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  assert.equal(text.replaceAll(/\s+/g, ""), (await ask(question)).body.replaceAll(/\s+/g, ""));
  const sources = parts.flatMap((part) => (part.type === "source-url" ? [part.sourceId] : []));
  assert.ok(sources.includes(resultId), sources.join());
});

test("over MCP: the tool behind the answer returns the same result", async () => {
  const params = { name: "get_status", arguments: {} };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const { data } = (await app.call("POST", "/mcp", { body })).body.result.structuredContent;
  assert.equal(data.checks[0].name, "Gateway");
  assert.equal(data.checks[0].why[0].resultId, resultId);
});

test("a requested action is proposed, and executed after confirmation", async () => {
  const { body: proposal } = await ask("Mute Gateway");
  const [token] = findTokens(proposal);
  assert.ok(token, proposal);
  assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, false);
  const { body: done } = await ask("Yes", { confirmation: token });
  assert.equal(done, 'Done. `The check "Gateway" is muted.`');
  assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, true);
});

test("names are never rendered as markup, in answers, proposals and outcomes", async () => {
  const name = "](http://evil.example) **x** `rm` <b>";
  const request = { hostname: "127.0.0.1", pingCount: 1 };
  const body = { name, activated: false, request };
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body })).body;
  const { body: proposal } = await ask(`mute ${id}`);
  const [token] = findTokens(proposal);
  const { body: done } = await ask("Yes", { confirmation: token });
  await app.call("DELETE", `/v1/checks/${id}`);
  for (const text of [proposal, done]) {
    assert.ok(text.includes("evil.example"), text);
    assert.doesNotMatch(text.replaceAll(/`[^`\n]*`/g, ""), /evil|\*\*|<b>/, text);
  }
});

test("checks are created from a description, each confirmed as shown", async () => {
  const description = "ping 192.0.2.10 and 192.0.2.11 every minute and fail at 30 % loss";
  const { body: proposal } = await ask(description, { agent: "check_config_generator" });
  const tokens = findTokens(proposal);
  assert.equal(tokens.length, 2, proposal);
  const { body: done } = await ask("Yes", { confirmation: tokens });
  assert.equal(done.split("Done.").length - 1, 2, done);
  const { body: checks } = await app.call("GET", "/v1/checks?limit=100");
  const made = checks.filter((check: { id: string }) => check.id !== checkId);
  assert.deepEqual(
    made.map((check: { request: { hostname: string }; maxPacketLossThreshold: number }) => [
      check.request.hostname,
      check.maxPacketLossThreshold,
    ]),
    [
      ["192.0.2.10", 30],
      ["192.0.2.11", 30],
    ],
  );
});
