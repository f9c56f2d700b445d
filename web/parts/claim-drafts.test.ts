import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { claimDrafts } from "./claim-drafts.ts";

const draft = "vedette.draft.new-check";
beforeEach(() => sessionStorage.clear());

test("a user finds their drafts again after their session ended", () => {
  claimDrafts("ada");
  sessionStorage.setItem(draft, "a host");
  claimDrafts("ada");
  assert.equal(sessionStorage.getItem(draft), "a host");
});

test("another user who signs in in the same tab does not get the drafts", () => {
  claimDrafts("ada");
  sessionStorage.setItem(draft, "a host");
  sessionStorage.setItem("something.else", "kept");
  claimDrafts("grace");
  assert.equal(sessionStorage.getItem(draft), null);
  assert.equal(sessionStorage.getItem("something.else"), "kept");
});
