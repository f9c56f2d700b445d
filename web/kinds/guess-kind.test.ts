import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeFields } from "./fields.ts";
import { proposeName } from "./guess-kind.ts";
import { urlTarget } from "./url/target.ts";

function propose(typed: string): string {
  return proposeName(urlTarget, mergeFields({}, urlTarget.target?.read(typed) ?? {}));
}

test("a name is proposed without the scheme and the query", () => {
  assert.equal(propose("https://shop.example.com/cart?id=7"), "shop.example.com/cart");
});

test("an address that is only a scheme still proposes a name, so the API blames the address", () => {
  assert.notEqual(propose("http://"), "");
});
