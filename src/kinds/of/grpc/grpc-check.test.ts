/** A gRPC check through the whole product. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { shopProto, startGrpcServer } from "../../../../test/support/servers/grpc-server.ts";

let app: TestApp;

before(async () => {
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
});
after(() => app.stop());

async function create(request: object) {
  const body = { name: "Cart", frequency: 1_440, request };
  const { status, body: made, text } = await app.call("POST", "/v1/checks/grpc", { body });
  assert.equal(status, 201, text);
  return made;
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

test("the health of a server is checked, stored and shown", async (t) => {
  const health = { "": "SERVING" };
  const port = await startGrpcServer(t, { health });
  const grpcConfig = { mode: "HEALTH", tls: false };
  const check = await create({ url: "127.0.0.1", port, grpcConfig });
  assert.deepEqual([check.checkType, check.request.grpcConfig.service], ["GRPC", ""]);
  assert.deepEqual([check.degradedResponseTime, check.maxResponseTime], [10_000, 20_000]);

  const passed = await run(check.id);
  assert.equal(passed.verdict, "passing");
  const { response } = passed.grpcCheckResult;
  assert.equal(response.healthStatusLabel, "SERVING");
  assert.equal(response.grpcStatusName, "OK");
  assert.equal(response.resolvedIp, "127.0.0.1");
  assert.ok(response.timingPhases.total > 0);

  health[""] = "NOT_SERVING";
  const failed = await run(check.id);
  assert.equal(failed.verdict, "failing");
  assert.match(JSON.stringify(failed.reasons), /not-serving/);
});

test("a method is called with variables in its message and metadata", async (t) => {
  const port = await startGrpcServer(t, {
    get: ({ id }, metadata) => ({ id, text: String(metadata.get("authorization")[0]) }),
  });
  const token = { key: "GRPC_TOKEN", value: "s3cret-token", secret: true };
  assert.equal((await app.call("POST", "/v1/variables", { body: token })).status, 201);
  const check = await create({
    url: "127.0.0.1",
    port,
    grpcConfig: {
      tls: false,
      serviceDefinition: "PROTO_FILE",
      protoContent: shopProto,
      method: "shop.v1.Cart/Get",
      message: '{"id": "{{GRPC_TOKEN}}"}',
      metadata: [{ key: "authorization", value: "Bearer {{GRPC_TOKEN}}" }],
    },
    assertions: [
      { source: "GRPC_RESPONSE", property: "$.isPaid", comparison: "EQUALS", target: "false" },
      { source: "GRPC_METADATA", property: "x-took", comparison: "EQUALS", target: "1" },
    ],
  });
  const result = await run(check.id);
  assert.equal(result.verdict, "passing", JSON.stringify(result.reasons));
  const { responseMessage } = result.grpcCheckResult.response;
  assert.ok(responseMessage.includes("Bearer "));
  assert.ok(!JSON.stringify(result).includes("s3cret-token"), "the secret is masked");
});

test("a check that cannot be called is rejected with the field", async () => {
  const request = { url: "127.0.0.1", port: 50_051, grpcConfig: { method: "Get" } };
  const body = { name: "Cart", request };
  const { status, text } = await app.call("POST", "/v1/checks/grpc", { body });
  assert.equal(status, 400);
  assert.match(text, /request\.grpcConfig\.method/);
});
