import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { Counter, Gauge, type Registry } from "prom-client";
import type { AccountCertificates } from "../../checks/client-certificates/index.ts";
import type { NatsKeys, ProbeDirectory } from "../../checks/locations/index.ts";
import type { AccountVariables } from "../../checks/variables/index.ts";
import type { Order, SignedOrder } from "../../contract/order.ts";
import { contractVersion } from "../../contract/protocol.ts";
import type { SignedResult } from "../../contract/result.ts";
import { isCheckType, kinds } from "../../kinds/index.ts";
import type { Bus } from "../../platform/bus.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Log } from "../../platform/log.ts";
import type { RunLoad } from "./overload/run-load.ts";
import type { OpenTrials } from "./trials/open-trials.ts";
import type { WatchList } from "./watch-list.ts";

/**
 * Version of the format of tags, which are signatures of orders. Independent of `contractVersion`,
 * the version of the protocol between servers and probes.
 */
const tagVersion = 1;

/** Time after the deadline of a run during which files of the run are still accepted. */
const uploadMs = 600_000;

/** Permission of a probe to upload the files of one run. */
export interface AssetGrant {
  readonly accountId: string;
  readonly checkId: string;
  readonly runId: string;
  readonly route: string;
  readonly untilMs: number;
}

/** Whether the run may produce files. Only scripts and packet captures do. */
function leavesFiles({ kind, capture }: Pick<Order, "kind" | "capture">): boolean {
  if (capture !== undefined) return true;
  return isCheckType(kind) && kinds[kind].receivesAllVariables === true;
}

type Tagged = Pick<
  SignedResult,
  "runId" | "checkId" | "route" | "location" | "attempt" | "dueAtMs" | "deadlineAtMs"
>;

/**
 * Signs orders that leave this process, so that a probe can return results only for runs that it
 * was ordered to execute. A run id proves nothing, because it is derived from values that others
 * may know. All servers of an installation share the signing key.
 */
export class OrderTags {
  readonly #key: KeyObject;
  readonly #grants: Encryption;

  constructor(encryption: Encryption) {
    this.#key = encryption.deriveKey("order tags");
    this.#grants = encryption.forPurpose("asset grants");
  }

  /** Signs an order for one route of probes, without the account id, which must stay private. */
  sign({ accountId, ...order }: Order, route: string): SignedOrder {
    const tag = this.#write({ ...order, route }).toString("base64url");
    const signed = { ...order, route, version: contractVersion, tag };
    if (accountId === undefined || !leavesFiles(order)) return signed;
    return { ...signed, assetGrant: this.#writeGrant({ ...order, accountId }, route) };
  }

  /** Decrypts an upload grant. Returns `null` if no server of this installation created it. */
  readGrant(text: string): AssetGrant | null {
    const opened = this.#grants.tryDecrypt(text);
    return opened === null ? null : JSON.parse(opened);
  }

  /** Creates an upload grant, encrypted because the account id must not leave the servers. */
  #writeGrant(
    { accountId, checkId, runId, deadlineAtMs }: Order & { readonly accountId: string },
    route: string,
  ): string {
    const untilMs = deadlineAtMs + uploadMs;
    const grant: AssetGrant = { accountId, checkId, runId, route, untilMs };
    return this.#grants.encrypt(JSON.stringify(grant));
  }

  isRight(result: SignedResult): boolean {
    const given = Buffer.from(result.tag, "base64url");
    const right = this.#write(result);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #write({ runId, checkId, route, location, attempt, dueAtMs, deadlineAtMs }: Tagged): Buffer {
    const run = [tagVersion, runId, checkId, route, location, attempt, dueAtMs, deadlineAtMs];
    return createHmac("sha256", this.#key).update(JSON.stringify(run)).digest();
  }
}

/** The newest recorded runs of a check, one per location. */
export interface LastRun {
  readonly checkId: string;
  readonly lastDueAtMs: number;
  readonly locations: Readonly<Record<string, { readonly atMs: number }>>;
}

/** Dependencies of the scheduler and of the actions that run checks. */
export interface ScheduleContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the number of servers that share the rate limits of an account. Defaults to 1. */
  readonly servers?: (() => number) | undefined;
  readonly bus: Bus;
  readonly watchList: WatchList;
  readonly encryption: Encryption;
  readonly accountVariables: AccountVariables;
  readonly accountCertificates: AccountCertificates;
  readonly trials: OpenTrials;
  /** Maps locations to the probes that serve them. */
  readonly directory: ProbeDirectory;
  readonly natsKeys: Pick<NatsKeys, "find">;
  readonly tags: OrderTags;
  /** Whether new checks run immediately. Defaults to `true`. */
  readonly runsNewChecks?: boolean | undefined;
  /** Id of this server within the installation. */
  readonly serverId: string;
  /** Runs in progress on the built-in probe of this server, and runs that this server skipped. */
  readonly load: RunLoad;
  readonly scheduleMetrics: ScheduleMetrics;
  /** Lists the last runs of a shard's checks. Injected, because `states` imports this module. */
  readonly listLastRuns: (db: Database, shard: number) => Promise<readonly LastRun[]>;
}

export interface ScheduleRoutesContext extends ScheduleContext {
  readonly publicUrl: () => string;
}

interface ScheduleMetrics {
  readonly scheduledChecks: Gauge;
  readonly heldShards: Gauge;
  readonly unsentOrders: Counter;
  /** Counter of due runs that were not executed. */
  readonly skippedRuns: Counter;
}

export function createScheduleMetrics(registry: Registry): ScheduleMetrics {
  const registers = [registry];
  return {
    scheduledChecks: new Gauge({
      name: "vedette_scheduled_checks",
      help: "Number of checks scheduled by this server.",
      registers,
    }),
    heldShards: new Gauge({
      name: "vedette_held_shards",
      help: "Number of check shards, out of 64, scheduled by this server.",
      registers,
    }),
    unsentOrders: new Counter({
      name: "vedette_orders_unsent_total",
      help: "Number of orders for remote probes that could not be sent before their deadline.",
      registers,
    }),
    skippedRuns: new Counter({
      name: "vedette_runs_skipped_total",
      help: "Number of due runs that were skipped, by reason: overloaded or late.",
      labelNames: ["reason"],
      registers,
    }),
  };
}
