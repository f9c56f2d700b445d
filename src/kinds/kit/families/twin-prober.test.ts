/** Runs with both families against real listeners, one of which may be missing. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, type TestContext, test } from "node:test";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { noAssets, noScripts } from "../../../../test/support/scripts/no-scripts.ts";
import {
  readDnsQuestion,
  replyTo,
  startDnsServer,
  writeDnsRecord,
} from "../../../../test/support/servers/dns-server.ts";
import { findFreePort } from "../../../../test/support/servers/free-port.ts";
import type { Order } from "../../../contract/order.ts";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import { createReach } from "../../../platform/net/reach.ts";
import { createNameResolver } from "../../../platform/net/resolve.ts";
import { type CheckType, kinds } from "../../index.ts";
import { startIcmpEngine } from "../../of/icmp/prober/index.ts";
import { startTcpProber } from "../../of/tcp/prober/prober.ts";
import { probers } from "../../probers.ts";
import { createSocketThread } from "../../wire/network/socket-thread.ts";
import type { Run } from "../definition.ts";
import type { Kind } from "../kind.ts";
import type { ProberTools } from "../prober.ts";
import { readFields, schemasOf } from "../tool-fields.ts";
import { explainVerdict, judgeRun } from "../verdict.ts";
import { findFailedRun, splitRun } from "./both-families.ts";

const startedAtMs = 1_700_000_000_000;
const limits = { shouldFail: false, degradedResponseTime: null, maxResponseTime: 5_000 };

/** Answers every name with both addresses, except one that has only IPv4. */
function answerName(query: Buffer): Buffer[] {
  const question = readDnsQuestion(query);
  const isIpv6 = question.readUInt16BE(question.length - 4) === 28;
  if (isIpv6 && question.includes("only4")) return [replyTo(query)];
  const bytes = isIpv6 ? [...Array.from({ length: 15 }, () => 0), 1] : [127, 0, 0, 1];
  return [replyTo(query, { answers: [writeDnsRecord(isIpv6 ? 28 : 1, bytes)] })];
}

const cleanups: (() => void | Promise<void>)[] = [];
let tools: ProberTools;

before(async () => {
  const ofFile = { after: (close: () => void) => cleanups.push(close) };
  const { port } = await startDnsServer(ofFile as Pick<TestContext, "after">, { udp: answerName });
  const nameServers = [`127.0.0.1:${port}`];
  const log = () => {};
  const socketThread = createSocketThread({ log, nameServers });
  tools = {
    resolver: createNameResolver({ nameServers }),
    reach: createReach({ allow: [], deny: [] }),
    ...{ socketThread, scripts: noScripts, assets: noAssets, log },
  };
  cleanups.push(() => socketThread.close());
});
after(async () => {
  for (const close of cleanups) await close();
});

async function listen(t: TestContext, server: Server, host: string, port = 0): Promise<number> {
  server.listen({ port, host, ipv6Only: true });
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

type Make = () => Server;
const makeTcp: Make = () => createServer((socket) => socket.on("error", () => {}));
const makeHttp: Make = () => createHttpServer((_request, response) => response.end("ok"));

/** Listens on one port of both addresses. */
async function listenTwice(t: TestContext, make: Make): Promise<number> {
  const port = await listen(t, make(), "127.0.0.1");
  return listen(t, make(), "::1", port);
}

async function run(t: TestContext, type: CheckType & keyof typeof probers, request: object) {
  const kind: Kind = kinds[type];
  const settings = { ...limits, ...kind.mergeSettings(null, { request }) };
  assert.deepEqual(kind.findFaults(settings), []);
  const prober = await probers[type](tools);
  t.after(() => prober.close());
  const sent = kind.toRequest(settings);
  const order: Order = {
    ...{ runId: "run", checkId: "check", kind: type, location: "home", attempt: 1 },
    ...{ dueAtMs: 0, startAtMs: 0, deadlineAtMs: 1, request: sent },
  };
  const outcome = await prober.run(JSON.parse(JSON.stringify(order)));
  const received: Outcome = JSON.parse(JSON.stringify(outcome));
  assert.ok(received.kind !== "measured" || kind.isMeasurement(received.measurement));
  const done: Run = { request: sent, startedAtMs, outcome: received };
  const stored = kind.decode(kind.encode(done), { startedAtMs, trouble: toTrouble(received) });
  const judgement = judgeRun(kind, settings, done);
  const document: object = kind.document(stored);
  const { families } = document as FamilyDocuments;
  assert.ok(Value.Check(kind.DocumentSchema, document), JSON.stringify(document));
  const { runFields } = kind.agent;
  const fields = readFields(runFields, stored);
  assert.ok(Value.Check(Type.Object(schemasOf(runFields)), fields), JSON.stringify(fields));
  const { verdict, reasons } = judgement;
  return { kind, settings, stored, verdict, text: explainVerdict(kind, reasons), families };
}

interface FamilyDocuments {
  readonly families: Readonly<Record<"IPv4" | "IPv6", object>>;
}

/** Each kind with a target that works over both families, and one that works over IPv4 only. */
const table: readonly {
  readonly type: CheckType & keyof typeof probers;
  start(t: TestContext, isGap: boolean): Promise<object>;
}[] = [
  {
    type: "TCP",
    start: async (t, isGap) => {
      const port = await (isGap ? listen(t, makeTcp(), "127.0.0.1") : listenTwice(t, makeTcp));
      return { hostname: "both.example", port };
    },
  },
  {
    type: "URL",
    start: async (t, isGap) => {
      const port = await (isGap ? listen(t, makeHttp(), "127.0.0.1") : listenTwice(t, makeHttp));
      return { url: `http://both.example:${port}/` };
    },
  },
  {
    type: "API",
    start: async (t, isGap) => {
      const port = await (isGap ? listen(t, makeHttp(), "127.0.0.1") : listenTwice(t, makeHttp));
      const assertions = [
        { source: "TEXT_BODY", property: "", comparison: "EQUALS", target: "ok", regex: null },
      ];
      return { method: "GET", url: `http://both.example:${port}/`, assertions };
    },
  },
  {
    type: "DNS",
    start: async (t, isGap) => {
      const answer = writeDnsRecord(1, [192, 0, 2, 1]);
      const udp = (query: Buffer) => [replyTo(query, { answers: [answer] })];
      const { port } = await startDnsServer(t, { udp });
      if (!isGap) {
        const socket = createSocket({ type: "udp6", ipv6Only: true }).bind(port, "::1");
        await once(socket, "listening");
        socket.on("message", (query, { port: from, address }) =>
          socket.send(udp(query)[0] ?? "", from, address),
        );
        t.after(() => socket.close());
      }
      return { query: "www.example.com", recordType: "A", nameServer: "both.example", port };
    },
  },
];

for (const { type, start } of table) {
  test(`${type} measures both families, and names the one that fails`, async (t) => {
    const request = { ...(await start(t, false)), ipFamily: "BOTH" };
    const { verdict, text, stored, families } = await run(t, type, request);
    assert.deepEqual([verdict, text], ["passing", "Everything was within its limits."]);
    assert.match(JSON.stringify(families.IPv6), /"::1"/);
    assert.ok(stored.outcome.kind === "measured");
    const { responseMs } = kinds[type].figures(stored.outcome.measurement);
    const each = Object.values(splitRun(stored)).map(({ outcome }) =>
      outcome.kind === "measured" ? kinds[type].figures(outcome.measurement).responseMs : null,
    );
    assert.equal(responseMs, Math.max(...each.map(Number)), "the slower family");

    const broken = await run(t, type, { ...(await start(t, true)), ipFamily: "BOTH" });
    assert.equal(broken.verdict, "degraded");
    assert.match(broken.text, /^IPv6 fails, IPv4 works; over IPv6, /);
    const documents = broken.families;
    assert.match(JSON.stringify(documents.IPv6), /refused the connection/);
    assert.doesNotMatch(JSON.stringify(documents.IPv4), /refused the connection/);
    const failed = findFailedRun(broken.kind, broken.settings, broken.stored);
    assert.equal((failed.request as { ipFamily: string }).ipFamily, "IPv6");
    assert.equal(failed.outcome.kind, "unreachable");
  });
}

const icmp = await startIcmpEngine({});
after(() => icmp.close());
const skip =
  icmp.modes.IPv4.mode === "none" || icmp.modes.IPv6.mode === "none"
    ? "SKIPPED LOUDLY: pings over both families are not possible here"
    : false;

test("a host with addresses of one family is degraded, and the reason names it", {
  skip,
}, async (t) => {
  const request = { pingCount: 1, ipFamily: "BOTH" };
  const whole = await run(t, "ICMP", { hostname: "both.example", ...request });
  assert.equal(whole.verdict, "passing", whole.text);
  const half = await run(t, "ICMP", { hostname: "only4.example", ...request });
  assert.equal(half.verdict, "degraded");
  assert.match(half.text, /^IPv6 fails, IPv4 works; over IPv6, the name .* has no IPv6 address/);
});

test("both families fail: both are named, unless they fail alike", async (t) => {
  const port = await findFreePort();
  const { verdict, text, stored } = await run(t, "TCP", {
    ...{ hostname: "both.example", port, ipFamily: "BOTH" },
  });
  assert.equal(verdict, "failing");
  assert.match(text, /^The connection failed \(ECONNREFUSED\): [^;]*$/);
  assert.equal(stored.outcome.kind, "unreachable");
  const other = await run(t, "TCP", { hostname: "only4.example", port, ipFamily: "BOTH" });
  assert.match(other.text, /^Over IPv4, the connection failed .*; over IPv6, the name /);
});

test("an order with both families is rejected by a prober of one", async (t) => {
  const prober = await startTcpProber(tools);
  t.after(() => prober.close());
  const request = { hostname: "both.example", port: 1, ipFamily: "BOTH", data: null };
  const outcome = await prober.run({
    ...{ runId: "run", checkId: "check", kind: "TCP", location: "home", attempt: 1 },
    ...{ dueAtMs: 0, startAtMs: 0, deadlineAtMs: 1 },
    request: { ...request, answer: "none", timeoutMs: 1_000 },
  });
  assert.equal(outcome.kind, "cannot-check");
});
