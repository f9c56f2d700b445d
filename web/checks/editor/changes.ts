/** Two people changed one check: which field has whose value. */
import { type Fields, getAt, isSame, setAt } from "../../kinds/fields.ts";

const isPlain = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The paths at which two states differ; a list is one value. */
export function listDifferences(one: Fields, other: Fields, prefix = ""): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => {
    const [left, right] = [one[name], other[name]];
    if (isSame(left, right)) return [];
    const path = `${prefix}${name}`;
    return isPlain(left) && isPlain(right) ? listDifferences(left, right, `${path}.`) : [path];
  });
}

export interface Change {
  readonly path: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Both changed it, and not to the same value. */
  readonly isContested: boolean;
}

/** What others changed since the state that somebody began with. */
export function findChanges(base: Fields, mine: Fields, theirs: Fields): Change[] {
  return listDifferences(base, theirs).map((path) => {
    const [was, own, now] = [base, mine, theirs].map((state) => getAt(state, path));
    const isContested = !isSame(was, own) && !isSame(own, now);
    return { path, base: was, mine: own, theirs: now, isContested };
  });
}

/**
 * Whether what is stored now is news to whoever saves. It may be their own save, whose answer was
 * lost on the way.
 */
export function isNews(base: Fields, mine: Fields, theirs: Fields): boolean {
  return listDifferences(base, theirs).length > 0 && listDifferences(mine, theirs).length > 0;
}

export type Choice = "mine" | "theirs";

/** Their state with my changes on it; a contested field has the value that was chosen. */
export function combine(
  { base, mine, theirs }: { base: Fields; mine: Fields; theirs: Fields },
  choices: ReadonlyMap<string, Choice>,
): Fields {
  let combined = theirs;
  for (const path of listDifferences(base, mine)) {
    const isMine = isSame(getAt(base, path), getAt(theirs, path)) || choices.get(path) === "mine";
    const isTouched = findContested(path, choices);
    if (isMine || isTouched === "mine") combined = setAt(combined, path, getAt(mine, path));
  }
  return combined;
}

/** A field may be a part of one that they replaced whole, or the other way round. */
function findContested(path: string, choices: ReadonlyMap<string, Choice>): Choice | null {
  for (const [contested, choice] of choices) {
    const isPart = path.startsWith(`${contested}.`) || contested.startsWith(`${path}.`);
    if (isPart) return choice;
  }
  return null;
}
