/** Requests to monitor something, for every kind that can be proposed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { askAgent, isWrite } from "../../../test/agent/ask-agent.ts";
import { publicLocations } from "../../checks/locations/index.ts";
import { allKinds } from "../../kinds/index.ts";
import { isPlainWord } from "../answers/understand.ts";
import { buildBodies } from "./check-body.ts";
import { readCheckRequest } from "./check-request.ts";
import { findBodyFault, findProposedKind } from "./propose-checks.ts";

const places = Object.entries(publicLocations).map(([region, name]) => ({ region, name }));
const known = { places, isPlain: isPlainWord };

function propose(text: string) {
  const kind = findProposedKind([text]);
  assert.ok(kind);
  const request = readCheckRequest(text, known, kind.proposal);
  return { ...buildBodies(request, kind, findBodyFault), refused: request.refused };
}

/** What the body for a sentence must contain. */
const sentences: readonly (readonly [string, object])[] = [
  ["ping 192.0.2.1 every minute", { checkType: "ICMP", request: { hostname: "192.0.2.1" } }],
  ["watch gw.example.net", { checkType: "ICMP", request: { hostname: "gw.example.net" } }],
  [
    "connect to db.example.com:5432 every minute",
    { checkType: "TCP", frequency: 1, request: { hostname: "db.example.com", port: 5432 } },
  ],
  [
    "monitor port 6379 on cache.example.com, fail above 250 ms",
    { checkType: "TCP", maxResponseTime: 250, request: { port: 6379 } },
  ],
  ["is 192.0.2.4:25 open? watch it", { checkType: "TCP", request: { port: 25 } }],
  [
    "add a tcp check for [2001:db8::1]:8080",
    { checkType: "TCP", request: { hostname: "2001:db8::1", ipFamily: "IPv6" } },
  ],
  [
    "watch the certificate of shop.example.com daily",
    { checkType: "SSL", frequency: 1_440, request: { sslConfig: { port: 443 } } },
  ],
  [
    "tell me when the cert of https://shop.example.com:8443/login has less than 14 days",
    { checkType: "SSL", request: { sslConfig: { port: 8443, alertDaysBeforeExpiry: 14 } } },
  ],
  [
    "watch the dns of example.com",
    { checkType: "DNS", request: { query: "example.com", recordType: "A" } },
  ],
  [
    "check the MX record of example.com at ns1.example.net every 5 minutes",
    {
      checkType: "DNS",
      frequency: 5,
      request: { recordType: "MX", nameServer: "ns1.example.net" },
    },
  ],
];

/** Kinds whose targets are not hosts. */
const later: readonly (readonly [string, object])[] = [
  [
    "watch https://shop.example.com/health every minute, fail above 2 s",
    { checkType: "URL", frequency: 1, maxResponseTime: 2_000 },
  ],
  ["is our website www.example.com up? monitor it", { checkType: "URL" }],
  [
    "add a heartbeat for the nightly backup every day with 2 hours of grace",
    { checkType: "HEARTBEAT", heartbeat: { period: 1, periodUnit: "days", grace: 2 } },
  ],
];

function assertHolds(found: unknown, wanted: object, text: string): void {
  for (const [name, value] of Object.entries(wanted)) {
    const own = (found as Readonly<Record<string, unknown>>)[name];
    if (typeof value === "object" && value !== null) assertHolds(own, value, text);
    else assert.equal(own, value, `${text}: ${name}`);
  }
}

for (const [text, wanted] of [...sentences, ...later]) {
  test(`proposes the requested check: ${text}`, async () => {
    const { bodies } = propose(text);
    assert.equal(bodies.length, 1, JSON.stringify(bodies));
    assertHolds(bodies[0], wanted, text);
    const { calls } = await askAgent([text], { agent: "check_config_generator" });
    assert.deepEqual(
      calls.filter(isWrite).map(({ tool }) => tool),
      ["create_check"],
    );
  });
}

test("several ports of several hosts yield one check each", () => {
  const { bodies } = propose("watch db.example.com and cache.example.com on ports 80 and 443");
  assert.deepEqual(
    bodies.map(({ name }) => name),
    ["db.example.com:80", "db.example.com:443", "cache.example.com:80", "cache.example.com:443"],
  );
});

test("asks for a missing port", () => {
  const { bodies, refused } = propose("add a tcp check for db.example.com");
  assert.deepEqual(bodies, []);
  assert.match(refused[0]?.reason ?? "", /has no port/);
});

test("a later message may change the kind", async () => {
  const asks = ["ping db.example.com every minute", "no, connect to db.example.com:5432"];
  const { calls } = await askAgent(asks, { agent: "check_config_generator" });
  assert.match(JSON.stringify(calls.find(isWrite)?.input), /"checkType":"TCP"/);
});

test("each kind proposes only bodies that the API accepts", () => {
  const word = fc.constantFrom(
    ...["db.example.com", "192.0.2.1", "[2001:db8::1]:99999", "x:0", "https://h.example/x?y=1"],
    ...["port", "99999", "0", "and", "MX", "record", "at", "certificate of", "above 9e9 ms"],
    ...["400 days", "over 99999 seconds", "tcp", "dns", "cert", "ping", "every 7 s", "over ipv6"],
  );
  const words = fc.oneof(word, fc.string({ maxLength: 20 }), fc.domain(), fc.ipV6());
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
      const text = parts.join(" ");
      for (const { type, agent } of allKinds) {
        const { speech } = agent;
        if (speech.proposal === null) continue;
        const kind = { checkType: type, proposal: speech.proposal };
        const request = readCheckRequest(text, known, speech.proposal);
        const { bodies } = buildBodies(request, kind, findBodyFault);
        for (const body of bodies) assert.equal(findBodyFault(body), null);
      }
    }),
  );
});
