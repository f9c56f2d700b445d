import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePageUrl } from "./page-url.ts";

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
