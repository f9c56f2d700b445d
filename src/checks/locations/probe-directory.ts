import { builtInRoute } from "../../contract/protocol.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop } from "../../platform/loop.ts";
import type { ChangeNotifications } from "../../platform/notifications.ts";
import { listPrivateRoutes } from "./private-locations/private-location-store.ts";
import { aliveForMs, type Probe } from "./probe.ts";
import { listExistingKeys } from "./probe-key-store.ts";
import { listProbesSeenSince } from "./store.ts";

interface DirectoryOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Whether the built-in probe of this server serves public locations that have no other probe. */
  readonly hasBuiltInProbe: boolean;
  /** Id of this server. Without a shared bus, only probes connected to this server are usable. */
  readonly serverId: string;
  readonly isBusShared: boolean;
}

/** Route of an order, or a message why the order has no route. */
type FoundRoute = { readonly route: string } | { readonly route: null; readonly message: string };

interface PlaceOfOrder {
  /** Account of the check. If `null`, the account is unknown and no private location is found. */
  readonly accountId: string | null;
  readonly location: string;
  /** Whether the check lists the location as private. Public probes must then not run the check. */
  readonly isPrivate: boolean;
}

type KnownProbe = Pick<
  Probe,
  "id" | "route" | "keyId" | "serverId" | "quarantinedAt" | "quarantineReason"
> & {
  readonly seenAtMs: number;
};

/**
 * How long a public location counts as remote after the last heartbeat of its probes. Orders for a
 * remote location may have been sent to a remote probe (see `isRemote`).
 */
const remoteForMs = 180_000;
/**
 * Maximum time for which probes count as alive while heartbeats cannot be stored. Later, a probe
 * that failed in the meantime is no longer plausible as alive.
 */
const maxUnstoredMs = 3_600_000;
const noProbe = "No probe serves this location.";
const quarantined = "Every probe of this location is in quarantine.";
const elsewhere =
  "The probe of this location is connected to another server. Several servers reach each other's " +
  "probes over NATS only: set NATS_URL.";

/**
 * Directory of live probes and their routes, in memory so that due runs need no query. It is
 * reloaded every few seconds and when a location changes. Probes that connect to this server are
 * added immediately.
 */
export class ProbeDirectory {
  readonly #options: DirectoryOptions;
  #probes = new Map<string, KnownProbe>();
  #byRoute = new Map<string, KnownProbe[]>();
  /** Routes of private locations by slug, for each account id. */
  #private = new Map<string, Map<string, string>>();
  #privateNames = new Set<string>();
  /** Time of the newest heartbeat per route, including routes without a live probe. */
  readonly #remoteSeenMs = new Map<string, number>();
  /** Whether another server on the shared bus has a built-in probe. */
  #hasOtherBuiltIn = false;
  #reading: Promise<void> | null = null;
  /** When the database began to reject heartbeats; `null` while it stores them. */
  #unstoredSinceMs: number | null = null;
  /**
   * Private locations whose probes sent a heartbeat during the current reload. The list of
   * locations that the reload reads may not contain these locations yet, so the reload adds them.
   */
  #reportedPlaces: { accountId: string; slugName: string; id: string }[] = [];
  readonly #trustListeners: ((route: string) => void)[] = [];

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /**
   * Whether this server has a built-in probe. Orders for built-in probes then stay in this process.
   */
  get isBuiltInHere(): boolean {
    return this.#options.hasBuiltInProbe;
  }

  /** Adds a listener for the routes whose probes are quarantined or released. */
  onTrustChange(listener: (route: string) => void): void {
    this.#trustListeners.push(listener);
  }

  /** Reloads the directory. Concurrent calls share one reload. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { db } = this.#options;
    const sinceMs = this.#findAliveSinceMs();
    this.#reportedPlaces = [];
    const routes = await listPrivateRoutes(db);
    const seen = await listProbesSeenSince(db, new Date(sinceMs));
    const named = [...seen, ...this.#probes.values()].flatMap(({ keyId }) => keyId ?? []);
    const keyIds = new Set(named);
    const keys = keyIds.size === 0 ? new Set() : await listExistingKeys(db, [...keyIds]);
    // Exclude probes with a revoked key. A key that was not queried belongs to a probe that
    // connected during the reload, so it is accepted.
    const isAdmitted = ({ keyId }: Pick<Probe, "keyId">) =>
      keyId === null || !keyIds.has(keyId) || keys.has(keyId);
    const probes = seen.filter(isAdmitted);
    this.#private = new Map();
    this.#privateNames = new Set();
    for (const { id, accountId, slugName } of [...routes, ...this.#reportedPlaces])
      this.#notePlace(accountId, slugName, id);
    this.#hasOtherBuiltIn = probes.some(({ route }) => route === builtInRoute);
    const before = this.#probes;
    this.#probes = new Map();
    // Keep probes of this server whose heartbeat may not have been stored.
    for (const [id, probe] of before) {
      const isOwn = probe.serverId === this.#options.serverId;
      if (isOwn && isAdmitted(probe) && probe.seenAtMs >= sinceMs) this.#probes.set(id, probe);
    }
    for (const { lastSeenAt, ...probe } of probes) {
      if (probe.route === builtInRoute) continue;
      const seenMs = before.get(probe.id)?.seenAtMs ?? 0;
      const seenAtMs = Math.max(lastSeenAt.getTime(), seenMs);
      this.#probes.set(probe.id, { ...probe, seenAtMs });
    }
    this.#group();
    this.#notifyTrust(before);
  }

  #notifyTrust(before: ReadonlyMap<string, KnownProbe>): void {
    const changed = [...this.#probes.values()].filter(({ id, quarantinedAt }) => {
      const known = before.get(id);
      return known !== undefined && (known.quarantinedAt === null) !== (quarantinedAt === null);
    });
    for (const route of new Set(changed.map((probe) => probe.route))) {
      for (const listener of this.#trustListeners) listener(route);
    }
  }

  #notePlace(accountId: string, slugName: string, route: string): void {
    const own = this.#private.get(accountId) ?? new Map<string, string>();
    this.#private.set(accountId, own.set(slugName, route));
    this.#privateNames.add(slugName);
  }

  #group(): void {
    for (const { route, seenAtMs } of this.#probes.values())
      this.#remoteSeenMs.set(route, Math.max(seenAtMs, this.#remoteSeenMs.get(route) ?? 0));
    this.#byRoute = Map.groupBy(this.#probes.values(), ({ route }) => route);
  }

  /** Records the heartbeat of a probe without waiting for the next reload. */
  noteHello(
    probe: Pick<Probe, "id" | "route" | "keyId">,
    place?: Omit<PlaceOfOrder, "isPrivate">,
  ): void {
    const known = this.#probes.get(probe.id);
    if (place !== undefined && place.accountId !== null) {
      const { accountId, location: slugName } = place;
      this.#notePlace(accountId, slugName, probe.route);
      if (this.#reading !== null)
        this.#reportedPlaces.push({ accountId, slugName, id: probe.route });
    }
    const { serverId } = this.#options;
    const { quarantinedAt = null, quarantineReason = null } = known ?? {};
    const seenAtMs = this.#nowMs();
    const { id, route, keyId } = probe;
    this.#probes.set(id, {
      ...{ id, route, keyId },
      serverId,
      quarantinedAt,
      quarantineReason,
      seenAtMs,
    });
    this.#group();
  }

  /**
   * Records whether the database stored a heartbeat. While a full or unavailable disk rejects them,
   * no probe expires: its location would have no runs although the probe works.
   */
  noteStored(isStored: boolean): void {
    this.#unstoredSinceMs = isStored ? null : (this.#unstoredSinceMs ?? this.#nowMs());
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  /** Returns the time since when a probe must have sent a heartbeat to count as alive. */
  #findAliveSinceMs(): number {
    const nowMs = this.#nowMs();
    const unstoredMs = nowMs - (this.#unstoredSinceMs ?? nowMs);
    return nowMs - aliveForMs - Math.min(unstoredMs, maxUnstoredMs);
  }

  noteDisconnect(id: string): void {
    this.#probes.delete(id);
    this.#group();
  }

  /**
   * Whether any account has a private location of this name. The route then depends on the account.
   */
  isPrivateName(location: string): boolean {
    return this.#privateNames.has(location);
  }

  routeOf({ accountId, location, isPrivate }: PlaceOfOrder): FoundRoute {
    const own = accountId === null ? undefined : this.#private.get(accountId)?.get(location);
    if (own !== undefined) return this.#findLive(own) ?? { route: null, message: noProbe };
    if (isPrivate) {
      return { route: null, message: `The account has no private location named ${location}.` };
    }
    const found = this.#findLive(location);
    return found === null || found.route === null ? this.#findBuiltIn() : found;
  }

  /**
   * Whether orders for the location may have been sent to a remote probe, so that results may still
   * arrive later. This is true for some time after the last heartbeat, because a disconnected probe
   * may reconnect.
   */
  isRemote({ accountId, location, isPrivate }: PlaceOfOrder): boolean {
    if (isPrivate || this.#private.get(accountId ?? "")?.has(location)) return true;
    const seenMs = this.#remoteSeenMs.get(location);
    return seenMs !== undefined && seenMs >= this.#nowMs() - remoteForMs;
  }

  /** Finds a probe by id; `null` if the probe sent no heartbeat recently. */
  findProbe(id: string): Pick<KnownProbe, "route" | "quarantinedAt" | "quarantineReason"> | null {
    return this.#probes.get(id) ?? null;
  }

  #findBuiltIn(): FoundRoute {
    const { hasBuiltInProbe, isBusShared } = this.#options;
    const isServed = hasBuiltInProbe || (isBusShared && this.#hasOtherBuiltIn);
    return isServed ? { route: builtInRoute } : { route: null, message: noProbe };
  }

  #findLive(route: string): FoundRoute | null {
    const { isBusShared, serverId } = this.#options;
    const sinceMs = this.#findAliveSinceMs();
    const alive = this.#byRoute.get(route)?.filter(({ seenAtMs }) => seenAtMs >= sinceMs) ?? [];
    if (alive.length === 0) return null;
    const trusted = alive.filter(({ quarantinedAt }) => quarantinedAt === null);
    if (trusted.length === 0) return { route: null, message: quarantined };
    const isReached = isBusShared || trusted.some((probe) => probe.serverId === serverId);
    return isReached ? { route } : { route: null, message: elsewhere };
  }
}

/** Reload interval. Notifications are not sufficient, because a probe that fails sends none. */
const pollEveryMs = 5_000;
const restMs = 100;

export function watchProbeDirectory(
  directory: ProbeDirectory,
  news: readonly ChangeNotifications[],
  log: Log,
): Loop {
  return startLoop({
    name: "follow the probes",
    everyMs: pollEveryMs,
    restMs,
    onWork: (wake) => {
      for (const one of news) one.onChange(wake);
    },
    log,
    turn: () => directory.refresh(),
  });
}
