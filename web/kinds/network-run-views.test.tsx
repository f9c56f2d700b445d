/** Runs of the check types without HTTP. The others are in `run-views.test.tsx`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Suspense } from "react";
import { type Part, renderPart } from "../../test/support/components/part.tsx";
import { kinds } from "./index.ts";
import type { RunViewProps } from "./kind.ts";
import { FamilyViews } from "./run-parts/run-parts.tsx";

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

test("a run with both IP families shows each of them with the view of its kind", async () => {
  const View = kinds.TCP.runView;
  const timings = { dns: 1, connection: 2, data: null, total: 3 };
  const response = { hostname: "db-1", port: 5432, resolvedIp: "192.0.2.7", timings, error: null };
  const document = { response: { ...response, answer: null, bytesSent: 0, bytesReceived: 0 } };
  const refused = { message: "The host refused the connection.", code: "ECONNREFUSED" };
  const failed = { ...document.response, resolvedIp: "2001:db8::7", error: refused };
  const families = {
    IPv4: { ...document, responseTime: 3 },
    IPv6: { response: failed, responseTime: null },
  };
  const run = { tcpCheckResult: { ...document, families } } as unknown as Run;
  const part = renderPart(
    <Suspense fallback={<p>Loading</p>}>
      <FamilyViews run={run}>{(one) => <View run={one} check={check} />}</FamilyViews>
    </Suspense>,
  );
  await part.getByText("Loading").waitFor({ state: "hidden" });
  const facts = part.readFacts();
  assert.equal(facts["Response time over IPv4"], "3.00 ms");
  assert.equal(facts["Response time over IPv6"], "no response");
  const text = part.getByRole("region", { name: "IPv6" });
  assert.match((await text.textContent()) ?? "", /ECONNREFUSED.*2001:db8::7/);
  const other = await part.getByRole("region", { name: "IPv4" }).textContent();
  assert.match(other ?? "", /192\.0\.2\.7/);
  assert.doesNotMatch(other ?? "", /ECONNREFUSED/);
});

test("a ping shows each packet, and loss in place of times if all were lost", async () => {
  const lost = { sequence: 2, sentAt: null, success: false, rtt: null, ttl: null };
  const response = {
    error: null,
    hostname: "db-1",
    resolvedIp: "192.0.2.7",
    packetLoss: 66.666,
    packetsSent: 3,
    packetsReceived: 1,
    latency: { avg: 0.021, min: 0.021, max: 0.021, stdDev: null },
    jitter: null,
    longestLossBurst: 2,
    duplicates: 0,
    reordered: 0,
    lateReplies: null,
    packetSize: 56,
    dnsResolutionTime: 1.234,
    pingResults: [
      { sequence: 1, sentAt: "2026-11-15T12:00:00.123Z", success: true, rtt: 0.021, ttl: 64 },
      { ...lost, type: null, code: null },
      { ...lost, sequence: 3, type: 3, code: 13 },
    ],
  };
  const part = await show("ICMP", {
    icmpCheckResult: { response } as unknown as Found<"icmpCheckResult">,
  });
  const facts = part.readFacts();
  assert.equal(facts.Loss, "66.66 %");
  assert.equal(facts.Average, "21 µs");
  assert.equal(facts.Duplicates, "0");
  assert.equal(facts["Packet size"], "56 bytes");
  assert.equal("Jitter" in facts || "Late replies" in facts, false, "what is unknown is omitted");
  assert.deepEqual(
    part.readRows().map(([number, , rtt, ttl, answer]) => [number, rtt, ttl, answer]),
    [
      ["1", "21 µs", "64", "echo reply"],
      ["2", "lost", "–", "lost"],
      ["3", "lost", "–", "type 3, code 13"],
    ],
  );
});

function createTcp(more: object): Partial<Run> {
  const response = {
    error: null,
    hostname: "127.0.0.1",
    port: 25,
    resolvedIp: "127.0.0.1",
    timings: { dns: null, connection: 1.5, data: 20, total: 21.5 },
    answer: "closed",
    bytesSent: 6,
    bytesReceived: 1_234,
    data: hostile,
    isCut: false,
    ...more,
  };
  return { tcpCheckResult: { response } as unknown as Found<"tcpCheckResult"> };
}

test("a TCP run shows what was received, with line breaks as symbols and breaks", async () => {
  const part = await show("TCP", createTcp({}));
  const facts = part.readFacts();
  assert.equal(facts.Host, "127.0.0.1:25");
  assert.equal(facts["Bytes received"], (1_234).toLocaleString());
  const [text] = part.getByRole("region", { name: "Received" }).elements();
  assert.equal(text?.textContent, `${shownHostile}␊\n`);
  assert.deepEqual(
    part.readRows().map(([name]) => name),
    ["Connect", "Data"],
  );
});

test("a TCP run without a response reports it, and one that waits for none shows nothing", async () => {
  const silent = await show("TCP", createTcp({ data: "", isCut: true }));
  await silent.getByText("No response.").waitFor();
  const part = await show("TCP", createTcp({ answer: null, data: "" }));
  assert.equal(part.getByRole("heading", { name: "Received" }).count(), 1, "of the first only");
});

test("a DNS run shows the records of each section, and the flags that are set", async () => {
  const record = { name: "shop.test.", type: "A", TTL: 300, data: "192.0.2.1" };
  const response = {
    error: null,
    responseCode: "NOERROR",
    query: "shop.test",
    recordType: "A",
    nameServer: null,
    resolvedIp: "192.0.2.53",
    protocol: "UDP",
    timings: { udp: 3.2, tcp: null },
    queriesSent: 1,
    json: {
      ...{ AA: true, TC: false, RD: true, RA: true, AD: false, CD: false },
      Answer: [record, record],
      Authority: [],
      Additional: [{ ...record, type: "TXT", data: "a\nb" }],
    },
    text: ";; ANSWER",
  };
  const part = await show("DNS", {
    dnsCheckResult: { response } as unknown as Found<"dnsCheckResult">,
  });
  const facts = part.readFacts();
  assert.equal(facts["Name server"], "system default (192.0.2.53)");
  assert.equal(facts.Flags, "AA RD RA");
  assert.equal(facts.Request, "shop.test A");
  assert.equal("Over TCP" in facts, false);
  const row = ["shop.test.", "A", "300 s", "192.0.2.1"];
  assert.deepEqual(part.readRows(), [row, row, ["shop.test.", "TXT", "300 s", "a␊b"]]);
  assert.equal(part.getByRole("heading", { name: "Authority" }).count(), 0);
  await part.getByText(";; ANSWER").waitFor();
});

test("a DNS response without records reports it", async () => {
  const none = { Answer: [], Authority: [], Additional: [] };
  const response = {
    error: null,
    responseCode: "NXDOMAIN",
    query: "nobody.test",
    recordType: "AAAA",
    nameServer: "192.0.2.53",
    resolvedIp: null,
    protocol: "TCP",
    timings: { udp: null, tcp: 4 },
    queriesSent: 2,
    json: none,
    text: "",
  };
  const part = await show("DNS", {
    dnsCheckResult: { response } as unknown as Found<"dnsCheckResult">,
  });
  await part.getByText("No records.").waitFor();
  assert.equal(part.readFacts()["Name server"], "192.0.2.53");
  assert.equal(part.readFacts().Flags, "–");
});

const certificate = {
  subject: "CN=shop.test",
  subjectCN: "shop.test",
  issuer: "CN=Test CA",
  daysUntilExpiry: -1,
  validTo: "2026-11-14T00:00:00.000Z",
  keyAlgorithm: "RSA",
  keySizeBits: 1024,
  signatureAlgorithm: "sha1WithRSAEncryption",
  serialNumber: "01",
  fingerprintSha256: "AA:BB",
  sans: ["shop.test", "www.shop.test"],
  sanCount: 12,
  isCA: false,
  selfSigned: true,
};

function createSsl(more: object = {}, baseline: object | null = null): Partial<Run> {
  const response = {
    resolvedIp: "192.0.2.1",
    daysUntilExpiry: 1,
    chainTrusted: false,
    chainTrustDetail: "SELF_SIGNED_CERT_IN_CHAIN",
    hostnameVerified: true,
    missingIntermediate: null,
    protocol: "TLSv1.2",
    cipherSuite: "ECDHE",
    ocspStatus: null,
    timings: { dns: 1, connection: 2, handshake: 3 },
    chain: [certificate],
    securityBaseline: baseline,
    ...more,
  };
  const request = { hostname: "shop.test", port: 8_443 };
  const found = { error: null, request, response, baselineGrade: "F" };
  return { sslCheckResult: found as unknown as Found<"sslCheckResult"> };
}

test("a certificate shows its names, its key and that it has expired", async () => {
  const part = await show("SSL", createSsl());
  const [facts] = [part.readFacts()];
  assert.equal(facts.Host, "shop.test:8443");
  assert.equal(facts.Trusted, "no: self signed cert in chain");
  assert.equal(facts.Grade, "F");
  assert.equal(facts.Key, "RSA 1024");
  assert.equal(facts.Names, "shop.test, www.shop.test, and 10 more");
  assert.match(part.readText(), /1 day left/);
  assert.match(part.readText(), /expired 1 day ago/);
  await part.getByText("self-signed").waitFor();
});

test("the findings of a certificate show what was found, and its limit", async () => {
  const findings = [
    { name: "weak-key", severity: "fail", found: "1024", limit: "2048" },
    { name: "old-protocol", severity: "warn", found: "TLSv1.1", limit: "TLSv1.2" },
  ];
  const part = await show("SSL", createSsl({ chain: null }, { findings }));
  assert.deepEqual(part.readRows().slice(3), [
    ["weak key", "1024", "2048", "fail"],
    ["old protocol", "TLSv1.1", "TLSv1.2", "warn"],
  ]);
  assert.equal(part.getByRole("heading", { name: "Certificate chain" }).count(), 0);
});

function createTraceroute(more: object = {}): Found<"tracerouteCheckResult"> {
  const rtt = { last_ms: 1.5, avg_ms: 1.5, best_ms: 1, worst_ms: 2, stddev_ms: 0.5 };
  const none = { last_ms: null, avg_ms: null, best_ms: null, worst_ms: null, stddev_ms: null };
  const hop = { sent: 3, received: 3, loss_percentage: 0, rtt, error: null, mpls: [] };
  const silent = { ...hop, received: 0, loss_percentage: 100, rtt: none };
  const response = {
    hostname: "www.example.com",
    resolvedIp: "192.0.2.80",
    port: 443,
    probeProtocol: "TCP",
    protocol: "TCP",
    totalHops: 3,
    destinationReached: true,
    truncationReason: "destinationReached",
    packetLoss: 0,
    finalHopLatency: { avg: 1.5, min: 1, max: 2, stdDev: 0.5 },
    timingPhases: { dns: 3 },
    loop: null,
    ignoredPackets: 2,
    error: null,
    hops: [
      {
        ...hop,
        hop_number: 1,
        main_ip: "10.0.0.1",
        addresses: [
          { ip: "10.0.0.1", host: hostile },
          { ip: "10.0.0.2", host: null },
        ],
        mpls: [{ label: 24_015, trafficClass: 0, ttl: 1 }],
      },
      { ...silent, hop_number: 2, main_ip: "", addresses: [] },
      {
        ...hop,
        hop_number: 3,
        main_ip: "192.0.2.80",
        addresses: [{ ip: "192.0.2.80", host: null }],
        error: { type: 3, code: 3, message: "port unreachable", mtu: null },
      },
    ],
    ...more,
  };
  return { response } as unknown as Found<"tracerouteCheckResult">;
}

test("a trace shows every hop with its addresses, loss and round trips in words", async () => {
  const part = await show("TRACEROUTE", { tracerouteCheckResult: createTraceroute() });
  const facts = part.readFacts();
  assert.deepEqual([facts.Reached, facts.Hops, facts.Protocol], ["yes", "3", "TCP 443"]);
  assert.equal(facts["Ignored packets"], "2");
  const rows = part.readRows().map((cells) => cells.join(" | "));
  assert.match(rows.join("\n"), /1 \| 10\.0\.0\.1.*also 10\.0\.0\.2.*MPLS 24015 \| 0 %/);
  assert.match(rows.join("\n"), /2 \| no response \| 100 %/);
  assert.match(rows.join("\n"), /3 \| 192\.0\.2\.80 Target \| 0 % \| 1\.50 ms1\.00 ms to 2\.00 ms/);
  assert.ok(part.readText().includes("<script>alert(1)</script>"), "a name is text");
  assert.equal(part.getByText("port unreachable").count(), 0, "it is how a target responds");
});

test("a trace that did not reach its target names the end, the error and the loop", async () => {
  const { response } = createTraceroute();
  const [first] = response.hops;
  assert.ok(first);
  const error = { type: 3, code: 13, message: "prohibited by a filter", mtu: null };
  const part = await show("TRACEROUTE", {
    tracerouteCheckResult: createTraceroute({
      destinationReached: false,
      truncationReason: "loop",
      finalHopLatency: null,
      loop: { address: "10.0.0.1", hops: [1, 3] },
      hops: [first, { ...first, hop_number: 3, error }],
    }),
  });
  const facts = part.readFacts();
  assert.deepEqual([facts.Reached, facts.End, "Average" in facts], ["no", "loop", false]);
  assert.equal(part.getByText("Loop: this address is hop 1, 3.").count(), 2);
  assert.equal(part.getByText("prohibited by a filter").count(), 1);
});
