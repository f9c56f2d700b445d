import assert from "node:assert/strict";
import { test } from "node:test";
import { type PressedKey, readKey, sequenceMs } from "./keys.ts";

const press = (key: string, more: Partial<PressedKey> = {}): PressedKey => ({
  key,
  isCommandHeld: false,
  isOtherHeld: false,
  isTyping: false,
  atMs: 1_000,
  ...more,
});

test("Ctrl K opens the palette even in a field; other Ctrl combinations are left to the browser", () => {
  const held = { isCommandHeld: true, isTyping: true };
  assert.deepEqual(readKey(press("k", held), null), { command: "palette" });
  assert.deepEqual(readKey(press("K", held), null), { command: "palette" });
  assert.equal(readKey(press("c", held), null), null);
});

test("letters are not shortcuts in a field or with Alt", () => {
  for (const key of ["g", "/", "?", "a", "c", "e"]) {
    assert.equal(readKey(press(key, { isTyping: true }), null), null);
    assert.equal(readKey(press(key, { isOtherHeld: true }), null), null);
  }
});

test("g followed by a letter within the time limit opens a section", () => {
  assert.equal(readKey(press("g"), null), "go-pressed");
  assert.deepEqual(readKey(press("n"), 900), { command: "go", href: "/" });
  assert.deepEqual(readKey(press("c"), 900), { command: "go", href: "/checks" });
  assert.deepEqual(readKey(press("g"), 900), { command: "go", href: "/groups" });
  assert.equal(readKey(press("q"), 900), null);
  const late = press("c", { atMs: 900 + sequenceMs + 1 });
  assert.deepEqual(readKey(late, 900), { command: "new-check" });
});
