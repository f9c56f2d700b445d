import assert from "node:assert/strict";
import { test } from "node:test";
import { findRelyingParty } from "./relying-party.ts";

test("the relying party is PUBLIC_URL, otherwise only localhost", () => {
  const usable: readonly (readonly [string | undefined, string, string, string])[] = [
    [undefined, "localhost:3000", "localhost", "http://localhost:3000"],
    [undefined, "vedette.localhost", "vedette.localhost", "http://vedette.localhost"],
    [
      "https://status.example.com",
      "10.0.0.1:3000",
      "status.example.com",
      "https://status.example.com",
    ],
    [
      "https://status.example.com:8443",
      "x",
      "status.example.com",
      "https://status.example.com:8443",
    ],
  ];
  for (const [configured, host, id, origin] of usable) {
    assert.deepEqual(findRelyingParty(configured, host), { kind: "usable", id, origin });
  }
});

test("the reason why passkeys are unsupported includes what to do", () => {
  const unusable: readonly (readonly [string | undefined, string, RegExp])[] = [
    [undefined, "127.0.0.1:3000", /127\.0\.0\.1 is an IP address.*http:\/\/localhost:3000/],
    [undefined, "[::1]:3000", /IP address/],
    [undefined, "vedette.lan", /PUBLIC_URL/],
    ["https://192.0.2.1", "192.0.2.1", /Set PUBLIC_URL to one with a name/],
    ["http://status.example.com", "status.example.com", /https/],
    [undefined, "", /not known/],
  ];
  for (const [configured, host, reason] of unusable) {
    const found = findRelyingParty(configured, host);
    assert.equal(found.kind, "unusable", host);
    assert.match(found.kind === "unusable" ? found.reason : "", reason);
  }
});
