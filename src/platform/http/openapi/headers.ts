/** Response headers for clients, with their descriptions. */
export const answerHeaders = {
  "Content-Range": {
    description: "Range of the returned entries and their total number.",
    schema: { type: "string", examples: ["items 0-9/42"] },
  },
  ETag: {
    description:
      "Version of the resource. Send it as `If-Match` to avoid overwriting a newer version.",
    schema: { type: "string", examples: ['"3q2-7wAAAAAAAAAAAAAAAA"'] },
  },
  Link: {
    description: "URL of the next page, with `rel=next`; absent on the last page.",
    schema: { type: "string" },
  },
  "RateLimit-Limit": {
    description: "Number of requests allowed per minute. Absent if there is no limit.",
    schema: { type: "integer", examples: [600] },
  },
  "RateLimit-Remaining": {
    description: "Number of requests left in this minute.",
    schema: { type: "integer", examples: [599] },
  },
  "RateLimit-Reset": {
    description: "Seconds until the full limit is available again.",
    schema: { type: "integer", examples: [42] },
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", examples: [2] },
  },
  "Set-Cookie": {
    description: "The session, as an `HttpOnly` cookie.",
    schema: { type: "string" },
  },
  "X-Ignored-Fields": {
    description:
      "Unknown fields of the body, as `a.b`, with the field that each may have meant. Absent if " +
      "all fields are known.",
    schema: { type: "string", examples: ["frequencey (did you mean frequency?)"] },
  },
  "X-Request-Id": {
    description: "Id of the request in the server log.",
    schema: { type: "string" },
  },
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

export function referToHeaders(names: readonly AnswerHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
