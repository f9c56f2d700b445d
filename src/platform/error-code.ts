/**
 * Returns the code of a system, TLS or database error, such as "ECONNREFUSED"; "EUNKNOWN" if the
 * error has none.
 */
export function readCode(error: unknown): string {
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return hasCode && typeof error.code === "string" ? error.code : "EUNKNOWN";
}
