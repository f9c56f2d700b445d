import { writeMs } from "../../platform/text/figures.ts";
import type { OwnSpeech } from "../agent.ts";

/** What tools return for a run of an HTTP kind; the kinds name the status differently. */
interface ResultData {
  readonly status?: number | null;
  readonly statusCode?: number | null;
  readonly firstByteMs: number | null;
}

/** Phrases of every HTTP kind. */
export function createHttpSpeech(failing: string) {
  return {
    glossary: {
      failing,
      percentiles: "P95: 95 of 100 requests were at least as fast; P50 and P99 alike.",
      measure: "Response time: from the start of name resolution to the last byte of the response.",
    },
    describeResult: ({ status, statusCode = status ?? null, firstByteMs }: ResultData) =>
      statusCode === null
        ? "no answer"
        : `status ${statusCode}, first byte after ${writeMs(firstByteMs)}`,
  } satisfies OwnSpeech<object, ResultData>;
}
