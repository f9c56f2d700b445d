import { quoteWhole } from "../../../platform/text/clip.ts";
import type { Caller } from "../../accounts/index.ts";
import type { Question } from "../answer.ts";
import type { AnswerEvent } from "../answer-event.ts";
import { type Confirmed, confirmActions, describeOutcome } from "../confirmations/confirm.ts";
import type { AgentContext } from "../context.ts";
import { loadAnswering } from "../loading.ts";
import type { StreamRequest } from "./schema.ts";

async function* reportConfirmed(confirmed: readonly Confirmed[]): AsyncGenerator<AnswerEvent> {
  for (const [place, one] of confirmed.entries()) {
    const callId = `confirmed-${place + 1}`;
    yield { type: "tool-call", callId, tool: one.tool, input: {} };
    yield { type: "tool-result", callId, result: one.result };
    // Summaries contain names chosen by users, and answers are rendered as Markdown.
    yield { type: "text", text: describeOutcome(one, quoteWhole) };
  }
  yield { type: "end", reason: "complete", text: null };
}

/** The answer starts before the code that writes the rest is loaded. */
async function* answerWhenLoaded(
  context: AgentContext,
  caller: Caller,
  question: Question,
  controller: AbortController,
): AsyncGenerator<AnswerEvent> {
  const { answer } = await loadAnswering();
  yield* answer(context, caller, question, { controller });
}

/**
 * Rejects invalid requests before the first byte. With tokens, executes and reports the confirmed
 * actions; otherwise answers the question.
 */
export async function openAnswer(
  context: AgentContext,
  caller: Caller,
  { question, tokens }: StreamRequest,
  controller: AbortController,
): Promise<AsyncGenerator<AnswerEvent>> {
  if (tokens.length === 0) return answerWhenLoaded(context, caller, question, controller);
  return reportConfirmed(await confirmActions(context, caller, tokens));
}
