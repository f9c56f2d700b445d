import assert from "node:assert/strict";
import { test } from "node:test";
import { createTimedProposal, readEndpoints, readIpv6, readPorts } from "./timed-proposal.ts";

const plain = new Set(["is", "the", "please", "a", "and"]);

function readTargets(sentence: string, taken: readonly number[] = []) {
  const words = sentence.split(" ");
  const isPlain = (word: string) => plain.has(word);
  return readEndpoints({ words, taken: new Set(taken), isPlain } as never);
}

function read(sentence: string, taken: readonly number[] = []) {
  const { targets, refused } = readTargets(sentence, taken);
  return {
    hosts: targets.map(({ hostname, port }) => (port === null ? hostname : `${hostname} ${port}`)),
    refused: refused.map(({ typed }) => typed),
  };
}

test("hosts are read in every form, with their ports", () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    "monitor example.com": ["example.com"],
    "monitor example.com:5432": ["example.com 5432"],
    "monitor https://example.com:8443/path": ["example.com 8443"],
    "monitor https://example.com/": ["example.com"],
    "monitor 192.0.2.1:22": ["192.0.2.1 22"],
    "monitor 2001:db8::1": ["2001:db8::1"],
    "monitor [2001:db8::1]:443": ["2001:db8::1 443"],
    "monitor https://[2001:db8::1]:8443/": ["2001:db8::1 8443"],
    "monitor bücher.example": ["xn--bcher-kva.example"],
    "a.example b.example:1 c.example": ["a.example", "b.example 1", "c.example"],
    "monitor example.com/path": ["example.com"],
  };
  for (const [sentence, hosts] of Object.entries(rows)) {
    assert.deepEqual(read(sentence), { hosts, refused: [] }, sentence);
  }
});

test("a bare word is a host only where one is expected", () => {
  assert.deepEqual(read("monitor router").hosts, ["router"]);
  assert.deepEqual(read("watch the router").hosts, []);
  assert.deepEqual(read("router").hosts, []);
  assert.deepEqual(read("router:22").hosts, ["router 22"]);
  assert.deepEqual(read("check tcp port 5432 on db1").hosts, ["db1"]);
  assert.deepEqual(read("monitor port").hosts, []);
  assert.deepEqual(read("monitor please").hosts, []);
});

test("numbers, versions and times are not hosts", () => {
  for (const word of ["5432", "1.5", "10:30", "99.9", "1.2.3", "v1", "50%"]) {
    assert.deepEqual(read(`above ${word}`), { hosts: [], refused: [] }, word);
  }
});

test("a word that another rule has read is not a host", () => {
  assert.deepEqual(read("monitor a.example named b.example", [3]).hosts, ["a.example"]);
});

test("a word that looks like a host and is none is rejected with the reason", () => {
  const address = "An IPv4 address has four decimal numbers from 0 to 255 without leading zeros.";
  const reasons: Readonly<Record<string, string>> = {
    "192.0.2.256": address,
    "300.1.1.1:80": address,
    [`${"a".repeat(64)}.example`]: "A part of the host name is too long.",
    "a_b-.example": "A part of the host name starts or ends with a hyphen.",
  };
  for (const [typed, reason] of Object.entries(reasons)) {
    const { targets, refused } = readTargets(`monitor ${typed}`);
    assert.deepEqual(targets, [], typed);
    assert.deepEqual(refused, [{ typed, reason, instead: null }]);
  }
});

test("ports follow their word, and are listed once", () => {
  const rows: Readonly<Record<string, readonly number[]>> = {
    "port 5432": [5_432],
    "ports 80 and 443 or 80": [80, 443],
    "port eighty 80": [],
    "5432": [],
    "port 80 of 3 hosts": [80],
    "Port 22": [22],
  };
  for (const [sentence, ports] of Object.entries(rows)) {
    assert.deepEqual(readPorts(sentence.split(" ")), ports, sentence);
  }
});

test("IPv6 is read only where it is asked for", () => {
  for (const line of ["ping it over ipv6", "using ip v6", "ipv6 only"]) {
    assert.ok(readIpv6(line), line);
  }
  assert.equal(readIpv6("what is the ipv6 address"), false);
});

const proposal = createTimedProposal(5_000, {
  buildRequest: (_target: never, isIpv6: boolean) => ({ isIpv6 }),
} as unknown as Parameters<typeof createTimedProposal>[1]);

function propose(line: string) {
  const notes: string[] = [];
  const fitted = proposal.fitSettings(proposal.readSettings(line), notes);
  const body = proposal.buildBody({} as never, fitted);
  return { body, notes };
}

test("limits of the response time are read with what they are for", () => {
  const rows: Readonly<Record<string, object>> = {
    "monitor it": {},
    "fail above 500 ms": { maxResponseTime: 500, degradedResponseTime: null },
    "slower than 1.5 s": { maxResponseTime: 1_500, degradedResponseTime: null },
    "degraded over 1 second": { degradedResponseTime: 1_000 },
    "degraded above 200 ms, failing above 1 s": {
      ...{ maxResponseTime: 1_000, degradedResponseTime: 200 },
    },
    "warn over 200ms and fail over 2 seconds": {
      ...{ maxResponseTime: 2_000, degradedResponseTime: 200 },
    },
    // Not a limit, but how often.
    "every 30 s": {},
    "every 30 seconds, at most 300 milliseconds": {
      ...{ maxResponseTime: 300, degradedResponseTime: null },
    },
  };
  for (const [line, limits] of Object.entries(rows)) {
    assert.deepEqual(propose(line), { body: { request: { isIpv6: false }, ...limits }, notes: [] });
  }
});

test("a limit beyond that of the kind is lowered, with a note", () => {
  const { body, notes } = propose("over ipv6, fail above 10 s");
  assert.deepEqual(body, {
    ...{ request: { isIpv6: true }, maxResponseTime: 5_000, degradedResponseTime: null },
  });
  assert.deepEqual(notes, ["A limit of the response time is at most 5000 ms."]);
});
