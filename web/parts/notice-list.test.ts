import assert from "node:assert/strict";
import { test } from "node:test";
import { addNotice, findLastingMs, type Notice, type ShownNotice } from "./notice-list.ts";

const show = (notices: readonly Notice[]) => {
  let shown: readonly ShownNotice[] = [];
  for (const [id, notice] of notices.entries()) shown = addNotice(shown, { ...notice, id });
  return shown;
};
const textsOf = (shown: readonly ShownNotice[]) => shown.map(({ text }) => text);

test("a repeated text is shown once, as the newest notice", () => {
  const shown = show([{ text: "Saved." }, { text: "Deleted." }, { text: "Saved." }]);
  assert.deepEqual(textsOf(shown), ["Deleted.", "Saved."]);
  assert.equal(shown.at(-1)?.id, 2);
});

test("a notice with an undo action is not replaced by one with the same text", () => {
  const action = { label: "Undo", run: () => {} };
  const text = "1 check will be deleted in 10 s.";
  assert.equal(
    show([
      { text, action },
      { text, action },
    ]).length,
    2,
  );
});

test("a failure stays until it is dismissed and is not displaced by successes", () => {
  const failure = { text: "Not saved.", tone: "bad" } as const;
  assert.equal(findLastingMs(failure), null);
  assert.equal(findLastingMs({ text: "Saved." }), 6_000);
  assert.equal(findLastingMs({ text: "Wait.", tone: "bad", lastsMs: 10 }), 10);
  const shown = show([failure, ...["a", "b", "c", "d"].map((text) => ({ text }))]);
  assert.deepEqual(textsOf(shown), ["Not saved.", "c", "d"]);
});

test("the number of failures is limited", () => {
  const failures = Array.from({ length: 50 }, (_, n) => ({ text: `${n}`, tone: "bad" }) as const);
  assert.equal(show(failures).length, 20);
});
