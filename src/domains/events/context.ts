import type { Clock } from "../../platform/clock.ts";
import type { News } from "../../platform/news.ts";
import type { Credentials } from "../accounts/index.ts";

export interface EventsContext {
  readonly clock: Clock;
  /** How many servers share what is limited per account; one by default. */
  readonly servers?: (() => number) | undefined;
  readonly credentials: Credentials;
  /** Every notification of a change, as it was sent. */
  readonly changeNews: News;
  /** Of keys, sessions and members. */
  readonly callerNews: News;
}
