import type { Duplex } from "node:stream";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { findWriteFault, isDamage } from "../database-errors.ts";
import { type ErrorName, errorCatalogue, KnownError, type ValidationSource } from "../errors.ts";
import { describeValidation } from "./validation.ts";

/**
 * Error codes of a database that is temporarily unavailable: SQLSTATE classes 08, 53 and 57, codes
 * of a disk or a standby that rejects writes, and codes of socket errors.
 */
const unavailableCodes =
  /^(08...|53...|57P0.|57014|58030|25006|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT)$/;
const unavailableMessages =
  /Connection terminated|timeout exceeded when|is not queryable|Query read timeout/;

const damageMessage =
  "A page of the database that this request needs is damaged. The operator can find out what to do with `vedette doctor`";

/** How long a rejected client may read the response before its connection is destroyed. */
const lingerMs = 1_000;

interface ErrorBody {
  readonly statusCode: number;
  readonly error: string;
  readonly message: string;
  /** Machine-readable reason, which distinguishes errors with the same status. */
  readonly reason?: string;
  readonly attributes?: Record<string, never>;
  readonly validation?: { source: string; keys: readonly string[] };
  readonly fieldErrors?: Readonly<Record<string, string>>;
  readonly hint?: string;
}

/** Errors that Fastify and zlib throw while they read a request, by error code. */
const requestCodes: Readonly<Record<string, ErrorName>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "bodyTooLarge",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupportedMediaType",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalidRequest",
  FST_ERR_CTP_INVALID_TYPE: "unsupportedMediaType",
  FST_ERR_BAD_URL: "invalidRequest",
  FST_ERR_MAX_PARAM_LENGTH: "addressTooLong",
  Z_DATA_ERROR: "invalidRequest",
  Z_BUF_ERROR: "invalidRequest",
};

const hints: Readonly<Partial<Record<ErrorName, string>>> = {
  unsupportedMediaType: "Send the body as JSON, with the header Content-Type: application/json.",
  bodyTooLarge: "A body may have at most 1 MiB. Split the request.",
};

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "" } = error as Partial<FastifyError>;
  return unavailableCodes.test(code) || unavailableMessages.test(error.message);
}

/**
 * Creates the error for an unavailable database. If writes fail, the message contains the reason,
 * so that users can report it to the operator.
 */
function explainUnavailable(error: Error): KnownError {
  const fault = findWriteFault(error);
  const message = fault === null ? {} : { message: `Changes cannot be saved: ${fault}` };
  return new KnownError("unavailable", { retryAfterSeconds: 2, ...message });
}

export function toKnownError(error: FastifyError | KnownError): KnownError {
  if (error instanceof KnownError) return error;
  if (error.validation !== undefined) {
    return describeValidation(
      error.validation,
      (error.validationContext ?? "body") as ValidationSource,
    );
  }
  const known = requestCodes[error.code ?? ""];
  if (known !== undefined) return new KnownError(known, { hint: hints[known] });
  if (isUnavailable(error)) return explainUnavailable(error);
  if (isDamage(error)) return new KnownError("internal", { message: damageMessage });
  return new KnownError("internal");
}

export function toErrorBody(error: KnownError): ErrorBody {
  const found = errorCatalogue[error.errorName];
  const { statusCode, error: phrase } = found;
  return {
    statusCode,
    error: phrase,
    message: error.message,
    ...("reason" in found ? { reason: found.reason } : {}),
    ...(statusCode === 401 || statusCode === 429 ? { attributes: {} } : {}),
    ...(error.validation === undefined ? {} : { validation: error.validation }),
    ...(error.fieldErrors === undefined ? {} : { fieldErrors: error.fieldErrors }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}

/** Whether the client disconnected before it had sent the whole request. */
function isAborted({ raw }: FastifyRequest, error: FastifyError | KnownError): boolean {
  const { code } = error as Partial<FastifyError>;
  return code === "ECONNRESET" && raw.destroyed && !raw.complete;
}

export function sendError(
  error: FastifyError | KnownError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = toKnownError(error);
  const body = toErrorBody(known);
  if (body.statusCode >= 500 && !isAborted(request, error))
    request.log.error({ err: error, requestId: request.id }, "request failed");
  if (known.retryAfterSeconds !== undefined) reply.header("retry-after", known.retryAfterSeconds);
  return reply
    .code(body.statusCode)
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(body);
}

/** Sends an error response to a request that Fastify never received, and closes the connection. */
export function rejectSocket(socket: Duplex, name: ErrorName): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = toErrorBody(new KnownError(name));
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${body.statusCode} ${body.error}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
  // Destroy the socket: a client that never reads would stay connected for minutes otherwise.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}
