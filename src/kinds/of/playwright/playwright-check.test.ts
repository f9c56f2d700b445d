/** Playwright suite checks in the API, with a runner that executes nothing. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger } from "../../../../test/support/apps/cast.ts";
import { startScriptedApp } from "../../../../test/support/scripts/scripted-app.ts";
import { packCode } from "../../../../test/support/scripts/suite-code.ts";
import { maxAccountBytes } from "../../../checks/code-bundles/index.ts";
import type { ScriptOrder } from "../../../sandbox/script-run.ts";

let app: TestApp;
let orders: ScriptOrder[];
before(async () => {
  ({ app, orders } = await startScriptedApp());
});
after(() => app.stop());

async function upload(name: string, options: Parameters<TestApp["call"]>[2] = {}): Promise<string> {
  const { status, body, text } = await app.call(
    "POST",
    "/next/checkly-storage/upload-code-bundle",
    {
      rawBody: Uint8Array.from(packCode({ [name]: "" })),
      headers: { "content-type": "application/octet-stream" },
      ...options,
    },
  );
  assert.equal(status, 200, text);
  return body.key;
}

const create = (body: object) =>
  app.call("POST", "/v1/checks/playwright", { body: { name: "Shop", activated: false, ...body } });

test("a check keeps its fields, and its run receives its code and its command", async () => {
  const codeBundlePath = await upload("first");
  const own = {
    codeBundlePath,
    cacheHash: "6330ee",
    browsers: ["chromium"],
    playwrightVersion: "1.51.1",
    testCommand: "npx playwright test --config pw.config.ts --grep @fast",
    installCommand: "npm ci",
    workingDir: "./e2e/",
    engine: "node",
    engineVersion: "22",
  };
  const made = await create(own);
  assert.equal(made.status, 201, made.text);
  const { id, checkType, ...shown } = made.body;
  assert.equal(checkType, "PLAYWRIGHT");
  for (const [name, value] of Object.entries(own)) assert.deepEqual(shown[name], value, name);
  assert.equal("runtimeId" in shown, false);
  const tried = await app.call("POST", `/v1/checks/try?checkId=${id}`, { body: { checkType } });
  assert.match(tried.text, /"verdict":"passing"/);
  const order = orders.at(-1);
  assert.deepEqual(order?.request.suite, {
    bundle: codeBundlePath,
    ...{ cacheHash: "6330ee", values: ["--grep=@fast"], configPath: "pw.config.ts" },
    ...{ workingDir: "e2e", engine: "node", engineVersion: "22" },
  });
  assert.ok(Buffer.isBuffer(await order?.loadCode?.()));
});

test("code that the account does not have, and commands that cannot run, are rejected", async () => {
  const stranger = await addStranger(app);
  const foreign = await upload("theirs", { key: stranger.key });
  const unknown = `bundle/${"0".repeat(64)}`;
  for (const [body, field, expected] of [
    [{ codeBundlePath: unknown }, "codeBundlePath", new RegExp(`not uploaded .*: ${unknown}`)],
    [{ codeBundlePath: foreign }, "codeBundlePath", /not uploaded/],
    [
      { codeBundlePath: await upload("pnpm-lock.yaml") },
      "codeBundlePath",
      /pnpm is not available to checks\. .* run `npm install` and deploy the code again/,
    ],
    [{ codeBundlePath: "../secret" }, "codeBundlePath", /key of an uploaded bundle/],
    [{ testCommand: "npm test" }, "testCommand", /no other program is run/],
    [{ testCommand: "npx playwright test -c /etc/x" }, "testCommand", /inside of the code/],
    [{ installCommand: "pnpm install" }, "installCommand", /not supported/],
    [{ installCommand: "npm ci && id" }, "installCommand", /not supported/],
    [{ workingDir: "../x" }, "workingDir", /relative path/],
    [{ engine: "deno" }, "engine", /engine/],
  ] as const) {
    const { status, body: answer, text } = await create(body);
    assert.equal(status, 400, text);
    assert.deepEqual(answer.validation.keys, [field]);
    assert.match(answer.message, expected);
  }
});

test("code that a check names is kept when others need its space", async () => {
  const codeBundlePath = await upload("named");
  const { body } = await create({ codeBundlePath });
  const unused = await upload("unused");
  const { accountId } = app.owner;
  await app.query(
    `insert into code_bundles (account_id, key, content, uploaded_at)
      values ($1, 'large', convert_to(repeat('x', $2), 'UTF8'), now() + interval '1 day')`,
    [accountId, maxAccountBytes],
  );
  await upload("newest");
  const peek = (key: string) =>
    app.call("POST", "/next/checkly-storage/peek-code-bundle", { body: { key } });
  assert.deepEqual([(await peek(codeBundlePath)).status, (await peek(unused)).status], [200, 404]);
  const changed = await app.call("PUT", `/v1/checks/playwright/${body.id}`, {
    body: { name: "Renamed" },
  });
  assert.equal(changed.status, 200, changed.text);
});
