import { APICallError } from "ai";
import { OutboundError } from "../platform/outbound-fetch.ts";
import type { ProposedConfirmation } from "./confirmations/actions.ts";
import type { ToolResult } from "./tool.ts";

export type EndReason =
  | "complete"
  | "model-error"
  | "broken-off"
  | "refused"
  | "silence"
  | "out-of-time"
  | "too-long"
  | "too-many-steps"
  | "stopping"
  | "closed";

export interface AnswerEnd {
  readonly reason: EndReason;
  readonly error?: unknown;
}

export type AnswerEvent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
    }
  | { readonly type: "tool-result"; readonly callId: string; readonly result: ToolResult }
  | { readonly type: "tool-error"; readonly callId: string }
  | { readonly type: "confirmation"; readonly confirmation: ProposedConfirmation }
  /** The last event. `text` explains why the answer ended; `null` if no explanation is needed. */
  | { readonly type: "end"; readonly reason: EndReason; readonly text: string | null };

/**
 * Describes a model error. The description contains no text from the model's server, only the HTTP
 * status or a message of this server.
 */
export function describeModelError(error: unknown): string {
  const cause = findCause(error);
  if (cause instanceof OutboundError) return `The model cannot be reached: ${cause.message}`;
  if (cause instanceof APICallError && cause.statusCode !== undefined && cause.statusCode >= 400) {
    return `The model rejected the request (HTTP ${cause.statusCode}).`;
  }
  return "The model failed.";
}

/** Returns the original error, which the SDK wraps in errors of retries and of failed calls. */
function findCause(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return error;
  if ("lastError" in error && error.lastError !== undefined) return findCause(error.lastError);
  if (error instanceof APICallError && error.statusCode === undefined && error.cause) {
    return findCause(error.cause);
  }
  return error;
}

export function describeEnd({ reason, error }: AnswerEnd): string | null {
  switch (reason) {
    case "complete":
    case "closed":
      return null;
    case "model-error":
      return `${describeModelError(error)} The answer ends here.`;
    case "broken-off":
      return "The model's answer was cut off and ends here.";
    case "refused":
      return "The model refused to continue. The answer ends here.";
    case "silence":
      return "The model stopped responding. The answer ends here.";
    case "out-of-time":
      return "The answer took too long and ends here.";
    case "too-long":
      return "The answer is too long and ends here.";
    case "too-many-steps":
      return "The question needed more steps than allowed. The answer ends here.";
    case "stopping":
      return "The server is stopping. The answer ends here; ask again shortly.";
  }
}
