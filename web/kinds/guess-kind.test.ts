import assert from "node:assert/strict";
import { test } from "node:test";
import { proposeName } from "./guess-kind.ts";
import { urlTarget } from "./targets.ts";

function propose(typed: string): string {
  return proposeName(urlTarget, urlTarget.target?.read(typed) ?? {});
}

test("a proposed name omits the scheme and the query", () => {
  assert.equal(propose("https://shop.example.com/cart?id=7"), "shop.example.com/cart");
});

test("an address that is only a scheme still gets a name, so that the API rejects the address, not the name", () => {
  assert.notEqual(propose("http://"), "");
});
