import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Value } from "typebox/value";
import { checkBodies } from "../../checks/checks/index.ts";
import { publicLocations } from "../../checks/locations/index.ts";
import { icmp } from "../../kinds/of/icmp/index.ts";
import { type MentionedSettings, proposal } from "../../kinds/of/icmp/proposal.ts";
import { parseHostname } from "../../platform/net/host.ts";
import { isPlainWord } from "../answers/understand.ts";
import { createCheckTool } from "../tools/create-check-tool.ts";
import { buildBodies, type CheckBody, maxBodies } from "./check-body.ts";
import { readCheckRequest } from "./check-request.ts";
import { findBodyFault } from "./propose-checks.ts";

const places = Object.entries(publicLocations).map(([region, name]) => ({ region, name }));
const known = { places, isPlain: isPlainWord };

const CheckBodySchema = checkBodies.of(icmp);

type Body = CheckBody & {
  readonly request: { readonly hostname: string; readonly ipFamily: string };
};

function propose(text: string): { readonly bodies: readonly Body[] } {
  const request = readCheckRequest(text, known, proposal);
  const { bodies } = buildBodies(request, { checkType: "ICMP", proposal }, findBodyFault);
  return { bodies: bodies as readonly Body[] };
}

function read(text: string) {
  const { own, targets, ...rest } = readCheckRequest(text, known, proposal);
  return { ...rest, ...(own as MentionedSettings), hosts: targets };
}

const ipv4 = fc.ipV4().filter((text) => parseHostname(text).kind === "address");
const ipv6 = fc.ipV6().filter((text) => parseHostname(text).kind === "address");
const name = fc.domain().filter((text) => parseHostname(text).kind === "name");
const host = fc.oneof(ipv4, ipv6, name);

test("a ping check with a port is not proposed, with the reason", () => {
  for (const text of [
    "monitor port 5432 on db.example.com",
    "add a tcp check for db.example.com",
    "watch db.example.com and cache.example.com on ports 80 and 443",
  ]) {
    assert.deepEqual(propose(text).bodies, [], text);
    const { refused } = read(text);
    assert.ok(refused.length > 0 && refused.every(({ reason }) => /has no port/.test(reason)));
  }
});

test("finds hosts of any form, in order", () => {
  fc.assert(
    fc.property(fc.uniqueArray(host, { minLength: 1, maxLength: 6 }), (hosts) => {
      const wanted = hosts.map((text) => {
        const parsed = parseHostname(text);
        return parsed.kind === "address"
          ? parsed.address
          : parsed.kind === "name"
            ? parsed.ascii
            : "";
      });
      const [last = "", ...rest] = [...hosts].reverse();
      const list = [...rest.reverse(), last].join(", ");
      const { bodies } = propose(`ping ${list} every minute and page me at 20 % loss`);
      assert.deepEqual(
        bodies.map(({ request }) => request.hostname),
        [...new Set(wanted)],
      );
      assert.ok(bodies.every((body) => body.frequency === 1 && body.maxPacketLossThreshold === 20));
    }),
  );
});

test("a proposed body is always accepted by the API", () => {
  const phrase = fc.constantFrom(
    "every 7 seconds",
    "every 100 days",
    "at 250 % loss",
    "at 0 % loss",
    "with 500 packets",
    "with 0 packets",
    "retry 99 times after 9999 seconds",
    "after 40 failures",
    "when it fails for 7 minutes",
    "slower than 1e9 ms",
    "degraded above 5 ms",
    "tagged a, b and c",
    "from Frankfurt and Paris",
    "from private location office",
    "over IPv6",
    "muted",
  );
  const words = fc.oneof(phrase, host, fc.string({ maxLength: 30 }));
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), ipv4, (parts, address) => {
      const { bodies } = propose(`ping ${address} ${parts.join(", ")}`);
      assert.ok(bodies.length <= maxBodies);
      for (const body of bodies) {
        assert.ok(Value.Check(CheckBodySchema, body), JSON.stringify(body));
        assert.ok(Value.Check(createCheckTool.InputSchema, { body }), JSON.stringify(body));
        const { hostname, ipFamily } = body.request;
        const parsed = parseHostname(hostname);
        assert.notEqual(parsed.kind, "invalid");
        if (parsed.kind === "address") assert.equal(parsed.family, ipFamily);
      }
    }),
  );
});

test("reads intervals", () => {
  const said: Readonly<Record<string, number | null>> = {
    "every minute": 60,
    "every 30 seconds": 30,
    "every 30s": 30,
    "every five minutes": 300,
    "once a minute": 60,
    "once per hour": 3_600,
    hourly: 3_600,
    daily: 86_400,
    "twice a minute": 30,
    "every other minute": 120,
    "every half an hour": 1_800,
    "every 2 h": 7_200,
    "each day": 86_400,
    "remind me every 10 minutes": null,
    "from Frankfurt": null,
  };
  for (const [words, seconds] of Object.entries(said)) {
    assert.equal(read(`ping 192.0.2.1 ${words}`).everySeconds, seconds, words);
  }
});

test("assigns percentages to the limit named near them", () => {
  const said: readonly (readonly [string, number | null, number | null])[] = [
    ["page me at 20 % loss", 20, null],
    ["fail at 50% packet loss and warn at 10%", 50, 10],
    ["degraded at 5 % and failing at 30 %", 30, 5],
    ["warn at 5 percent, fail at 40 percent", 40, 5],
    ["alert on any packet loss", 1, null],
    ["every minute", null, null],
  ];
  for (const [words, max, degraded] of said) {
    const { maxLossPercent, degradedLossPercent } = read(`ping 192.0.2.1 ${words}`);
    assert.deepEqual([maxLossPercent, degradedLossPercent], [max, degraded], words);
  }
});

test("latency limits become assertions, or the lower limit", () => {
  assert.deepEqual(read("ping 192.0.2.1, alert if slower than 50 ms").latency, {
    property: "avg",
    ms: 50,
  });
  assert.deepEqual(read("ping 192.0.2.1, max latency under 0.5 s").latency, {
    property: "max",
    ms: 500,
  });
  const both = read("ping 192.0.2.1, degraded above 30 ms, fail above 80 ms");
  assert.equal(both.degradedMs, 30);
  assert.deepEqual(both.latency, { property: "avg", ms: 80 });
  assert.equal(read("ping 192.0.2.1 every 30 s").latency, null);
});

test("rejects an invalid host with what to write instead", () => {
  const refused: Readonly<Record<string, string | null>> = {
    "https://example.com/path": "example.com",
    "example.com:443": "example.com",
    "example.com/x": "example.com",
    "user@example.com": "example.com",
    "[2001:db8::1]:443": "2001:db8::1",
    "256.1.1.1": null,
    "fe80::1%eth0": null,
  };
  for (const [typed, instead] of Object.entries(refused)) {
    const { hosts, refused: found } = read(`ping ${typed} every minute`);
    assert.deepEqual(hosts, [], typed);
    assert.equal(found[0]?.typed, typed);
    assert.equal(found[0]?.instead, instead, typed);
  }
});

test("ordinary words are not hosts", () => {
  for (const words of ["ping it every minute", "please set this up", "alert me at 14:00"]) {
    assert.deepEqual(read(words).hosts, [], words);
  }
});

test("a name without quotation marks has several words only if it starts with a capital", () => {
  const nameOf = (text: string) => read(text).name;
  assert.equal(nameOf("create a check called Landing page for example.com"), "Landing page");
  assert.equal(nameOf("Ping 192.0.2.1 and call it edge please"), "edge");
  const named = read("create a check called web pinging example.com every 5 minutes");
  const targets = named.hosts.map(({ label }) => label);
  assert.deepEqual([named.name, targets], ["web", ["example.com"]]);
});
