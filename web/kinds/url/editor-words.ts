export const words = {
  status: "Status code",
  assertionsHint: "Expected status code. Without assertions, a status code below 400 passes.",
  redirects: "Follow redirects",
  skipSSL: "Ignore certificate errors",
} as const;
