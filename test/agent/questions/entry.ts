/** A text that must be there as it stands, or a pattern where the wording is free. */
export type Fact = string | RegExp;

/** One question, or several turns of a conversation, and what the answer to the last must say. */
export interface Question {
  readonly asks: readonly string[];
  readonly says: readonly Fact[];
  /** What must not be said. */
  readonly hides: readonly Fact[];
}

/** A question by somebody who knows the account and nothing of the agent. */
export function fact(
  asks: string | readonly string[],
  says: readonly Fact[],
  hides: readonly Fact[] = [],
): Question {
  return { asks: [asks].flat(), says, hides };
}

export function holdsFact(text: string, wanted: Fact): boolean {
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}

/** Returns whether an answer says all that a question wants, and nothing that it must not. */
export function isRight(text: string, { says, hides }: Question): boolean {
  const [body = ""] = text.split("\n\nSources: ");
  return says.every((one) => holdsFact(body, one)) && !hides.some((one) => holdsFact(body, one));
}
