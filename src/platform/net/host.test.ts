import assert from "node:assert/strict";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import { parseHostname, parseIpv4, parseIpv6 } from "./host.ts";

const REFUSED: readonly [string, RegExp][] = [
  ["", /empty/],
  ["a".repeat(254), /too long|longer/],
  [`${"a".repeat(60)}.`.repeat(5), /longer/],
  ["a".repeat(64), /too long/],
  ["a".repeat(3000), /longer/],
  [" example.org", /space/],
  ["exam ple.org", /space/],
  ["example.org\n", /invisible/],
  ["example.org\0", /invisible/],
  ["example.org\r\nX: y", /invisible/],
  ["-c", /hyphen/],
  ["--help", /hyphen/],
  ["-c1.example.org", /hyphen/],
  ["; id", /space/],
  [";id", /only letters/],
  ["`id`", /only letters/],
  ["$(id)", /only letters/],
  ["$IFS", /only letters/],
  ["a|b", /only letters/],
  ["%0a", /only letters/],
  ["example.org%0aid", /only letters/],
  ["[::1]", /brackets/],
  ["[::1]:80", /brackets/],
  ["fe80::1%eth0", /scope/],
  ["fe80::1", /scope/],
  ["1.2.3.4:80", /port/],
  ["example.org:443", /port/],
  ["http://x/", /URL/],
  ["x/y", /URL/],
  ["user@host", /user/],
  ["2130706433", /four decimal/],
  ["0177.1", /four decimal/],
  ["0177.0.0.1", /four decimal/],
  ["0x7f.1", /four decimal/],
  ["0x7f000001", /four decimal/],
  ["127.1", /four decimal/],
  ["1.2.3.256", /four decimal/],
  ["1.2.3.4.5", /four decimal/],
  ["::ffff:127.0.0.1", /IPv4 address itself/],
  ["::ffff:7f00:1", /IPv4 address itself/],
  ["0.0.0.0", /identify a host/],
  ["0.1.2.3", /identify a host/],
  ["::", /identify a host/],
  ["255.255.255.255", /broadcast/],
  ["224.0.0.1", /Multicast/],
  ["239.255.255.250", /Multicast/],
  ["240.0.0.1", /reserved/],
  ["ff02::1", /Multicast/],
  ["1::2::3", /neither/],
  [":::", /neither/],
  ["example..org", /empty part/],
  [".example.org", /empty part/],
  [".", /empty part/],
  ["example.org..", /empty part/],
  ["exa\u00admple.org", /invisible/],
  ["exa\u200bmple.org", /invisible/],
  ["\u202eexample.org", /invisible/],
  ["\ud800.org", /invisible/],
  ["１２７.０.０.１", /four decimal|Only|names/],
  ["０x7f.1", /four decimal|Only/],
  ["ex／ample.org", /not valid|Only/],
];

const NAMES: readonly [string, string][] = [
  ["example.org", "example.org"],
  ["EXAMPLE.org", "example.org"],
  ["example.org.", "example.org"],
  ["localhost", "localhost"],
  ["_dmarc.example.org", "_dmarc.example.org"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["BÜCHER.example.", "xn--bcher-kva.example"],
  ["例え.テスト", "xn--r8jz45g.xn--zckzah"],
  ["1.example", "1.example"],
  ["a", "a"],
];

for (const [text, reason] of REFUSED) {
  test(`the host ${JSON.stringify(text.slice(0, 40))} is rejected with a reason`, () => {
    const parsed = parseHostname(text);
    assert.equal(parsed.kind, "invalid", JSON.stringify(parsed));
    assert.match(parsed.kind === "invalid" ? parsed.reason : "", reason);
  });
}

for (const [text, ascii] of NAMES) {
  test(`the host ${JSON.stringify(text)} is the name ${ascii}`, () => {
    assert.deepEqual(parseHostname(text), { kind: "name", ascii });
  });
}

test("numeric addresses keep their family", () => {
  const address = (family: string, text: string) => ({ kind: "address", family, address: text });
  assert.deepEqual(parseHostname("127.0.0.1"), address("IPv4", "127.0.0.1"));
  assert.deepEqual(parseHostname("::1"), address("IPv6", "::1"));
  assert.deepEqual(parseHostname("2001:DB8::1"), address("IPv6", "2001:db8::1"));
});

test("accepted host names are harmless for any input", () => {
  const unit = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.webAuthority(),
    fc.domain(),
    fc.stringMatching(/^[-a-z0-9.:%[\]@/\\$`;|&\s]{0,40}$/),
  );
  fc.assert(
    fc.property(unit, (text) => {
      const parsed = parseHostname(text);
      if (parsed.kind === "address") assert.notEqual(isIP(parsed.address), 0);
      if (parsed.kind !== "name") return;
      assert.match(parsed.ascii, /^[a-z0-9_][a-z0-9._-]{0,252}$/);
      assert.equal(isIP(parsed.ascii), 0);
      assert.deepEqual(parseHostname(parsed.ascii), parsed);
    }),
  );
});

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
