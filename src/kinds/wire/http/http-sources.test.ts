import assert from "node:assert/strict";
import { test } from "node:test";
import type { Assertion } from "../../kit/assertions/assertion.ts";
import { isCheap } from "./http-sources.ts";

const about = (text: string) => ({
  status: 200,
  responseTime: 1,
  headers: {},
  text,
  isCut: false,
});
const claim = (source: string, property = "", regex = ""): Assertion => ({
  source,
  property,
  comparison: "EQUALS",
  target: "x",
  regex,
});

test("common assertions are cheap, and potentially slow ones are not", () => {
  const [small, large] = [about("x".repeat(1_000)), about("x".repeat(100_000))];
  const cheap = [
    claim("STATUS_CODE"),
    claim("HEADERS", "content-type"),
    claim("TEXT_BODY"),
    claim("TEXT_BODY", "", "status: (\\w+)"),
    claim("JSON_BODY", "$.items[0].id"),
    claim("JSON_BODY", "$.items[*].id"),
  ];
  assert.ok(isCheap(cheap, small));
  assert.ok(isCheap([claim("STATUS_CODE"), claim("HEADERS", "etag")], large));
  for (const costly of [
    claim("JSON_BODY", "$[?@.a > 0]"),
    claim("JSON_BODY", "$..a..b"),
    claim("TEXT_BODY", "", "(a{1,100}){10}"),
    claim("TEXT_BODY", "a{1,100}"),
    claim("TEXT_BODY", "", "a".repeat(500)),
  ]) {
    assert.ok(!isCheap([...cheap, costly], small), JSON.stringify(costly));
  }
  for (const one of cheap.slice(2)) assert.ok(!isCheap([one], large), JSON.stringify(one));
});
