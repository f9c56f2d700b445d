/** Secrets of API checks and of their groups. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type ApiChecks,
  claim,
  fine,
  type Input,
  startApiChecks,
} from "../../../../test/support/apps/api-checks.ts";

let checks: ApiChecks;
before(async () => {
  checks = await startApiChecks();
});
after(async () => {
  await checks.stop();
});

const mask = "********";

test("secrets are sent, masked in results and never returned", async () => {
  const secrets = ["hunter2-header", "hunter2-query", "hunter2-password"];
  const request = {
    headers: [
      { key: "X-Api-Key", value: "hunter2-header", locked: true },
      { key: "X-Open", value: "open" },
    ],
    queryParameters: [{ key: "token", value: "hunter2-query", locked: true }],
    basicAuth: { username: "ann", password: "hunter2-password" },
    assertions: [claim("TEXT_BODY", "CONTAINS", "never")],
  };
  checks.reply = ({ url, headers }) => ({
    headers: { "x-echo": String(headers["x-api-key"]) },
    body: `${url} ${headers["x-api-key"]} ${headers.authorization}`,
  });
  const checkId = await checks.create({ name: "Secretive" }, request);
  const failed = await checks.run(checkId);
  checks.reply = fine;
  assert.equal(checks.asked[0]?.headers["x-api-key"], "hunter2-header");
  assert.equal(checks.asked[0]?.url, "/health?token=hunter2-query");
  assert.equal(
    checks.asked[0]?.headers.authorization,
    `Basic ${Buffer.from("ann:hunter2-password").toString("base64")}`,
  );
  assert.equal(failed.verdict, "failing");
  const shown = await checks.app.call("GET", `/v1/checks/${checkId}`);
  const list = await checks.app.call("GET", "/v1/checks");
  const results = await checks.app.call("GET", `/v1/check-results/${checkId}`);
  const { rows: stored } = await checks.app.query(
    `select row_to_json(c)::text as row from checks c union all
      select row_to_json(r)::text from results r union all
      select row_to_json(p)::text from pending_retries p`,
  );
  const everything = [JSON.stringify(failed), shown.text, list.text, results.text];
  for (const text of [...everything, ...stored.map(({ row }) => row)]) {
    for (const secret of secrets) {
      assert.ok(!text.includes(secret), `${secret} in ${text.slice(0, 300)}`);
      const hex = Buffer.from(secret).toString("hex");
      assert.ok(!text.includes(hex), `${secret} in bytes`);
    }
  }
  assert.deepEqual(shown.body.request.headers, [
    { key: "X-Api-Key", value: mask, locked: true },
    { key: "X-Open", value: "open", locked: false },
  ]);
  assert.deepEqual(shown.body.request.basicAuth, { username: "ann", password: mask });

  const kept = await checks.change(checkId, { name: "Renamed", request: shown.body.request });
  assert.equal(kept.status, 200, kept.text);
  await checks.run(checkId);
  assert.equal(checks.asked[0]?.headers["x-api-key"], "hunter2-header");
  assert.equal(checks.asked[0]?.url, "/health?token=hunter2-query");
});

test("a mask keeps its secret only with the same name, lock and host", async () => {
  const request = {
    headers: [{ key: "X-Api-Key", value: "hunter2", locked: true }],
    basicAuth: { username: "ann", password: "hunter3" },
  };
  const checkId = await checks.create({ name: "Kept" }, request);
  const header = { key: "X-Api-Key", value: mask, locked: true };
  const refused: [Input, string][] = [
    [{ headers: [{ ...header, locked: false }] }, "request.headers.0.value"],
    [{ headers: [{ key: "X-Api-Key", value: mask }] }, "request.headers.0.value"],
    [{ headers: [{ ...header, key: "X-Other" }] }, "request.headers.0.value"],
    [{ headers: [header, header] }, "request.headers.1.value"],
    [{ queryParameters: [header] }, "request.queryParameters.0.value"],
    [{ basicAuth: { username: "bob", password: mask } }, "request.basicAuth.password"],
    [{ url: "http://attacker.example/" }, "request.headers.0.value"],
    [{ url: "http://127.0.0.1/", headers: [header] }, "request.headers.0.value"],
    [{ url: `${checks.origin}@attacker.example/`, headers: [header] }, "request.headers.0.value"],
    [{ url: "{{HOST}}/" }, "request.headers.0.value"],
  ];
  for (const [changed, field] of refused) {
    const { status, body } = await checks.change(checkId, { request: changed });
    assert.equal(status, 400, JSON.stringify(changed));
    assert.ok(body.message.startsWith(`${field} must be entered again`), body.message);
  }
  const newPath = await checks.change(checkId, { request: { url: `${checks.origin}/other` } });
  assert.equal(newPath.status, 200, newPath.text);
  await checks.run(checkId);
  assert.deepEqual(
    [checks.asked[0]?.url, checks.asked[0]?.headers["x-api-key"]],
    ["/other", "hunter2"],
  );
  const moved = { url: "http://127.0.0.1:1/", headers: [], basicAuth: null };
  assert.equal((await checks.change(checkId, { request: moved })).status, 200);
});

test("a secret may contain a variable, which is filled in and masked too", async () => {
  const variable = { key: "API_TOKEN", value: "hunter4-token", secret: true };
  const made = await checks.app.call("POST", "/v1/variables", { body: variable });
  assert.equal(made.status, 201, made.text);
  const headers = [{ key: "Authorization", value: "Bearer {{API_TOKEN}}", locked: true }];
  const checkId = await checks.create(
    { name: "Named" },
    { headers, url: `${checks.origin}/{{CHECK_NAME}}` },
  );
  const result = await checks.run(checkId);
  assert.equal(checks.asked[0]?.headers.authorization, "Bearer hunter4-token");
  assert.equal(checks.asked[0]?.url, "/Named");
  assert.ok(!JSON.stringify(result).includes("hunter4"));
});

test("a group adds its defaults, and its secrets are kept like those of a check", async () => {
  const apiCheckDefaults = {
    url: checks.origin,
    headers: [{ key: "X-Group", value: "group-secret", locked: true }],
    queryParameters: [{ key: "from", value: "group" }],
    assertions: [claim("HEADERS", "EQUALS", "100", { property: "x-limit" })],
    basicAuth: { username: "group", password: "group-password" },
  };
  const body = { name: "Shared", apiCheckDefaults };
  const group = await checks.app.call("POST", "/v1/check-groups", { body });
  assert.equal(group.status, 201, group.text);
  assert.equal(group.body.apiCheckDefaults.headers[0].value, mask);
  assert.equal(group.body.apiCheckDefaults.basicAuth.password, mask);
  const url = "{{GROUP_BASE_URL}}/member";
  const assertions = [claim("STATUS_CODE", "EQUALS", "200")];
  const member = { name: "Member", groupId: group.body.id };
  const checkId = await checks.create(member, { url, assertions });
  const passed = await checks.run(checkId);
  assert.equal(passed.verdict, "passing", JSON.stringify(passed));
  assert.equal(passed.apiCheckResult.assertions.length, 2);
  assert.equal(checks.asked[0]?.url, "/member?from=group");
  assert.equal(checks.asked[0]?.headers["x-group"], "group-secret");
  assert.match(String(checks.asked[0]?.headers.authorization), /^Basic /);
  const path = `/v1/check-groups/${group.body.id}`;
  const unlocked = [{ key: "X-Group", value: mask, locked: false }];
  const refused = await checks.app.call("PUT", path, {
    body: { apiCheckDefaults: { headers: unlocked } },
  });
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /^apiCheckDefaults\.headers\.0\.value must be entered again/);
  const renamed = { name: "Renamed", apiCheckDefaults: group.body.apiCheckDefaults };
  assert.equal((await checks.app.call("PUT", path, { body: renamed })).status, 200);
  await checks.run(checkId);
  assert.equal(checks.asked[0]?.headers["x-group"], "group-secret");
  const bad = { apiCheckDefaults: { assertions: [claim("STATUS_CODE", "CONTAINS", "2")] } };
  const { status, body: error } = await checks.app.call("PUT", path, { body: bad });
  assert.equal(status, 400);
  assert.match(error.message, /^apiCheckDefaults\.assertions\.0\.comparison/);
});
