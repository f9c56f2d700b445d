import assert from "node:assert/strict";
import { test } from "node:test";
import { Value } from "typebox/value";
import { replyTo, writeDnsRecord } from "../../../../test/support/servers/dns-server.ts";
import type { Outcome } from "../../../contract/result.ts";
import type { Assertion } from "../../kit/assertions/assertion.ts";
import { explainVerdict, judgeRun } from "../../kit/verdict.ts";
import { dns } from "./index.ts";
import type { DnsMeasurement, DnsTrouble } from "./measurement.ts";
import { type DnsSettings, toRequest } from "./request.ts";
import { encodeQuery } from "./wire/message.ts";

const settings: DnsSettings = {
  shouldFail: false,
  degradedResponseTime: 500,
  maxResponseTime: 1_000,
  request: {
    query: "www.example.com",
    recordType: "A",
    nameServer: "192.0.2.53",
    port: 53,
    protocol: "UDP",
    assertions: [],
  },
};

const query = encodeQuery({ name: "www.example.com", type: 1 }, { id: 1, isExtended: true });
const answers = [writeDnsRecord(1, [192, 0, 2, 1]), writeDnsRecord(1, [192, 0, 2, 2])];
const whole = replyTo(query, { answers }).toString("base64");

const measured: DnsMeasurement = {
  resolvedIp: "192.0.2.53",
  port: 53,
  nameServerMs: 400,
  udpMs: 10,
  tcpMs: null,
  queriesSent: 1,
  ignoredAnswers: 0,
  responseCode: 0,
  receivedBytes: 65,
  message: whole,
  isCut: false,
};
const missing: DnsMeasurement = {
  ...measured,
  responseCode: 3,
  message: replyTo(query, { code: 3 }).toString("base64"),
};

function judge(outcome: Outcome<DnsMeasurement>, changed: Partial<DnsSettings> = {}) {
  const all = { ...settings, ...changed };
  const run = { request: toRequest(all), startedAtMs: 0, outcome };
  assert.ok(Value.Check(dns.DocumentSchema, dns.document(run)));
  const { verdict, isNetworkError, reasons } = judgeRun(dns, all, run);
  return { verdict, isNetworkError, said: explainVerdict(dns, reasons) };
}
const of = (measurement: DnsMeasurement) => ({ kind: "measured", measurement }) as const;
const passing = {
  verdict: "passing",
  isNetworkError: false,
  said: "Everything was within its limits.",
};

test("NOERROR within the limits passes, with records or without", () => {
  assert.deepEqual(judge(of(measured)), passing);
  assert.deepEqual(judge(of({ ...measured, message: replyTo(query).toString("base64") })), passing);
});

test("another response code fails with an explanation, unless an assertion covers it", () => {
  assert.deepEqual(judge(of(missing)), {
    verdict: "failing",
    isNetworkError: false,
    said: "The server answered NXDOMAIN: the name does not exist.",
  });
  assert.equal(judge(of(missing), { shouldFail: true }).verdict, "passing");
  const claim = { source: "RESPONSE_CODE", property: "", comparison: "EQUALS" } as const;
  const about = (target: string) => ({
    request: { ...settings.request, assertions: [{ ...claim, target }] },
  });
  assert.deepEqual(judge(of(missing), about("NXDOMAIN")), passing);
  assert.equal(judge(of(measured), about("NXDOMAIN")).verdict, "failing");
  assert.match(judge(of({ ...missing, responseCode: 3_841 })).said, /RCODE3841/);
});

test("the response time includes UDP and TCP, but not resolving the server's name", () => {
  assert.equal(judge(of({ ...measured, udpMs: 500 })).verdict, "passing");
  assert.equal(judge(of({ ...measured, udpMs: 400, tcpMs: 101 })).verdict, "degraded");
  assert.equal(judge(of({ ...measured, udpMs: null, tcpMs: 1_001 })).verdict, "failing");
});

test("an invalid record fails the run and names the record type", () => {
  const broken = replyTo(query, { answers: [writeDnsRecord(1, [1, 2, 3])] }).toString("base64");
  assert.deepEqual(judge(of({ ...measured, message: broken })), {
    verdict: "failing",
    isNetworkError: false,
    said: "The answer has an invalid A record.",
  });
  assert.match(judge(of({ ...measured, message: "AAAA" })).said, /no usable answer/);
});

test("every failure has a reason that names it", () => {
  const table: readonly (readonly [DnsTrouble["kind"], boolean, RegExp])[] = [
    ["unresolved", true, /^The name of the DNS server could not be resolved \(ECODE\): Why\.$/],
    ["denied", false, /^The probe may not connect to the DNS server: Why\.$/],
    ["refused", true, /^The DNS server gave no answer \(ECODE\): Why\.$/],
    ["unreachable", true, /^The DNS server gave no answer/],
    ["timed-out", true, /^The DNS server gave no answer/],
    ["closed", true, /^The DNS server gave no answer/],
    ["truncated", true, /^The DNS server gave no usable answer: Why\.$/],
    ["malformed", true, /^The DNS server gave no usable answer/],
    ["flooded", true, /^The DNS server gave no usable answer/],
    ["failed", true, /^The DNS server gave no answer/],
  ];
  for (const [kind, isNetworkError, said] of table) {
    const found = judge({ kind: "unreachable", trouble: { kind, code: "ECODE", message: "Why." } });
    assert.equal(found.verdict, "failing", kind);
    assert.equal(found.isNetworkError, isNetworkError, kind);
    assert.match(found.said, said, kind);
  }
});

test("assertions cover the time, the code, the text and every value of the answer", () => {
  const table: readonly (readonly [Partial<Assertion>, boolean])[] = [
    [{ source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "11" }, true],
    [{ source: "RESPONSE_TIME", comparison: "GREATER_THAN", target: "10" }, false],
    [{ source: "RESPONSE_CODE", comparison: "EQUALS", target: "NOERROR" }, true],
    [{ source: "TEXT_ANSWER", comparison: "CONTAINS", target: "IN\tA\t192.0.2.2" }, true],
    [{ source: "TEXT_ANSWER", comparison: "CONTAINS", target: "status: NOERROR" }, true],
    [{ source: "TEXT_ANSWER", comparison: "NOT_CONTAINS", target: "192.0.2.9" }, true],
    [{ source: "TEXT_ANSWER", property: "status: ([A-Z]+)", target: "NOERROR" }, true],
    [{ property: "$.Answer[0].data", target: "192.0.2.1" }, true],
    [{ property: "$.Answer[0].TTL", comparison: "LESS_THAN", target: "301" }, true],
    [{ property: "$.Answer[*].data", comparison: "CONTAINS", target: "192.0.2.2" }, true],
    [{ property: "$.Answer[*].data", comparison: "CONTAINS", target: "192.0.2.9" }, false],
    [{ property: "$.Answer[2].data", comparison: "NOT_NULL" }, false],
    [{ property: "$.Answer.length", comparison: "GREATER_THAN", target: "1" }, true],
    [{ property: "$.Answer.length", target: "3" }, false],
    [{ property: "$.Status", target: "NOERROR" }, true],
    [{ property: "$.Question[0].name", target: "www.example.com." }, true],
    [{ property: "$.Authority", comparison: "IS_EMPTY" }, true],
  ];
  for (const [claim, holds] of table) {
    const blank = { source: "JSON_ANSWER", property: "", comparison: "EQUALS", target: "" };
    const assertion = { ...blank, ...claim } as Assertion;
    const request = { ...settings.request, assertions: [assertion] };
    assert.deepEqual(dns.findFaults({ ...settings, request }), [], JSON.stringify(claim));
    const { verdict } = judge(of(measured), { request });
    assert.equal(verdict, holds ? "passing" : "failing", JSON.stringify(claim));
  }
});

test("cross-field errors are reported with the path of the field", () => {
  const faultsOf = (changed: Partial<DnsSettings["request"]>) =>
    dns.findFaults({ ...settings, request: { ...settings.request, ...changed } })[0]?.key;
  for (const name of ["_dmarc.example.com", "*.example.com", ".", "0/25.2.0.192.in-addr.arpa"]) {
    assert.equal(faultsOf({ query: name }), undefined, name);
  }
  for (const name of ["a..b", "a b", "http://a", `${"x".repeat(64)}.com`, "a\n"]) {
    assert.equal(faultsOf({ query: name }), "request.query", name);
  }
  assert.equal(faultsOf({ query: "192.0.2.1", recordType: "PTR" }), undefined);
  assert.equal(faultsOf({ query: "2001:db8::1", recordType: "PTR" }), undefined);
  assert.equal(faultsOf({ query: "2001:db8::1" }), "request.query");
  assert.equal(faultsOf({ nameServer: "192.0.2.53:53" }), "request.nameServer");
  assert.equal(faultsOf({ nameServer: null }), undefined);
  const claim = { property: "", comparison: "EQUALS", target: "" } as const;
  const about = (source: string, property: string) =>
    faultsOf({ assertions: [{ ...claim, source, property }] });
  assert.equal(about("JSON_ANSWER", "Answer["), "request.assertions.0.property");
  assert.equal(about("RESPONSE_CODE", "("), "request.assertions.0.property");
});
