/** A thing of the audit log as people say it: "api-key" is an "API key". */
export function sayThing(thing: string): string {
  return thing.replaceAll("-", " ").replace(/^api\b/, "API");
}
