import type { HeaderField } from "./http-request.ts";

/** One request as it is sent: the header fields are complete, but for those of a version. */
export interface Message {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: readonly HeaderField[];
  readonly body: string | null;
}

export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: "1.0" | "1.1" | "2";
  readonly headers: readonly HeaderField[];
}

/** What a version of HTTP reports. After `ended` or `failed` nothing counts any more. */
export interface WireEvents {
  /** Bytes of an answer came, perhaps not for the first time. */
  begun(): void;
  /** Returns whether the body is wanted. */
  answered(head: AnswerHead): boolean;
  received(bytes: Buffer): void;
  ended(): void;
  /** The code is that of the system, of Node or of `wireFaults`. */
  failed(code: string): void;
}

/** What a server does that Node has no code for. */
export const wireFaults = {
  closed: "ECLOSED",
  timedOut: "ETIMEDOUT",
  tooManyInterims: "EINTERIM",
  upgraded: "EUPGRADED",
  flooded: "EFLOODED",
} as const;

/** Answers with a status below 200 come before the real one. */
export const maxInterims = 20;

/** A connection that the other side closes in good order has the code of a reset at Node. */
export function readFaultCode(error: unknown): string {
  if (!(error instanceof Error)) return "EUNKNOWN";
  const code = "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";
  if (code !== "ECONNRESET") return code;
  return "syscall" in error && error.syscall !== undefined ? code : wireFaults.closed;
}
