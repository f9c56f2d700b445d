import { setImmediate } from "node:timers/promises";
import { quoteWhole } from "../../../platform/text/quote.ts";
import type { AnswerEvent } from "../answer-event.ts";
import type { AskedConfirmation } from "../confirmations/actions.ts";
import { JsonStringWriter } from "./json-string-writer.ts";

/**
 * The summary quotes names, which are other people's text: in an answer nothing in it is markup.
 */
function describeConfirmation({ summary, token }: AskedConfirmation): string {
  return `To confirm (${quoteWhole(summary)}) send within ten minutes, as "confirmation" beside "messages": ${token}`;
}

/** Puts an empty line between what was said before a tool was used and what is said after it. */
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

/** The words of an event, if it has any. */
function sayEvent(paragraphs: Paragraphs, event: AnswerEvent): string {
  if (event.type === "text") return paragraphs.add(event.text);
  paragraphs.break();
  if (event.type === "confirmation")
    return paragraphs.add(describeConfirmation(event.confirmation));
  if (event.type !== "end") return "";
  return paragraphs.add(event.text ?? (paragraphs.hasText ? "" : "There is no answer to this."));
}

/** The answer as one JSON string. The first piece does not wait for anything. */
export async function* writeJsonAnswer(events: AsyncIterable<AnswerEvent>): AsyncGenerator<string> {
  const writer = new JsonStringWriter();
  const paragraphs = new Paragraphs();
  yield writer.open();
  // The first bytes are sent before any work begins.
  await setImmediate();
  for await (const event of events) {
    const piece = writer.write(sayEvent(paragraphs, event));
    if (piece !== "") yield piece;
  }
  yield writer.close();
}
