export const words = {
  status: "Status",
  assertionsHint: "What the status must be. Without any, a status below 400 passes.",
  redirects: "Follow redirects",
  skipSSL: "Accept certificates that are not trusted",
} as const;
