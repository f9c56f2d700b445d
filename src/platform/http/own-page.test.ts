import assert from "node:assert/strict";
import { test } from "node:test";
import { isFromOwnPage } from "./own-page.ts";

const own = { host: "status.example:8443", publicUrl: "https://watch.example" };
const isTaken = (origin?: string, site?: string) => isFromOwnPage({ origin, site }, own);

test("accepts a client without browser headers and a same-origin page", () => {
  assert.ok(isTaken());
  assert.ok(isTaken("https://status.example:8443"));
  assert.ok(isTaken("https://status.example:8443", "same-origin"));
  assert.ok(isTaken("https://watch.example", "none"));
  assert.ok(isTaken("null", "same-origin"));
});

test("rejects a page of another origin", () => {
  assert.ok(!isTaken("https://status.example"));
  assert.ok(!isTaken("https://status.example:8443.evil.example"));
  assert.ok(!isTaken("http://watch.example"), "not by another scheme");
  for (const site of ["cross-site", "same-site"]) {
    assert.ok(!isTaken(undefined, site));
    assert.ok(!isTaken("https://status.example:8443", site));
    assert.ok(!isTaken("null", site));
  }
  for (const origin of ["null", "", "not a url"]) assert.ok(!isTaken(origin), origin);
});
