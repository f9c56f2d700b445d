import assert from "node:assert/strict";
import { test } from "node:test";
import { maxCalls } from "../../src/planner/plan.ts";
import type { AgentName } from "../../src/planner/plan-turn.ts";
import type { ToolCall } from "../../src/planner/tools/tool-outcome.ts";
import { type Asked, askPlanner as ask } from "./ask-planner.ts";
import { type CorpusEntry, holdsFact } from "./corpus/entry.ts";
import { corpus } from "./corpus/index.ts";
import { nightQuestions } from "./corpus/night-questions.ts";
import { id, sampleChecks } from "./sample-account/checks.ts";

const asked = new Map<string, Asked>();

/** The same questions get the same answer, and several tests read it. */
function askPlanner(
  questions: readonly string[],
  { agent = "basic" }: { readonly agent?: AgentName } = {},
): Asked {
  const key = JSON.stringify([agent, questions]);
  const answer = asked.get(key) ?? ask(questions, { agent });
  asked.set(key, answer);
  return answer;
}

/** A call that only learns which names there are. */
function learnsNames({ tool, input }: ToolCall): boolean {
  if (tool === "list_names") return true;
  return tool === "list_checks" && JSON.stringify(input) === '{"limit":200}';
}

function describeCall({ tool, input }: ToolCall): string {
  let text = `${tool} ${JSON.stringify(input)}`;
  for (const { number, name } of sampleChecks) text = text.replaceAll(id(number), name);
  return text;
}

function assertCalls(entry: CorpusEntry, calls: readonly ToolCall[]): void {
  if (entry.calls === null) return;
  const wantsNames = entry.calls.includes("list_checks");
  const told = calls.filter((call) => wantsNames || !learnsNames(call)).map(describeCall);
  assert.equal(told.length, entry.calls.length, `${entry.asks.at(-1)}: ${told.join("\n")}`);
  for (const [index, wanted] of entry.calls.entries()) {
    const [tool, ...words] = wanted.split(" ");
    const call = told[index] ?? "";
    assert.ok(call.startsWith(`${tool} `), `${entry.asks.at(-1)}: ${call} instead of ${wanted}`);
    for (const word of words) {
      assert.ok(call.includes(word), `${entry.asks.at(-1)}: ${call} without ${word}`);
    }
  }
}

test("the corpus has at least 150 questions, and asks none of them twice", () => {
  assert.ok(corpus.length >= 150, `${corpus.length}`);
  const keys = corpus.map(({ asks, agent }) => `${agent} ${asks.join(" / ")}`);
  assert.equal(new Set(keys).size, corpus.length);
});

for (const entry of corpus) {
  test(`${entry.agent ?? "basic"} answers: ${entry.asks.join(" / ")}`, () => {
    const { agent = "basic", asks, says, hides = [] } = entry;
    const { text, calls } = askPlanner(asks, { agent });
    assertCalls(entry, calls);
    for (const fact of says) assert.ok(holdsFact(text, fact), `no ${fact} in:\n${text}`);
    for (const fact of hides) assert.ok(!holdsFact(text, fact), `${fact} in:\n${text}`);
    assert.ok(calls.length <= maxCalls);
  });
}

test("of the questions typed at night at least 59 of 62 are answered", () => {
  const answered = nightQuestions.filter(({ asks, says, hides = [] }) => {
    const [body = ""] = askPlanner(asks).text.split("\n\nSources: ");
    return (
      says.every((wanted) => holdsFact(body, wanted)) && !hides.some((one) => holdsFact(body, one))
    );
  });
  assert.equal(nightQuestions.length, 62);
  assert.ok(answered.length >= 59, `${answered.length}`);
});

test("every fact cites a source that is listed, with an address", () => {
  for (const { asks, agent = "basic" } of corpus) {
    const { text } = askPlanner(asks, { agent });
    const [body = "", list = ""] = text.split("\n\nSources: ");
    const cited = new Set([...body.matchAll(/\[(\d+)\]/g)].map(([, number]) => number));
    const numbers = list
      .split(" ")
      .filter(Boolean)
      .map((link) => /^\[(\d+)\]\(https:\/\/[^\s()]+\)$/.exec(link)?.[1]);
    assert.deepEqual([...cited].sort(), [...numbers].sort(), asks.join(" / "));
  }
});

test("a line with a figure cites its source, or opens a list that does", () => {
  for (const { asks, agent } of corpus) {
    const [body = "", sources] = askPlanner(asks, { agent: agent ?? "basic" }).text.split(
      "\n\nSources: ",
    );
    if (sources === undefined) continue;
    for (const line of body.split("\n")) {
      // Drafts, notes in brackets, what waits for a yes and what is left out rest on nothing.
      const isFree = /^(?:> |\(|Not done yet|And \d+ |.*:$|.*There is no check)/.test(line);
      if (/\d/.test(line) && !isFree)
        assert.match(line, /\[\d+\]$/, `${asks.join(" / ")}: ${line}`);
    }
  }
});
