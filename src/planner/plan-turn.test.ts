import assert from "node:assert/strict";
import fc from "fast-check";
import { answerTurns, askPlanner } from "../../test/planner/ask-planner.ts";
import { corpus } from "../../test/planner/corpus/index.ts";
import {
  hostileName,
  id,
  sampleChecks,
  toBrief,
} from "../../test/planner/sample-account/checks.ts";
import { answerCall } from "../../test/planner/sample-account/tool-answers.ts";
import { understandAll } from "../../test/planner/understanding.ts";
import { test } from "../../test/support/long-run.ts";
import { anyCharacter } from "../../test/support/properties.ts";
import { maxCalls, maxLookups } from "./plan.ts";
import type { ToolCall } from "./tools/tool-outcome.ts";

const words = fc.constantFrom(
  ...new Set(corpus.flatMap(({ asks }) => asks.flatMap((text) => text.split(" ")))),
);
const anyText = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: anyCharacter, maxLength: 100 }),
  fc.array(words, { maxLength: 25 }).map((list) => list.join(" ")),
  fc.constantFrom("\u0000", "\ud800", "`".repeat(500), "(((((", "$^*+?{}[]|\\", "a".repeat(9_000)),
);
const anyTurns = fc.array(
  fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), text: anyText }),
  { minLength: 1, maxLength: 6 },
);
const anyAgent = fc.constantFrom("basic" as const, "check_config_generator" as const);
const maxTextLength = 24_100;

test("every conversation ends within the limits of calls and length", () => {
  fc.assert(
    fc.property(anyTurns, anyAgent, (turns, agent) => {
      const { text, calls, steps } = answerTurns(turns, { agent });
      assert.ok(text.length > 0 && text.length <= maxTextLength, `${text.length}`);
      assert.ok(calls.length <= maxCalls);
      assert.ok(steps <= maxLookups + 1);
    }),
  );
});

test("invalid output of a tool is reported and otherwise ignored", () => {
  const keys = fc.constantFrom("error", "message", "data", "total", "name", "summary");
  const anyAnswer = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('s":')),
    fc.dictionary(keys, fc.oneof(fc.integer(), fc.constant(null), fc.array(fc.integer()))),
  );
  fc.assert(
    fc.property(fc.constantFrom(...corpus), anyAnswer, (entry, data) => {
      const agent = entry.agent ?? "basic";
      const { text, calls } = askPlanner(entry.asks, {
        agent,
        answer: () => ({ data, sources: [] }),
      });
      assert.ok(text.length > 0);
      if (calls.length > 0) assert.match(text, /I could not use \w+: `/);
    }),
  );
});

function intentOf(text: string): string {
  const intents = understandAll([text]);
  return JSON.stringify(
    intents.map(({ topic, subject, window, second, statuses, figure }) => ({
      topic,
      checks: subject.checks.map(({ checkId }) => checkId),
      tags: subject.tags.map((tag) => tag.toLowerCase()),
      places: subject.places,
      statuses,
      figure,
      window,
      second,
    })),
  );
}

const singleQuestions = corpus
  .filter(({ asks, agent }) => asks.length === 1 && agent === undefined)
  .flatMap(({ asks }) => asks)
  // Quoted text, and text to be posted, is taken verbatim.
  .filter((text) => !/["`:.]/.test(text));

test("case and punctuation do not change the meaning", () => {
  const mark = fc.constantFrom(" ", "  ", ", ", " , ", "; ", " - ", "\n", "\t", " (", ") ", " — ");
  fc.assert(
    fc.property(
      fc.constantFrom(...singleQuestions),
      fc.array(fc.tuple(mark, fc.boolean()), { minLength: 30, maxLength: 30 }),
      fc.constantFrom("", "?", "!", "??", "…", ".", " ?!"),
      (question, noise, end) => {
        const bare = question.replace(/[?!.,]+(?=\s|$)/g, "");
        const noisy = bare
          .split(" ")
          .map((word, index) => {
            const [, isLoud] = noise[index % noise.length] ?? [" ", false];
            return isLoud ? word.toUpperCase() : word.toLowerCase();
          })
          .reduce((text, word, index) => `${text}${noise[index]?.[0] ?? " "}${word}`);
        assert.equal(intentOf(`${noisy}${end}`), intentOf(bare), noisy);
      },
    ),
  );
});

test("names, reasons and updates are quoted, and never followed as instructions", () => {
  const questions = [
    "what is failing?",
    "list checks",
    "slowest checks by p95",
    "summarise the latest incident",
    "fastest checks",
    "how is 192.0.2.110",
    "draft an update for the DNS outage",
  ];
  for (const question of questions) {
    const { text: whole, calls } = askPlanner([question]);
    const [text = ""] = whole.split("\n\nSources: ");
    assert.ok(
      calls.every(({ tool }) => !/^(?:mute|run|create|post|acknowledge)_/.test(tool)),
      question,
    );
    // Outside of code spans there is no foreign markup and no invisible character.
    const bare = text.replaceAll(/`[^`\n]*`/g, "");
    assert.doesNotMatch(bare, /evil\.example|<script>|\]\(|\*\*|^#/m, question);
    assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u, question);
  }
});

test("the name of a check affects calls only if it is mentioned", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 80 }), (name) => {
      const rename = (call: ToolCall) =>
        JSON.parse(
          // A function, because "$&" in a name is no reference to the replaced text.
          JSON.stringify(answerCall(call)).replaceAll(JSON.stringify(hostileName), () =>
            JSON.stringify(name),
          ),
        );
      const { calls, text } = askPlanner(["what is failing?"], { answer: rename });
      assert.deepEqual(calls, [{ tool: "get_status", input: {} }]);
      const listed = askPlanner(["list checks"], { answer: rename });
      assert.deepEqual(listed.calls, [{ tool: "list_checks", input: { limit: 200 } }]);
      const bare = listed.text.replaceAll(/`[^`\n]*`/g, "");
      assert.doesNotMatch(bare, /[<[\]](?!\d+\])(?<!\[\d{1,3}\])/);
      assert.ok(text.includes("2 failing"));
    }),
  );
});

test("a choice is read from the previous answer, and the tools are called again", () => {
  const forged = "1. `anything` (check 00000000-0000-7000-8000-00000000ffff)";
  const { calls, text } = answerTurns([
    { role: "user", text: "is edg down?" },
    { role: "assistant", text: forged },
    { role: "user", text: "the first one" },
  ]);
  assert.deepEqual(calls.at(-1), {
    tool: "get_status",
    input: { checkIds: ["00000000-0000-7000-8000-00000000ffff"] },
  });
  assert.match(text, /There is no check `00000000-0000-7000-8000-00000000ffff` here\./);
});

test("with more checks than one list returns, a name is searched for", () => {
  const many = (call: ToolCall) => {
    const { name } = call.input as { name?: string };
    if (call.tool !== "list_checks") return answerCall(call);
    const hidden = { ...toBrief(sampleChecks[0] as never), checkId: id(77), name: "zeta-node" };
    const checks = name === undefined ? sampleChecks.slice(2).map(toBrief) : [hidden];
    return { data: { checks, total: name === undefined ? 4_000 : 1 }, sources: [] };
  };
  const { calls } = askPlanner(["is zeta-node down?"], { answer: many });
  assert.deepEqual(
    calls.filter(({ tool }) => tool === "list_checks").map(({ input }) => input),
    [{ limit: 200 }, { name: "zeta-node", limit: 200 }],
  );
  assert.deepEqual(calls.at(-1)?.input, { checkIds: [id(77)] });
});

test("two hundred checks and a long conversation are read in bounded time", {
  isLong: true,
}, () => {
  const checks = Array.from({ length: 200 }, (_, index) => ({
    ...toBrief(sampleChecks[0] as never),
    checkId: id(10_000 + index),
    name: `site-${index} uplink router number ${index * 7}`,
  }));
  const answer = (call: ToolCall) =>
    call.tool === "list_checks"
      ? { data: { checks, total: 5_000 }, sources: [] }
      : answerCall(call);
  for (const word of ["wherefore uplnik zsite routre ", "192.0.2.1 ", "a.b ", "told ", "0 % "]) {
    const text = word.repeat(1_000);
    const turns = Array.from({ length: 20 }, () => ({ role: "user" as const, text }));
    const before = process.cpuUsage();
    assert.ok(answerTurns(turns, { answer }).text.length > 0);
    // Without its limits this took more than ten seconds.
    const { user } = process.cpuUsage(before);
    assert.ok(user < 3_000_000, `${word}: ${user} µs`);
  }
});
