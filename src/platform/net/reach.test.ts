import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createReach, readDatabaseHost } from "./reach.ts";

const nothingSaid = { allow: [], deny: [] };

test("internal hosts are allowed, link-local and metadata addresses are denied", () => {
  const { findDenial } = createReach(nothingSaid);
  for (const address of ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "203.0.113.9", "fd00::1"]) {
    assert.equal(findDenial(address, null), null, address);
  }
  const refused = [
    "169.254.169.254",
    "169.254.0.1",
    "fe80::1",
    "fd00:ec2::254",
    "100.100.100.200",
    // A translator would convert these to the metadata address.
    "64:ff9b::a9fe:a9fe",
    "::ffff:169.254.169.254",
    "2002:a9fe:a9fe::1",
  ];
  for (const address of refused) {
    assert.match(findDenial(address, null) ?? "", /PROBE_ALLOW/, address);
  }
});

test("PROBE_DENY denies addresses, and PROBE_ALLOW allows them again", () => {
  const rules = { deny: ["10.0.0.0/8", "fd00::/8", "192.0.2.7"], allow: ["10.1.0.0/16"] };
  const { findDenial } = createReach(rules);
  assert.match(findDenial("10.2.0.1", null) ?? "", /PROBE_DENY/);
  assert.match(findDenial("fd12::1", null) ?? "", /PROBE_DENY/);
  assert.match(findDenial("192.0.2.7", null) ?? "", /PROBE_DENY/);
  assert.equal(findDenial("192.0.2.8", null), null);
  assert.equal(findDenial("10.1.2.3", null), null);
  const { findDenial: findOther } = createReach({ deny: [], allow: ["169.254.169.254"] });
  assert.equal(findOther("169.254.169.254", null), null);
  assert.notEqual(findOther("169.254.169.253", null), null);
});

type Four = readonly [number, number, number, number];

const byte = fc.nat(255);
const anyFour = fc.tuple(byte, byte, byte, byte);
const metadata = fc.constantFrom<Four[]>([169, 254, 169, 254], [100, 100, 100, 200]);
const linkLocal = fc.tuple(fc.constant(169), fc.constant(254), byte, byte);
const denied = fc.tuple(fc.constant(10), byte, byte, byte);

const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
const dotted = (four: Four) => four.join(".");

/** The IPv6 forms of an IPv4 address that reach the same host. */
const forms: Readonly<Record<string, (four: Four) => string>> = {
  mapped: (four) => `::ffff:${dotted(four)}`,
  "mapped, in hexadecimal": ([a, b, c, d]) => `::ffff:${hex(a, b)}:${hex(c, d)}`,
  "mapped, in full": ([a, b, c, d]) => `0:0:0:0:0:FFFF:${hex(a, b)}:${hex(c, d)}`.toUpperCase(),
  translated: ([a, b, c, d]) => `::ffff:0:${hex(a, b)}:${hex(c, d)}`,
  NAT64: ([a, b, c, d]) => `64:ff9b::${hex(a, b)}:${hex(c, d)}`,
  "NAT64 of a local prefix": ([a, b, c, d]) => `64:ff9b:1::${hex(a, b)}:${hex(c, d)}`,
  "NAT64 after 48 bits": ([a, b, c, d]) => `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}::`,
  "6to4": ([a, b, c, d]) => `2002:${hex(a, b)}:${hex(c, d)}::1`,
  Teredo: ([a, b, c, d]) => `2001:0:1:2:0:0:${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`,
  ISATAP: ([a, b, c, d]) => `2001:db8::5efe:${hex(a, b)}:${hex(c, d)}`,
};

for (const [name, write] of Object.entries(forms)) {
  test(`denied addresses are also denied as ${name}`, () => {
    const { findDenial } = createReach({ allow: [], deny: ["10.0.0.0/8"] });
    fc.assert(
      fc.property(fc.oneof(metadata, linkLocal, denied), (four) => {
        assert.notEqual(findDenial(dotted(four), null), null, dotted(four));
        assert.notEqual(findDenial(write(four), null), null, write(four));
      }),
    );
  });
}

test("an IPv4 address is allowed unless a rule or its class denies it", () => {
  const { findDenial } = createReach({ allow: ["10.7.0.0/16"], deny: ["10.0.0.0/8"] });
  const special = ["169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"];
  fc.assert(
    fc.property(fc.oneof(anyFour, denied, linkLocal), (four) => {
      const [a, b] = four;
      const isDenied = a === 10 && b !== 7;
      const isRefused = isDenied || (a === 169 && b === 254) || special.includes(dotted(four));
      assert.equal(findDenial(dotted(four), 443) !== null, isRefused, dotted(four));
    }),
  );
});

test("the service's own database port is denied at every address of this machine", () => {
  const own = [{ name: "the database of this service", addresses: ["127.0.0.1"], port: 5433 }];
  const { findDenial } = createReach({ ...nothingSaid, own });
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::ffff:127.0.0.1"]) {
    assert.match(findDenial(address, 5433) ?? "", /is the database of this service/, address);
    assert.equal(findDenial(address, 5432), null);
    assert.equal(findDenial(address, null), null, "a ping of the machine tells nothing");
  }
  assert.equal(findDenial("192.0.2.1", 5433), null);
  const there = createReach({
    ...nothingSaid,
    own: own.map((one) => ({ ...one, addresses: ["192.0.2.9"] })),
  });
  assert.notEqual(there.findDenial("192.0.2.9", 5433), null);
  assert.equal(there.findDenial("127.0.0.1", 5433), null);
  const allowed = createReach({ deny: [], allow: ["127.0.0.1"], own });
  assert.equal(allowed.findDenial("127.0.0.1", 5433), null);
});

test("host and port of the database are read from its URL", () => {
  const cases: [string, ReturnType<typeof readDatabaseHost>][] = [
    ["postgres://u:p@db.example.com/app", { host: "db.example.com", port: 5432 }],
    ["postgresql://u:p@db.example.com:6432/app", { host: "db.example.com", port: 6432 }],
    ["postgres://[2001:db8::1]:6432/app", { host: "2001:db8::1", port: 6432 }],
    ["postgres://u@localhost/app?host=10.0.0.9&port=7000", { host: "10.0.0.9", port: 7000 }],
    ["postgres://u@/app?host=/run/postgresql", null],
    ["postgres://%2Frun%2Fpostgresql/app", null],
    ["no URL", null],
  ];
  for (const [url, place] of cases) assert.deepEqual(readDatabaseHost(url), place, url);
});
