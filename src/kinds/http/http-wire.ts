import { readCode } from "../../platform/errors.ts";
import type { HeaderField } from "./http-request.ts";

/** One request as sent, complete except for header fields that depend on the HTTP version. */
export interface Message {
  readonly url: URL;
  readonly method: string;
  /** Names are in lower case. */
  readonly headers: readonly HeaderField[];
  readonly body: string | null;
}

export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: "1.0" | "1.1" | "2";
  readonly headers: readonly HeaderField[];
}

/** Events of an HTTP/1 or HTTP/2 exchange. Events after `ended` or `failed` are ignored. */
export interface WireEvents {
  /** Bytes of a response arrived. May be called more than once. */
  begun(): void;
  /** Returns whether to read the body. */
  answered(head: AnswerHead): boolean;
  received(bytes: Buffer): void;
  ended(): void;
  /** A code of the system, of Node or of `wireFaults`. */
  failed(code: string): void;
}

/** Server errors that Node has no code for. */
export const wireFaults = {
  closed: "ECLOSED",
  timedOut: "ETIMEDOUT",
  tooManyInterims: "EINTERIM",
  upgraded: "EUPGRADED",
  flooded: "EFLOODED",
} as const;

/** Maximum number of interim responses (status below 200). */
export const maxInterims = 20;

/** Node reports an orderly close by the peer with the code of a reset. */
export function readFaultCode(error: unknown): string {
  const code = readCode(error);
  if (code !== "ECONNRESET") return code;
  return (error as NodeJS.ErrnoException).syscall === undefined ? wireFaults.closed : code;
}
