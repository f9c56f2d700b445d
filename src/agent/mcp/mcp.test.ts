/** The MCP server, tested with the official client. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import pg from "pg";
import {
  ownerKey,
  ownerPassword,
  startTestApp,
  type TestApp,
} from "../../../test/support/apps/app.ts";
import { addStranger, createKey, signIn } from "../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { openDatabase } from "../../platform/database-pool.ts";
import { allTools } from "../tools/all-tools.ts";

let app: TestApp;
before(async () => {
  // Eight requests wait for the database at once.
  app = await startTestApp({ PUBLIC_URL: "https://vedette.example" }, { openDatabase });
});
after(() => app.stop());

async function connect(key = ownerKey, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  });
  // The SDK's own types conflict with exact optional properties.
  await client.connect(transport as never);
  return client;
}

async function newCheck(settings: object = {}): Promise<string> {
  const request = { hostname: "127.0.0.1", pingCount: 1 };
  const body = { name: "Router", activated: false, request, ...settings };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
  const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { ...result, texts };
}

test("the official client connects and lists every tool with its schema", async () => {
  const client = await connect();
  assert.equal(client.getServerVersion()?.name, "vedette");
  assert.match(client.getInstructions() ?? "", /never an instruction/);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    allTools.map(({ name }) => name),
  );
  const status = tools.find(({ name }) => name === "get_status");
  assert.equal(status?.annotations?.readOnlyHint, true);
  assert.equal(status?.inputSchema.properties?.checkIds !== undefined, true);
  await client.close();
});

test("an account has at most eight concurrent requests; further ones receive 429", async () => {
  const [first, second] = [await newCheck({ name: "One" }), await newCheck({ name: "Two" })];
  const ask = (...checkIds: readonly string[]) =>
    app.call("POST", "/mcp", {
      body: checkIds.map((checkId, id) => {
        const params = { name: "get_check", arguments: { checkId } };
        return { jsonrpc: "2.0", id, method: "tools/call", params };
      }),
    });
  const lock = new pg.Client(app.databaseUrl);
  await lock.connect();
  await lock.query("begin; lock table checks in access exclusive mode");
  const waiting = Array.from({ length: 8 }, () => ask(first, second));
  await waitUntil("all wait, each for one check", async () => {
    const text = "select count(*)::int from pg_locks where not granted and relation = $1::regclass";
    return (await app.query(text, ["checks"])).rows[0]?.count >= 8;
  });
  const { status, headers } = await ask(first);
  assert.deepEqual([status, headers.get("retry-after")], [429, "5"]);
  await lock.end();
  for (const { body } of await Promise.all(waiting)) {
    const names = body.map(
      (one: { result: { structuredContent: { data: { name: string } } } }) =>
        one.result.structuredContent.data.name,
    );
    assert.deepEqual(names, ["One", "Two"]);
  }
  assert.equal((await ask(first)).status, 200);
});

test("a tool returns the agent's data as text and as structured content", async () => {
  const checkId = await newCheck({ name: "Gateway" });
  const client = await connect();
  const { texts, structuredContent, isError } = await call(client, "get_check", { checkId });
  assert.equal(isError, false);
  assert.deepEqual(JSON.parse(texts[0] ?? ""), structuredContent);
  const { data, sources } = structuredContent as { data: { name: string }; sources: object[] };
  assert.equal(data.name, "Gateway");
  assert.deepEqual(sources, [
    { id: checkId, label: "Gateway", url: `https://vedette.example/checks/${checkId}` },
  ]);
  await client.close();
});

test("a read key lists only read tools and cannot call others", async () => {
  const { key } = await createKey(app, "READ_ONLY");
  const client = await connect(key);
  const { tools } = await client.listTools();
  const readers = allTools.filter(({ access }) => access === "read").map(({ name }) => name);
  assert.deepEqual(
    tools.map(({ name }) => name),
    readers,
  );
  const checkId = await newCheck();
  await assert.rejects(
    call(client, "mute_check", { checkId, muted: true }),
    /tool does not exist for this API key/,
  );
  await assert.rejects(call(client, "no_such_tool"), /tool does not exist for this API key/);
  assert.equal((await call(client, "get_check", { checkId })).isError, false);
  await client.close();
});

test("a run key lists run, acknowledge and page, and no other write tool", async () => {
  const { key } = await createKey(app, "READ_RUN");
  const client = await connect(key);
  const { tools } = await client.listTools();
  const writers = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
  assert.deepEqual(
    writers.map(({ name }) => name),
    [
      ...["acknowledge_alert", "run_check", "page_member"],
      ...["snooze_alert", "reassign_alert", "escalate_alert"],
    ],
  );
  await client.close();
});

test("a write tool only proposes; the user confirms elsewhere, and the model cannot", async () => {
  const checkId = await newCheck({ name: "Gateway" });
  const { key: modelKey } = await createKey(app, "READ_WRITE");
  const client = await connect(modelKey);
  const { texts, structuredContent } = await call(client, "mute_check", { checkId, muted: true });
  assert.equal(
    (structuredContent as { data: { needsConfirmation: boolean } }).data.needsConfirmation,
    true,
  );
  const readTexts = texts.join("\n");
  assert.equal(readTexts.includes("vdc_"), false, "no token is in what a model reads");
  const path = `/accounts/${app.owner.accountId}/ai/confirmations`;
  assert.ok(readTexts.includes(`https://vedette.example${path}`));
  for (const extra of [{ confirm: true }, { confirmation: "yes" }, { token: "vdc_x" }]) {
    const again = await call(client, "mute_check", { checkId, muted: true, ...extra });
    assert.equal(again.isError, true, "no field of the input confirms anything");
  }
  assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, false);
  const { body: waiting } = await app.call("GET", path);
  const [proposal] = waiting.filter(({ via }: { via: string }) => via === "mcp");
  assert.match(proposal.askedBy, /READ_WRITE key/);
  assert.match(proposal.summary, /^Mute the check "Gateway"/);
  const { token } = proposal;
  assert.equal((await app.call("POST", path, { body: { token }, key: modelKey })).status, 400);
  const done = await app.call("POST", path, { body: { token } });
  assert.equal(done.body.message, 'Done. The check "Gateway" is muted.');
  assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, true);
  await client.close();
});

test("data of another account is not found, whatever the headers", async () => {
  const checkId = await newCheck({ name: "Ours alone" });
  const stranger = await addStranger(app);
  const client = await connect(stranger.key);
  const one = await call(client, "get_check", { checkId });
  assert.equal(one.isError, true);
  assert.match(one.texts[0] ?? "", /not-found/);
  assert.equal((await call(client, "list_checks")).texts[0]?.includes("Ours alone"), false);
  await client.close();
  const account = { "x-service-account": app.owner.accountId };
  await assert.rejects(connect(stranger.key, account), /403|Forbidden/);
});

test("invalid inputs are explained to the model", async () => {
  const client = await connect();
  const { isError, texts } = await call(client, "get_check", { checkId: 7 });
  assert.equal(isError, true);
  assert.match(texts[0] ?? "", /checkId must be a string/);
  await client.close();
});

const post = (body: unknown, options: object = {}) =>
  app.call("POST", "/mcp", { body, ...options });
const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

test("a valid API key is required; a session is rejected", async () => {
  assert.equal((await post(listTools, { key: null })).status, 401);
  const cookie = await signIn(app, "owner@example.com", ownerPassword);
  assert.equal((await post(listTools, { cookie })).status, 401);
});

test("a plain HTTP client can send one request and receive one JSON response", async () => {
  const { status, body, headers } = await post(listTools);
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(body.result.tools.length, allTools.length);
  assert.equal(headers.get("mcp-session-id"), null, "there is no session to take over");
});

test("malformed or oversized messages are rejected", async () => {
  assert.equal((await post({})).status, 400);
  assert.equal((await post([])).status, 400);
  assert.equal((await post(Array(11).fill(listTools))).status, 400);
  assert.equal((await post({ jsonrpc: "2.0", id: 1, method: "x".repeat(300_000) })).status, 413);
  assert.equal((await app.call("GET", "/mcp")).status, 405);
  assert.equal((await app.call("DELETE", "/mcp")).status, 405);
  const unknown = await post({ jsonrpc: "2.0", id: 1, method: "no/such/method" });
  assert.equal(unknown.body.error.code, -32601);
  const hostile = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"x":1}}}';
  assert.equal((await app.call("POST", "/mcp", { rawBody: hostile })).status, 400);
});

test("a notification is accepted without a response", async () => {
  const { status, text } = await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  assert.equal(status, 202);
  assert.equal(text, "");
});
