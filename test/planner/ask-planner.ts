import { plannerSetting } from "../../src/agent/models/planner-model.ts";
import { maxLookups } from "../../src/planner/plan.ts";
import { type AgentName, planTurn } from "../../src/planner/plan-turn.ts";
import type { Turn } from "../../src/planner/reading/conversation.ts";
import type { Focus } from "../../src/planner/reading/vocabulary.ts";
import {
  keyOf,
  type Outcome,
  parseOutcome,
  type ToolCall,
} from "../../src/planner/tools/tool-outcome.ts";
import {
  answerCall,
  sampleNow,
  sampleTools,
  type ToolAnswer,
} from "./sample-account/tool-answers.ts";

export interface Asked {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly steps: number;
}

export interface AskOptions {
  readonly agent?: AgentName;
  readonly answer?: (call: ToolCall) => ToolAnswer;
  readonly tools?: ReadonlySet<string>;
  readonly focus?: Focus;
}

/** Asks the questions one after the other, each with the answers before it, and gives the last. */
export function askPlanner(questions: readonly string[], options: AskOptions = {}): Asked {
  const turns: Turn[] = [];
  let asked: Asked = { text: "", calls: [], steps: 0 };
  for (const text of questions) {
    turns.push({ role: "user", text });
    asked = answerTurns(turns, options);
    turns.push({ role: "assistant", text: asked.text });
  }
  return asked;
}

/** Through JSON, as everything goes that a tool says to a model. */
export function answerTurns(turns: readonly Turn[], options: AskOptions = {}): Asked {
  const { agent = "basic", answer = answerCall, tools = sampleTools, focus = null } = options;
  const outcomes = new Map<string, Outcome>();
  const calls: ToolCall[] = [];
  let said = "";
  for (let steps = 1; steps <= maxLookups + 1; steps += 1) {
    const step = planTurn({
      agent,
      turns,
      nowMs: sampleNow.getTime(),
      setting: plannerSetting,
      outcomes,
      callCount: calls.length,
      lookupCount: steps - 1,
      tools,
      focus,
    });
    if (step.kind === "answer") return { text: said + step.text, calls, steps };
    said += step.opening === null ? "" : `${step.opening}\n\n`;
    for (const call of step.calls) {
      const output: unknown = JSON.parse(JSON.stringify(answer(call)));
      outcomes.set(keyOf(call.tool, call.input), parseOutcome(call.tool, output));
      calls.push(call);
    }
  }
  throw new Error("the planner did not come to an end");
}
