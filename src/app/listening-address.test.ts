import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf } from "./listening-address.ts";

test("the displayed address can be opened in a browser", () => {
  const shown = {
    "127.0.0.1": "http://127.0.0.1:3000",
    "monitor.example": "http://monitor.example:3000",
    "fd00::1": "http://[fd00::1]:3000",
    "0.0.0.0": "http://localhost:3000",
    "::": "http://localhost:3000",
  };
  for (const [HOST, expected] of Object.entries(shown)) {
    assert.equal(addressOf({ HOST, PORT: 3000 }), expected);
  }
});
