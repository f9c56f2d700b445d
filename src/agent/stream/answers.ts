import { setImmediate } from "node:timers/promises";
import type { UIMessageChunk } from "ai";
import type { Caller } from "../../access/accounts/index.ts";
import { quoteWhole } from "../../platform/text/clip.ts";
import type { AnswerEvent } from "../answer-event.ts";
import type { Question } from "../answer-run.ts";
import type { PendingConfirmation } from "../confirmations/actions.ts";
import { type Confirmed, confirmActions, describeOutcome } from "../confirmations/confirm.ts";
import type { AgentContext } from "../context.ts";
import type { StreamRequest } from "../schema.ts";
import type { Source, ToolResult } from "../tool.ts";

/**
 * Describes how to confirm an action. Escapes markup, because the summary contains names from
 * users.
 */
function describeConfirmation({ summary, token }: PendingConfirmation): string {
  return `To confirm (${quoteWhole(summary)}) send within ten minutes, as "confirmation" beside "messages": ${token}`;
}

/** Inserts an empty line where a tool call interrupts the text. */
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

/** Returns the text of an event, or an empty string if the event has none. */
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

/** Writes the answer as one JSON string. The opening quotation mark is sent immediately. */
export async function* writeJsonAnswer(events: AsyncIterable<AnswerEvent>): AsyncGenerator<string> {
  const writer = new JsonStringWriter();
  const paragraphs = new Paragraphs();
  yield writer.open();
  // Lets Node.js send the first bytes before the model starts to work.
  await setImmediate();
  for await (const event of events) {
    const piece = writer.write(formatEvent(paragraphs, event));
    if (piece !== "") yield piece;
  }
  yield writer.close();
}

/**
 * Writes one JSON string literal in pieces. The result is valid JSON even if the text is split
 * inside a surrogate pair, because the first half is held back until the second half arrives.
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

/** Escapes text for a JSON string. Unpaired surrogates are replaced with U+FFFD. */
function escapeText(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}

/**
 * Maximum length of a tool result in the stream. The data of a larger result is omitted, because
 * clients send the whole conversation, including tool results, with each question.
 */
const maxShownChars = 20_000;

/**
 * Headers of the SDK's event stream. They are copied, because the SDK is too large to load just for
 * them.
 */
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

/**
 * Returns whether a text contains exactly this URL, and not just a longer URL that starts with it.
 */
function isCited(text: string, url: string): boolean {
  return text.split(url).some((rest, index) => index > 0 && !/^[\w?/#&=%-]/.test(rest));
}

/** Converts events to chunks. Starts and ends text blocks as the protocol requires. */
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
        // Confirmations are transient parts, so that clients do not send the tokens back.
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

  /** Returns chunks for the sources whose URLs the text cites. */
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
    // Clients discard everything after an error chunk. Therefore, write the explanation as text and
    // the sources before the error chunk.
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

/** Writes the answer as a UI message stream of the AI SDK. */
export async function* writeEventAnswer(
  events: AsyncIterable<AnswerEvent>,
): AsyncGenerator<string> {
  const writer = new EventWriter();
  yield toLines(writer.begin());
  // Lets Node.js send the first bytes before the model starts to work.
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
    // The summary is quoted, because it contains names from users and clients render it as
    // Markdown.
    yield { type: "text", text: describeOutcome(one, quoteWhole) };
  }
  yield { type: "end", reason: "complete", text: null };
}

/**
 * Answers a question. The answers and the AI SDK are loaded on first use: together with the MCP
 * SDK, they take about 200 ms and 9 MB, and many installations use none of them.
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
 * Returns the events of the response. Throws for invalid requests before the first byte is sent. If
 * the request contains tokens, executes the confirmed actions and reports their outcomes, instead
 * of answering the question.
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
