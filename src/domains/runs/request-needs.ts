import type { Kind } from "../../kinds/kind.ts";
import { fillVariables } from "../../kinds/variables/template.ts";

/** What `{{NAME}}` in the texts of a request asks for. */
export function listNames({ texts }: Kind, request: unknown): string[] {
  const names = new Set<string>();
  texts.mapRequest(request, (text) =>
    fillVariables(text, (name) => {
      names.add(name);
      return undefined;
    }),
  );
  return [...names];
}

/** Whether orders with this request need more than the request. */
export function needsValues(kind: Kind, request: unknown): boolean {
  return listNames(kind, request).length > 0;
}
