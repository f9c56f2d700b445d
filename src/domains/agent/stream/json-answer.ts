import { setImmediate } from "node:timers/promises";
import { quoteWhole } from "../../../platform/text/clip.ts";
import type { AnswerEvent } from "../answer-event.ts";
import type { PendingConfirmation } from "../confirmations/actions.ts";

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
