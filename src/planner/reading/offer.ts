import { quote } from "../wording.ts";
import { matchNames } from "./name-match.ts";

/** One of several options that an answer offered. */
export interface Offered {
  readonly kind: "check" | "incident";
  readonly id: string;
  readonly name: string;
}

const line = /^(\d{1,2})\. `(.{1,200})` \((check|incident) ([0-9a-f-]{36})\)$/;

/** The same text is parsed from the conversation later: nothing else is stored. */
export function writeOffer(place: number, { kind, id, name }: Offered): string {
  return `${place}. ${quote(name)} (${kind} ${id})`;
}

export function parseOffer(answer: string): Offered[] {
  return answer
    .slice(-4_000)
    .split("\n")
    .flatMap((text): Offered[] => {
      const [, , name, kind, id] = line.exec(text) ?? [];
      if (name === undefined || id === undefined) return [];
      return [{ kind: kind === "incident" ? "incident" : "check", id, name }];
    });
}

/** Returns the names that an answer listed, in order: "the second one" may refer to them. */
export function parseListed(answer: string): string[] {
  const [body = ""] = answer.split("\n\nSources: ");
  return body
    .slice(0, 8_000)
    .split("\n")
    .flatMap((text) => /^- `(.{1,200}?)`/.exec(text)?.[1] ?? []);
}

/** Finds an option by its position, or by text that matches only one of the names. */
export function chooseOffered(
  offered: readonly Offered[],
  choice: { readonly ordinal: number | null; readonly text: string },
): Offered | null {
  if (offered.length === 0) return null;
  if (choice.ordinal !== null) {
    const index = choice.ordinal === -1 ? offered.length - 1 : choice.ordinal - 1;
    return offered[index] ?? null;
  }
  const bare = choice.text.replace(/^(?:the|i mean|mean)\s+/i, "").replace(/\s+one$/i, "");
  const found = matchNames(bare, offered, ({ name }) => [name]);
  return found?.things.length === 1 ? (found.things[0] ?? null) : null;
}
