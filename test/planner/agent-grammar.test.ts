/** The grammar is documented by examples, and each of them is held against the planner. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readTime } from "../../src/planner/reading/time-window.ts";
import { readWords } from "../../src/planner/reading/words.ts";
import { topics } from "../../src/planner/topics/index.ts";
import { projectFolder } from "../support/project/source-files.ts";
import { askPlanner } from "./ask-planner.ts";
import { sampleNow } from "./sample-account/checks.ts";
import { understandAll } from "./understanding.ts";

const text = readFileSync(join(projectFolder, "docs/agent-grammar.md"), "utf8");

function section(name: string): string {
  const found = text.split(/^## /m).find((part) => part.startsWith(`${name}\n`));
  assert.ok(found, name);
  return found;
}

function rows(name: string): string[][] {
  return section(name)
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("|--"))
    .slice(1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const chapters = section("Questions")
  .split(/^### /m)
  .slice(1)
  .map((chapter) => ({
    topic: /\((\w+)\)\n/.exec(chapter)?.[1] ?? "",
    questions: [...chapter.matchAll(/^- (.+)$/gm)].map(([, question = ""]) => question),
  }));

test("every topic has its chapter, but for the small talk", () => {
  const small = ["greeting", "thanks", "help"];
  const wanted = Object.keys(topics).filter((topic) => !small.includes(topic));
  assert.deepEqual(chapters.map(({ topic }) => topic).sort(), wanted.sort());
});

for (const { topic, questions } of chapters) {
  test(`the examples of ${topic} are understood as that`, () => {
    assert.ok(questions.length > 0);
    for (const question of questions) {
      const [intent] = understandAll([question]);
      assert.equal(intent?.topic, topic, `${question}: ${intent?.canonical}`);
      const { text: said } = askPlanner([question]);
      assert.doesNotMatch(said, /I cannot answer|I know no|I could not use/, question);
    }
  });
}

test("the times are those of the table", () => {
  const table = rows("Times");
  assert.ok(table.length >= 15);
  const write = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");
  for (const [words = "", from, to] of table) {
    const read = readWords(words).map((word) => word.text);
    const { window } = readTime(read, sampleNow.getTime());
    assert.deepEqual([write(window?.fromMs ?? 0), write(window?.toMs ?? 0)], [from, to], words);
  }
});

test("a follow-up asks what the table says it means", () => {
  for (const [first = "", then = "", means = ""] of rows("Follow-ups")) {
    const left = askPlanner([first, then]);
    const right = askPlanner([means]);
    assert.deepEqual(left.calls, right.calls, `${first} / ${then}`);
    assert.ok(left.calls.length > 0);
  }
});

test("each way to describe a check gives the field of the table", () => {
  const table = rows("Describing checks");
  assert.ok(table.length >= 15);
  for (const [words = "", field = ""] of table) {
    const { calls } = askPlanner([words], { agent: "check_config_generator" });
    const bodies = calls.map(({ input }) =>
      JSON.stringify(input, null, 1).replaceAll(/\n\s*/g, " "),
    );
    assert.equal(bodies.length, 1, words);
    const wanted = field.replaceAll("`", "");
    const flat = (json: string) => json.replaceAll(/\s+/g, "");
    assert.ok(flat(bodies[0] ?? "").includes(flat(wanted)), `${words}: ${bodies[0]}`);
  }
});

test("every kind of name in the chapter on names is the one check it says", () => {
  const spelt = ["edge router", "edge-rou", "router edge", "edge-ruoter", "edge.example.net"];
  for (const name of spelt) {
    const [intent] = understandAll([`is ${name} down?`]);
    const found = intent?.subject.checks.map((check) => check.name);
    assert.deepEqual(found, ["edge-router"], name);
  }
});
