import assert from "node:assert/strict";
import { test } from "node:test";
import { Classifier, parsePhrases } from "./classify.ts";
import { findEntry } from "./intents.ts";
import { loadLanguage, readForm } from "./understand.ts";

const { phrases } = loadLanguage();
const folds = 5;

test("phrases that were left out of the training get their intent, or it is among three", () => {
  let right = 0;
  let near = 0;
  for (let fold = 0; fold < folds; fold += 1) {
    const classifier = new Classifier(phrases.filter((_, index) => index % folds !== fold));
    for (const { text, intent } of phrases.filter((_, index) => index % folds === fold)) {
      const ranking = classifier.rank(text, readForm(text));
      if (ranking[0]?.intent === intent) right += 1;
      if (ranking.slice(0, 3).some((one) => one.intent === intent)) near += 1;
    }
  }
  const share = (count: number) => Math.round((count / phrases.length) * 1_000) / 10;
  assert.ok(share(right) >= 70 && share(near) >= 86, `${share(right)} %, ${share(near)} %`);
});

test("every phrase is read as its intent, which has an answer", () => {
  const { classifier } = loadLanguage();
  const wrong = phrases.filter(({ text, intent }) => {
    const [best] = classifier.rank(text, readForm(text));
    return best?.intent !== intent;
  });
  assert.ok(wrong.length <= phrases.length * 0.03, wrong.map(({ text }) => text).join("\n"));
  for (const intent of new Set(phrases.map((one) => one.intent))) {
    assert.equal(findEntry(intent) === findEntry("none"), intent === "other", intent);
  }
});

test("no phrase is listed twice", () => {
  const seen = new Map<string, string>();
  const twice = phrases.filter(({ text, intent }) => {
    const known = seen.get(text);
    seen.set(text, intent);
    return known !== undefined;
  });
  assert.deepEqual(twice, []);
  assert.deepEqual(parsePhrases("# a\nx y\n\n# b\nz"), [
    { intent: "a", text: "x y" },
    { intent: "b", text: "z" },
  ]);
});
