import type { Fault } from "../../kinds/definition.ts";
import type { Database } from "../../platform/database.ts";
import { holdSlugs } from "../locations/index.ts";

interface Placed {
  readonly privateLocations: readonly string[];
}

/**
 * Finds private locations that do not exist in the account. Values stored before existence was
 * required may stay, so that other fields of such a check can still be changed.
 */
export async function findPlaceFaults(
  db: Database,
  accountId: string,
  { requested, before }: { readonly requested: Placed; readonly before: Placed | null },
): Promise<Fault[]> {
  const stored = new Set(before?.privateLocations);
  const added = requested.privateLocations.filter((slug) => !stored.has(slug));
  const existing = await holdSlugs(db, accountId, added);
  return added
    .filter((slug) => !existing.has(slug))
    .map((slug) => ({
      key: `privateLocations.${requested.privateLocations.indexOf(slug)}`,
      rule: `is not a private location of this account; create ${slug} first`,
    }));
}
