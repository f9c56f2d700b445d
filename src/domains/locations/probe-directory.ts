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
  /** Whether this server acts as a probe for public locations without a probe. */
  readonly hasBuiltInProbe: boolean;
  /** This server. Without a shared bus it reaches only the probes that are connected to it. */
  readonly serverId: string;
  readonly isBusShared: boolean;
}

/** The route of an order, or why it has none. */
type FoundRoute = { readonly route: string } | { readonly route: null; readonly message: string };

interface PlaceOfOrder {
  /** The account of the check; `null` if unknown, in which case no private location is found. */
  readonly accountId: string | null;
  readonly location: string;
  /** True if the check names it as a private location; no other probe may serve it then. */
  readonly isPrivate: boolean;
}

type KnownProbe = Pick<
  Probe,
  "id" | "route" | "keyId" | "serverId" | "quarantinedAt" | "quarantineReason"
> & {
  readonly seenAtMs: number;
};

/** How long a region counts as remote after its last probe disappeared. */
const remoteForMs = 180_000;
/** Maximum delay before a heartbeat is written. */
const unwrittenMs = 5_000;
const noProbe = "No probe serves this location.";
const quarantined = "Every probe of this location is in quarantine.";
const elsewhere =
  "The probe of this location is connected to another server. Several servers reach each other's " +
  "probes over NATS only: set NATS_URL.";

/**
 * In-memory directory of live probes and their routes, so that a due run needs no query. It is
 * re-read every few seconds and whenever a location changes; the gateway reports its own probes
 * immediately.
 */
export class ProbeDirectory {
  readonly #options: DirectoryOptions;
  #probes = new Map<string, KnownProbe>();
  #byRoute = new Map<string, KnownProbe[]>();
  /** Routes by slug, for each account. */
  #private = new Map<string, Map<string, string>>();
  #privateNames = new Set<string>();
  /** When a probe of a route was last seen, including probes that are gone. */
  readonly #remoteSeenMs = new Map<string, number>();
  /** Whether another server, reachable over a shared bus, has a built-in probe. */
  #hasOtherBuiltIn = false;
  #reading: Promise<void> | null = null;
  /**
   * Places of probes that sent a heartbeat after the current read began, and may be newer than its
   * result.
   */
  #reportedPlaces: { accountId: string; slugName: string; id: string }[] = [];
  readonly #trustListeners: ((route: string) => void)[] = [];

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** If true, orders for a built-in probe never leave this process. */
  get isBuiltInHere(): boolean {
    return this.#options.hasBuiltInProbe;
  }

  /** Called with a route when one of its probes is quarantined or released. */
  onTrustChange(listener: (route: string) => void): void {
    this.#trustListeners.push(listener);
  }

  /** Concurrent calls share one read. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { db, clock } = this.#options;
    const nowMs = clock.now().getTime();
    const since = new Date(nowMs - aliveForMs);
    this.#reportedPlaces = [];
    const routes = await listPrivateRoutes(db);
    const seen = await listProbesSeenSince(db, since);
    const named = [...seen, ...this.#probes.values()].flatMap(({ keyId }) => keyId ?? []);
    const keyIds = new Set(named);
    const keys = keyIds.size === 0 ? new Set() : await listExistingKeys(db, [...keyIds]);
    // Excludes probes whose key was revoked. A key that was added after the query is accepted.
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
    // Keeps probes that connected here while their row was being written.
    for (const [id, probe] of before) {
      const isOwn = probe.serverId === this.#options.serverId;
      if (isOwn && isAdmitted(probe) && probe.seenAtMs >= nowMs - unwrittenMs)
        this.#probes.set(id, probe);
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
      this.#remoteSeenMs.set(route, seenAtMs);
    this.#byRoute = Map.groupBy(this.#probes.values(), ({ route }) => route);
  }

  /** A probe of this server's gateway sent a heartbeat. */
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
    const { serverId, clock } = this.#options;
    const { quarantinedAt = null, quarantineReason = null } = known ?? {};
    const seenAtMs = clock.now().getTime();
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

  noteDisconnect(id: string): void {
    this.#probes.delete(id);
    this.#group();
  }

  /** Whether any account has a private location of this name; only then the account matters. */
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
   * Whether its orders may have left this server, so that results may still arrive. This outlasts
   * the probe's last heartbeat, because a disconnected probe may return.
   */
  isRemote({ accountId, location, isPrivate }: PlaceOfOrder): boolean {
    if (isPrivate || this.#private.get(accountId ?? "")?.has(location)) return true;
    const seenMs = this.#remoteSeenMs.get(location);
    return seenMs !== undefined && seenMs >= this.#options.clock.now().getTime() - remoteForMs;
  }

  /** Returns `null` if the probe was not seen recently. */
  findProbe(id: string): Pick<KnownProbe, "route" | "quarantinedAt" | "quarantineReason"> | null {
    return this.#probes.get(id) ?? null;
  }

  #findBuiltIn(): FoundRoute {
    const { hasBuiltInProbe, isBusShared } = this.#options;
    const isServed = hasBuiltInProbe || (isBusShared && this.#hasOtherBuiltIn);
    return isServed ? { route: builtInRoute } : { route: null, message: noProbe };
  }

  #findLive(route: string): FoundRoute | null {
    const { clock, isBusShared, serverId } = this.#options;
    const sinceMs = clock.now().getTime() - aliveForMs;
    const alive = this.#byRoute.get(route)?.filter(({ seenAtMs }) => seenAtMs >= sinceMs) ?? [];
    if (alive.length === 0) return null;
    const trusted = alive.filter(({ quarantinedAt }) => quarantinedAt === null);
    if (trusted.length === 0) return { route: null, message: quarantined };
    const isReached = isBusShared || trusted.some((probe) => probe.serverId === serverId);
    return isReached ? { route } : { route: null, message: elsewhere };
  }
}

/** Needed in addition to notifications, because a probe that dies sends none. */
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
