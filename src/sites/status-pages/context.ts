import type { Database } from "../../platform/database.ts";
import type { SitesContext } from "../publishing/index.ts";

export interface StatusPagesContext extends SitesContext {
  /** Whether an image may be fetched from a private address. */
  readonly allowPrivate: boolean;
}

/** Functions of the checks module, passed in because that module depends on this one. */
interface ChecksOfServices {
  /** Returns the given ids that are checks of the account, locked against deletion. */
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
