import assert from "node:assert/strict";
import { test } from "node:test";
import { describeOutcome } from "./bulk-outcome.ts";

test("the outcome of a bulk action is one sentence", () => {
  const cases = [
    ["mute", 0, 5, "All 5 were already muted."],
    ["mute", 0, 2, "Both were already muted."],
    ["mute", 0, 1, "The check was already muted."],
    ["mute", 1, 0, "1 check was muted."],
    ["mute", 3, 1, "3 checks were muted; 1 was already muted."],
    ["unmute", 0, 4, "All 4 were unmuted already."],
    ["activate", 1_200, 2, "1,200 checks were activated; 2 were already active."],
    ["addTags", 0, 3, "All 3 already had these tags."],
    ["removeTags", 2, 1, "2 checks were changed; 1 had none of these tags."],
    ["move", 2, 0, "2 checks were moved."],
    ["delete", 1, 0, "1 check was deleted."],
    ["setFrequency", 0, 3, "All 3 already had these settings."],
  ] as const;
  for (const [action, changed, unchanged, sentence] of cases) {
    assert.equal(describeOutcome(action, changed, unchanged), sentence);
  }
});
