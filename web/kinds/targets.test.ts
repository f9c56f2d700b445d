import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCheckKinds } from "../../test/support/modules/check-kinds.ts";
import { getAt, isSame, mergeFields, setAt } from "../parts/fields.ts";
import type { AnyValues, CheckKind, CheckType } from "./form-values.ts";
import { guessKind, listOtherGuesses } from "./guess-kind.ts";
import { findKind, kindTargets } from "./index.ts";

const kinds: readonly CheckKind[] = readCheckKinds();

function defaultsOf(type: CheckType): AnyValues {
  const found = kinds.find((kind) => kind.type === type);
  assert.ok(found, type);
  return found.defaults;
}

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
