/** Formats an object type of the audit log: "api-key" → "API key", "on-call-feed" → "on-call feed". */
export function formatObjectType(thing: string): string {
  return thing
    .replaceAll("-", " ")
    .replace(/^api\b/, "API")
    .replace(/^on call\b/, "on-call");
}
