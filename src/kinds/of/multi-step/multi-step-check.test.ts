/** Multi-step checks through the whole product. The runner is replaced; its own tests cover it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { createKey } from "../../../../test/support/apps/cast.ts";
import { createProjectCalls, one, toBody } from "../../../../test/support/modules/projects.ts";
import { startScriptedApp } from "../../../../test/support/scripts/scripted-app.ts";
import type { ScriptOrder } from "../../../sandbox/script-run.ts";

let app: TestApp;
let orders: ScriptOrder[];

before(async () => {
  ({ app, orders } = await startScriptedApp());
});
after(() => app.stop());

const script = "await fetch('https://api.example.com')";

async function create(own: object = {}, key?: string) {
  const body = { name: "Shop", frequency: 1_440, script, ...own };
  return app.call("POST", "/v1/checks/multistep", { body, ...(key && { key }) });
}

async function createOne(own: object = {}) {
  const { status, body, text } = await create(own);
  assert.equal(status, 201, text);
  return body;
}

async function run(checkId: string) {
  orders.length = 0;
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  const { body: session } = await app.call("GET", `/v2/check-sessions/${id}/completion`);
  const [{ checkResultId }] = session.results;
  return (await app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`)).body;
}

test("a check has the defaults of the API and can be changed", async () => {
  const { body: made } = await app.call("POST", "/v1/checks/multistep", {
    body: { name: "Shop", script, activated: false },
  });
  assert.equal(made.checkType, "MULTI_STEP");
  assert.deepEqual([made.frequency, made.runtimeId, made.scriptPath], [10, null, null]);
  assert.deepEqual([made.dependencies, made.environmentVariables], [[], []]);
  assert.ok(!("maxResponseTime" in made));

  const dependencies = [{ path: "lib/a.ts", content: "export {}" }];
  const body = { dependencies, scriptPath: "a.spec.ts", runtimeId: "2024.09" };
  const { body: changed } = await app.call("PUT", `/v1/checks/multistep/${made.id}`, { body });
  assert.deepEqual(
    [changed.script, changed.dependencies, changed.scriptPath, changed.runtimeId],
    [script, dependencies, "a.spec.ts", "2024.09"],
  );
});

const files = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: `lib/${index}.ts`,
    content: "x".repeat(length),
  }));

test("invalid checks are rejected with the field", async () => {
  for (const [own, key] of [
    [{ script: "" }, "script"],
    [{ script: undefined }, "script"],
    [{ frequency: 0, frequencyOffset: 30 }, "frequency"],
    [{ runtimeId: "1999.01" }, "runtimeId"],
    [{ runtimeId: "2023.02" }, "runtimeId must be a runtime for such checks: 2025.04"],
    [{ dependencies: files(101, 1) }, "dependencies"],
    [{ dependencies: files(3, 800_000) }, "dependencies must be at most 2 MiB in all"],
    [{ dependencies: [{ path: "../a", content: "" }] }, "dependencies.0.path"],
    [{ scriptPath: "/etc/x" }, "scriptPath"],
  ] as const) {
    const { status, text } = await create(own);
    assert.equal(status, 400, key);
    assert.match(text, new RegExp(key.replaceAll(".", "\\.")));
  }
});

test("files of two mebibytes fit into a request", async () => {
  const content = "x".repeat(1_024 * 1_024);
  const dependencies = ["a.txt", "b.txt"].map((path) => ({ path, content }));
  const { id } = await createOne({ dependencies, activated: false });
  assert.equal((await app.call("GET", `/v1/checks/${id}`)).body.dependencies.length, 2);
});

test("a run gets the variables of account, group and check, and its result is stored", async () => {
  const secret = { key: "SCRIPT_TOKEN", value: "s3cret-token", secret: true };
  assert.equal((await app.call("POST", "/v1/variables", { body: secret })).status, 201);
  const group = {
    name: "Shops",
    locations: ["eu-central-1"],
    environmentVariables: [
      { key: "SHOP", value: "group" },
      { key: "GROUP_ONLY", value: "g" },
    ],
  };
  const { body: made } = await app.call("POST", "/v1/check-groups", { body: group });
  const own = [{ key: "SHOP", value: "check" }];
  const check = await createOne({
    environmentVariables: own,
    groupId: made.id,
    script: `${script} // {{SHOP}} require("./snippets/sign.js")`,
    scriptPath: "checks/shop.spec.ts",
    runtimeId: "2024.09",
  });
  const snippet = { name: "sign", script: "module.exports = 1" };
  assert.equal((await app.call("POST", "/v1/snippets", { body: snippet })).status, 201);
  const result = await run(check.id);
  const [{ variables, request } = assert.fail()] = orders;
  assert.deepEqual(request.dependencies, [
    { path: "checks/snippets/sign.js", content: snippet.script },
  ]);
  assert.equal(variables.SHOP, "check");
  assert.equal(variables.GROUP_ONLY, "g");
  assert.equal(variables.SCRIPT_TOKEN, "s3cret-token");
  assert.deepEqual(
    [variables.CHECK_NAME, variables.CHECK_ID, variables.RUNTIME_VERSION, variables.REGION],
    ["Shop", check.id, "2024.09", "eu-central-1"],
  );
  assert.match(request.script, /\/\/ \{\{SHOP\}\}/, "a script has no placeholders");
  assert.equal(result.verdict, "passing");
  assert.equal(result.responseTime, 815);
  const { multiStepCheckResult: document } = result;
  assert.deepEqual([document.runtimeVersion, document.isolation], ["2024.09", "A2"]);
  assert.equal(document.steps[3].title, "Log in");
  assert.equal(document.jobLog[0].level, "INFO");
  assert.ok(document.jobLog[0].msg.includes("check"));
  assert.ok(!JSON.stringify(result).includes("s3cret-token"), "the secret is masked");
});

test("a failing script is explained with its step and line, and analytics show its duration", async () => {
  const check = await createOne({ script: "throw new Error('boom')" });
  const result = await run(check.id);
  assert.equal(result.verdict, "failing");
  assert.match(JSON.stringify(result.reasons), /script-failed/);
  const [{ message }] = result.multiStepCheckResult.errors;
  assert.equal(message, "boom");
  const metrics = "metrics=availability,responseTime_avg,responseTime_p95";
  const path = `/v1/analytics/multistep-checks/${check.id}?${metrics}&quickRange=last24Hours`;
  const { status, body, text } = await app.call("GET", path);
  assert.equal(status, 200, text);
  assert.equal(body.checkType, "MULTI_STEP");
  assert.ok("responseTime_avg" in body.metadata);
});

test("a trial shows masked logs while the script runs", async () => {
  const body = { checkType: "MULTI_STEP", name: "Try", script };
  const response = await fetch(`${app.url}/v1/checks/try`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${(await createKey(app, "ADMIN")).key}`,
      "content-type": "application/json",
      accept: "application/x-ndjson",
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const events = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const logs = events.filter(({ step }) => step === "log");
  assert.equal(logs.length, 2);
  assert.ok(!text.includes("s3cret-token"));
  assert.ok(events.some(({ multiStepCheckResult }) => multiStepCheckResult?.end === "passed"));
});

test("only admins and those who know the hidden values may write a script that receives them", async () => {
  const { key } = await createKey(app, "READ_WRITE");
  const { status, body } = await create({}, key);
  assert.equal(status, 403);
  assert.match(body.message, /SCRIPT_TOKEN to a script that does not receive them yet/);
  const check = await createOne({ activated: false });
  const path = `/v1/checks/multistep/${check.id}`;
  const change = (own: object) => app.call("PUT", path, { key, body: own });
  assert.equal((await change({ script: `${script};` })).status, 403);
  assert.equal((await change({ name: "Other name" })).status, 200);
  const variable = { value: "https://evil.example" };
  const plain = { key: "BASE_URL", value: "https://api.example.com" };
  assert.equal((await app.call("POST", "/v1/variables", { body: plain })).status, 201);
  const redefined = await app.call("PUT", "/v1/variables/BASE_URL", { key, body: variable });
  assert.equal(redefined.status, 403, "a script may send its secrets to the URL of a variable");
});

const { complete } = createProjectCalls(() => app);

test("a project deploys a check with shared files, and a second time changes nothing", async () => {
  const payload = {
    name: "From code",
    activated: false,
    checkType: "MULTI_STEP",
    script,
    scriptPath: "__checks__/shop.spec.ts",
    dependencies: [1],
    runtimeId: "2025.04",
    environmentVariables: [],
    groupId: null,
  };
  const sharedFiles = [
    { path: "other.ts", content: "" },
    { path: "__checks__/helper.ts", content: "export const helper = 1\n" },
  ];
  const body = { ...toBody("scripts", [one("check", "shop", payload)]), sharedFiles };
  const plan = () => app.call("POST", "/v1/projects/preview", { body });
  const before = await plan();
  assert.equal(before.status, 200, before.text);
  assert.equal(before.body.diff[0].action, "CREATE");
  const started = await app.call("POST", "/v1/projects/deploy", { body });
  assert.equal((await complete("scripts", started.body.id)).status, "SUCCEEDED");
  const { body: list } = await app.call("GET", "/v1/checks?search=From%20code");
  assert.deepEqual(list[0].dependencies, [sharedFiles[1]]);
  assert.equal(list[0].script, script);
  assert.equal((await plan()).body.diff[0].action, "UNCHANGED");
  const missing = { ...body, sharedFiles: [] };
  const broken = await app.call("POST", "/v1/projects/preview", { body: missing });
  assert.equal(broken.status, 400);
  assert.match(broken.text, /dependencies\.0.*sharedFiles/);
});

test("an existing client writes and reads a check, and tests an unsaved one", async () => {
  const headers = { "x-checkly-account": app.owner.accountId };
  const body = { name: "Client", activated: false, script, scriptPath: "a.spec.ts", locations: [] };
  const {
    status,
    body: made,
    text,
  } = await app.call("POST", "/v1/checks/multistep", {
    body,
    headers,
  });
  assert.equal(status, 201, text);
  assert.deepEqual([made.script, made.scriptPath], [script, "a.spec.ts"]);
  const path = `/v1/checks/${made.id}`;
  const changed = await app.call("PUT", path, { body: { script: "1" }, headers });
  assert.equal(changed.body.script, "1", changed.text);

  const job = {
    checkType: "MULTI_STEP",
    name: "Shop",
    script: "throw 1",
    dependencies: [0],
    groupId: null,
    sourceInfo: { checkRunSuiteId: randomUUID(), checkRunId: randomUUID() },
    logicalId: "shop",
  };
  const session = {
    name: "Project",
    checkRunJobs: [job],
    sharedFiles: [{ path: "a.ts", content: "" }],
    shouldRecord: true,
  };
  const started = await app.call("POST", "/v1/test-sessions/run", { body: session, headers });
  assert.equal(started.status, 202, started.text);
  const { testSessionId, testResultIds } = started.body;
  const end = await app.call(
    "GET",
    `/v1/test-sessions/${testSessionId}/completion?maxWaitSeconds=30`,
  );
  assert.equal(end.body.status, "FAILED", end.text);
  const log = await app.call("GET", `/next/assets/log/eu-central-1/${testResultIds.shop}`);
  assert.equal(log.body.at(-1).level, "ERROR");
  assert.match(log.body.at(-1).msg, /^boom\nat run/);
  assert.equal(log.body[0].level, "INFO");
});
