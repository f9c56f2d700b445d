/** Why a request did not work, in words for the person who made it. */
export type Trouble =
  | "refused"
  | "failed"
  | "unreachable"
  | "tooSlow"
  /** Too slow, and it may have been done. */
  | "maybeDone"
  | "unreadable";

export interface ValidationFault {
  readonly source: string;
  readonly keys: readonly string[];
}

interface ApiErrorFacts {
  readonly trouble: Trouble;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly validation?: ValidationFault | null;
  readonly fieldErrors?: Readonly<Record<string, string>>;
  readonly reason?: string | null;
}

export class ApiError extends Error {
  readonly trouble: Trouble;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** Which fields the API refused; the message says why. */
  readonly validation: ValidationFault | null;
  /** What each field at fault needs, by key; the words follow the field's label. */
  readonly fieldErrors: Readonly<Record<string, string>>;
  /** What to do first, where the status alone does not say: `proof-needed`. */
  readonly reason: string | null;

  constructor(facts: ApiErrorFacts) {
    super(facts.message);
    this.name = "ApiError";
    this.trouble = facts.trouble;
    this.status = facts.status ?? 0;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.validation = facts.validation ?? null;
    this.fieldErrors = facts.fieldErrors ?? {};
    this.reason = facts.reason ?? null;
  }
}

interface ErrorBody {
  readonly message?: unknown;
  readonly validation?: ValidationFault;
  readonly fieldErrors?: Readonly<Record<string, string>>;
  readonly reason?: unknown;
}

function readSeconds(header: string | null): number | null {
  const seconds = Number(header);
  return header === null || !Number.isFinite(seconds) ? null : Math.max(0, seconds);
}

/** From an answer that is not a success. */
export function fromAnswer(response: Response, body: unknown): ApiError {
  const { message, validation, fieldErrors, reason } = (
    typeof body === "object" && body !== null ? body : {}
  ) as ErrorBody;
  return new ApiError({
    trouble: response.status >= 500 ? "failed" : "refused",
    message: typeof message === "string" ? message : `The server answered ${response.status}.`,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: readSeconds(response.headers.get("retry-after")),
    validation: validation ?? null,
    ...(fieldErrors && { fieldErrors }),
    reason: typeof reason === "string" ? reason : null,
  });
}

const lookFirst = "It may have done this all the same: look before you send it again.";
const sendAgain = "Send it again: what is done already is not done twice.";

/** Of a write without an answer nobody knows whether it was done. */
export function fromUnansweredWrite(error: unknown, isRepeatable: boolean): ApiError {
  const known = fromThrown(error);
  if (known.trouble !== "tooSlow") return known;
  const advice = isRepeatable ? sendAgain : lookFirst;
  return new ApiError({
    trouble: "maybeDone",
    message: `The server did not answer in time. ${advice}`,
  });
}

/** From whatever was thrown before there was an answer that could be read. */
export function fromThrown(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return new ApiError({ trouble: "tooSlow", message: "The server did not answer in time." });
  }
  if (error instanceof SyntaxError) {
    return new ApiError({
      trouble: "unreadable",
      message: "The answer was not from Vedette. A proxy in between may have changed it.",
    });
  }
  return new ApiError({ trouble: "unreachable", message: "The server cannot be reached." });
}
