import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseCustomDomain, parsePageUrl } from "./page-names.ts";

const ours = "https://vedette.example.org:8443/base";
const parse = (text: string) => parseCustomDomain(text, ours);

test("a name is normalised", () => {
  for (const [text, domain] of [
    ["status.example.com", "status.example.com"],
    ["STATUS.Example.COM.", "status.example.com"],
    ["example.com", "example.com"],
    ["münchen.example", "xn--mnchen-3ya.example"],
    ["xn--mnchen-3ya.example", "xn--mnchen-3ya.example"],
    ["example.org", "example.org"],
    ["not-vedette.example.org", "not-vedette.example.org"],
  ] as const) {
    assert.deepEqual(parse(text), { kind: "domain", domain }, text);
  }
});

test("a name that is not a custom host name is rejected", () => {
  for (const text of [
    "",
    ".",
    "localhost",
    "example",
    "https://status.example.com",
    "status.example.com/",
    "status.example.com:443",
    "user@status.example.com",
    "*.example.com",
    "-a.example.com",
    "a_b.example.com",
    "a..example.com",
    ".example.com",
    "status.example.com..",
    "status example.com",
    "status.example.com\n",
    "status\u200b.example.com",
    "\u202estatus.example.com",
    "192.0.2.1",
    "192.0.2.1.",
    "2130706433",
    "0x7f.1",
    "[2001:db8::1]",
    "2001:db8::1",
    `${"a".repeat(64)}.example.com`,
    `${"a.".repeat(127)}example.com`,
    "vedette.example.org",
    "VEDETTE.example.org.",
    "a.vedette.example.org",
    "b.a.vedette.example.org",
  ]) {
    assert.equal(parse(text).kind, "invalid", JSON.stringify(text));
  }
});

test("names of the machine itself are rejected", () => {
  const publicUrl = "http://127.0.0.1:3000";
  for (const text of ["a.localhost", "Watch1.example.net", "watch1.example.net.local"]) {
    assert.equal(parseCustomDomain(text, publicUrl, "watch1.example.net").kind, "invalid", text);
  }
  for (const text of ["watch1.local", "watch1.localdomain"]) {
    assert.equal(parseCustomDomain(text, publicUrl, "watch1").kind, "invalid", text);
  }
});

test("a service with an IP address has no subdomains", () => {
  const domain = { kind: "domain", domain: "status.example.com" };
  assert.deepEqual(parseCustomDomain("status.example.com", "http://127.0.0.1:3000"), domain);
  assert.deepEqual(parseCustomDomain("status.example.com", "http://[::1]:3000"), domain);
});

test("an accepted name is what a browser would request, and is stable", () => {
  const label = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9-]{0,20}$/);
  const text = fc.oneof(
    fc.string(),
    fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join(".")),
    fc
      .array(fc.string({ unit: "grapheme", maxLength: 6 }), { maxLength: 4 })
      .map((l) => l.join(".")),
  );
  fc.assert(
    fc.property(text, (one) => {
      const parsed = parse(one);
      if (parsed.kind === "invalid") return;
      assert.equal(URL.parse(`https://${parsed.domain}/`)?.hostname, parsed.domain);
      assert.deepEqual(parse(parsed.domain), parsed);
    }),
  );
});

test("a label is stored in lower case", () => {
  assert.deepEqual(parsePageUrl("Acme-2"), { kind: "url", url: "acme-2" });
  assert.deepEqual(parsePageUrl("a"), { kind: "url", url: "a" });
  assert.deepEqual(parsePageUrl("7"), { kind: "url", url: "7" });
});

test("an invalid host name label is rejected", () => {
  for (const text of [
    "",
    "-a",
    "a-",
    "a.b",
    "a_b",
    "a b",
    "a/b",
    "../a",
    "ä",
    "a\n",
    "a%20",
    "x".repeat(64),
    "xn--mnchen-3ya",
    "ab--c",
  ]) {
    assert.equal(parsePageUrl(text).kind, "invalid", JSON.stringify(text));
  }
  assert.equal(parsePageUrl("x".repeat(63)).kind, "url");
});

test("reserved words are rejected in any case", () => {
  const words = "incidents services www api v1 status dashboards docs admin acknowledge healthz";
  for (const word of words.split(" ")) {
    assert.equal(parsePageUrl(word).kind, "invalid", word);
    assert.equal(parsePageUrl(word.toUpperCase()).kind, "invalid", word);
  }
  assert.equal(parsePageUrl("services-of-acme").kind, "url");
});

test("an accepted label is unchanged by a browser", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9-]{1,70}$/)), (text) => {
      const parsed = parsePageUrl(text);
      if (parsed.kind === "invalid") return;
      assert.equal(parsed.url, text.toLowerCase());
      assert.match(parsed.url, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      const { hostname } = new URL(`http://${parsed.url}.example.com/`);
      assert.equal(hostname, `${parsed.url}.example.com`);
      assert.deepEqual(parsePageUrl(parsed.url), parsed);
    }),
  );
});
