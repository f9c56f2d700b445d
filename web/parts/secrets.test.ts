import assert from "node:assert/strict";
import { test } from "node:test";
import { stripSecrets } from "./secrets.ts";

test("passwords and locked values are emptied, and all else stays as it was", () => {
  const typed = {
    request: {
      url: "https://user:hunter2@shop.example/",
      basicAuth: { username: "u", password: "hunter2" },
      headers: [
        { key: "authorization", value: "Bearer hunter2", locked: true },
        { key: "kept", value: "********", locked: true },
        { key: "plain", value: "visible", locked: false },
      ],
    },
    environmentVariables: [{ key: "T", value: "hunter2", secret: true, locked: false }],
    tags: ["a", null, 1],
  };
  const kept = stripSecrets(typed);
  assert.doesNotMatch(JSON.stringify(kept), /hunter2/);
  assert.deepEqual(kept.request.headers.slice(1), typed.request.headers.slice(1));
  assert.deepEqual(kept.tags, typed.tags);
  assert.equal(kept.request.url, "https://user:@shop.example/");
  assert.deepEqual(stripSecrets(kept), kept);
});
