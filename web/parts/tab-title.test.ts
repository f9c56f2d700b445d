import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTabTitle } from "./screen-title.ts";

test("the tab title is the screen's name, preceded by the number of failing checks", () => {
  assert.equal(formatTabTitle(54, "Shop"), "(54) Shop · Vedette");
  assert.equal(formatTabTitle(0, "Shop"), "Shop · Vedette");
  assert.equal(formatTabTitle(2, undefined), "(2) Vedette");
  assert.equal(formatTabTitle(0, ""), "Vedette");
});
