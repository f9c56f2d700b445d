import assert from "node:assert/strict";
import { test } from "node:test";
import { doesHostMatch } from "../../../platform/net/host.ts";

test("a pattern matches one host, or with a wildcard all hosts one label below", () => {
  assert.ok(doesHostMatch("api.example.com", "API.example.com."));
  assert.ok(doesHostMatch("*.example.com", "api.example.com"));
  assert.ok(!doesHostMatch("*.example.com", "example.com"));
  assert.ok(!doesHostMatch("*.example.com", "a.b.example.com"));
  assert.ok(!doesHostMatch("*.example.com", ".example.com"));
  assert.ok(!doesHostMatch("example.com", "evilexample.com"));
  assert.ok(!doesHostMatch("*.example.com", "evilexample.com"));
});

test("an IPv6 address matches in every spelling, with and without brackets", () => {
  assert.ok(doesHostMatch("::1", "[::1]"));
  assert.ok(doesHostMatch("2001:DB8:0:0::1", "2001:db8::1"));
  assert.ok(!doesHostMatch("::1", "::2"));
});
