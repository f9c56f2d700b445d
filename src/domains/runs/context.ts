import { natsSubjects } from "../../contract/subjects.ts";
import type { Bus } from "../../platform/bus.ts";
import type { ChangeAnnouncer } from "../../platform/change-announcer.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Log } from "../../platform/log.ts";
import type { AccountCertificates } from "../client-certificates/index.ts";
import { builtInRoute, type NatsKeys, type ProbeDirectory } from "../locations/index.ts";
import type { AccountVariables } from "../variables/index.ts";
import type { SeenCertificates } from "./certificates/seen-certificates.ts";
import type { OrderTags } from "./order-tags.ts";
import type { RunLoad } from "./overload/run-load.ts";
import type { RecordedRuns } from "./recorded-runs.ts";
import type { RunMetrics } from "./run-metrics.ts";
import type { OpenTrials } from "./trials/open-trials.ts";
import type { WatchList } from "./watch-list.ts";

/** Dependencies of the actions and loops. */
export interface RunsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Number of servers that share the limits per account; 1 by default. */
  readonly servers?: (() => number) | undefined;
  readonly bus: Bus;
  readonly watchList: WatchList;
  readonly encryption: Encryption;
  readonly accountVariables: AccountVariables;
  readonly trials: OpenTrials;
  readonly accountCertificates: AccountCertificates;
  readonly seenCertificates: SeenCertificates;
  readonly metrics: RunMetrics;
  /** Collects the checks with new final results and periodically notifies open event streams. */
  readonly recorded: Pick<ChangeAnnouncer, "add">;
  /** Maps locations to the probes that serve them. */
  readonly directory: ProbeDirectory;
  readonly tags: OrderTags;
  readonly natsKeys: NatsKeys;
  /** Id of this server within the installation. */
  readonly serverId: string;
  readonly recordedRuns: RecordedRuns;
  /** Runs that this server has in progress for its own probe, and those it skipped. */
  readonly load: RunLoad;
}

const resultPrefix = "results.";

export const subjects = {
  /** Subjects of the built-in probes and of results that the server creates itself. */
  orders: `orders.${builtInRoute}`,
  results: `${resultPrefix}${builtInRoute}`,
  allResults: `${resultPrefix}>`,
  /** Subject for messages of a route's probes about trials that this server ordered. */
  trialMessagesOf: (serverId: string, route: string) => `news.${serverId}.${route}`,
  allTrialMessages: (serverId: string) => `news.${serverId}.>`,
  ...natsSubjects,
  allProbes: "probes.>",
  resultsOf: (route: string) => `${resultPrefix}${route}`,
} as const;

/**
 * Returns the route that a trial message comes from; `null` if the NATS key of the probe does not
 * belong to it.
 */
export function findTrialRoute(
  { natsKeys }: Pick<RunsContext, "natsKeys">,
  subject: string,
): string | null {
  const [, , route = "", user] = subject.split(".");
  return user === undefined || natsKeys.find(user)?.route === route ? route : null;
}

/**
 * Returns the sender of a result: the route, and the NATS user if the probe is connected to NATS
 * directly.
 */
export function readSender(subject: string): { readonly route: string; readonly user?: string } {
  const [, route = "", user] = subject.split(".");
  return { route, ...(user !== undefined && { user }) };
}
