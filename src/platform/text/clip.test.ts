import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import { clipText, toOneLine, toShortLine } from "./clip.ts";

const texts = fc.string({ unit: anyCharacter, maxLength: 200 });

test("a line has no control character, line break, bidi mark or lone surrogate", () => {
  assert.equal(toOneLine(" a\r\nb\u0000c\u2028d\u202ee\ud800 "), "a b c de\ufffd");
  fc.assert(
    fc.property(texts, (text) => {
      assert.doesNotMatch(toOneLine(text), /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u);
    }),
  );
});

test("a clipped text fits, is a prefix and ends with a complete character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, max) => {
      const clipped = clipText(text, max);
      assert.ok(clipped.length <= max);
      assert.ok(clipped.isWellFormed());
      assert.ok(clipped === text || text.startsWith(clipped.slice(0, -1)));
    }),
  );
  assert.equal(toShortLine("abc\ndef", 5), "abc …");
});
