/**
 * Every error a caller can meet, named once. `platform/http/error-handler.ts` is the only place
 * that turns one into an answer, and a test holds `docs/errors.md` against this catalogue.
 */
export const errorCatalogue = {
  invalidRequest: { statusCode: 400, error: "Bad Request", message: "Bad Request" },
  badToken: { statusCode: 401, error: "Unauthorized", message: "Bad Token" },
  badSignIn: { statusCode: 401, error: "Unauthorized", message: "Wrong email or password" },
  badCode: { statusCode: 401, error: "Unauthorized", message: "Wrong code, or used already" },
  badPasskey: {
    statusCode: 401,
    error: "Unauthorized",
    message: "This passkey is not known here, or its answer is not right",
  },
  badChallenge: {
    statusCode: 401,
    error: "Unauthorized",
    message: "This took too long, or was used already: begin again",
  },
  forbidden: { statusCode: 403, error: "Forbidden", message: "Forbidden" },
  secondFactorNeeded: {
    statusCode: 403,
    error: "Forbidden",
    message: "This account asks for a second factor: set one up first",
    reason: "second-factor-needed",
  },
  proofNeeded: {
    statusCode: 403,
    error: "Forbidden",
    message: "Confirm that it is you, with your password or a code",
    reason: "proof-needed",
  },
  hiddenValues: {
    statusCode: 403,
    error: "Forbidden",
    message: "This would send hidden values to a host that does not get them yet",
    reason: "hidden-values",
  },
  notFound: { statusCode: 404, error: "Not Found", message: "Not Found" },
  methodNotAllowed: { statusCode: 405, error: "Method Not Allowed", message: "Method Not Allowed" },
  requestTimeout: { statusCode: 408, error: "Request Timeout", message: "Request Timeout" },
  conflict: { statusCode: 409, error: "Conflict", message: "Conflict" },
  preconditionFailed: {
    statusCode: 412,
    error: "Precondition Failed",
    message: "It has changed since you read it: read it again, then send the change",
  },
  bodyTooLarge: { statusCode: 413, error: "Payload Too Large", message: "Payload Too Large" },
  addressTooLong: { statusCode: 414, error: "URI Too Long", message: "URI Too Long" },
  unsupportedMediaType: {
    statusCode: 415,
    error: "Unsupported Media Type",
    message: "Unsupported Media Type",
  },
  tooManyRequests: { statusCode: 429, error: "Too Many Requests", message: "Too Many Requests" },
  headersTooLarge: {
    statusCode: 431,
    error: "Request Header Fields Too Large",
    message: "Request Header Fields Too Large",
  },
  internal: {
    statusCode: 500,
    error: "Internal Server Error",
    message: "Internal Server Error",
  },
  unavailable: {
    statusCode: 503,
    error: "Service Unavailable",
    message: "Service Unavailable",
  },
} as const;

export type ErrorName = keyof typeof errorCatalogue;

export type ValidationSource = "body" | "querystring" | "params" | "headers";

export interface Validation {
  readonly source: ValidationSource;
  readonly keys: readonly string[];
}

export interface FieldFault {
  readonly key: string;
  readonly rule: string;
}

/** What a caller did, or something outside. Our own bugs stay plain errors and answer 500. */
export class KnownError extends Error {
  readonly errorName: ErrorName;
  readonly validation: Validation | undefined;
  /** What each field at fault needs, by key; the words follow the field's name or label. */
  readonly fieldErrors: Readonly<Record<string, string>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** What to do about it, where the message is fixed and does not say. */
  readonly hint: string | undefined;

  constructor(
    errorName: ErrorName,
    details: {
      message?: string;
      validation?: Validation;
      fieldErrors?: Readonly<Record<string, string>>;
      retryAfterSeconds?: number;
      hint?: string | undefined;
    } = {},
  ) {
    super(details.message ?? errorCatalogue[errorName].message);
    this.errorName = errorName;
    this.validation = details.validation;
    this.fieldErrors = details.fieldErrors;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.hint = details.hint;
  }
}

/** A request whose fields are at fault; the message is about the first of them. */
export function invalidFields(
  faults: readonly FieldFault[],
  source: ValidationSource = "body",
): KnownError {
  const [first] = faults;
  if (first === undefined) return new KnownError("invalidRequest");
  const keys = [...new Set(faults.map(({ key }) => key))];
  // The first fault of a field is the one that its message shows.
  const fieldErrors = Object.fromEntries(
    faults.map(({ key, rule }) => [key, rule] as const).reverse(),
  );
  return new KnownError("invalidRequest", {
    message: `${first.key} ${first.rule}`,
    validation: { source, keys },
    fieldErrors,
  });
}

export function invalid(key: string, rule: string, source: ValidationSource = "body"): KnownError {
  return invalidFields([{ key, rule }], source);
}

export const badToken = (hint?: string) => new KnownError("badToken", { hint });
export const forbidden = () => new KnownError("forbidden");
export const notFound = (hint?: string) => new KnownError("notFound", { hint });
export const conflict = (message: string) => new KnownError("conflict", { message });

/** A value of a field that somebody else has. */
export const taken = (key: string, value: string) =>
  new KnownError("conflict", {
    message: `${key} ${value} is taken`,
    fieldErrors: { [key]: `${value} is taken` },
  });
