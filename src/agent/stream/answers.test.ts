import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import { JsonStringWriter } from "./answers.ts";

function writeAll(pieces: readonly string[]): string {
  const writer = new JsonStringWriter();
  return writer.open() + pieces.map((piece) => writer.write(piece)).join("") + writer.close();
}

/** Splits a text anywhere, even inside a character. */
function cut(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted(
    (one, other) => one - other,
  );
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
}

test("however a text is split, the pieces together are the text as JSON", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(200), { maxLength: 12 }), (whole, places) => {
      assert.equal(JSON.parse(writeAll(cut(whole, places))), whole);
    }),
  );
});

test("unpaired surrogates become replacement characters, and the JSON stays valid", () => {
  const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
      assert.equal(JSON.parse(writeAll(units)), units.join("").toWellFormed());
    }),
  );
});

test("no piece ends within an escape", () => {
  const writer = new JsonStringWriter();
  for (const text of ['"', "\\", "\n", "\u0000", "\ud83d", "\ude00"]) {
    const piece = writer.write(text);
    assert.equal(
      JSON.parse(`"${piece}"`),
      text === "\ud83d" ? "" : text === "\ude00" ? "😀" : text,
    );
  }
});

test("an empty answer is an empty string", () => {
  assert.equal(writeAll([]), '""');
  assert.equal(writeAll(["", ""]), '""');
});
