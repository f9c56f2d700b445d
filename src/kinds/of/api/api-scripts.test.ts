/** Setup and teardown scripts from the API to the sandbox and back, against a local server. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { triggerRun } from "../../../../test/support/apps/trigger.ts";
import { startScriptRunner } from "../../../../test/support/scripts/script-runner.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { ScriptRunner } from "../../../sandbox/script-run.ts";
import { probers } from "../../probers.ts";
import { startApiProber } from "./prober/prober.ts";

const key = "correct-horse-battery";
interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}
const received: Received[] = [];

/** Responds with what it received, or redirects to the URL behind `/to/`. */
const target = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const { method, url, headers } = request;
  received.push({ method, url, headers, body });
  const [, elsewhere] = url?.split("/to/") ?? [];
  if (elsewhere !== undefined) {
    return response.writeHead(302, { location: decodeURIComponent(elsewhere) }).end();
  }
  response.setHeader("content-type", "application/json");
  return response.end(JSON.stringify({ url, ssn: "123-45-6789" }));
});

/** A server of this machine that the probe must not connect to. */
const deniedAddress = "127.0.0.9";
let isDeniedReached = false;
const denied = createServer((_request, response) => {
  isDeniedReached = true;
  response.end();
});
let deniedUrl = "";
let app: TestApp;
let base = "";
let sandboxes = 0;
const runner = startScriptRunner();
before(async () => {
  const scripts: ScriptRunner = {
    run: (order, onStep) => {
      sandboxes += 1;
      return runner.run(order, onStep);
    },
    listLimitations: () => runner.listLimitations(),
    close: () => runner.close(),
  };
  const API: typeof startApiProber = (tools) => startApiProber({ ...tools, scripts });
  const options = { probers: { ...probers, API }, clock: systemClock };
  app = await startTestApp({ PROBE_DENY: deniedAddress }, options);
  await new Promise<void>((resume) => target.listen(0, "127.0.0.1", resume));
  await new Promise<void>((resume) => denied.listen(0, deniedAddress, resume));
  deniedUrl = `http://${deniedAddress}:${(denied.address() as AddressInfo).port}/`;
  base = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
});
after(async () => {
  await app.stop();
  await runner.close();
  target.close();
  denied.close();
});

async function save(path: string, body: object, method = "POST") {
  const saved = await app.call(method, path, { body });
  assert.ok(saved.status < 300, saved.text);
  return saved.body;
}

async function create(fields: object, request: object = {}): Promise<string> {
  const body = {
    name: "Orders",
    frequency: 1_440,
    request: { method: "GET", url: `${base}/orders`, ...request },
    ...fields,
  };
  return (await save("/v1/checks/api", body)).id;
}

async function run(checkId: string) {
  received.length = 0;
  const found = await triggerRun(app, checkId);
  assert.ok(!found.text.includes(key), "the key is masked");
  return found.body;
}

const messages = (logs: { msg: string }[]) => logs.map(({ msg }) => msg);

test("scripts of group and check change the request and the response", async () => {
  await save("/v1/snippets", {
    name: "sign",
    script: `const { createHmac } = require("node:crypto");
module.exports = (text: string) => createHmac("sha256", process.env.KEY).update(text).digest("hex");`,
  });
  const sharedSetup = `process.env.TENANT = await Promise.resolve("acme");
console.log("group setup", process.env.GROUP_BASE_URL, process.env.REQUEST_URL);`;
  const group = await save("/v1/check-groups", {
    name: "Shop",
    localSetupScript: sharedSetup,
    localTearDownScript: `console.log("group teardown", JSON.parse(response.body).ssn);`,
    environmentVariables: [{ key: "KEY", value: key, secret: true }],
    apiCheckDefaults: { url: base },
  });
  const id = await create(
    {
      groupId: group.id,
      localSetupScript: `import sign from "./snippets/sign.js";
request.headers["x-signature"] = sign(request.body);
request.queryParameters.page = 2;
request.method = "PUT";
console.log(process.env.KEY);`,
      localTearDownScript: `const body = JSON.parse(response.body);
body.ssn = "hidden";
response.body = JSON.stringify(body);
console.log("teardown", response.statusCode, response.headers["content-type"], request.method);`,
    },
    {
      method: "POST",
      url: "{{GROUP_BASE_URL}}/orders",
      bodyType: "JSON",
      body: '{"tenant":"{{TENANT}}"}',
      assertions: [
        { source: "JSON_BODY", property: "$.ssn", comparison: "EQUALS", target: "hidden" },
        { source: "JSON_BODY", property: "$.url", comparison: "EQUALS", target: "/orders?page=2" },
      ],
    },
  );
  const result = await run(id);
  const { apiCheckResult: document } = result;
  assert.equal(result.verdict, "passing", JSON.stringify(result.reasons));
  const [request] = received;
  // The setup script signed the body before the variable that it set was inserted.
  const signature = createHmac("sha256", key).update('{"tenant":"{{TENANT}}"}').digest("hex");
  assert.equal(request?.headers["x-signature"], signature);
  assert.deepEqual(
    [request?.method, request?.url, request?.body],
    ["PUT", "/orders?page=2", '{"tenant":"acme"}'],
  );
  assert.equal(document.request.method, "PUT");
  assert.deepEqual(messages(document.jobLog.setup), [
    `group setup ${base} ${base}/orders`,
    "********",
  ]);
  assert.deepEqual(messages(document.jobLog.teardown), [
    "teardown 200 application/json PUT",
    "group teardown hidden",
  ]);
  assert.equal(document.scripts.setup.end, "passed");
});

test("a failing setup script sends no request and names its line", async () => {
  const localSetupScript = "const a = 1;\nif (a) throw new Error('no token');";
  const result = await run(await create({ localSetupScript }));
  assert.equal(result.verdict, "failing");
  assert.deepEqual(received, []);
  const [reason] = result.reasons;
  assert.equal(reason.name, "script-failed");
  assert.equal(reason.message, "The setup script failed at setup.js:2: no token");
  const { scripts, requestError } = result.apiCheckResult;
  assert.equal(requestError, reason.message);
  assert.equal(scripts.setup.errors[0].line, 2);
});

test("what a setup script returns is validated", async () => {
  const localSetupScript = `request.headers["x-a"] = "1\\r\\nx-b: 2";`;
  const result = await run(await create({ localSetupScript }));
  assert.deepEqual(received, []);
  assert.match(
    result.reasons[0].message,
    /^The setup script failed: request\.headers\.0\.value must not/,
  );
});

for (const [title, findUrl] of [
  ["to a denied address", () => deniedUrl],
  ["over a redirect to a denied address", () => `${base}/to/${encodeURIComponent(deniedUrl)}`],
] as const) {
  test(`a setup script cannot send the request ${title}`, async () => {
    const localSetupScript = `request.url = ${JSON.stringify(findUrl())};`;
    const result = await run(await create({ localSetupScript }));
    assert.equal(result.verdict, "failing");
    assert.match(result.apiCheckResult.requestError, /127\.0\.0\.9 is denied by PROBE_DENY/);
    assert.equal(isDeniedReached, false);
  });
}

test("a failing teardown script fails the run, whose assertions are still evaluated", async () => {
  const assertions = [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200", property: "" }];
  const localTearDownScript = "await null;\nresponse.missing.field;";
  const result = await run(await create({ localTearDownScript }, { assertions }));
  assert.equal(result.verdict, "failing");
  assert.match(result.reasons[0].message, /^The teardown script failed at teardown\.js:2: /);
  assert.equal(result.apiCheckResult.assertions[0].passed, true);
});

test("a check without scripts starts no sandbox, and a missing snippet is reported", async () => {
  sandboxes = 0;
  const result = await run(await create({}));
  assert.equal(result.verdict, "passing");
  assert.equal(result.apiCheckResult.jobLog, null);
  const body = { name: "gone", script: "1" };
  const { body: snippet } = await app.call("POST", "/v1/snippets", { body });
  const checkId = await create({ setupSnippetId: snippet.id });
  await app.call("DELETE", `/v1/snippets/${snippet.id}`);
  const { apiCheckResult: missing } = await run(checkId);
  assert.match(missing.requestError, /snippet \d+ of this check does not exist/);
  assert.equal(sandboxes, 0);
});
