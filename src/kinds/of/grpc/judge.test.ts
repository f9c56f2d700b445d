import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../../contract/result.ts";
import type { Assertion } from "../../kit/assertions/assertion.ts";
import { describeReason, judgeRun } from "../../kit/verdict.ts";
import { grpc } from "./index.ts";
import { type GrpcMeasurement, type GrpcTrouble, troubleKinds } from "./measurement.ts";
import type { GrpcSettings } from "./request.ts";

const measured: GrpcMeasurement = {
  resolvedIp: "192.0.2.1",
  dnsMs: 1,
  connectMs: 2,
  tlsMs: null,
  callMs: 3,
  reflectionMs: 500,
  statusCode: 0,
  statusMessage: "",
  healthStatus: null,
  message: '{"id":"7","total":12,"isPaid":false}',
  isCut: false,
  receivedBytes: 10,
  metadata: [["x-took", "1"]],
  tls: null,
};

function judge(
  changed: Partial<GrpcMeasurement>,
  assertions: readonly Assertion[] = [],
  limits: Partial<GrpcSettings> = {},
) {
  const outcome = { kind: "measured", measurement: { ...measured, ...changed } } as const;
  return judgeOutcome(outcome, assertions, limits);
}

function judgeOutcome(
  outcome: Outcome<GrpcMeasurement>,
  assertions: readonly Assertion[] = [],
  limits: Partial<GrpcSettings> = {},
) {
  const own = grpc.mergeSettings(null, {
    request: {
      url: "grpc.example.com",
      port: 443,
      grpcConfig: { method: "shop.v1.Cart/Get" },
      assertions,
    },
  });
  const common = { shouldFail: false, degradedResponseTime: 10_000, maxResponseTime: 20_000 };
  const settings = { ...common, ...own, ...limits } as GrpcSettings;
  const run = { request: grpc.toRequest(settings), startedAtMs: 0, outcome };
  const { verdict, reasons, isNetworkError } = judgeRun(grpc, settings, run);
  return { verdict, isNetworkError, text: reasons.map((one) => describeReason(grpc, one))[0] };
}

const compare = (source: string, comparison: string, target: string, property = "") =>
  ({ source, comparison, target, property }) as Assertion;

test("a call that ends with OK passes", () => {
  assert.equal(judge({}).verdict, "passing");
});

test("another status fails with its name and text, unless an assertion expects it", () => {
  const denied = { statusCode: 7, statusMessage: "not yours" };
  const { verdict, text, isNetworkError } = judge(denied);
  assert.deepEqual([verdict, isNetworkError], ["failing", false]);
  assert.equal(text, "the call ended with status 7 (PERMISSION_DENIED): not yours");
  assert.equal(judge(denied, [compare("GRPC_STATUS_CODE", "EQUALS", "7")]).verdict, "passing");
  assert.equal(judge({}, [compare("GRPC_STATUS_CODE", "EQUALS", "7")]).verdict, "failing");
});

test("a service that is not serving fails, unless an assertion expects it", () => {
  const { verdict, text } = judge({ healthStatus: 2 });
  assert.deepEqual([verdict, text], ["failing", "the health status was NOT_SERVING"]);
  const expected = [compare("GRPC_HEALTHCHECK_STATUS", "EQUALS", "2")];
  assert.equal(judge({ healthStatus: 2 }, expected).verdict, "passing");
  assert.equal(judge({ healthStatus: 1 }).verdict, "passing");
});

test("assertions read the message, its text, the metadata and the time", () => {
  const holds = (assertion: Assertion, changed: Partial<GrpcMeasurement> = {}) =>
    judge(changed, [assertion]).verdict === "passing";
  assert.ok(holds(compare("GRPC_RESPONSE", "EQUALS", "12", "$.total")));
  assert.ok(holds(compare("GRPC_RESPONSE", "EQUALS", "false", "$.isPaid")));
  assert.ok(!holds(compare("GRPC_RESPONSE", "EQUALS", "12", "$.id")));
  assert.ok(!holds(compare("GRPC_RESPONSE", "EQUALS", "12", "$.total"), { isCut: true }));
  assert.ok(holds(compare("TEXT_BODY", "CONTAINS", '"id":"7"')));
  assert.ok(holds(compare("GRPC_METADATA", "EQUALS", "1", "X-Took")));
  assert.ok(holds(compare("RESPONSE_TIME", "EQUALS", "6")), "reflection does not count");
});

test("a slow call is degraded or failing", () => {
  const limits = { degradedResponseTime: 5, maxResponseTime: 100 };
  assert.equal(judge({}, [], limits).verdict, "degraded");
  assert.equal(judge({ callMs: 98 }, [], limits).verdict, "failing");
});

test("every failure to reach a status fails, and only those of the network are retried as such", () => {
  const lasting = ["denied", "certificate-rejected", "not-grpc", "method-unknown"];
  for (const kind of troubleKinds) {
    const trouble: GrpcTrouble = {
      kind,
      code: "ECODE",
      message: "Something happened.",
      resolvedIp: null,
      dnsMs: null,
    };
    const { verdict, isNetworkError, text } = judgeOutcome({ kind: "unreachable", trouble });
    assert.equal(verdict, "failing");
    assert.equal(isNetworkError, !lasting.includes(kind), kind);
    assert.match(text ?? "", /something happened$/);
  }
});
