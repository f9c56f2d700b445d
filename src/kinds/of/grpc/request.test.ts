import assert from "node:assert/strict";
import { test } from "node:test";
import { shopProto } from "../../../../test/support/servers/grpc-server.ts";
import { findFaults, mergeSettings, toRequest, writeTarget } from "./request.ts";
import type { ConfigInput, OwnInput } from "./request-schema.ts";

type Request = NonNullable<OwnInput["request"]>;

const base: Request = { url: "grpc.example.com", port: 443 };

function faultsOf(grpcConfig: ConfigInput, request: Request = {}) {
  const settings = mergeSettings(null, { request: { ...base, grpcConfig, ...request } });
  return findFaults(settings).map(({ key, rule }) => `${key}: ${rule}`);
}

test("a health check needs a host and a port only", () => {
  const { request } = mergeSettings(null, { request: { ...base, grpcConfig: { mode: "HEALTH" } } });
  assert.deepEqual(findFaults({ request }), []);
  assert.deepEqual(request.grpcConfig, {
    mode: "HEALTH",
    tls: true,
    metadata: [],
    serviceDefinition: null,
    method: null,
    protoContent: null,
    message: null,
    service: "",
  });
  assert.deepEqual([request.timeout, request.ipFamily, request.skipSSL], [60, "IPv4", false]);
  assert.equal(writeTarget(request), "grpc.example.com:443");
  assert.equal(writeTarget({ url: "2001:db8::1", port: 443 }), "[2001:db8::1]:443");
});

test("a field of the other mode is rejected if sent, and dropped if stored", () => {
  assert.deepEqual(faultsOf({ mode: "HEALTH", method: "a.B/C" }), [
    "request.grpcConfig.method: must be empty when mode is HEALTH",
  ]);
  assert.deepEqual(faultsOf({ method: "a.B/C", service: "a.B" }), [
    "request.grpcConfig.service: must be empty when mode is BEHAVIOR",
  ]);
  const before = mergeSettings(null, {
    request: { ...base, grpcConfig: { method: "a.B/C", message: "{}" } },
  });
  const after = mergeSettings(before, { request: { grpcConfig: { mode: "HEALTH" } } });
  assert.deepEqual(findFaults(after), []);
  const { method, message, service, serviceDefinition } = after.request.grpcConfig;
  assert.deepEqual([method, message, service, serviceDefinition], [null, null, "", null]);
  assert.equal(after.request.url, base.url);
});

test("empty texts that clients send for unused fields are accepted", () => {
  const unused = { serviceDefinition: "", method: "", protoContent: "", message: "", encoding: "" };
  assert.deepEqual(faultsOf({ mode: "HEALTH", ...unused } as ConfigInput), []);
});

test("a method is named as package.Service/Method and its message is JSON", () => {
  assert.deepEqual(faultsOf({}), ["request.grpcConfig.method: is required when mode is BEHAVIOR"]);
  assert.deepEqual(faultsOf({ method: "Get" }), [
    "request.grpcConfig.method: must be written as package.Service/Method",
  ]);
  assert.deepEqual(faultsOf({ method: "/a.B/C", message: '{"id": {{ID}}}' }), []);
  for (const message of ["{", "[]", "7"]) {
    assert.deepEqual(faultsOf({ method: "a.B/C", message }), [
      "request.grpcConfig.message: must be a JSON object",
    ]);
  }
});

test("a .proto file, its method and its message are verified before a check is saved", () => {
  const file = { serviceDefinition: "PROTO_FILE", protoContent: shopProto } as const;
  const method = "shop.v1.Cart/Get";
  assert.deepEqual(faultsOf({ ...file, method, message: '{"id": "7", "maxLines": 3}' }), []);
  assert.deepEqual(faultsOf({ ...file, method, message: '{"id": "{{ID}}"}' }), []);
  assert.deepEqual(faultsOf({ serviceDefinition: "PROTO_FILE", method }), [
    "request.grpcConfig.protoContent: is required when serviceDefinition is PROTO_FILE",
  ]);
  assert.deepEqual(faultsOf({ method, protoContent: shopProto }), [
    "request.grpcConfig.protoContent: must be empty when serviceDefinition is REFLECTION",
  ]);
  const [ofMessage] = faultsOf({ ...file, method, message: '{"other": 1}' });
  assert.match(ofMessage ?? "", /message: must fit the \.proto file: .*"other" is unknown/);
  const [ofMethod] = faultsOf({ ...file, method: "shop.v1.Cart/Put" });
  assert.match(ofMethod ?? "", /method: must fit the \.proto file: .*has no method Put/);
});

test("a .proto file that cannot be read says why and where", () => {
  const faultOf = (protoContent: string) =>
    faultsOf({ serviceDefinition: "PROTO_FILE", protoContent, method: "a.B/C" })[0] ?? "";
  assert.match(faultOf("message {"), /must be a valid \.proto file: .*line 1/);
  assert.match(faultOf('import "other.proto";'), /imports other\.proto; paste those definitions/);
  assert.match(faultOf("message A {".repeat(5_000)), /must be a valid \.proto file/);
  assert.match(faultOf('syntax = "proto3"; message A { B b = 1; }'), /no such Type or Enum 'B'/);
  assert.match(
    faultOf("message __proto__ { string constructor = 1; }"),
    /there is no service|valid/,
  );
});

test("metadata must be valid and must not be of gRPC itself", () => {
  const faultOf = (key: string, value = "x") =>
    faultsOf({ mode: "HEALTH", metadata: [{ key, value }] })[0] ?? "";
  assert.equal(faultOf("authorization", "Bearer {{TOKEN}}"), "");
  assert.equal(faultOf("trace-bin", "aGk="), "");
  assert.match(faultOf("trace-bin", "é"), /value: must be base64/);
  assert.match(faultOf("grpc-timeout"), /that gRPC itself uses/);
  assert.match(faultOf("TE"), /that gRPC itself uses/);
  assert.match(faultOf(":path"), /that gRPC itself uses/);
  assert.match(faultOf("two words"), /letters, digits/);
  assert.match(faultOf("name", "line\nbreak"), /printable ASCII/);
});

test("the host has no scheme and matches its IP family", () => {
  const health = { mode: "HEALTH" } as const;
  assert.match(faultsOf(health, { url: "https://x.example" })[0] ?? "", /^request\.url: /);
  assert.match(faultsOf(health, { url: "::1" })[0] ?? "", /^request\.ipFamily: must be IPv6/);
});

test("a run ends at the timeout or at the failing limit, whichever is earlier", () => {
  const own = mergeSettings(null, {
    request: { ...base, timeout: 30, grpcConfig: { mode: "HEALTH" } },
  });
  const timeoutOf = (maxResponseTime: number | null) =>
    toRequest({ ...own, shouldFail: false, degradedResponseTime: null, maxResponseTime }).timeoutMs;
  assert.deepEqual([timeoutOf(null), timeoutOf(5_000), timeoutOf(1)], [30_000, 5_000, 1_000]);
});
