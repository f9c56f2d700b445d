import type { Database } from "../../platform/database.ts";
import type { AddressKey } from "../../platform/ip-address.ts";
import { type LimitTools, RateLimit } from "../../platform/rate-limit.ts";
import type { RecorderContext } from "../recording/index.ts";
import type { Ping } from "./heartbeat.ts";

/** Pings per minute and token; a job that pings more often is broken and must not fill the disk. */
const perTokenAMinute = 120;
/** Requests for unknown tokens per minute and client network. */
const guessesAMinute = 60;

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

interface PingLimits {
  readonly byToken: RateLimit;
  readonly guesses: RateLimit<AddressKey>;
}

export function createPingLimits(tools: LimitTools): PingLimits {
  const windowMs = 60_000;
  return {
    byToken: new RateLimit({ ...tools, limit: perTokenAMinute, windowMs, maxKeys: 100_000 }),
    guesses: new RateLimit({ ...tools, limit: guessesAMinute, windowMs }),
  };
}
