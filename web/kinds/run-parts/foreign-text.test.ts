import assert from "node:assert/strict";
import { test } from "node:test";
import { showControls, showExchange, showInLine } from "./foreign-text.ts";

test("control characters of a server become symbols, and layout stays", () => {
  assert.equal(showControls("a\u0000b\u001b[31mc\u007f"), "a␀b␛[31mc␡");
  assert.equal(showControls("a\r\n\tb"), "a␍\n\tb");
  assert.equal(showControls("a\u0085b"), "a<0085>b");
});

test("marks that turn text round or hide it are shown", () => {
  assert.equal(showControls("exe\u202egnp"), "exe<202e>gnp");
  assert.equal(showControls("a\u200bb\ufeff"), "a<200b>b<feff>");
});

test("in a line nothing breaks it, and an exchange shows each break", () => {
  assert.equal(showInLine("a\r\nb\tc"), "a␍␊b␉c");
  assert.equal(showExchange("+PONG\r\n"), "+PONG␍␊\n");
});
