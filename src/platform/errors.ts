/**
 * Catalogue of all API errors. `platform/http/error-handler.ts` converts the errors to responses,
 * and a test compares `docs/errors.md` with this list.
 */
export const errorCatalogue = {
  invalidRequest: { statusCode: 400, error: "Bad Request", message: "Bad Request" },
  badToken: { statusCode: 401, error: "Unauthorized", message: "Bad Token" },
  badSignIn: { statusCode: 401, error: "Unauthorized", message: "Wrong email or password" },
  badCode: { statusCode: 401, error: "Unauthorized", message: "Wrong code, or already used" },
  badPasskey: {
    statusCode: 401,
    error: "Unauthorized",
    message: "Unknown passkey, or its signature is not valid",
  },
  badChallenge: {
    statusCode: 401,
    error: "Unauthorized",
    message: "This sign-in has expired or was already used. Start again",
  },
  forbidden: { statusCode: 403, error: "Forbidden", message: "Forbidden" },
  secondFactorNeeded: {
    statusCode: 403,
    error: "Forbidden",
    message: "This account requires a second factor. Set one up first",
    reason: "second-factor-needed",
  },
  proofNeeded: {
    statusCode: 403,
    error: "Forbidden",
    message: "Confirm your identity with your password or a code",
    reason: "proof-needed",
  },
  hiddenValues: {
    statusCode: 403,
    error: "Forbidden",
    message: "This would send hidden values to a host that does not receive them yet",
    reason: "hidden-values",
  },
  notFound: { statusCode: 404, error: "Not Found", message: "Not Found" },
  methodNotAllowed: { statusCode: 405, error: "Method Not Allowed", message: "Method Not Allowed" },
  requestTimeout: { statusCode: 408, error: "Request Timeout", message: "Request Timeout" },
  conflict: { statusCode: 409, error: "Conflict", message: "Conflict" },
  preconditionFailed: {
    statusCode: 412,
    error: "Precondition Failed",
    message: "It has changed since you read it. Fetch it again, then repeat the change",
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

interface Validation {
  readonly source: ValidationSource;
  readonly keys: readonly string[];
}

interface FieldFault {
  readonly key: string;
  readonly rule: string;
}

/**
 * An error that the caller or an external system has caused. A bug throws a plain `Error` instead
 * and yields status 500.
 */
export class KnownError extends Error {
  readonly errorName: ErrorName;
  readonly validation: Validation | undefined;
  /**
   * The violated rule of each invalid field, by the name of the field. The name and the rule form a
   * sentence: the rule "must be a number" means "timeout must be a number".
   */
  readonly fieldErrors: Readonly<Record<string, string>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** What the caller can do about the error, if the message does not contain it. */
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

/** Creates the error for invalid fields. Its message describes the first fault. */
export function invalidFields(
  faults: readonly FieldFault[],
  source: ValidationSource = "body",
): KnownError {
  const [first] = faults;
  if (first === undefined) return new KnownError("invalidRequest");
  const keys = [...new Set(faults.map(({ key }) => key))];
  // The list is reversed, so that the first fault of a field overwrites its later faults.
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

/** Creates the conflict error for a value that is already in use. */
export const taken = (key: string, value: string) =>
  new KnownError("conflict", {
    message: `${key} ${value} is taken`,
    fieldErrors: { [key]: `${value} is taken` },
  });

/**
 * An error whose message explains to the operator what is wrong and what to do. It is printed
 * without a stack. Any other error that ends the program is a bug, and is printed with its stack.
 */
export class ExplainedError extends Error {}

/** Returns the code of a system, TLS or database error ("ECONNREFUSED"), or "EUNKNOWN". */
export function readCode(error: unknown): string {
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return hasCode && typeof error.code === "string" ? error.code : "EUNKNOWN";
}

/**
 * Explains an error of a file system that rejects writes, in one sentence with advice. Returns
 * `null` for other errors. Errors of `write` contain no path, so `folder` names the disk.
 */
export function explainDiskError(error: unknown, folder: string): string | null {
  const largest = `\`du -xh --max-depth=1 ${folder}\` shows what is large.`;
  const explanations: Readonly<Record<string, string>> = {
    ENOSPC: `The disk of ${folder} is full. Free some space; ${largest}`,
    EDQUOT: `The disk quota of ${folder} is used up. Free some space; ${largest}`,
    EROFS: `The disk of ${folder} is mounted read-only. Mount it writable, or use another folder.`,
  };
  return explanations[readCode(error)] ?? null;
}
