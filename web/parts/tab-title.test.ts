import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTabTitle } from "./tab-title.ts";

test("the tab is named after the screen, with the number of failing checks before it", () => {
  assert.equal(formatTabTitle(54, "Shop"), "(54) Shop · Vedette");
  assert.equal(formatTabTitle(0, "Shop"), "Shop · Vedette");
  assert.equal(formatTabTitle(2, undefined), "(2) Vedette");
  assert.equal(formatTabTitle(0, ""), "Vedette");
});
