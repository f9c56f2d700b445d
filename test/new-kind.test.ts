/** A kind with the required members only works through the whole product, the agent included. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
// Must run before the product is loaded, which is why the app is imported dynamically.
import "./support/new-kind/register-folder.ts";
import type { TestApp } from "./support/apps/app.ts";
import { listRequiredMembers } from "./support/project/kind-members.ts";

let app: TestApp;
let folder: string;
before(async () => {
  const { startTestApp } = await import("./support/apps/app.ts");
  app = await startTestApp();
  folder = await mkdtemp(join(tmpdir(), "vedette-new-kind-"));
  await writeFile(join(folder, "one"), "");
});
after(async () => {
  await app.stop();
  await rm(folder, { recursive: true });
});

async function newCheck(name: string, request: object): Promise<string> {
  const body = { checkType: "FOLDER", name, frequency: 1_440, request };
  const made = await app.call("POST", "/v1/checks", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function run(checkId: string) {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const { body: session } = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  const [{ checkResultId }] = session.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

async function callTool(name: string, input: object) {
  const params = { name, arguments: input };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const answer = await app.call("POST", "/mcp", { body });
  assert.ok(!answer.body.result.isError, answer.text);
  return JSON.parse(answer.body.result.content[0].text).data;
}

async function ask(content: string): Promise<string> {
  const path = `/accounts/${app.owner.accountId}/ai/agents/stream`;
  const body = { messages: [{ role: "user", content }] };
  return String((await app.call("POST", path, { body })).body);
}

test("it fills in every required member, at most 30 of them", () => {
  const required = listRequiredMembers();
  assert.ok(required.includes("judge") && required.includes("operations.example"));
  assert.ok(required.length <= 30, `${required.length}: ${required.join(", ")}`);
});

test("its checks are created, changed, run, judged and counted", async () => {
  const checkId = await newCheck("Inbox", { folder });
  const passed = await run(checkId);
  assert.equal(passed.verdict, "passing");
  assert.deepEqual(passed.folderCheckResult, { entries: 1 });
  assert.ok(passed.responseTime > 0);

  const change = { request: { most: 0 } };
  const changed = await app.call("PUT", `/v1/checks/folder/${checkId}`, { body: change });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.request, { folder, most: 0 });
  assert.deepEqual(
    [changed.body.degradedResponseTime, changed.body.maxResponseTime],
    [3_000, 5_000],
  );
  const failed = await run(checkId);
  assert.equal(failed.verdict, "failing");
  assert.equal(failed.reasons[0].name, "too-many-entries");

  const { body: status } = await app.call("GET", `/v1/check-statuses/${checkId}`);
  assert.equal(status.status, "failing");
  assert.match(JSON.stringify(status), /Too many entries\./);
  const metrics = "total_avg,total_p95,availability";
  const path = `/v1/analytics/folder/${checkId}?metrics=${metrics}`;
  const analytics = await app.call("GET", path);
  assert.equal(analytics.status, 200, analytics.text);
  assert.match(analytics.text, /"total_p95":/);

  const wrong = { checkType: "FOLDER", name: "Bad", request: { folder: "" } };
  const rejected = await app.call("POST", "/v1/checks", { body: wrong });
  assert.equal(rejected.status, 400);
  assert.match(rejected.body.message, /^request\.folder/);
});

test("the API reference describes its operations and its result", async () => {
  const { body } = await app.call("GET", "/openapi.json");
  const { post } = body.paths["/v1/checks/folder"];
  assert.equal(post.operationId, "createFolderCheck");
  assert.equal(post.summary, "Create a FOLDER check");
  assert.equal(
    post.description,
    "`name` and `request.folder` are required; all other fields have defaults. " +
      "The first run starts at once.",
  );
  const [analytics] = Object.keys(body.paths).filter((path) => path.includes("/analytics/folder/"));
  assert.equal(body.paths[analytics ?? ""].get.operationId, "getFolderAnalytics");
  assert.ok(body.components.schemas.FolderCheck);
  assert.match(JSON.stringify(body), /folderCheckResult/);
});

test("the tools of the agent and of MCP return its settings, its runs and its figures", async () => {
  const checkId = await newCheck("Outbox", { folder, most: 5 });
  await run(checkId);
  const check = await callTool("get_check", { checkId });
  assert.equal(check.hostname, folder);
  assert.deepEqual(check.folderSettings, { request: { folder, most: 5 } });
  assert.deepEqual([check.degradedResponseTime, check.maxResponseTime], [3_000, 5_000]);

  const nowMs = app.clock.now().getTime();
  const from = new Date(nowMs - 7_200_000).toISOString();
  const to = new Date(nowMs + 3_600_000).toISOString();
  const { results } = await callTool("list_results", { checkId, from, to });
  assert.ok(results[0].responseTimeMs > 0);
  const result = await callTool("get_result", { checkId, resultId: results[0].resultId });
  assert.deepEqual(result.folderCheckResult, { entries: 1 });
  const { checks } = await callTool("get_statistics", { checkIds: [checkId], from, to });
  assert.equal(checks[0].runs.passing, 1);

  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const { body } = await app.call("POST", "/mcp", { body: list });
  const tools: { name: string }[] = body.result.tools;
  const creation = JSON.stringify(tools.find(({ name }) => name === "create_check"));
  assert.match(creation, /"FOLDER"/);
  assert.match(creation, /The most entries it may have\./);
});

const nonsense =
  /undefined|\bNaN\b|\[object|\bnull\b|I cannot answer|I know no|I could not use|Which one/;

test("the agent answers questions about its checks", async () => {
  await run(await newCheck("Checkout", { folder }));
  await run(await newCheck("Billing", { folder: join(folder, "missing") }));
  const answers = {
    "is Checkout ok?": /Checkout.*passing/s,
    "why is Billing failing?": /folder unreadable/i,
    "what does Checkout check and how often?": /checks `.+vedette-new-kind.+one run each time/s,
    "latest results of Checkout": /response time [\d.]+ ms/,
    "show the last run of Checkout in detail": /response time [\d.]+ ms/,
    "availability of Checkout today": /100 %/,
    "compare Checkout and Billing": /Billing/,
    "compare Checkout with yesterday": /Checkout|no data/,
  };
  for (const [question, expected] of Object.entries(answers)) {
    const text = await ask(question);
    assert.doesNotMatch(text, nonsense, question);
    assert.match(text, expected, question);
  }
});
