import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import type { ChangeNotifications } from "../../platform/notifications.ts";
import type { SitesContext } from "../../sites/publishing/index.ts";
import type { SnapshotFolder } from "./snapshot-folder.ts";

export interface PublicPagesContext extends SitesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether an image may be fetched from a private address. */
  readonly allowPrivate: boolean;
  /** Stores copies of public pages; `null` if SNAPSHOT_DIR is not set. */
  readonly snapshotFolder: SnapshotFolder | null;
  /** Notifies listeners when the public pages of an account may have changed. */
  readonly pageChanges: ChangeNotifications;
}
