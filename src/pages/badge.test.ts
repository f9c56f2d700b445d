import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/properties.ts";
import { type Badge, badgeStyles, badgeThemes, renderBadge } from "./badge.ts";
import { colors } from "./tokens.ts";

const badge: Badge = {
  label: "Web",
  value: "up",
  tone: "good",
  style: "flat",
  theme: "default",
};

const readNumber = (svg: string, pattern: RegExp) => Number(pattern.exec(svg)?.[1]);

test("a badge has its texts for people and for screen readers", () => {
  const svg = renderBadge(badge);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
  assert.match(svg, /role="img" aria-label="Web: up"><title>Web: up<\/title>/);
  assert.match(svg, />Web<\/text>/);
  assert.match(svg, />up<\/text>/);
});

test("each tone has its own colour, on the right", () => {
  const tones = {
    good: colors.light.good,
    fair: colors.light.fairGround,
    bad: colors.light.badGround,
    unknown: colors.light.none,
  } as const;
  assert.equal(new Set(Object.values(tones)).size, 4);
  for (const [tone, color] of Object.entries(tones)) {
    const svg = renderBadge({ ...badge, tone: tone as Badge["tone"] });
    assert.match(
      svg,
      new RegExp(`<rect x="\\d+" width="\\d+" height="20" fill="${color}"/>`),
      tone,
    );
  }
});

test("every style and theme is drawn, and the large one is in capitals", () => {
  const all = badgeStyles.flatMap((style) =>
    badgeThemes.map((theme) => renderBadge({ ...badge, style, theme })),
  );
  assert.equal(new Set(all).size, badgeStyles.length * badgeThemes.length);
  const large = renderBadge({ ...badge, style: "for-the-badge" });
  assert.match(large, />WEB<\/text>/);
  assert.equal(readNumber(large, /height="(\d+)"/), 28);
  assert.match(renderBadge({ ...badge, style: "plastic" }), /opacity="\.12"/);
});

test("characters that break an image are replaced", () => {
  const svg = renderBadge({ ...badge, label: "a\u0000b\u001bc\uffffd\ud800e", value: "\u0008" });
  assert.match(svg, /<title>a\ufffdb\ufffdc\ufffdd\ufffde: \ufffd<\/title>/);
});

test("any text stays inside of the image, which is valid XML and of limited width", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 100 });
  fc.assert(
    fc.property(text, text, fc.constantFrom(...badgeStyles), (label, value, style) => {
      const svg = renderBadge({ ...badge, label, value, style });
      const tags = svg.replaceAll(/<\/?[a-zA-Z]+(?: [a-zA-Z-]+(?::[a-z]+)?="[^"<]*")*\/?>/g, "");
      assert.doesNotMatch(tags, /[<>]/);
      assert.doesNotMatch(svg, /&(?!(?:amp|lt|gt|quot|#39);)/);
      assert.ok(svg.isWellFormed());
      assert.ok(readNumber(svg, /width="(\d+)"/) <= 2 * (60 * 11 * 1.25 + 24));
    }),
  );
});
