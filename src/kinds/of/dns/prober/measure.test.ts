import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findLack, findProgram } from "../../../../../test/support/programs/programs.ts";
import { noAssets, noScripts } from "../../../../../test/support/scripts/no-scripts.ts";
import {
  replyTo,
  startDnsServer,
  writeDnsRecord,
} from "../../../../../test/support/servers/dns-server.ts";
import { findFreePort } from "../../../../../test/support/servers/free-port.ts";
import { waitUntil } from "../../../../../test/support/time/wait-until.ts";
import type { Order } from "../../../../contract/order.ts";
import { createReach } from "../../../../platform/net/reach.ts";
import { createNameResolver } from "../../../../platform/net/resolve.ts";
import { createSocketThread } from "../../../wire/network/socket-thread.ts";
import { buildResponse } from "../document.ts";
import { isDnsMeasurement } from "../measurement.ts";
import type { DnsRequest } from "../request.ts";
import { parseServer, probeDns } from "./measure.ts";
import { startDnsProber } from "./prober.ts";

const addresses: Readonly<Record<string, string>> = {
  "here.example": "127.0.0.1",
  "rebound.example": "169.254.169.254",
};
const resolver = createNameResolver({
  readHosts: async () => "",
  dns: {
    resolve4: async (name) => {
      const address = addresses[name];
      if (address === undefined) throw Object.assign(new Error(), { code: "ENOTFOUND" });
      return [{ address, ttl: 60 }];
    },
    resolve6: async (name) => (name === "six.example" ? [{ address: "::1", ttl: 60 }] : []),
  },
});
const tools = { resolver, reach: createReach({ allow: [], deny: ["127.0.0.9"] }) };

const request: DnsRequest = {
  query: "www.example.com",
  recordType: "A",
  nameServer: "127.0.0.1",
  port: 53,
  protocol: "UDP",
  timeoutMs: 30_000,
};

const answer = (query: Buffer) => [replyTo(query, { answers: [writeDnsRecord(1, [1, 2, 3, 4])] })];

test("the server's name is resolved in both IP families", async (t) => {
  for (const [nameServer, host] of [
    ["here.example", "127.0.0.1"],
    ["six.example", "::1"],
    ["::1", "::1"],
  ] as const) {
    const { port } = await startDnsServer(t, { udp: answer }, host);
    const outcome = await probeDns({ ...request, nameServer, port }, tools);
    assert.ok(outcome.kind === "measured", JSON.stringify(outcome));
    assert.equal(outcome.measurement.resolvedIp, host);
  }
});

test("a denied server is not queried", async () => {
  const troubleOf = async (nameServer: string) => {
    const outcome = await probeDns({ ...request, nameServer }, tools);
    assert.ok(outcome.kind === "unreachable", JSON.stringify(outcome));
    return [outcome.trouble.kind, outcome.trouble.code];
  };
  assert.deepEqual(await troubleOf("gone.example"), ["unresolved", "ENOTFOUND"]);
  assert.deepEqual(await troubleOf("rebound.example"), ["denied", "EDENIED"]);
  assert.deepEqual(await troubleOf("127.0.0.9"), ["denied", "EDENIED"]);
});

test("without a configured server the system's server is queried at any address", async (t) => {
  const system = await startDnsServer(t, { udp: answer }, "127.0.0.9");
  const asked = { ...request, nameServer: null };
  const outcome = await probeDns(asked, tools, system);
  assert.ok(outcome.kind === "measured", JSON.stringify(outcome));
  assert.deepEqual(
    [outcome.measurement.resolvedIp, outcome.measurement.port],
    ["127.0.0.9", system.port],
  );
  // Another port of that machine is a choice of the check, so the guard applies.
  const other = await probeDns({ ...asked, port: 80 }, tools, system);
  assert.ok(other.kind === "unreachable" && other.trouble.kind === "denied");
  assert.equal((await probeDns(asked, tools, null)).kind, "cannot-check");
});

test("system servers are parsed with and without a port", () => {
  assert.deepEqual(parseServer("127.0.0.53"), { address: "127.0.0.53", port: 53 });
  assert.deepEqual(parseServer("127.0.0.1:5353"), { address: "127.0.0.1", port: 5353 });
  assert.deepEqual(parseServer("::1"), { address: "::1", port: 53 });
  assert.deepEqual(parseServer("[::1]:5353"), { address: "::1", port: 5353 });
  assert.deepEqual(parseServer("fe80::1%eth0"), { address: "fe80::1%eth0", port: 53 });
});

test("a prober queries in the socket thread and rejects unknown requests", async (t) => {
  const log = () => {};
  const socketThread = createSocketThread({ log });
  t.after(() => socketThread.close());
  const prober = await startDnsProber({
    ...tools,
    socketThread,
    scripts: noScripts,
    assets: noAssets,
    log,
  });
  const { port } = await startDnsServer(t, { udp: answer });
  const order: Order = {
    runId: "run",
    checkId: "check",
    kind: "DNS",
    location: "home",
    attempt: 1,
    dueAtMs: 0,
    startAtMs: 0,
    deadlineAtMs: 1,
    request: { ...request, port },
  };
  const many = await Promise.all(Array.from({ length: 50 }, () => prober.run(order)));
  for (const outcome of many) {
    assert.ok(outcome.kind === "measured", JSON.stringify(outcome));
    assert.ok(isDnsMeasurement(outcome.measurement));
    assert.equal(prober.isFlawless(outcome.measurement), true);
  }
  const nonsense = { ...order, request: { ...request, recordType: "ANY" } };
  assert.equal((await prober.run(nonsense)).kind, "cannot-check");
});

const zone = `
$ORIGIN zone.test.
$TTL 300
@ IN SOA ns1 admin 7 7200 3600 1209600 60
@ IN NS ns1
@ IN MX 10 mail
@ IN CAA 0 issue "ca.example"
@ IN HTTPS 1 . alpn=h3,h2 port=8443 ipv4hint=192.0.2.1
ns1 IN A 127.0.0.1
www IN A 192.0.2.1
www IN AAAA 2001:db8::1
alias IN CNAME www
text IN TXT "v=spf1 -all" "\\007\\"end"
_sip._tcp IN SRV 1 2 5060 www
4.3.2.1.in-addr IN PTR www
${Array.from({ length: 200 }, (_, index) => `large IN TXT "piece ${index} ${"x".repeat(100)}"`).join("\n")}
`;

async function startNsd(t: TestContext): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "nsd-"));
  const port = await findFreePort();
  await writeFile(join(folder, "zone"), zone);
  await writeFile(
    join(folder, "nsd.conf"),
    `server:
  ip-address: 127.0.0.1@${port}
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  zonelistfile: "${folder}/list"
  pidfile: ""
  xfrdfile: ""
  xfrdir: "${folder}"
  server-count: 1
remote-control:
  control-enable: no
zone:
  name: zone.test
  zonefile: zone
`,
  );
  const program = findProgram("nsd") ?? "";
  const child: ChildProcess = spawn(program, ["-d", "-c", join(folder, "nsd.conf")]);
  const said: string[] = [];
  child.stderr?.on("data", (bytes) => said.push(String(bytes)));
  t.after(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
    await rm(folder, { recursive: true, force: true });
  });
  await waitUntil("nsd answers", async () => {
    if (child.exitCode !== null) throw new Error(said.join(""));
    const asked = { ...request, query: "zone.test", recordType: "SOA", port } as const;
    return (await probeDns({ ...asked, timeoutMs: 1_000 }, tools)).kind === "measured";
  });
  return port;
}

test("a real name server answers every type over UDP and TCP", {
  skip: findLack("nsd"),
}, async (t) => {
  const port = await startNsd(t);
  const find = async (changed: Partial<DnsRequest>) => {
    const asked = { ...request, port, ...changed };
    return buildResponse({ request: asked, outcome: await probeDns(asked, tools) });
  };
  const table: readonly (readonly [string, DnsRequest["recordType"], readonly string[]])[] = [
    ["www.zone.test", "A", ["192.0.2.1"]],
    ["www.zone.test", "AAAA", ["2001:db8::1"]],
    ["alias.zone.test", "CNAME", ["www.zone.test."]],
    ["alias.zone.test", "A", ["www.zone.test.", "192.0.2.1"]],
    ["zone.test", "MX", ["10 mail.zone.test."]],
    ["zone.test", "NS", ["ns1.zone.test."]],
    ["text.zone.test", "TXT", ['v=spf1 -all\\007"end']],
    ["zone.test", "SOA", ["ns1.zone.test. admin.zone.test. 7 7200 3600 1209600 60"]],
    ["zone.test", "HTTPS", ['1 . alpn="h3,h2" port=8443 ipv4hint=192.0.2.1']],
    ["_sip._tcp.zone.test", "SRV", ["1 2 5060 www.zone.test."]],
    ["zone.test", "CAA", ['0 issue "ca.example"']],
    ["4.3.2.1.in-addr.zone.test", "PTR", ["www.zone.test."]],
  ];
  for (const protocol of ["UDP", "TCP"] as const) {
    for (const [query, recordType, data] of table) {
      const { json, protocol: way } = await find({ query, recordType, protocol });
      assert.deepEqual(
        json?.Answer.map((record) => record.data),
        data,
        `${query} ${recordType}`,
      );
      assert.deepEqual([way, json?.Status, json?.AA], [protocol, "NOERROR", true]);
    }
  }
  const gone = await find({ query: "gone.zone.test" });
  assert.deepEqual([gone.responseCode, gone.json?.Authority[0]?.type], ["NXDOMAIN", "SOA"]);
  assert.equal((await find({ query: "elsewhere.test" })).responseCode, "REFUSED");
  const large = await find({ query: "large.zone.test", recordType: "TXT" });
  assert.deepEqual([large.protocol, large.isCut], ["TCP", true]);
  assert.ok(large.bytesReceived > 20_000 && large.timings.udp !== null);
});
