import type { Database } from "../../../platform/database.ts";
import type { LocationsContext } from "../actions.ts";

/** Number of checks and groups that use a private location. */
export interface PlaceUses {
  readonly checks: number;
  readonly groups: number;
}

/** Queries about checks, implemented by a later module. */
export interface ChecksOfPlaces {
  readonly countUses: (db: Database, accountId: string, slugName: string) => Promise<PlaceUses>;
  /** Renames the location in every check and group that uses it. */
  readonly rename: (
    db: Database,
    accountId: string,
    slugs: { readonly from: string; readonly to: string; readonly at: Date },
  ) => Promise<void>;
}

export interface PrivateLocationsContext extends LocationsContext {
  readonly checksOfPlaces: ChecksOfPlaces;
  /** Location of checks that name none; no private location may use this name. */
  readonly defaultLocation: string;
  readonly serverVersion: string;
}
