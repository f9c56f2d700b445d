import type { Kind } from "../../kinds/kind.ts";
import { fillVariables } from "../../kinds/variables/template.ts";

/** Lists the `{{NAME}}` variables in the texts of a request. */
export function listNames({ texts }: Kind, request: unknown): string[] {
  const names = new Set<string>();
  texts.mapRequest(request, (text) => noteNames(text, names));
  return [...names];
}

/** Collects the names and returns the text unchanged. */
export function noteNames(text: string, names: Set<string>): string {
  return fillVariables(text, (name) => {
    names.add(name);
    return undefined;
  });
}

/** Whether orders with this request need variables, secrets or a certificate. */
export function needsValues(kind: Kind, request: unknown): boolean {
  if (listNames(kind, request).length > 0) return true;
  let hasSecrets = false;
  kind.secrets?.mapRequest(request, (secret) => {
    hasSecrets ||= secret !== "";
    return secret;
  });
  return hasSecrets || (kind.clientCertificateFor?.(request) ?? null) !== null;
}
