import assert from "node:assert/strict";
import { test } from "node:test";
import { Answer } from "./answer.ts";
import { quote, writeAvailability, writeDuration, writeList, writeMs } from "./wording.ts";

const found = {
  data: null,
  sources: [
    { id: "a", label: "One", url: "https://vedette.test/a" },
    { id: "b", label: "Two ] `x`", url: "https://vedette.test/b" },
  ],
};

test("each source is listed once, in the order of first use", () => {
  const answer = new Answer();
  answer.line(`B.${answer.cite(found, "b")}`);
  answer.line(`A and B.${answer.cite(found, "a", "b")}`);
  answer.line(`Nothing.${answer.cite(found, "c")}`);
  assert.equal(
    answer.toText(),
    "B. [1]\nA and B. [2][1]\nNothing.\n\nSources: [1](https://vedette.test/b) [2](https://vedette.test/a)",
  );
});

test("an endless answer is truncated, and says that there is more", () => {
  const answer = new Answer();
  for (let line = 0; line < 1_000; line += 1) answer.line(`${line} ${"x".repeat(2_000)}`);
  const text = answer.toText();
  assert.ok(text.length < 16_000, `${text.length}`);
  assert.match(text, /\(The answer is truncated\. Ask a narrower question\.\)$/);
});

test("quoted text cannot escape its quotes", () => {
  assert.equal(quote("a`b"), "`a'b`");
  assert.equal(quote("a\n\n# b\u202e\u0000c"), "`a # b c`");
  assert.equal(quote("x".repeat(100), 10), `\`${"x".repeat(9)}…\``);
  assert.equal(quote(""), "` `");
  assert.equal(quote("😀".repeat(20), 5), "`😀😀😀😀…`");
});

test("values have units, and availability is never rounded up", () => {
  assert.equal(writeMs(0.1234), "0.12 ms");
  assert.equal(writeMs(12.345), "12.3 ms");
  assert.equal(writeMs(1234.5), "1235 ms");
  assert.equal(writeMs(null), "no data");
  assert.equal(writeAvailability(99.9999), "99.999 %");
  assert.equal(writeAvailability(100), "100 %");
  assert.equal(writeDuration(59_000), "59 s");
  assert.equal(writeDuration(7_500_000), "2 h 5 min");
  assert.equal(writeDuration(200_000_000), "2 d 7 h");
  assert.equal(writeList(["a", "b", "c"]), "a, b and c");
  assert.equal(writeList(["a", "b", "c"], 2), "a, b and 1 more");
});
