/** Ways in which a request can fail. */
export type FailureKind =
  | "rejected"
  | "failed"
  | "unreachable"
  | "tooSlow"
  /** The request timed out, and the server may have executed it. */
  | "maybeDone"
  | "unreadable";

export interface ValidationError {
  readonly source: string;
  readonly keys: readonly string[];
}

interface ApiErrorFacts {
  readonly kind: FailureKind;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly validation?: ValidationError | null;
  readonly fieldErrors?: Readonly<Record<string, string>>;
  readonly reason?: string | null;
}

/** The error of a failed request, with a message for the user. */
export class ApiError extends Error {
  readonly kind: FailureKind;
  /** Status code of the response; 0 if there was no response. */
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** Fields that the API rejected, or `null`. `message` contains the reasons. */
  readonly validation: ValidationError | null;
  /**
   * Error text by field name. The text continues a sentence that starts with the label of the
   * field.
   */
  readonly fieldErrors: Readonly<Record<string, string>>;
  /** Machine-readable reason in addition to the status, such as `proof-needed`. */
  readonly reason: string | null;

  constructor(facts: ApiErrorFacts) {
    super(facts.message);
    this.name = "ApiError";
    this.kind = facts.kind;
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
  readonly validation?: ValidationError;
  readonly fieldErrors?: Readonly<Record<string, string>>;
  readonly reason?: unknown;
}

function readSeconds(header: string | null): number | null {
  const seconds = Number(header);
  return header === null || !Number.isFinite(seconds) ? null : Math.max(0, seconds);
}

/** Creates the error for an unsuccessful response. */
export function fromAnswer(response: Response, body: unknown): ApiError {
  const { message, validation, fieldErrors, reason } = (
    typeof body === "object" && body !== null ? body : {}
  ) as ErrorBody;
  return new ApiError({
    kind: response.status >= 500 ? "failed" : "rejected",
    message:
      typeof message === "string"
        ? message
        : `The server responded with status ${response.status}.`,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    retryAfterSeconds: readSeconds(response.headers.get("retry-after")),
    validation: validation ?? null,
    ...(fieldErrors && { fieldErrors }),
    reason: typeof reason === "string" ? reason : null,
  });
}

const lookFirst = "The change may have been saved anyway. Check before you retry.";
const sendAgain = "Retry. The request is not executed twice.";

/**
 * Creates the error for a failed write. If the write timed out, the server may have executed it.
 */
export function fromUnansweredWrite(error: unknown, isRepeatable: boolean): ApiError {
  const known = fromThrown(error);
  if (known.kind !== "tooSlow") return known;
  const advice = isRepeatable ? sendAgain : lookFirst;
  return new ApiError({
    kind: "maybeDone",
    message: `The server did not respond in time. ${advice}`,
  });
}

/** Creates the error for an exception that was thrown before a response could be read. */
export function fromThrown(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return new ApiError({ kind: "tooSlow", message: "The server did not respond in time." });
  }
  if (error instanceof SyntaxError) {
    return new ApiError({
      kind: "unreadable",
      message: "The response is not from Vedette. A proxy may have replaced it.",
    });
  }
  return new ApiError({ kind: "unreachable", message: "The server is unreachable." });
}
