import assert from "node:assert/strict";
import { test } from "node:test";
import { suggestSlug, writeContainerCommand, writeShellCommand } from "./commands.ts";

test("a suggested slug is valid for the API", () => {
  const cases = {
    Office: "office",
    "  Zürich, 2. Stock ": "zurich-2-stock",
    東京: "",
    "A very long name of a data centre far away": "a-very-long-name-of-a-data-cen",
    "---": "",
  };
  for (const [name, slug] of Object.entries(cases)) assert.equal(suggestSlug(name), slug);
});

test("the commands contain the server, and pass the key where other users cannot see it", () => {
  const options = { server: "https://vedette.example", key: "pl_0123" };
  for (const text of [writeShellCommand(options), writeContainerCommand(options)]) {
    assert.match(text, /PROBE_TOKEN=pl_0123 .*probe .*--server https:\/\/vedette\.example$/);
  }
});
