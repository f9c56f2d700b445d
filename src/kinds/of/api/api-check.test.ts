/** API checks through the whole product, against a real server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  type ApiChecks,
  claim,
  fine,
  type Input,
  type Reply,
  startApiChecks,
} from "../../../../test/support/apps/api-checks.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let checks: ApiChecks;
before(async () => {
  checks = await startApiChecks();
});
after(async () => {
  await checks.stop();
});

async function askAgent(content: string): Promise<string> {
  const path = `/accounts/${checks.app.owner.accountId}/ai/agents/stream`;
  const { body } = await checks.app.call("POST", path, {
    body: { messages: [{ role: "user", content }] },
  });
  return String(body);
}

test("a check is created, run, returned, counted, alerted on and listed", async (t) => {
  const receiver = await startHttpReceiver(t);
  const channel = { type: "WEBHOOK", config: { name: "Hook", url: receiver.url, method: "POST" } };
  assert.equal(
    (await checks.app.call("POST", "/v1/alert-channels", { body: channel })).status,
    201,
  );
  const assertions = [
    claim("STATUS_CODE", "EQUALS", "200"),
    claim("JSON_BODY", "EQUALS", "Ada", { property: "$.name" }),
  ];
  const checkId = await checks.create({ name: "Ledger" }, { assertions });
  const { body: shown } = await checks.app.call("GET", `/v1/checks/${checkId}`);
  assert.deepEqual(shown.request, {
    method: "GET",
    url: `${checks.origin}/health`,
    followRedirects: true,
    skipSSL: false,
    ipFamily: "IPv4",
    body: "",
    bodyType: "NONE",
    headers: [],
    queryParameters: [],
    assertions,
    basicAuth: null,
  });
  assert.deepEqual([shown.degradedResponseTime, shown.maxResponseTime], [5_000, 20_000]);
  assert.deepEqual([shown.localSetupScript, shown.setupSnippetId], [null, null]);

  const passed = await checks.run(checkId);
  assert.equal(passed.verdict, "passing", JSON.stringify(passed));
  const { response, request, requestError, ...rest } = passed.apiCheckResult;
  assert.deepEqual([response.status, response.statusText, requestError], [200, "OK", null]);
  assert.deepEqual([response.headers, response.body, response.isBodyCut], [null, null, false]);
  assert.equal(request.url, `${checks.origin}/health`);
  assert.deepEqual(
    rest.assertions.map(({ passed: held, actual, error }: Input) => [held, actual, error]),
    [
      [true, 200, null],
      [true, "Ada", null],
    ],
  );
  const { total, ...phases } = response.timingPhases;
  const sum = Object.values(phases as Record<string, number | null>).reduce<number>(
    (all, one) => all + (one ?? 0),
    0,
  );
  assert.ok(total > 0 && Math.abs(total - sum) < 0.01, JSON.stringify(response.timingPhases));
  assert.ok(Math.abs(passed.responseTime - total) < 0.01);

  checks.reply = () => ({
    status: 200,
    headers: { "x-why": "test" },
    body: '{"name":"Bob\\u0000"}',
  });
  const failed = await checks.run(checkId);
  checks.reply = fine;
  assert.equal(failed.verdict, "failing");
  assert.equal(failed.reasons.length, 1);
  assert.equal(failed.reasons[0].name, "assertion-failed");
  assert.equal(failed.reasons[0].index, 1);
  assert.equal(failed.reasons[0].actual, "Bob␀");
  assert.equal(failed.apiCheckResult.response.body, '{"name":"Bob\\u0000"}');
  assert.equal(failed.apiCheckResult.response.headers["x-why"], "test");
  await waitUntil("the alert came", () => receiver.requests.length > 0);
  const told = receiver.requests.map(({ body }) => String(body)).join("\n");
  assert.match(told, /An assertion failed: JSON body \$\.name is .{0,4}Bob.*, expected .{0,4}Ada/);

  const metrics =
    "responseTime_avg,wait_avg,dns_avg,tcp_p95,firstByte_max,download_sum,availability";
  const analytics = await checks.app.call(
    "GET",
    `/v1/analytics/api-checks/${checkId}?metrics=${metrics}`,
  );
  assert.equal(analytics.status, 200, analytics.text);
  for (const metric of metrics.split(","))
    assert.ok(analytics.text.includes(`"${metric}"`), metric);
  const unknown = await checks.app.call(
    "GET",
    `/v1/analytics/api-checks/${checkId}?metrics=packetLoss`,
  );
  assert.equal(unknown.status, 400);

  const badge = await checks.app.call("GET", `/v1/badges/checks/${checkId}`, { key: null });
  assert.match(badge.text, /Ledger: failing/);
  const { body: status } = await checks.app.call("GET", `/v1/check-statuses/${checkId}`);
  assert.equal(status.status, "failing");
  const { body: listed } = await checks.app.call("GET", "/v1/checks?checkType=API");
  assert.deepEqual(
    listed.map(({ id }: { id: string }) => id),
    [checkId],
  );
  assert.match(await askAgent("why is Ledger failing?"), /expected .{0,4}Ada/);
  assert.match(await askAgent("what does Ledger check and how often?"), /sends GET to `http:/);
});

test("each body type is sent with its content type", async () => {
  const query = "{ user(id: 1) { name } }";
  const table: [Input, string, string | undefined][] = [
    [{ bodyType: "JSON", body: '{"a":1}' }, '{"a":1}', "application/json"],
    [{ bodyType: "FORM", body: "a=1&b=%20" }, "a=1&b=%20", "application/x-www-form-urlencoded"],
    [{ bodyType: "RAW", body: "plain é" }, "plain é", "text/plain; charset=utf-8"],
    [{ bodyType: "GRAPHQL", body: query }, JSON.stringify({ query }), "application/json"],
    [
      { bodyType: "GRAPHQL", body: '{"query":"{a}","variables":{"b":1}}' },
      '{"query":"{a}","variables":{"b":1}}',
      "application/json",
    ],
    [{ bodyType: "NONE", body: "not sent" }, "", undefined],
    [
      { bodyType: "RAW", body: "<a/>", headers: [{ key: "Content-Type", value: "text/xml" }] },
      "<a/>",
      "text/xml",
    ],
  ];
  for (const [request, body, contentType] of table) {
    const checkId = await checks.create({ name: "Body" }, { method: "POST", ...request });
    const { verdict } = await checks.run(checkId);
    assert.equal(verdict, "passing");
    // The schedule may run one of the earlier checks at the same time.
    const asked = checks.asked.find((one) => one.body === body);
    assert.equal(asked?.method, "POST", body);
    assert.equal(asked.headers["content-type"], contentType);
  }
});

test("every method is sent with headers, query parameters and basic authentication", async () => {
  const request = {
    url: `${checks.origin}/path?x=1`,
    headers: [{ key: "X-Version", value: "2" }],
    queryParameters: [
      { key: "q", value: "a&b é" },
      { key: "q", value: "c" },
    ],
    basicAuth: { username: "ann", password: "pä:ss" },
  };
  for (const method of ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH"]) {
    const checkId = await checks.create({ name: method }, { ...request, method });
    assert.equal((await checks.run(checkId)).verdict, "passing", method);
    // The schedule may run one of the earlier checks at the same time.
    const asked = checks.asked.find((one) => one.method === method);
    assert.ok(asked, method);
    assert.equal(asked.url, "/path?x=1&q=a%26b%20%C3%A9&q=c");
    assert.equal(asked.headers["x-version"], "2");
    const credentials = Buffer.from("ann:pä:ss").toString("base64");
    assert.equal(asked.headers.authorization, `Basic ${credentials}`);
  }
});

test("every comparison of every source is evaluated in a full run", async () => {
  const truths = [
    claim("STATUS_CODE", "EQUALS", "200"),
    claim("STATUS_CODE", "NOT_EQUALS", "201"),
    claim("STATUS_CODE", "LESS_THAN", "300"),
    claim("RESPONSE_TIME", "GREATER_THAN", "0"),
    claim("HEADERS", "CONTAINS", "json", { property: "Content-Type" }),
    claim("HEADERS", "HAS_KEY", "X-Limit"),
    claim("HEADERS", "NOT_HAS_KEY", "X-Other"),
    claim("HEADERS", "HAS_VALUE", "100"),
    claim("HEADERS", "EQUALS", "json", { property: "content-type", regex: "/(\\w+)" }),
    claim("TEXT_BODY", "CONTAINS", "Ada"),
    claim("TEXT_BODY", "NOT_CONTAINS", "Bob"),
    claim("TEXT_BODY", "NOT_EMPTY"),
    claim("TEXT_BODY", "GREATER_THAN", "6", { property: '"id":(\\d+)' }),
    claim("JSON_BODY", "EQUALS", "7", { property: "$.id" }),
    claim("JSON_BODY", "CONTAINS", "b", { property: "$.tags" }),
    claim("JSON_BODY", "HAS_VALUE", "a", { property: "$.tags" }),
    claim("JSON_BODY", "NOT_HAS_VALUE", "c", { property: "$.tags" }),
    claim("JSON_BODY", "IS_NULL", "", { property: "$.nothing" }),
    claim("JSON_BODY", "NOT_NULL", "", { property: "$.name" }),
    claim("JSON_BODY", "IS_EMPTY", "", { property: "$.empty" }),
    claim("JSON_BODY", "HAS_KEY", "name"),
  ];
  const { verdict, reasons } = await checks.run(
    await checks.create({ name: "True" }, { assertions: truths }),
  );
  assert.equal(verdict, "passing", JSON.stringify(reasons));

  const lies = [
    claim("STATUS_CODE", "GREATER_THAN", "200"),
    claim("RESPONSE_TIME", "LESS_THAN", "0"),
    claim("HEADERS", "EQUALS", "1", { property: "x-none" }),
    claim("TEXT_BODY", "IS_EMPTY"),
    claim("JSON_BODY", "EQUALS", "8", { property: "$.id" }),
  ];
  const wrong = await checks.run(await checks.create({ name: "False" }, { assertions: lies }));
  assert.deepEqual(
    wrong.reasons.map(({ index }: { index: number }) => index),
    [0, 1, 2, 3, 4],
  );
  assert.equal(wrong.reasons[2].message, "Header x-none is missing, expected 1");
});

test("a status of 400 or above fails, shouldFail inverts that, and a status assertion overrides it", async () => {
  checks.reply = () => ({ status: 503, body: "down" });
  const plain = await checks.run(await checks.create({ name: "Plain" }));
  assert.equal(plain.verdict, "failing");
  assert.deepEqual(plain.reasons[0], {
    name: "error-status",
    status: 503,
    statusText: "Service Unavailable",
  });
  assert.equal(plain.apiCheckResult.response.body, "down");
  assert.equal(
    (await checks.run(await checks.create({ name: "Inverse", shouldFail: true }))).verdict,
    "passing",
  );
  const assertions = [claim("STATUS_CODE", "EQUALS", "503")];
  assert.equal(
    (await checks.run(await checks.create({ name: "Wanted" }, { assertions }))).verdict,
    "passing",
  );
  checks.reply = fine;
  assert.equal(
    (await checks.run(await checks.create({ name: "Up", shouldFail: true }))).verdict,
    "failing",
  );
});

test("a body is decompressed for its assertions, and binary data is harmless", async () => {
  const assertions = [claim("JSON_BODY", "EQUALS", "1", { property: "$.a" })];
  const checkId = await checks.create({ name: "Packed" }, { assertions });
  checks.reply = () => ({ headers: { "content-encoding": "gzip" }, body: gzipSync('{"a":1}') });
  assert.equal((await checks.run(checkId)).verdict, "passing");
  const hostile: [Reply, RegExp][] = [
    [{ body: Buffer.from([0xff, 0x00, 0x7b]) }, /is not JSON/],
    [{ body: "[".repeat(100_000) }, /is not JSON/],
    [{ body: `{"__proto__":{"a":1}}` }, /is missing/],
    [{ body: `{"a":1e999}` }, /is "Infinity"/],
    [{ body: `{"a":${JSON.stringify("x".repeat(100_000))}}` }, /is "x+…, expected/],
    [{ body: `"${"y".repeat(1_048_576)}"` }, /exceeds the maximum size/],
    [{ headers: { "content-encoding": "gzip" }, body: gzipSync("z".repeat(9_000_000)) }, /exceeds/],
    [{ headers: { "content-encoding": "gzip" }, body: "no gzip" }, /exceeds|not JSON/],
  ];
  for (const [answer, message] of hostile) {
    checks.reply = () => answer;
    const { verdict, reasons, apiCheckResult } = await checks.run(checkId);
    assert.equal(verdict, "failing");
    assert.match(reasons[0].message, message);
    assert.ok(JSON.stringify(apiCheckResult).length < 200_000);
  }
  checks.reply = fine;
});

test("an expression that would hang a backtracking engine delays no other run", async () => {
  checks.reply = () => ({ body: `${"a".repeat(50_000)}!` });
  const assertions = [claim("TEXT_BODY", "IS_EMPTY", "", { regex: "(a+)+$" })];
  const { verdict } = await checks.run(await checks.create({ name: "Stall" }, { assertions }));
  checks.reply = fine;
  assert.equal(verdict, "passing");
});

test("redirects are followed and recorded, or returned as the response", async () => {
  checks.reply = ({ url }) =>
    url === "/end" ? { body: "there" } : { status: 302, headers: { location: "/end" } };
  const assertions = [claim("TEXT_BODY", "EQUALS", "there")];
  const followed = await checks.run(await checks.create({ name: "Follow" }, { assertions }));
  assert.equal(followed.verdict, "passing");
  const { redirects, url, timingPhases } = followed.apiCheckResult.response;
  assert.deepEqual([redirects.length, redirects[0].status, url], [1, 302, `${checks.origin}/end`]);
  assert.ok(timingPhases.wait > 0);
  const stays = { followRedirects: false, assertions: [claim("STATUS_CODE", "EQUALS", "302")] };
  assert.equal((await checks.run(await checks.create({ name: "Stay" }, stays))).verdict, "passing");
  checks.reply = fine;
});

test("without a response the result gives the reason, and only network errors are retried", async () => {
  const retryStrategy = {
    type: "FIXED",
    baseBackoffSeconds: 0,
    maxRetries: 1,
    maxDurationSeconds: 600,
    onlyOn: ["NETWORK_ERROR"],
  };
  const goneId = await checks.create(
    { name: "Gone", retryStrategy },
    { url: "http://127.0.0.1:1/" },
  );
  const gone = await checks.run(goneId);
  assert.equal(gone.reasons[0].name, "connection-refused");
  assert.equal(gone.apiCheckResult.response, null);
  assert.match(gone.apiCheckResult.requestError, /refused the connection/);
  assert.equal(gone.resultType, "ATTEMPT", "it is tried again");
  checks.reply = () => ({ status: 500 });
  const broken = await checks.run(await checks.create({ name: "Broken", retryStrategy }));
  checks.reply = fine;
  assert.deepEqual([broken.verdict, broken.resultType], ["failing", "FINAL"]);
});
