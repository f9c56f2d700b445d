import type { Database } from "../../platform/database.ts";
import type { SitesContext } from "../sites/index.ts";

export interface StatusPagesContext extends SitesContext {
  /** Whether a picture may come from a private address. */
  readonly allowPrivate: boolean;
}

/**
 * Checks are a later room, which knows services: a check may open incidents for one. What services
 * ask of checks in return is passed in by the app.
 */
export interface ChecksOfServices {
  /** Those of the account among the ids; none is deleted before the transaction ends. */
  readonly hold: (
    db: Database,
    accountId: string,
    checkIds: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  /** A check that opens incidents for the service. */
  readonly findThatTriggers: (
    db: Database,
    accountId: string,
    serviceId: string,
  ) => Promise<{ readonly id: string; readonly name: string } | null>;
}

export interface ServicesContext extends StatusPagesContext {
  readonly checksOfServices: ChecksOfServices;
}
