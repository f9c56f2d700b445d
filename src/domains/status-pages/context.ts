import type { Database } from "../../platform/database.ts";
import type { SitesContext } from "../sites/index.ts";

export interface StatusPagesContext extends SitesContext {
  /** Whether an image may be fetched from a private address. */
  readonly allowPrivate: boolean;
}

/**
 * The checks module depends on this one, because a check may open incidents for a service. The
 * functions that services need of checks are therefore passed in by the app.
 */
interface ChecksOfServices {
  /**
   * Returns the given ids that are checks of the account, and prevents their deletion until the
   * transaction ends.
   */
  readonly hold: (
    db: Database,
    accountId: string,
    checkIds: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  /** Finds a check that opens incidents for the service. */
  readonly findThatTriggers: (
    db: Database,
    accountId: string,
    serviceId: string,
  ) => Promise<{ readonly id: string; readonly name: string } | null>;
}

export interface ServicesContext extends StatusPagesContext {
  readonly checksOfServices: ChecksOfServices;
}
