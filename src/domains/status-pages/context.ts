import type { Database } from "../../platform/database.ts";
import type { SitesContext } from "../sites/index.ts";

export interface StatusPagesContext extends SitesContext {
  /** Whether an image may be fetched from a private address. */
  readonly allowPrivate: boolean;
}

/**
 * Functions of the checks module that services need. The app passes them in, because the checks
 * module already depends on this module.
 */
interface ChecksOfServices {
  /**
   * Returns the given ids that belong to checks of the account, and prevents deletion of these
   * checks until the transaction ends.
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
