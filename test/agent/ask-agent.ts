import {
  answerWithoutModel,
  type PlainQuestion,
} from "../../src/agent/answers/answer-without-model.ts";
import type { Turn } from "../../src/agent/answers/understand.ts";
import {
  answerCall,
  sampleNow,
  sampleTools,
  type ToolAnswer,
  type ToolCall,
} from "./sample-account/tool-answers.ts";

export interface Asked {
  /** The answer without the opening that is shown before the tools answer. */
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

export interface AskOptions extends Partial<Pick<PlainQuestion, "agent" | "focus">> {
  readonly answer?: (call: ToolCall) => ToolAnswer;
  readonly tools?: ReadonlySet<string>;
}

/** Asks the questions one after the other, each with the answers before it, and gives the last. */
export async function askAgent(
  questions: readonly string[],
  { agent = "basic", focus = null, answer = answerCall, tools = sampleTools }: AskOptions = {},
): Promise<Asked> {
  const turns: Turn[] = [];
  let asked: Asked = { text: "", calls: [] };
  for (const text of questions) {
    turns.push({ role: "user", text });
    asked = await answerTurns(
      { agent, turns, focus, now: sampleNow, timeZone: null },
      answer,
      tools,
    );
    turns.push({ role: "assistant", text: asked.text });
  }
  return asked;
}

async function answerTurns(
  question: PlainQuestion,
  answer: (call: ToolCall) => ToolAnswer,
  tools: ReadonlySet<string>,
): Promise<Asked> {
  const calls: ToolCall[] = [];
  let text = "";
  const events = answerWithoutModel(question, {
    has: (name) => tools.has(name),
    // Through JSON, as everything goes that a tool returns.
    call: async (tool, input) =>
      JSON.parse(JSON.stringify(answer({ tool, input: input as ToolCall["input"] }))),
  });
  for await (const event of events) {
    if (event.type === "text") text += event.text;
    if (event.type === "tool-call") calls.push(event as unknown as ToolCall);
  }
  return { text: text.replace(/^[^\n]* …\n\n/, ""), calls };
}

export const isWrite = ({ tool }: ToolCall) =>
  !/^(?:list|get|who|compare|draft|search)_/.test(tool);
