/** The headers of answers that a client may want to read, and what each says. */
export const answerHeaders = {
  "Content-Range": {
    description: "Which entries these are, and how many there are in all.",
    schema: { type: "string", examples: ["items 0-9/42"] },
  },
  ETag: {
    description: "Names this state. Send it as `If-Match` to change nothing newer.",
    schema: { type: "string", examples: ['"3q2-7wAAAAAAAAAAAAAAAA"'] },
  },
  Link: {
    description: "The address of the next page, with `rel=next`; absent on the last page.",
    schema: { type: "string" },
  },
  "RateLimit-Limit": {
    description: "How many requests a minute are allowed. Absent where the limit is off.",
    schema: { type: "integer", examples: [600] },
  },
  "RateLimit-Remaining": {
    description: "How many of them are left in this minute.",
    schema: { type: "integer", examples: [599] },
  },
  "RateLimit-Reset": {
    description: "Seconds until all of them are available again.",
    schema: { type: "integer", examples: [42] },
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", examples: [2] },
  },
  "Set-Cookie": {
    description: "The session, as a cookie that scripts cannot read.",
    schema: { type: "string" },
  },
  "X-Ignored-Fields": {
    description:
      "The fields of the body that have no meaning here, as `a.b`, with the field that each may " +
      "have meant. Absent if every field has one.",
    schema: { type: "string", examples: ["frequencey (did you mean frequency?)"] },
  },
  "X-Request-Id": {
    description: "Names the request in the log of the server.",
    schema: { type: "string" },
  },
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

export function referToHeaders(names: readonly AnswerHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
