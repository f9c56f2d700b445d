import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/properties.ts";
import {
  type AddressClass,
  checkRedirect,
  checkUrl,
  classifyAddress,
  findUrlFault,
  keepPublicHeaders,
  mayKeepSecrets,
} from "./outbound-guard.ts";

const known: readonly (readonly [string, AddressClass])[] = [
  ["8.8.8.8", "public"],
  ["1.1.1.1", "public"],
  ["172.15.255.255", "public"],
  ["172.32.0.0", "public"],
  ["2606:4700:4700::1111", "public"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["::1", "loopback"],
  ["10.0.0.1", "private"],
  ["172.16.0.1", "private"],
  ["192.168.1.1", "private"],
  ["fd12:3456::1", "private"],
  ["fec0::1", "private"],
  ["169.254.1.1", "link-local"],
  ["fe80::1", "link-local"],
  ["fe80::1%lo", "link-local"],
  ["169.254.169.254", "metadata"],
  ["fd00:ec2::254", "metadata"],
  ["fd00:0ec2:0000:0000:0000:0000:0000:0254", "metadata"],
  ["100.100.100.200", "metadata"],
  ["168.63.129.16", "metadata"],
  ["100.64.0.1", "carrier-grade-nat"],
  ["224.0.0.1", "multicast"],
  ["255.255.255.255", "multicast"],
  ["ff02::1", "multicast"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["::", "unspecified"],
  ["192.0.2.1", "reserved"],
  ["198.18.0.1", "reserved"],
  ["240.0.0.1", "reserved"],
  ["2001:db8::1", "reserved"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "reserved"],
  ["4000::1", "reserved"],
  ["::ffff:169.254.169.254", "metadata"],
  ["::ffff:8.8.8.8", "public"],
  ["64:ff9b::10.0.0.1", "private"],
  ["64:ff9b::8.8.8.8", "public"],
  ["64:ff9b:1::8.8.8.8", "reserved"],
  ["2002:7f00:1::", "loopback"],
  ["2002:808:808::1", "public"],
  ["::127.0.0.1", "loopback"],
  ["::ffff:0:127.0.0.1", "loopback"],
  ["2130706433", "not-an-address"],
  ["0x7f.1", "not-an-address"],
  ["localhost", "not-an-address"],
  ["", "not-an-address"],
];

test("classifies addresses by the IANA registries", () => {
  for (const [address, expected] of known) {
    assert.equal(classifyAddress(address), expected, address);
  }
});

const octet = fc.nat(255);
const ipv4 = fc.tuple(octet, octet, octet, octet);
const hex = (...bytes: readonly number[]) =>
  bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");

test("an IPv4 address embedded in an IPv6 address is classified as itself", () => {
  fc.assert(
    fc.property(ipv4, ([a, b, c, d]) => {
      const plain = `${a}.${b}.${c}.${d}`;
      const expected = classifyAddress(plain);
      const forms = [`::ffff:${plain}`, `::ffff:0:${plain}`, `64:ff9b::${plain}`];
      forms.push(`::ffff:${hex(a, b)}:${hex(c, d)}`, `2002:${hex(a, b)}:${hex(c, d)}::1`);
      for (const form of forms) assert.equal(classifyAddress(form), expected, form);
    }),
  );
});

const closedIpv4 = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
);

test("no spelling of a forbidden IPv4 address in a URL is accepted", () => {
  fc.assert(
    fc.property(closedIpv4, ([a, b, c, d]) => {
      const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
      const octal = [a, b, c, d].map((part) => `0${part.toString(8)}`).join(".");
      const spellings = [
        `${a}.${b}.${c}.${d}`,
        `${a}.${b}.${c}.${d}.`,
        `${number}`,
        `0x${number.toString(16)}`,
        octal,
        `${a}.${(b << 16) | (c << 8) | d}`,
        `0x${a.toString(16)}.${b}.${(c << 8) | d}`,
        `%${hex("0".charCodeAt(0))}x${number.toString(16)}`,
        `[::ffff:${a}.${b}.${c}.${d}]`,
        `[64:ff9b::${a}.${b}.${c}.${d}]`,
        `[2002:${hex(a, b)}:${hex(c, d)}::]`,
      ];
      for (const host of spellings) {
        const url = `http://${host}/`;
        assert.notEqual(findUrlFault(url, { allowPrivate: false }), null, url);
        const isRead = checkUrl(url).kind === "ok";
        assert.equal(findUrlFault(url, { allowPrivate: true }), isRead ? null : "bad-url");
      }
    }),
  );
});

test("an owner or admin may enter private networks, but nothing else that is not public", () => {
  const rules = { allowPrivate: false, allowLan: true };
  const find = (host: string) => findUrlFault(`http://${host}/`, rules);
  const lan = ["10.0.0.1", "172.16.0.1", "192.168.1.5", "100.64.0.1", "[fd12::1]"];
  for (const host of [...lan, "[::ffff:10.0.0.1]"]) assert.equal(find(host), null, host);
  const metadata = ["169.254.169.254", "100.100.100.200", "[fd00:ec2::254]"];
  const local = ["127.0.0.1", "0.0.0.0", "[::1]", "169.254.1.1", "[fe80::1]", "240.0.0.1"];
  const embedded = ["[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[fd12::5efe:127.0.0.1]"];
  for (const host of [...metadata, ...local, ...embedded]) {
    assert.equal(find(host), "local-address", host);
  }
  const others = { ...rules, allowLan: false };
  for (const host of lan) assert.equal(findUrlFault(`http://${host}/`, others), "lan-address");
  const named = { ...others, allowedAddresses: ["127.0.0.1", "10.1.0.0/16"] };
  assert.equal(findUrlFault("http://127.0.0.1/", named), null);
  assert.equal(findUrlFault("http://10.1.2.3/", named), null);
  assert.equal(findUrlFault("http://10.2.2.3/", named), "lan-address");
});

test("outside 2000::/3 only an embedded public IPv4 address is public", () => {
  const groups = fc.array(fc.nat(0xffff), { minLength: 7, maxLength: 7 });
  const firstGroup = fc.nat(0xffff).filter((group) => group >>> 13 !== 1 && group > 0x64);
  fc.assert(
    fc.property(firstGroup, groups, (first, rest) => {
      const text = [first, ...rest].map((group) => group.toString(16)).join(":");
      assert.notEqual(classifyAddress(text), "public", text);
    }),
  );
});

test("accepts only http and https URLs, and none that a person would misread", () => {
  const refused = {
    scheme: ["file:///etc/passwd", "gopher://x/_", "ftp://x/", "javascript:alert(1)", "ws://x/"],
    userinfo: ["http://a@b/", "http://a:b@c/", "https://example.com@127.0.0.1/", "http://@x/"],
    port: ["http://x:22/", "http://x:25/", "https://x:465/", "http://x:6379/", "http://x:0/"],
    "bad-url": [
      "",
      "example.com",
      "http:example.com",
      "http:///x",
      "http://",
      " http://x/",
      "http://x/\r\nHost: y",
      "http://x\\@y/",
      "ht\ntp://x/",
      "http://x:99999/",
      "http://[::1/",
      "http://a b/",
      `http://x/${"a".repeat(9_000)}`,
    ],
  };
  for (const [reason, urls] of Object.entries(refused)) {
    for (const url of urls)
      assert.equal(findUrlFault(url, { allowPrivate: true }), reason, JSON.stringify(url));
  }
  for (const url of ["http://x/", "HTTPS://example.com:8443/a?b=c#d", "http://bücher.example/"]) {
    assert.equal(findUrlFault(url, { allowPrivate: false }), null, url);
  }
});

test("never throws, and accepts only http URLs with a host", () => {
  const pieces = fc.constantFrom("http://", "https:", "//", "@", ":", "[", "]", "127.0.0.1", "%00");
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(fc.oneof(pieces, fc.string())).map((parts) => `http://${parts.join("")}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const checked = checkUrl(text);
      if (checked.kind === "refused") return;
      assert.match(checked.url.protocol, /^https?:$/);
      assert.notEqual(checked.url.hostname, "");
      assert.equal(checked.url.username + checked.url.password, "");
    }),
  );
});

test("a redirect is validated like the URL, and never goes from https to http", () => {
  const from = new URL("https://a.example/x");
  const reasonOf = (location: string) => {
    const checked = checkRedirect(from, location);
    return checked.kind === "refused" ? checked.reason : checked.url.href;
  };
  assert.equal(reasonOf("/y?z=1"), "https://a.example/y?z=1");
  assert.equal(reasonOf("//b.example/"), "https://b.example/");
  assert.equal(reasonOf("http://a.example/"), "downgrade");
  assert.equal(reasonOf("file:///etc/passwd"), "scheme");
  assert.equal(reasonOf("https://u:p@b.example/"), "userinfo");
  assert.equal(reasonOf("https://b.example:25/"), "port");
  assert.equal(reasonOf("http://[bad"), "bad-url");
});

test("secrets stay with their origin, or follow the same host from http to https", () => {
  const may = (from: string, to: string) => mayKeepSecrets(new URL(from), new URL(to));
  assert.equal(may("https://a.example/x", "https://a.example/y"), true);
  assert.equal(may("http://a.example/", "https://a.example/"), true);
  assert.equal(may("https://a.example/", "http://a.example/"), false);
  assert.equal(may("http://a.example/", "https://b.example/"), false);
  assert.equal(may("http://a.example:81/", "http://a.example:82/"), false);
  assert.equal(may("https://a.example/", "https://sub.a.example/"), false);
  const headers = { authorization: "s", "x-token": "s", cookie: "s", "content-type": "text/plain" };
  assert.deepEqual(keepPublicHeaders(headers), { "content-type": "text/plain" });
});
