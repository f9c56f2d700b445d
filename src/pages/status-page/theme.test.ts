import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findContrastWarnings } from "../../domains/status-pages/index.ts";
import { deriveBrandPalettes } from "./theme.ts";

test("every brand colour yields two palettes with readable text", () => {
  const channel = fc.integer({ min: 0, max: 255 });
  const color = fc
    .tuple(channel, channel, channel)
    .map((parts) => `#${parts.map((one) => one.toString(16).padStart(2, "0")).join("")}`);
  fc.assert(
    fc.property(color, (brand) => {
      assert.deepEqual(findContrastWarnings(deriveBrandPalettes(brand)), []);
    }),
  );
});

test("a readable colour stays unchanged, and both spellings are equivalent", () => {
  const { light, dark } = deriveBrandPalettes("#7B1FA2");
  assert.equal(light.linkFontColor, "#7B1FA2");
  assert.equal(light.primaryButtonBackgroundColor, "#7B1FA2");
  assert.equal(light.primaryButtonFontColor, "#FFFFFF");
  assert.notEqual(dark.linkFontColor, "#7B1FA2", "too dark on a dark page");
  assert.deepEqual(deriveBrandPalettes("#a0c"), deriveBrandPalettes("#AA00CC"));
});
