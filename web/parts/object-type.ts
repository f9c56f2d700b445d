/** Formats an object type of the audit log: "api-key" → "API key". */
export function formatObjectType(thing: string): string {
  return thing.replaceAll("-", " ").replace(/^api\b/, "API");
}
