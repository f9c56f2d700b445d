import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { claimDrafts } from "./claim-drafts.ts";

const draft = "vedette.draft.new-check";
beforeEach(() => sessionStorage.clear());

test("who comes back after their session ended finds what they typed", () => {
  claimDrafts("ada");
  sessionStorage.setItem(draft, "a host");
  claimDrafts("ada");
  assert.equal(sessionStorage.getItem(draft), "a host");
});

test("somebody else who signs in in the same tab finds nothing of it", () => {
  claimDrafts("ada");
  sessionStorage.setItem(draft, "a host");
  sessionStorage.setItem("something.else", "kept");
  claimDrafts("grace");
  assert.equal(sessionStorage.getItem(draft), null);
  assert.equal(sessionStorage.getItem("something.else"), "kept");
});
