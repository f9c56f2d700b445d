/**
 * Templates without logic, such as the bodies of webhooks. Each `{{NAME}}` is replaced by a value.
 * There are no calls and no includes, and only the given values can be used.
 */

/** Maximum length of a template in characters, and maximum size of its output in bytes. */
export const maxTemplateLength = 65_536;
export const maxOutputBytes = 65_536;

type TemplateFault = "too-long" | "not-closed" | "not-a-variable";

const templateFaultRules: Readonly<Record<TemplateFault, string>> = {
  "too-long": `must have at most ${maxTemplateLength} characters`,
  "not-closed": "has a {{ without its }}",
  "not-a-variable": "may have names between {{ and }}, and no blocks, helpers or partials",
};

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "not-closed"; readonly text: string };

/**
 * Splits a template into text and variables. The time is linear: after a `{{` without `}}`, the
 * remaining text is not searched again.
 */
function* splitTemplate(template: string): Generator<Piece> {
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf("{{", at);
    if (open === -1) break;
    if (open > at) yield { kind: "text", text: template.slice(at, open) };
    const close = template.indexOf("}}", open + 2);
    if (close === -1) {
      yield { kind: "not-closed", text: template.slice(open) };
      return;
    }
    yield { kind: "variable", name: template.slice(open + 2, close).trim() };
    at = close + 2;
  }
  if (at < template.length) yield { kind: "text", text: template.slice(at) };
}

/** Returns the fault of a template; `null` if it is valid. An unknown variable is not a fault. */
export function findTemplateFault(template: string): TemplateFault | null {
  if (template.length > maxTemplateLength) return "too-long";
  for (const piece of splitTemplate(template)) {
    if (piece.kind === "not-closed") return "not-closed";
    if (piece.kind === "variable" && !/^\$?[A-Za-z][A-Za-z0-9_]{0,63}$/.test(piece.name)) {
      return "not-a-variable";
    }
  }
  return null;
}

/** Returns the rule that a template violates, as text; `null` if the template is valid. */
export function findBrokenRule(template: string): string | null {
  const fault = findTemplateFault(template);
  return fault === null ? null : templateFaultRules[fault];
}

export type RenderedTemplate =
  | { readonly kind: "rendered"; readonly text: string }
  | { readonly kind: "too-large" };

/** Replaces all variables of a template. A variable without a value becomes an empty string. */
export function fillTemplate(
  template: string,
  values: ReadonlyMap<string, string>,
): RenderedTemplate {
  if (template.length > maxTemplateLength) return { kind: "too-large" };
  const parts: string[] = [];
  let byteCount = 0;
  for (const piece of splitTemplate(template)) {
    const part = piece.kind === "variable" ? (values.get(piece.name) ?? "") : piece.text;
    byteCount += Buffer.byteLength(part);
    if (byteCount > maxOutputBytes) return { kind: "too-large" };
    parts.push(part);
  }
  return { kind: "rendered", text: parts.join("") };
}

/** Lists the names of the variables in a template, each only once. */
export function listTemplateNames(template: string): string[] {
  const names = [...splitTemplate(template)].flatMap((piece) =>
    piece.kind === "variable" ? [piece.name] : [],
  );
  return [...new Set(names)];
}
