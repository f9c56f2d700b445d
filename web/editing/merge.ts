/** Pure three-way merge of the edited version, the user's form values and the stored version. */
import { type Fields, getAt, isSame, setAt } from "../parts/fields.ts";
import { mask } from "../parts/secrets.ts";

export interface Versions<Values extends object> {
  /** Values of the version that the user started from. */
  readonly base: Values;
  readonly mine: Values;
  /** Values of the version that the server stores now. */
  readonly theirs: Values;
}

export type Choice = "mine" | "theirs";

export interface Change {
  readonly path: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /**
   * Whether the current user and another user have changed the field to different values. If so,
   * the current user must choose one of them.
   */
  readonly isContested: boolean;
}

const isPlain = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Lists the paths at which two sets of values differ. A list counts as a single value. */
export function listDifferences(one: object, other: object, prefix = ""): string[] {
  const [left, right] = [one as Fields, other as Fields];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].flatMap((name) => {
    const [before, after] = [left[name], right[name]];
    if (isSame(before, after)) return [];
    const path = `${prefix}${name}`;
    return isPlain(before) && isPlain(after) ? listDifferences(before, after, `${path}.`) : [path];
  });
}

/** Returns whether a value contains a masked secret. Equal masks may hide different secrets. */
function hasMask(value: unknown): boolean {
  if (typeof value === "string") return value.endsWith(mask);
  return typeof value === "object" && value !== null && Object.values(value).some(hasMask);
}

const isWithin = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`);

/**
 * Lists the fields that other users have changed since the edited version. If one user replaced an
 * object and another user changed a part of it, the whole object counts as one change.
 */
export function findChanges<Values extends object>(versions: Versions<Values>): Change[] {
  const { base, mine, theirs } = versions;
  const own = listDifferences(base, mine);
  const others = listDifferences(base, theirs);
  // If the current user changed a masked secret, other users may have changed it too: the mask
  // hides such a change. The secret is therefore listed.
  const hidden = own.filter((path) => hasMask(getAt(theirs, path)));
  const paths = [...others, ...hidden].map(
    (path) => [...own, ...others].find((one) => path !== one && isWithin(path, one)) ?? path,
  );
  return [...new Set(paths)].map((path) => {
    const [was, kept, now] = [base, mine, theirs].map((values) => getAt(values, path));
    const isContested = !isSame(was, kept) && !isSame(kept, now);
    return { path, base: was, mine: kept, theirs: now, isContested };
  });
}

/**
 * Returns whether the stored version contains changes that the user does not know. Returns `false`
 * if it contains the user's own values, as after a save whose response was lost, or if it differs
 * only in fields outside the form.
 */
export function hasNews<Values extends object>(versions: Versions<Values>): boolean {
  return !isSame(versions.mine, versions.theirs) && findChanges(versions).length > 0;
}

/**
 * Returns the other user's values with the current user's changes applied. A contested field
 * without a choice keeps the current user's value.
 */
export function combine<Values extends object>(
  versions: Versions<Values>,
  choices: ReadonlyMap<string, Choice> = new Map(),
): Values {
  const { base, mine, theirs } = versions;
  const contested = findChanges(versions).filter(({ isContested }) => isContested);
  const uncontested = listDifferences(base, mine).filter(
    (path) => !contested.some((one) => isWithin(path, one.path)),
  );
  const chosen = contested
    .map(({ path }) => path)
    .filter((path) => (choices.get(path) ?? "mine") === "mine");
  let combined = theirs as Fields;
  for (const path of [...uncontested, ...chosen]) {
    combined = setAt(combined, path, getAt(mine, path));
  }
  return combined as Values;
}
