import assert from "node:assert/strict";
import { test } from "node:test";
import { measureContrast } from "./status-page/theme.ts";
import { type ColorTokens, colors, writeTokenStyles } from "./tokens.ts";

const textPairs: readonly (readonly [keyof ColorTokens, keyof ColorTokens])[] = [
  ...(["ink", "muted", "accent", "good", "fair", "bad", "none", "maintenance"] as const).flatMap(
    (text) => (["ground", "card", "hover"] as const).map((ground) => [text, ground] as const),
  ),
  ["onAccent", "accent"],
  ["accent", "accentTint"],
  ["ink", "accentTint"],
  ["ink", "goodTint"],
  ["ink", "fairTint"],
  ["ink", "badTint"],
  ["muted", "badTint"],
  ["muted", "fairTint"],
  ["good", "goodTint"],
  ["fair", "fairTint"],
  ["bad", "badTint"],
  ["ground", "ink"],
  ["mark", "bad"],
];
/** Symbols and lines, which need less contrast than text. */
const graphicPairs: readonly (readonly [keyof ColorTokens, keyof ColorTokens])[] = [
  ["mark", "good"],
  ["mark", "fair"],
  ["chart", "card"],
  ["chartStrong", "card"],
];

for (const theme of ["light", "dark"] as const) {
  test(`every text of the ${theme} theme is readable on its background`, () => {
    const weak = [...textPairs.map((pair) => [pair, 4.5]), ...graphicPairs.map((pair) => [pair, 3])]
      .map(([pair, needed]) => {
        const [text, ground] = pair as readonly [keyof ColorTokens, keyof ColorTokens];
        return {
          text,
          ground,
          needed,
          ratio: measureContrast(colors[theme][text], colors[theme][ground]),
        };
      })
      .filter(({ ratio, needed }) => ratio < Number(needed));
    assert.deepEqual(weak, []);
  });
}

test("the style sheet has every token in both themes", () => {
  const styles = writeTokenStyles();
  for (const color of [...Object.values(colors.light), ...Object.values(colors.dark)]) {
    assert.ok(styles.includes(`:${color};`), color);
  }
});
