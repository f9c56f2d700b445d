/** What the view of a run shows, with and without measurements. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Suspense } from "react";
import { type Part, renderPart } from "../../test/support/components/part.tsx";
import { kinds } from "./index.ts";
import type { RunViewProps } from "./kind.ts";

type Run = RunViewProps["run"];
type Found<Name extends keyof Run> = NonNullable<Run[Name]>;

const hostile = "\u001b[31m<script>alert(1)</script>\u202egnp.exe\r\n";
const shownHostile = "␛[31m<script>alert(1)</script><202e>gnp.exe␍";

const check = { id: "c", name: "shop", checkType: "URL" } as unknown as RunViewProps["check"];

/** Renders the view of a run, which is loaded on demand. */
async function show(type: keyof typeof kinds, run: Partial<Run>): Promise<Part> {
  const View = kinds[type].runView;
  const part = renderPart(
    <Suspense fallback={<p>Loading</p>}>
      <View run={run as Run} check={check} />
    </Suspense>,
  );
  await part.getByText("Loading").waitFor({ state: "hidden" });
  return part;
}

const withoutResult = [
  "API",
  "BROWSER",
  "DNS",
  "GRPC",
  "HEARTBEAT",
  "ICMP",
  "MULTI_STEP",
  "PLAYWRIGHT",
  "SSL",
  "TCP",
  "TRACEROUTE",
  "URL",
] as const;
for (const type of withoutResult) {
  test(`a run of ${type} without a measurement reports it`, async () => {
    const part = await show(type, {});
    assert.equal(part.readText(), "Nothing was measured.");
  });
}

const phases = {
  wait: 0,
  dns: 2,
  tcp: 10,
  tls: 30,
  firstByte: 150,
  download: 8,
  total: 200,
} as const;

const tls = {
  tlsVersion: "TLSv1.3",
  cipherSuite: "TLS_AES_128_GCM_SHA256",
  issuerCN: "Test CA",
  validTo: "2027-01-18T00:00:00.000Z",
  daysUntilExpiry: 61,
  hostnameVerified: false,
  trustError: "SELF_SIGNED_CERT_IN_CHAIN",
};

function createUrlResponse(more: object = {}): Found<"urlCheckResult"> {
  return {
    response: {
      status: 500,
      statusText: "Internal Server Error",
      url: "https://shop.example.com/",
      resolvedIp: "192.0.2.1",
      httpVersion: "1.1",
      bytesReceived: 12_345,
      timingPhases: phases,
      redirects: [],
      headers: { "x-flavour": "vanilla\r\nset-cookie: a" },
      body: hostile,
      bodyFault: null,
      isBodyCut: true,
      certificate: tls,
      error: null,
      ...more,
    },
  } as unknown as Found<"urlCheckResult">;
}

test("a URL run shows the response, its phases, its headers and its certificate", async () => {
  const part = await show("URL", { urlCheckResult: createUrlResponse() });
  const facts = part.readFacts();
  assert.equal(facts["Status code"], "500 Internal Server Error");
  assert.equal(facts.Size, "12.3 kB");
  assert.equal(facts.Duration, undefined, "the head of the run has the duration");
  assert.equal(facts["x-flavour"], "vanilla␍␊set-cookie: a", "a header stays on its line");
  assert.equal(facts.Validity, "61 days left");
  assert.equal(facts["Matches host"], "no");
  assert.equal(facts.Trusted, "SELF_SIGNED_CERT_IN_CHAIN");
  assert.deepEqual(
    part.readRows().map(([name, , ms]) => [name, ms]),
    [
      ["DNS", "2.00 ms"],
      ["Connect", "10.0 ms"],
      ["TLS", "30.0 ms"],
      ["First byte", "150 ms"],
      ["Body", "8.00 ms"],
    ],
  );
  const body = part.getByRole("region", { name: "Body" });
  assert.equal(await body.textContent(), shownHostile);
  assert.equal(part.getByText("Truncated.").count(), 1);
  assert.equal(part.getByText("SELF_SIGNED").count(), 1);
});

test("a URL run shows redirects with the time of each, and why there was no response", async () => {
  const hop = {
    url: "http://shop.example.com/",
    status: 301,
    resolvedIp: "192.0.2.9",
    timingPhases: { dns: 1, tcp: 2, tls: null, firstByte: 3, download: 0 },
  };
  const error = { message: "connect ECONNREFUSED", code: "ECONNREFUSED", phase: "tcp" };
  const none = { dns: null, tcp: null, tls: null, firstByte: null, download: null, total: null };
  const part = await show("URL", {
    urlCheckResult: createUrlResponse({
      status: null,
      redirects: [hop, hop],
      timingPhases: none,
      headers: null,
      body: null,
      certificate: null,
      error,
    }),
  });
  assert.match(part.readText(), /^connect ECONNREFUSED/);
  assert.match(part.readText(), /ECONNREFUSED.*tcp/);
  assert.equal(part.readFacts()["Status code"], undefined);
  const row = ["301", "http://shop.example.com/", "192.0.2.9", "6.00 ms"];
  assert.deepEqual(part.readRows(), [row, row]);
  await part.getByText("Headers and body are stored only for failed runs.").waitFor();
  assert.equal(part.getByRole("heading", { name: "Phases of the run" }).count(), 0);
  assert.equal(part.getByRole("heading", { name: "Certificate" }).count(), 0);
});

test("an API run shows each assertion with what was expected and found", async () => {
  const assertion = (more: object) => ({
    source: "STATUS_CODE",
    property: "",
    comparison: "EQUALS",
    target: "200",
    actual: 500,
    passed: false,
    ...more,
  });
  const part = await show("API", {
    apiCheckResult: {
      requestError: null,
      request: {
        method: "POST",
        url: "https://shop.example.com/orders",
        headers: { authorization: "Bearer ****" },
        data: '{"a":1}',
      },
      response: {
        ...createUrlResponse().response,
        bodyError: null,
      },
      assertions: [
        assertion({}),
        assertion({ source: "JSON_BODY", property: "$.a", actual: { b: "\n" }, passed: true }),
        assertion({ source: "HEADERS", property: "etag", actual: null, passed: null }),
      ],
      certificate: null,
    } as unknown as Found<"apiCheckResult">,
  });
  const facts = part.readFacts();
  assert.equal(facts.Request, "POST https://shop.example.com/orders");
  assert.equal(facts.authorization, "Bearer ****");
  const rows = part.readRows().slice(0, 3);
  assert.deepEqual(
    rows.map(([, , actual, state]) => [actual, state]),
    [
      ["500", "failed"],
      ['{"b":"\\n"}', "passed"],
      ["null", "not checked"],
    ],
  );
  assert.match(rows[0]?.[0] ?? "", /status code/i);
  assert.match(rows[0]?.[1] ?? "", /equals 200$/);
  assert.match(rows[1]?.[0] ?? "", /\$\.a$/);
  await part.getByRole("region", { name: "Request body" }).getByText('{"a":1}').waitFor();
});

test("an API run whose request could not be built shows the reason", async () => {
  const part = await show("API", {
    apiCheckResult: {
      requestError: "The variable TOKEN is not defined.",
      request: { method: "GET", url: "https://{{HOST}}/", headers: {}, data: "" },
      response: null,
      assertions: [],
      certificate: null,
    } as unknown as Found<"apiCheckResult">,
  });
  await part.getByText("The variable TOKEN is not defined.").waitFor();
  assert.deepEqual(part.readFacts(), { Request: "GET https://{{HOST}}/" });
});

function createGrpc(more: object = {}): Partial<Run> {
  const response = {
    error: null,
    grpcStatusCode: 14,
    grpcStatusName: "UNAVAILABLE",
    grpcStatusMessage: "try later",
    healthStatusLabel: "NOT_SERVING",
    host: "rpc.test",
    port: 443,
    resolvedIp: "192.0.2.1",
    grpcMethod: "grpc.health.v1.Health/Check",
    timingPhases: { dns: 1, tcp: 2, tls: 3, call: 4, reflection: null, total: 10 },
    bytesReceived: 7,
    tls: { ...tls, daysUntilExpiry: 30 },
    responseMessage: '{"status":"NOT_SERVING"}',
    isCut: false,
    metadata: { "x-id": "7" },
    ...more,
  };
  return { grpcCheckResult: { response } as unknown as Found<"grpcCheckResult"> };
}

test("a gRPC run shows status, health, message and metadata", async () => {
  const part = await show("GRPC", createGrpc());
  const facts = part.readFacts();
  assert.equal(facts["Status code"], "14 UNAVAILABLE");
  assert.equal(facts.Message, "try later");
  assert.equal(facts.Health, "NOT_SERVING");
  assert.equal(facts.Host, "rpc.test:443");
  assert.equal(facts.Method, "grpc.health.v1.Health/Check");
  assert.equal(facts.Certificate, "30 days left");
  assert.equal(facts["x-id"], "7");
  assert.equal("Reflection" in facts, false);
  const [text] = part.getByRole("region", { name: "Response" }).elements();
  assert.equal(text?.textContent, '{\n  "status": "NOT_SERVING"\n}');
});

test("a gRPC run without a response has no status, and text that is not JSON stays", async () => {
  const part = await show(
    "GRPC",
    createGrpc({
      grpcStatusCode: null,
      tls: null,
      responseMessage: "{cut",
      isCut: true,
      metadata: {},
      error: { message: "Connection refused on port 443", code: "ECONNREFUSED" },
    }),
  );
  await part.getByText("Connection refused on port 443").waitFor();
  const facts = part.readFacts();
  assert.equal("Status code" in facts || "Certificate" in facts, false);
  await part.getByText("{cut").waitFor();
  await part.getByText("Truncated.").waitFor();
  assert.equal(part.getByRole("heading", { name: "Metadata" }).count(), 0);
});

function createPing(more: object): Partial<Run> {
  const found = {
    error: null,
    method: "POST",
    state: "GRACE",
    schedule: "every hour",
    expectedAt: "2026-11-15T12:00:00.000Z",
    lastPingAt: null,
    startedAt: null,
    exitCode: 0,
    duration: 1_500,
    source: "192.0.2.1",
    userAgent: "curl/8",
    body: hostile,
    isCut: true,
    ...more,
  };
  return { heartbeatCheckResult: found as unknown as Found<"heartbeatCheckResult"> };
}

test("a ping of a job shows when it came, its exit code and its message", async () => {
  const part = await show("HEARTBEAT", createPing({}));
  const facts = part.readFacts();
  assert.equal(facts.Ping, "late, within the grace");
  assert.equal(facts["Exit code"], "0");
  assert.equal(facts.Duration, "1.50 s");
  assert.equal(facts.Client, "curl/8");
  assert.equal("Job started" in facts, false);
  const message = part.getByRole("region", { name: "Message" });
  assert.equal(await message.textContent(), shownHostile);
});

test("a missed ping says that none was received", async () => {
  const part = await show(
    "HEARTBEAT",
    createPing({ method: null, state: null, exitCode: null, duration: null, body: null }),
  );
  assert.equal(part.readFacts().Ping, "No ping was received.");
  assert.equal(part.getByRole("heading", { name: "Message" }).count(), 0);
});
