/** Multi-step checks from the API to the sandbox and back, against a server on this machine. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { triggerRun } from "../../../../test/support/apps/trigger.ts";
import { test } from "../../../../test/support/long-run.ts";
import { startScriptRunner } from "../../../../test/support/scripts/script-runner.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { ProberTools } from "../../kit/prober.ts";
import { startScriptProber } from "../../kit/scripts/script-prober.ts";
import { probers } from "../../probers.ts";

const password = "correct-horse-battery";

/** A shop: a login with a password, and orders for those who have the token. */
const shop = createServer(async (request, response) => {
  response.setHeader("content-type", "application/json");
  let sent = "";
  for await (const part of request) sent += part;
  if (request.url === "/login") {
    const isRight = JSON.parse(sent).password === password;
    response.statusCode = isRight ? 200 : 403;
    return response.end(isRight ? '{"token":"t-1"}' : "{}");
  }
  const isKnown = request.headers.authorization === "Bearer t-1";
  response.statusCode = isKnown ? 200 : 401;
  return response.end(isKnown ? '{"orders":[1,2,3]}' : "{}");
});

let app: TestApp;
let base = "";
before(async () => {
  const scripts = startScriptRunner();
  const MULTI_STEP = (tools: ProberTools) => startScriptProber({ ...tools, scripts });
  app = await startTestApp({}, { probers: { ...probers, MULTI_STEP }, clock: systemClock });
  await new Promise<void>((resume) => shop.listen(0, "127.0.0.1", resume));
  base = `http://localhost:${(shop.address() as AddressInfo).port}`;
});
after(async () => {
  await app.stop();
  shop.close();
});

const script = `
import { expect, test } from "@playwright/test";
import { orders } from "./lib/paths";

test("orders of a customer", async ({ request }) => {
  const token = await test.step("log in", async () => {
    const data = { password: process.env.PASSWORD };
    const response = await request.post(process.env.BASE + "/login", { data });
    expect(response).toBeOK();
    return (await response.json()).token;
  });
  await test.step("read the orders", async () => {
    const headers = { authorization: "Bearer " + token };
    const response = await request.get(process.env.BASE + orders, { headers });
    const body = await response.json();
    console.log(process.env.CHECK_NAME, "found", body.orders.length, process.env.PASSWORD);
    expect(body.orders).toHaveLength(Number(process.env.EXPECTED));
  });
});
`;

async function create(expected: string) {
  const body = {
    name: "Orders",
    frequency: 1_440,
    script,
    scriptPath: "checks/orders.spec.ts",
    dependencies: [{ path: "checks/lib/paths.ts", content: 'export const orders = "/orders";' }],
    environmentVariables: [
      { key: "BASE", value: base },
      { key: "EXPECTED", value: expected },
      { key: "PASSWORD", value: password, secret: true },
    ],
  };
  const made = await app.call("POST", "/v1/checks/multistep", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id as string;
}

async function run(checkId: string) {
  const { body: result, text } = await triggerRun(app, checkId);
  assert.ok(!text.includes(password), "the password is masked");
  return result;
}

test("a script of steps runs in the sandbox, and its result has steps, logs and connections", async () => {
  const result = await run(await create("3"));
  const document = result.multiStepCheckResult;
  assert.equal(result.verdict, "passing", JSON.stringify(document));
  const titles = document.steps
    .filter(({ category }: { category: string }) => category === "test" || category === "step")
    .map(({ title, depth }: { title: string; depth: number }) => `${depth} ${title}`);
  assert.deepEqual(titles, ["0 orders of a customer", "1 log in", "1 read the orders"]);
  assert.match(document.jobLog[0].msg, /^Orders found 3 \*+$/);
  assert.equal(document.connections.length, 1);
  assert.ok(document.durationMs > 0 && document.cpuMs > 0 && document.memoryBytes > 0);
});

test("a failed expectation names its step, file and line", { isLong: true }, async () => {
  const result = await run(await create("4"));
  assert.equal(result.verdict, "failing");
  const [reason] = result.reasons;
  assert.equal(reason.name, "script-failed");
  assert.equal(reason.step, "read the orders");
  assert.match(reason.file, /orders\.spec\.ts$/);
  const line = script.split("\n").findIndex((text) => text.includes("toHaveLength")) + 1;
  assert.equal(reason.line, line);
  const failed = result.multiStepCheckResult.steps.find(
    ({ title }: { title: string }) => title === "read the orders",
  );
  assert.match(failed.error, /toHaveLength/);
});
