import assert from "node:assert/strict";
import { test } from "node:test";
import { showControls, showExchange, showInLine } from "./foreign-text.ts";

test("control characters from a server become symbols, and line breaks stay", () => {
  assert.equal(showControls("a\u0000b\u001b[31mc\u007f"), "a␀b␛[31mc␡");
  assert.equal(showControls("a\r\n\tb"), "a␍\n\tb");
  assert.equal(showControls("a\u0085b"), "a<0085>b");
});

test("bidirectional and zero-width characters are made visible", () => {
  assert.equal(showControls("exe\u202egnp"), "exe<202e>gnp");
  assert.equal(showControls("a\u200bb\ufeff"), "a<200b>b<feff>");
});

test("inline text has no line break, and an exchange shows each line break", () => {
  assert.equal(showInLine("a\r\nb\tc"), "a␍␊b␉c");
  assert.equal(showExchange("+PONG\r\n"), "+PONG␍␊\n");
});
