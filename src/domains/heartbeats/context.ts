import type { Database } from "../../platform/database.ts";
import type { RunsContext } from "../runs/index.ts";
import type { Ping } from "./heartbeat.ts";
import type { PingLimits } from "./ping-limits.ts";

/** What judging and storing pings depends on. */
export interface PingsContext extends RunsContext {
  /** Whether a ping is late is decided by one clock for all servers: that of the database. */
  readonly readNowMs: (db: Database) => Promise<number>;
}

/** `unknown`: there is no such address. `full`: come again in a moment. */
export type Taken = "taken" | "unknown" | "full";

export interface Intake {
  /** Whether the address was pinged before, as far as this server knows. */
  readonly knows: (token: string) => boolean;
  /** Answers when the ping is stored. */
  readonly take: (token: string, ping: Ping) => Promise<Taken>;
  /** Waits for what has been taken. */
  readonly stop: () => Promise<void>;
}

export interface HeartbeatsContext extends PingsContext {
  readonly intake: Intake;
  readonly pingLimits: PingLimits;
}
