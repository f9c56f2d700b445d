import type { Database } from "../../platform/database.ts";
import type { RecorderContext } from "../recording/index.ts";
import type { Ping } from "./heartbeat.ts";
import type { PingLimits } from "./ping-limits.ts";

/** Dependencies for judging and storing pings. */
export interface PingsContext extends RecorderContext {
  /** One clock, that of the database, decides for all servers whether a ping is late. */
  readonly readNowMs: (db: Database) => Promise<number>;
}

/** `unknown` if there is no such token; `full` if the client should retry shortly. */
export type Taken = "taken" | "unknown" | "full";

export interface Intake {
  /** Whether this server has seen the token before. */
  readonly knows: (token: string) => boolean;
  /** Resolves when the ping is stored. */
  readonly take: (token: string, ping: Ping) => Promise<Taken>;
  /** Waits until all accepted pings are stored. */
  readonly stop: () => Promise<void>;
}

export interface HeartbeatsContext extends PingsContext {
  readonly intake: Intake;
  readonly pingLimits: PingLimits;
}
