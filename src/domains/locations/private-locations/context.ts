import type { Database } from "../../../platform/database.ts";
import type { LocationsContext } from "../actions.ts";

/** How many name a private location. */
export interface PlaceUses {
  readonly checks: number;
  readonly groups: number;
}

/** What this room asks about checks, which only a room below it knows. */
export interface ChecksOfPlaces {
  readonly countUses: (db: Database, accountId: string, slugName: string) => Promise<PlaceUses>;
  /** In every check and group that names it. */
  readonly rename: (
    db: Database,
    accountId: string,
    slugs: { readonly from: string; readonly to: string; readonly at: Date },
  ) => Promise<void>;
}

export interface PrivateLocationsContext extends LocationsContext {
  readonly checksOfPlaces: ChecksOfPlaces;
  /** Where checks run that name no location: no private location may have this name. */
  readonly defaultLocation: string;
  readonly serverVersion: string;
}
