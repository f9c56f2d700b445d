import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  defaultPalettes,
  deriveBrandPalettes,
  findContrastWarnings,
  measureContrast,
  type PagePalette,
  textContrast,
  textPairs,
} from "./theme.ts";

const paletteColors = Object.keys(defaultPalettes.light);

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

const color = fc.oneof(
  fc.stringMatching(/^#[0-9A-Fa-f]{6}$/),
  fc.stringMatching(/^#[0-9A-Fa-f]{3}$/),
);
const palette = fc
  .array(color, { minLength: paletteColors.length, maxLength: paletteColors.length })
  .map(
    (list) =>
      Object.fromEntries(
        paletteColors.map((name, at) => [name, list[at]]),
      ) as unknown as PagePalette,
  );

/** Pairs and ratios computed by other tools for the same standard. */
const known = [
  ["#000", "#fff", 21],
  ["#FFFFFF", "#FFFFFF", 1],
  ["#767676", "#FFFFFF", 4.54],
  ["#777777", "#FFFFFF", 4.48],
  ["#0000FF", "#FFFFFF", 8.59],
  ["#FF0000", "#FFFFFF", 4],
  ["#00FF00", "#FFFFFF", 1.37],
  ["#FFFF00", "#0000FF", 8],
] as const;

test("known pairs have the expected contrast", () => {
  for (const [one, other, ratio] of known) {
    assert.ok(Math.abs(measureContrast(one, other) - ratio) < 0.01, `${one} ${other}`);
  }
});

test("contrast is between 1 and 21, symmetric, and independent of notation", () => {
  fc.assert(
    fc.property(color, color, (one, other) => {
      const ratio = measureContrast(one, other);
      assert.ok(ratio >= 1 && ratio <= 21.000001, String(ratio));
      assert.equal(ratio, measureContrast(other, one));
      assert.equal(ratio, measureContrast(one.toUpperCase(), other.toLowerCase()));
      assert.equal(measureContrast(one, one), 1);
      const long = one.length === 4 ? `#${[...one.slice(1)].map((d) => d + d).join("")}` : one;
      assert.equal(measureContrast(long, one), 1);
    }),
  );
});

test("moving a grey away from another never lowers the contrast", () => {
  const grey = (level: number) => `#${level.toString(16).padStart(2, "0").repeat(3)}`;
  const levels = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255));
  fc.assert(
    fc.property(levels, (three) => {
      const [low = 0, middle = 0, high = 0] = [...three].sort((a, b) => a - b);
      const near = measureContrast(grey(low), grey(middle));
      assert.ok(measureContrast(grey(low), grey(high)) >= near);
    }),
  );
});

test("exactly the pairs below AA cause a warning, whatever the rounding", () => {
  fc.assert(
    fc.property(palette, palette, (light, dark) => {
      const warnings = findContrastWarnings({ light, dark });
      const below = Object.entries({ light, dark }).flatMap(([theme, colors]) =>
        textPairs
          .filter(([front, back]) => measureContrast(colors[front], colors[back]) < textContrast)
          .map(([foreground, background]) => ({ theme, foreground, background })),
      );
      assert.deepEqual(
        warnings.map(({ theme, foreground, background }) => ({ theme, foreground, background })),
        below,
      );
      for (const { ratio, needed } of warnings) assert.ok(ratio < needed && ratio >= 1);
    }),
  );
});

test("the default colours cause no warning", () => {
  assert.deepEqual(findContrastWarnings(defaultPalettes), []);
  assert.deepEqual(findContrastWarnings(null), []);
});
