import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { measureEditDistance } from "../../platform/text/compare.ts";
import { correctWord } from "./lexicon.ts";
import { matchNames } from "./name-match.ts";

const names = ["edge-router", "edge-switch", "core-db", "Mail Gateway", "São Paulo DC", "api"];

function match(phrase: string): string {
  const found = matchNames(phrase, names, (name) => [name]);
  return found === null ? "none" : `${found.grade}: ${found.things.join(", ")}`;
}

test("exact comes before prefix, prefix before contained, contained before similar", () => {
  assert.equal(match("edge-router"), "exact: edge-router");
  assert.equal(match("EDGE ROUTER"), "exact: edge-router");
  assert.equal(match("edgerouter"), "exact: edge-router");
  assert.equal(match("edge"), "prefix: edge-router, edge-switch");
  assert.equal(match("gateway"), "contains: Mail Gateway");
  assert.equal(match("router edge"), "contains: edge-router");
  assert.equal(match("sao paulo"), "prefix: São Paulo DC");
  assert.equal(match("edge-ruoter"), "similar: edge-router");
  assert.equal(match("mial gatway"), "similar: Mail Gateway");
  assert.equal(match("printer"), "none");
  assert.equal(match("ap"), "none");
  assert.equal(match("  "), "none");
});

test("typos are corrected only in words of the lexicon", () => {
  const slips: Readonly<Record<string, string>> = {
    faling: "failing",
    dwon: "down",
    wehn: "when",
    avialability: "availability",
    incidnet: "incident",
    latecny: "latency",
    mainenance: "maintenance",
    yesteday: "yesterday",
    wich: "which",
  };
  for (const [typed, meant] of Object.entries(slips)) assert.equal(correctWord(typed), meant);
  for (const name of ["town", "core", "edge", "mail", "db1", "gw-down", "Zürich", "nas"]) {
    assert.equal(correctWord(name), name);
  }
});

const letters = fc.string({ unit: fc.constantFrom(..."abcd"), maxLength: 9 });

test("the distance between two texts is a distance", () => {
  fc.assert(
    fc.property(letters, letters, (left, right) => {
      const distance = measureEditDistance(left, right, 99);
      assert.equal(distance, measureEditDistance(right, left, 99));
      assert.equal(distance === 0, left === right);
      assert.ok(distance <= Math.max(left.length, right.length));
      const limited = measureEditDistance(left, right, 2);
      assert.equal(limited <= 2 ? limited : 3, Math.min(distance, 3));
    }),
  );
});

test("one typo is at distance one", () => {
  const text = fc.string({ unit: fc.constantFrom(..."abcdefgh"), minLength: 3, maxLength: 12 });
  fc.assert(
    fc.property(text, fc.nat(), (word, seed) => {
      const at = seed % (word.length - 1);
      const swapped =
        word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
      const cut = word.slice(0, at) + word.slice(at + 1);
      assert.ok(measureEditDistance(word, swapped, 3) <= 1);
      assert.equal(measureEditDistance(word, cut, 3), 1);
      assert.equal(measureEditDistance(word, `${cut}z`, 3) <= 2, true);
    }),
  );
});
