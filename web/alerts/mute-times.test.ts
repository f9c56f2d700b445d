import assert from "node:assert/strict";
import { test } from "node:test";
import { appliesTo, findMuteEnd, findRenewalMs, toFieldTime } from "./mute-times.ts";

const nowMs = new Date(2026, 10, 18, 23, 30).getTime();

test("a mute ends after hours, tomorrow morning or at a date, in local time", () => {
  assert.equal(findMuteEnd("60", "", nowMs)?.getTime(), nowMs + 3_600_000);
  assert.equal(findMuteEnd("480", "", nowMs)?.getTime(), nowMs + 8 * 3_600_000);
  assert.deepEqual(findMuteEnd("tomorrow", "", nowMs), new Date(2026, 10, 19, 9));
  assert.deepEqual(findMuteEnd("date", "2026-12-24T18:00", nowMs), new Date(2026, 11, 24, 18));
});

test("a missing or past date is no end", () => {
  assert.equal(findMuteEnd("date", "", nowMs), null);
  assert.equal(findMuteEnd("date", "2026-11-18T23:30", nowMs), null);
});

test("a time survives the field that shows it", () => {
  const at = new Date(2026, 2, 29, 3, 15);
  assert.equal(new Date(toFieldTime(at)).getTime(), at.getTime());
});

test("mutes are fetched again when the first one ends, at least every minute", () => {
  const ending = (ms: number) => ({ mutedUntil: new Date(nowMs + ms).toISOString() });
  assert.equal(findRenewalMs(undefined, nowMs), 60_000);
  assert.equal(findRenewalMs([ending(5_000), ending(90_000)], nowMs), 5_000);
  assert.equal(findRenewalMs([ending(-5)], nowMs), 1_000);
});

test("a mute applies to its check, its group, its tag or every check", () => {
  const none = { checkId: null, groupId: null, tag: null };
  const check = { checkId: "c", groupId: null, tags: ["shop"] };
  const applies = (target: object, to = check) =>
    appliesTo({ target: { type: "", ...none, ...target } }, to);
  assert.equal(applies({ type: "ACCOUNT" }), true);
  assert.equal(applies({ checkId: "c" }), true);
  assert.equal(applies({ checkId: "d" }), false);
  assert.equal(applies({ tag: "shop" }), true);
  assert.equal(applies({ tag: "web" }), false);
  assert.equal(applies({ groupId: 7 }), false, "the check has no group");
});
