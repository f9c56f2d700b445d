import { setImmediate } from "node:timers/promises";
import type { UIMessageChunk } from "ai";
import { quoteWhole } from "../../../platform/text/clip.ts";
import type { Caller } from "../../accounts/index.ts";
import type { Question } from "../answer.ts";
import type { AnswerEvent } from "../answer-event.ts";
import type { PendingConfirmation } from "../confirmations/actions.ts";
import { type Confirmed, confirmActions, describeOutcome } from "../confirmations/confirm.ts";
import type { AgentContext } from "../context.ts";
import type { StreamRequest } from "../schema.ts";
import type { Source, ToolResult } from "../tool.ts";

/** The summary contains names chosen by users, so all markup in it is escaped. */
function describeConfirmation({ summary, token }: PendingConfirmation): string {
  return `To confirm (${quoteWhole(summary)}) send within ten minutes, as "confirmation" beside "messages": ${token}`;
}

/** Inserts an empty line between the texts before and after a tool call. */
class Paragraphs {
  #tail = "";
  #isBroken = false;

  break(): void {
    this.#isBroken = this.hasText;
  }

  add(text: string): string {
    if (text === "") return "";
    const lineEnds = this.#isBroken ? 2 - (/\n*$/.exec(this.#tail)?.[0].length ?? 0) : 0;
    const spaced = "\n".repeat(Math.max(0, lineEnds)) + text;
    this.#isBroken = false;
    this.#tail = (this.#tail + spaced).slice(-2);
    return spaced;
  }

  get hasText(): boolean {
    return this.#tail !== "";
  }
}

/** Returns the text of an event, or an empty string. */
function formatEvent(paragraphs: Paragraphs, event: AnswerEvent): string {
  if (event.type === "text") return paragraphs.add(event.text);
  paragraphs.break();
  if (event.type === "confirmation")
    return paragraphs.add(describeConfirmation(event.confirmation));
  if (event.type !== "end") return "";
  return paragraphs.add(
    event.text ?? (paragraphs.hasText ? "" : "There is no answer to this question."),
  );
}

/** Writes the answer as one JSON string. The first piece does not wait for anything. */
export async function* writeJsonAnswer(events: AsyncIterable<AnswerEvent>): AsyncGenerator<string> {
  const writer = new JsonStringWriter();
  const paragraphs = new Paragraphs();
  yield writer.open();
  // The first bytes are sent before any work starts.
  await setImmediate();
  for await (const event of events) {
    const piece = writer.write(formatEvent(paragraphs, event));
    if (piece !== "") yield piece;
  }
  yield writer.close();
}

/**
 * Writes one JSON string literal in pieces. The result is valid JSON wherever the text is split:
 * half a surrogate pair waits for its other half.
 */
export class JsonStringWriter {
  #held = "";

  open(): string {
    return '"';
  }

  write(text: string): string {
    const whole = this.#held + text;
    const last = whole.charCodeAt(whole.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#held = isHalf ? whole.slice(-1) : "";
    return escapeText(isHalf ? whole.slice(0, -1) : whole);
  }

  close(): string {
    const rest = escapeText(this.#held);
    this.#held = "";
    return `${rest}"`;
  }
}

/** Writes an unpaired surrogate as the replacement character. */
function escapeText(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}

/** A client sends its whole history back, so tool results are included in full only if small. */
const maxShownChars = 20_000;

/** Copied from the SDK, which is too large to load for a few headers. */
export const eventStreamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

function showResult(result: ToolResult): unknown {
  if (JSON.stringify(result).length <= maxShownChars) return result;
  return { data: null, isTruncated: true, sources: result.sources };
}

/** Returns whether a text contains a URL, and not only as the start of a longer one. */
function isCited(text: string, url: string): boolean {
  return text.split(url).some((rest, index) => index > 0 && !/^[\w?/#&=%-]/.test(rest));
}

/** Opens and closes blocks of text, as the protocol requires. */
class EventWriter {
  #blockCount = 0;
  #isOpen = false;
  readonly #sources = new Map<string, Source>();
  #text = "";

  begin(): UIMessageChunk[] {
    return [{ type: "start" }, { type: "start-step" }];
  }

  write(event: AnswerEvent): UIMessageChunk[] {
    switch (event.type) {
      case "text":
        return this.#writeText(event.text);
      case "tool-call": {
        const { callId: toolCallId, tool: toolName, input } = event;
        return [
          ...this.#endText(),
          { type: "tool-input-available", toolCallId, toolName, input, dynamic: true },
        ];
      }
      case "tool-result":
        return [...this.#endText(), ...this.#writeResult(event.callId, event.result)];
      case "tool-error": {
        const errorText = "The tool failed.";
        const { callId: toolCallId } = event;
        return [
          ...this.#endText(),
          { type: "tool-output-error", toolCallId, errorText, dynamic: true },
        ];
      }
      case "confirmation": {
        const { id, expiresAt, ...rest } = event.confirmation;
        const { token, tool, title, summary, changes, input } = rest;
        const expires = { expiresAt: expiresAt.toISOString() };
        const data = { token, tool, title, summary, changes, input, ...expires };
        // Transient, so that no client sends it back as part of a message.
        return [...this.#endText(), { type: "data-confirmation", id, data, transient: true }];
      }
      case "end":
        return this.#end(event);
    }
  }

  #writeText(text: string): UIMessageChunk[] {
    if (text === "") return [];
    this.#text += text;
    const delta = (): UIMessageChunk => ({
      type: "text-delta",
      id: `text-${this.#blockCount}`,
      delta: text,
    });
    if (this.#isOpen) return [delta()];
    this.#isOpen = true;
    this.#blockCount += 1;
    return [{ type: "text-start", id: `text-${this.#blockCount}` }, delta()];
  }

  #endText(): UIMessageChunk[] {
    if (!this.#isOpen) return [];
    this.#isOpen = false;
    return [{ type: "text-end", id: `text-${this.#blockCount}` }];
  }

  #writeResult(toolCallId: string, result: ToolResult): UIMessageChunk[] {
    for (const source of result.sources) this.#sources.set(source.id, source);
    return [
      { type: "tool-output-available", toolCallId, output: showResult(result), dynamic: true },
    ];
  }

  /** Returns the sources that the text actually cites. */
  #writeSources(): UIMessageChunk[] {
    const cited = [...this.#sources.values()].filter(({ url }) => isCited(this.#text, url));
    return cited.map(
      ({ id, label, url }): UIMessageChunk => ({
        type: "source-url",
        sourceId: id,
        url,
        title: label,
      }),
    );
  }

  #end({ reason, text }: Extract<AnswerEvent, { type: "end" }>): UIMessageChunk[] {
    if (text === null) {
      const sources = this.#writeSources();
      return [...this.#endText(), ...sources, { type: "finish-step" }, { type: "finish" }];
    }
    const isBroken = reason === "model-error" || reason === "broken-off";
    // Clients discard what follows an error, so the sentence is part of the text as well.
    return [
      ...this.#endText(),
      ...this.#writeText(text),
      ...this.#endText(),
      ...this.#writeSources(),
      ...(isBroken ? [{ type: "error", errorText: text } as const] : []),
      { type: "finish-step" },
      { type: "finish" },
    ];
  }
}

function toLines(chunks: readonly UIMessageChunk[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
}

/** Writes the answer as the AI SDK's UI message stream. */
export async function* writeEventAnswer(
  events: AsyncIterable<AnswerEvent>,
): AsyncGenerator<string> {
  const writer = new EventWriter();
  yield toLines(writer.begin());
  // The first bytes are sent before any work starts.
  await setImmediate();
  for await (const event of events) {
    const lines = toLines(writer.write(event));
    if (lines !== "") yield lines;
  }
  yield "data: [DONE]\n\n";
}

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

/**
 * The planner and the AI SDK are loaded on first use, while the answer has already started. With
 * the MCP SDK they take about 200 ms and 9 MB, and many installations use neither.
 */
async function* answerWhenLoaded(
  context: AgentContext,
  caller: Caller,
  question: Question,
  controller: AbortController,
): AsyncGenerator<AnswerEvent> {
  const { answer } = await import("../answer.ts");
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
