import assert from "node:assert/strict";
import { test } from "node:test";
import { addressKey } from "./ip-address.ts";

test("IPv6 addresses of the same /64 are one client, those of different /64s are not", () => {
  assert.equal(addressKey("2001:db8:1:2:3::4"), addressKey("2001:db8:1:2:ffff::9"));
  assert.notEqual(addressKey("2001:db8:1:2::1"), addressKey("2001:db8:1:3::1"));
  assert.equal(addressKey("2001:db8::1"), "2001:db8:0:0::/64");
  assert.equal(addressKey("::1"), "0:0:0:0::/64");
});

test("an IPv6 address is one client in every spelling", () => {
  const spellings = ["2001:db8::1", "2001:0DB8:0:0:0:0:0:1", "2001:db8::0.0.0.1", "2001:DB8::1"];
  assert.deepEqual(
    [...new Set(spellings.map((spelling) => addressKey(spelling)))],
    ["2001:db8:0:0::/64"],
  );
});

test("each IPv4 address is a separate client, also on a dual-stack socket", () => {
  assert.equal(addressKey("192.0.2.7"), "192.0.2.7");
  assert.equal(addressKey("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(addressKey("::ffff:c000:207"), "192.0.2.7");
  assert.notEqual(addressKey("::ffff:192.0.2.7"), addressKey("::ffff:192.0.2.8"));
});

test("a link-local address is counted without its interface", () => {
  assert.equal(addressKey("fe80::1%eth0"), addressKey("fe80::2%eth1"));
});

test("a client without an address has its own key", () => {
  assert.equal(addressKey(undefined), "");
});
