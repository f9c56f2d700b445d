import assert from "node:assert/strict";
import { isIPv4, isIPv6 } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { parseIpv4, parseIpv6 } from "./ip-address.ts";

test("IPv4 parsing returns the four numbers of any address", () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      assert.equal(parseIpv4(text)?.join("."), text);
    }),
  );
});

test("IPv6 parsing accepts every form that the platform accepts, with the same meaning", () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const bytes = parseIpv6(text);
      assert.equal(bytes !== null, isIPv6(text), text);
      const groups = [0, 2, 4, 6, 8, 10, 12, 14].map((at) =>
        (((bytes?.[at] ?? 0) << 8) | (bytes?.[at + 1] ?? 0)).toString(16),
      );
      const hostOf = (address: string) => new URL(`http://[${address}]/`).hostname;
      assert.equal(hostOf(groups.join(":")), hostOf(text));
    }),
  );
});

test("an IPv4 address at the end of an IPv6 address is four bytes and nothing else", () => {
  assert.deepEqual([...(parseIpv6("::192.0.2.1") ?? [])].slice(8), [0, 0, 0, 0, 192, 0, 2, 1]);
  const mapped = [...(parseIpv6("::ffff:192.0.2.1") ?? [])].slice(8);
  assert.deepEqual(mapped, [0, 0, 255, 255, 192, 0, 2, 1]);
});

test("text parses to null exactly if the platform rejects it", () => {
  const nearly = fc.string({ unit: fc.constantFrom(..."0123456789abcf:.xg%[] "), maxLength: 42 });
  fc.assert(
    fc.property(nearly, (text) => {
      assert.equal(parseIpv4(text) !== null, isIPv4(text), `IPv4 ${text}`);
      const isScoped = text.includes("%");
      assert.equal(parseIpv6(text) !== null, isIPv6(text) && !isScoped, `IPv6 ${text}`);
    }),
  );
});

test("text similar to an IPv4 address parses to null exactly if the platform rejects it", () => {
  const part = fc.constantFrom(
    "0",
    "7",
    "42",
    "255",
    "256",
    "999",
    "2550",
    "00",
    "01",
    "",
    " 1",
    "-1",
    "1e1",
    "٣",
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 3, maxLength: 5 }), (parts) => {
      const text = parts.join(".");
      assert.equal(parseIpv4(text)?.join(".") ?? null, isIPv4(text) ? text : null, text);
    }),
  );
});
