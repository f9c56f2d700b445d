import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCheckKinds } from "../../test/support/modules/check-kinds.ts";
import { propertyRuns } from "../../test/support/properties.ts";
import { getAt, isSame, mergeFields, setAt } from "../parts/fields.ts";
import { describeApi } from "./api/describe.ts";
import { describeDns } from "./dns/describe.ts";
import type { AnyValues, CheckKind, CheckType } from "./form-values.ts";
import { describeGrpc } from "./grpc/describe.ts";
import { guessKind, listOtherGuesses } from "./guess-kind.ts";
import { describeHeartbeat } from "./heartbeat/describe.ts";
import { describeIcmp } from "./icmp/describe.ts";
import { findKind, kindTargets } from "./index.ts";
import type { KindEditor } from "./kind.ts";
import { describeSsl } from "./ssl/describe.ts";
import { describeTcp } from "./tcp/describe.ts";
import { describeUrl } from "./url/describe.ts";

const kinds: readonly CheckKind[] = readCheckKinds();

function defaultsOf(type: CheckType): AnyValues {
  const found = kinds.find((kind) => kind.type === type);
  assert.ok(found, type);
  return found.defaults;
}

const describers: Readonly<Record<CheckType, KindEditor["describe"]>> = {
  API: describeApi,
  DNS: describeDns,
  GRPC: describeGrpc,
  HEARTBEAT: describeHeartbeat,
  ICMP: describeIcmp,
  SSL: describeSsl,
  TCP: describeTcp,
  URL: describeUrl,
};

test("the settings of every check type are described in complete sentences, even while incomplete", () => {
  const junk = fc.anything({ maxDepth: 3 });
  for (const { type } of kindTargets) {
    const describe = describers[type];
    const defaults = defaultsOf(type);
    fc.assert(
      fc.property(fc.record({ request: junk, heartbeat: junk, maxResponseTime: junk }), (typed) => {
        for (const fields of [defaults, mergeFields(defaults, typed), typed as AnyValues]) {
          const sentences = describe(fields, defaults);
          assert.ok(sentences.length > 0);
          for (const sentence of sentences) {
            assert.match(sentence, /^[A-Z].*\.$/s);
            assert.doesNotMatch(sentence, /undefined|\[object|NaN/);
          }
        }
      }),
      { numRuns: propertyRuns / 2 },
    );
  }
});

test("the numbers of the settings appear in the sentences", () => {
  const describe = (type: CheckType, path: string, value: unknown) => {
    const defaults = defaultsOf(type);
    return describers[type](setAt(defaults, path, value), defaults).join(" ");
  };
  assert.match(describe("ICMP", "maxPacketLossThreshold", 37), /fails at 37 %/);
  assert.match(describe("ICMP", "request.pingCount", null), /with 10 packets/);
  assert.match(describe("URL", "maxResponseTime", 12_500), /longer than 12.5 s/);
  const assertion = { source: "STATUS_CODE", property: "", comparison: "EQUALS", target: "204" };
  const judged = describe("API", "request.assertions", [assertion]);
  assert.match(judged, /fails unless the status code equals 204/);
  assert.doesNotMatch(judged, /400/);
});

test("parsing and formatting a target is stable after the first pass", () => {
  const typed = fc.oneof(fc.string(), fc.domain(), fc.webUrl(), fc.ipV4(), fc.ipV6());
  for (const { type, target } of kindTargets) {
    if (target === null) continue;
    const defaults = defaultsOf(type);
    fc.assert(
      fc.property(typed, (text) => {
        const written = target.write(mergeFields(defaults, target.read(text)));
        const again = target.write(mergeFields(defaults, target.read(written)));
        assert.equal(target.write(mergeFields(defaults, target.read(again))), again);
      }),
    );
  }
});

test("an IP address sets the IP version of a check, with and without a port, and a host name does not", () => {
  const familyOf = (type: string, text: string) =>
    JSON.stringify(findKind(type)?.target?.read(text)).match(/"ipFamily":"(\w+)"/)?.[1] ?? null;
  assert.equal(familyOf("URL", "http://127.0.0.1:8080/x"), "IPv4");
  assert.equal(familyOf("URL", "http://[::1]:8080/x"), "IPv6");
  assert.equal(familyOf("TCP", "127.0.0.1:25"), "IPv4");
  assert.equal(familyOf("TCP", "cafe:25"), null);
  assert.equal(familyOf("ICMP", "2001:db8::1"), "IPv6");
  assert.equal(familyOf("SSL", "shop.example.com"), null);
});

test("the typed target determines the check type", () => {
  const kindOf = (text: string) => guessKind(text)?.type ?? null;
  assert.equal(kindOf("https://example.com"), "URL");
  assert.equal(kindOf("example.com"), "URL");
  assert.equal(kindOf("127.0.0.1"), "ICMP");
  assert.equal(kindOf("db:5432"), "TCP");
  for (const internal of ["nas", "localhost", "printer.local", "router.home.arpa", "a.lan"]) {
    assert.equal(kindOf(internal), "ICMP", internal);
  }
  assert.equal(kindOf("example.com:22"), "TCP");
  assert.equal(kindOf("::1"), "ICMP");
  assert.equal(kindOf("two words"), null);
});

test("only a bare public host name also offers a ping check", () => {
  const offered = (text: string) => listOtherGuesses(text).map(({ type }) => type);
  assert.deepEqual(offered("example.com"), ["ICMP"]);
  for (const other of [
    "",
    "nas",
    "https://example.com",
    "example.com/x",
    "example.com:22",
    "::1",
  ]) {
    assert.deepEqual(offered(other), [], other);
  }
});

test("setAt stores a value that getAt returns, and changes nothing else", () => {
  const path = fc.constantFrom(
    "request",
    "request.a",
    "request.a.0.b",
    "request.list.1",
    "new.b.c",
  );
  fc.assert(
    fc.property(path, fc.jsonValue(), (at, value) => {
      const before = { request: { a: [{ b: 1 }], list: [1, 2] }, other: { x: null } };
      const after = setAt(before, at, value);
      assert.ok(isSame(getAt(after, at), value));
      assert.deepEqual(after.other, before.other);
      assert.deepEqual(before.request.list, [1, 2]);
    }),
  );
});
