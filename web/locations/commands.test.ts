import assert from "node:assert/strict";
import { test } from "node:test";
import { suggestSlug, writeContainerCommand, writeShellCommand } from "./commands.ts";

test("a slug is suggested that the API takes", () => {
  const cases = {
    Office: "office",
    "  Zürich, 2. Stock ": "zurich-2-stock",
    東京: "",
    "A very long name of a data centre far away": "a-very-long-name-of-a-data-cen",
    "---": "",
  };
  for (const [name, slug] of Object.entries(cases)) assert.equal(suggestSlug(name), slug);
});

test("the commands name the server, and the key where other users do not see it", () => {
  const asked = { server: "https://vedette.example", key: "pl_0123" };
  for (const text of [writeShellCommand(asked), writeContainerCommand(asked)]) {
    assert.match(text, /PROBE_TOKEN=pl_0123 .*probe .*--server https:\/\/vedette\.example$/);
  }
});
