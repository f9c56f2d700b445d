/** Three-way merge of form values: the edited version, mine, and the one on the server. Pure. */
import { type Fields, getAt, isSame, setAt } from "../parts/fields.ts";
import { mask } from "../parts/secrets.ts";

export interface Versions<Values extends object> {
  /** Values of the version that was edited. */
  readonly base: Values;
  readonly mine: Values;
  /** Values of the version that is on the server now. */
  readonly theirs: Values;
}

export type Choice = "mine" | "theirs";

export interface Change {
  readonly path: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Both changed it, to different values: somebody has to choose. */
  readonly isContested: boolean;
}

const isPlain = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Lists the paths at which two sets of values differ. A list is one value. */
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

/** Whether a value contains a masked secret, so that equal values may hide different secrets. */
function hasMask(value: unknown): boolean {
  if (typeof value === "string") return value.endsWith(mask);
  return typeof value === "object" && value !== null && Object.values(value).some(hasMask);
}

const isWithin = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`);

/**
 * Lists what others changed since the edited version. If one side replaced an object of which the
 * other side changed a part, the whole object is one change.
 */
export function findChanges<Values extends object>(versions: Versions<Values>): Change[] {
  const { base, mine, theirs } = versions;
  const own = listDifferences(base, mine);
  const others = listDifferences(base, theirs);
  // The server changed, and a mask hides whether this secret did.
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
 * Whether the stored version has changes unknown to the user. It may be their own earlier save
 * whose response was lost, or differ only in fields outside the form.
 */
export function hasNews<Values extends object>(versions: Versions<Values>): boolean {
  return !isSame(versions.mine, versions.theirs) && findChanges(versions).length > 0;
}

/** Returns their values with my changes applied. Contested fields without a choice stay mine. */
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
