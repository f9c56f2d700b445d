/** Validation errors of API checks, and the responses of their operations. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type ApiChecks,
  claim,
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

const files = (count: number, path: string, length = 1) =>
  Array.from({ length: count }, (_, index) => ({
    path: index === 0 ? path : `${path}${index}`,
    content: "x".repeat(length),
  }));

test("invalid input is rejected with the name of the field", async () => {
  const pair = { key: "a", value: "b" };
  const many = Array.from({ length: 101 }, () => pair);
  const assertion = claim("STATUS_CODE", "EQUALS", "200");
  const about = (changed: Input) => ({ assertions: [{ ...assertion, ...changed }] });
  const table: readonly (readonly [Input, Input, string])[] = [
    [{}, { method: "TRACE" }, "request.method"],
    [{}, { method: undefined }, "request.method"],
    [{}, { url: undefined }, "request.url"],
    [{}, { url: "" }, "request.url"],
    [{}, { url: `http://a.example/${"x".repeat(2_032)}` }, "request.url"],
    [{}, { url: "ftp://a.example/" }, "request.url"],
    [{}, { url: "a.example" }, "request.url"],
    [{}, { url: "http://" }, "request.url"],
    [{}, { url: "http://a_b..example/" }, "request.url"],
    [{}, { url: "http://[::1]/" }, "request.ipFamily"],
    [{}, { ipFamily: "IPv5" }, "request.ipFamily"],
    [{}, { followRedirects: "maybe" }, "request.followRedirects"],
    [{}, { bodyType: "XML" }, "request.bodyType"],
    [{}, { body: "x".repeat(262_145) }, "request.body"],
    [{}, { headers: many }, "request.headers"],
    [{}, { headers: [{ key: "a b", value: "x" }] }, "request.headers.0.key"],
    [{}, { headers: [{ key: "", value: "x" }] }, "request.headers.0.key"],
    [{}, { headers: [{ key: "a", value: "x\r\ny: z" }] }, "request.headers.0.value"],
    [{}, { headers: [{ key: "a", value: "x".repeat(8_193) }] }, "request.headers.0.value"],
    [{}, { queryParameters: many }, "request.queryParameters"],
    [{}, { queryParameters: [{ key: "x".repeat(257), value: "" }] }, "request.queryParameters.0"],
    [{}, { basicAuth: { username: "a" } }, "request.basicAuth"],
    [{}, { assertions: Array.from({ length: 51 }, () => assertion) }, "request.assertions"],
    [{}, about({ source: "LATENCY" }), "request.assertions.0.source"],
    [{}, about({ comparison: "CONTAINS" }), "request.assertions.0.comparison"],
    [{}, about({ property: "x" }), "request.assertions.0.property"],
    [{}, about({ target: "ok" }), "request.assertions.0.target"],
    [{}, about({ source: "JSON_BODY", property: "a" }), "request.assertions.0.property"],
    [{}, about({ source: "HEADERS", property: "a b" }), "request.assertions.0.property"],
    [{}, about({ source: "TEXT_BODY", regex: "(?=a)" }), "request.assertions.0.regex"],
    [{ degradedResponseTime: -1 }, {}, "degradedResponseTime"],
    [{ maxResponseTime: 45_001 }, {}, "maxResponseTime"],
    [{ localSetupScript: 1 }, {}, "localSetupScript"],
    [{ localTearDownScript: "x".repeat(500_001) }, {}, "localTearDownScript"],
    [{ setupSnippetId: -1 }, {}, "setupSnippetId"],
    [{ setupScriptPath: "../x.ts" }, {}, "setupScriptPath"],
    [{ setupScriptDependencies: files(1, "/etc/x") }, {}, "setupScriptDependencies.0.path"],
    [{ setupScriptDependencies: files(101, "x") }, {}, "setupScriptDependencies"],
    [
      { tearDownScriptDependencies: files(3, "x", 800_000) },
      {},
      "tearDownScriptDependencies must be at most 2 MiB",
    ],
  ];
  for (const [input, request, field] of table) {
    const whole = { method: "GET", url: `${checks.origin}/`, ...request };
    const body = { name: "Bad", activated: false, request: whole, ...input };
    const { status, body: error } = await checks.app.call("POST", "/v1/checks/api", { body });
    assert.equal(status, 400, `${field} ${JSON.stringify(request).slice(0, 100)}`);
    assert.ok(error.message.startsWith(field), `${field}: ${error.message}`);
  }
  const fits = { degradedResponseTime: 0, maxResponseTime: 45_000, activated: false };
  const script = { localSetupScript: "", setupSnippetId: null };
  await checks.create(
    { name: "Fits", ...fits, ...script },
    {
      url: `http://a.example/${"x".repeat(2_031)}`,
      body: "x".repeat(262_144),
      headers: Array.from({ length: 100 }, () => ({ key: "a", value: "x".repeat(100) })),
    },
  );
});

test("each operation responds as documented", async () => {
  const body = {
    name: "One",
    activated: false,
    request: { method: "GET", url: `${checks.origin}/` },
  };
  const made = await checks.app.call("POST", "/v1/checks/api", { body });
  assert.equal(made.status, 201);
  const path = `/v1/checks/api/${made.body.id}`;
  assert.equal((await checks.app.call("PUT", path, { body: { name: "Two" } })).status, 200);
  assert.equal((await checks.app.call("POST", "/v1/checks/api", { body, key: null })).status, 401);
  assert.equal((await checks.app.call("PUT", path, { body: {}, key: null })).status, 401);
  const nowhere = "/v1/checks/api/7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
  assert.equal((await checks.app.call("PUT", nowhere, { body: { name: "X" } })).status, 404);
  assert.equal(
    (await checks.app.call("PUT", path, { body: { request: { method: "X" } } })).status,
    400,
  );
  const icmp = { name: "Ping", activated: false, request: { hostname: "127.0.0.1" } };
  const ping = await checks.app.call("POST", "/v1/checks/icmp", { body: icmp });
  const other = `/v1/checks/api/${ping.body.id}`;
  assert.equal((await checks.app.call("PUT", other, { body: { name: "X" } })).status, 404);
});
