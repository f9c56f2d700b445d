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

/** What the actions and loops of this room need. */
export interface RunsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** How many servers share what is limited per account; one by default. */
  readonly servers?: (() => number) | undefined;
  readonly bus: Bus;
  readonly watchList: WatchList;
  readonly encryption: Encryption;
  readonly accountVariables: AccountVariables;
  readonly trials: OpenTrials;
  readonly accountCertificates: AccountCertificates;
  readonly seenCertificates: SeenCertificates;
  readonly metrics: RunMetrics;
  /** Told of every check with a new final result; tells open event streams now and then. */
  readonly recorded: Pick<ChangeAnnouncer, "add">;
  /** Knows which probes serve which place. */
  readonly directory: ProbeDirectory;
  readonly tags: OrderTags;
  readonly natsKeys: NatsKeys;
  /** This one, among the servers of the installation. */
  readonly serverId: string;
  readonly recordedRuns: RecordedRuns;
  /** What this server has taken on for its own probe, and what it skipped. */
  readonly load: RunLoad;
}

const resultPrefix = "results.";

export const subjects = {
  /** Of the built-in probes, and of what a server says itself. */
  orders: `orders.${builtInRoute}`,
  results: `${resultPrefix}${builtInRoute}`,
  allResults: `${resultPrefix}>`,
  /** What probes of the route tell a server of the trials that it ordered. */
  newsOf: (serverId: string, route: string) => `news.${serverId}.${route}`,
  allNewsFor: (serverId: string) => `news.${serverId}.>`,
  ...natsSubjects,
  allProbes: "probes.>",
  resultsOf: (route: string) => `${resultPrefix}${route}`,
} as const;

/** The route that news are from; null: the key of the probe on NATS does not stand for it. */
export function findNewsRoute(
  { natsKeys }: Pick<RunsContext, "natsKeys">,
  subject: string,
): string | null {
  const [, , route = "", user] = subject.split(".");
  return user === undefined || natsKeys.find(user)?.route === route ? route : null;
}

/** Who sent a result: the route, and the user of NATS if it was a probe that is there itself. */
export function readSender(subject: string): { readonly route: string; readonly user?: string } {
  const [, route = "", user] = subject.split(".");
  return { route, ...(user !== undefined && { user }) };
}
