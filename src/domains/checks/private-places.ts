import type { Fault } from "../../kinds/kind.ts";
import type { Database } from "../../platform/database.ts";
import { holdSlugs } from "../locations/index.ts";

interface Placed {
  readonly privateLocations: readonly string[];
}

/**
 * Private locations that the account does not have. What was stored before slugs had to exist may
 * stay as it is, so that such a check can still be changed in all other ways.
 */
export async function findPlaceFaults(
  db: Database,
  accountId: string,
  { wanted, before }: { readonly wanted: Placed; readonly before: Placed | null },
): Promise<Fault[]> {
  const stored = new Set(before?.privateLocations);
  const added = wanted.privateLocations.filter((slug) => !stored.has(slug));
  const known = await holdSlugs(db, accountId, added);
  return added
    .filter((slug) => !known.has(slug))
    .map((slug) => ({
      key: `privateLocations.${wanted.privateLocations.indexOf(slug)}`,
      rule: `names no private location of this account: create ${slug} first`,
    }));
}
