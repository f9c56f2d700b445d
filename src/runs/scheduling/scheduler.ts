import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import { DueQueue } from "../../platform/due-queue.ts";
import type { LastRun, ScheduleContext } from "./context.ts";
import {
  chooseRunLocations,
  createNoDataResult,
  createRunOrders,
  isRemoteRun,
  isRunHere,
  publishOwnResults,
  sendOrders,
} from "./orders.ts";
import { RunGate } from "./overload/run-gate.ts";
import { FirstRuns, nextDueAtMs } from "./schedule.ts";
import { leaseMs, listDueRetries, shardCount } from "./schedule-store.ts";
import { ShardLeases, shardOf } from "./shards.ts";
import type { Watched } from "./watch-list.ts";

/** Maximum number of ordered retries to remember, so that they are not ordered again. */
const maxRememberedRetries = 50_000;
/** Maximum backward step of the clock that requires no new computation of the due times. */
const clockNudgeMs = 1_000;
/** Additional time for a remote probe's result, because the probe may be disconnected. */
const remoteGraceMs = 75_000;
/**
 * Maximum delay of a notification about a changed check. Runs that become due during the delay are
 * not lost: the scheduler orders them when the notification arrives.
 */
const notificationDelayMs = 5_000;
/**
 * Maximum time without a scheduler for which the missed runs of a shard are still ordered. If a
 * shard had no scheduler for longer, its missed runs are not ordered.
 */
const maxUnattendedMs = 3 * leaseMs;
/** Maximum number of missed runs to order immediately. Further ones are spread over time. */
const maxCatchUp = 1_000;

/**
 * Creates orders when runs are due. The scheduler holds leases on some of the shards and keeps the
 * checks of these shards in memory, sorted by due time. `sendOrders` decides where orders are sent.
 */
export class Scheduler {
  readonly #context: ScheduleContext;
  readonly #leases: ShardLeases;
  readonly #checks = new Map<string, Watched>();
  /** The scheduled checks by shard, because some work is done for one shard at a time. */
  readonly #ofShard: readonly Map<string, Watched>[];
  readonly #queue = new DueQueue();
  readonly #firstRuns = new FirstRuns();
  readonly #gate: RunGate;
  readonly #changed = new Set<string>();
  /** Ids of checks that changed while shards are being loaded; `null` if none are being loaded. */
  #changedMeanwhile: Set<string> | null = null;
  /** Shards with a lease whose checks are loaded. */
  #held: ReadonlySet<number> = new Set();
  /** Times at which gained shards lost their last scheduler. Runs due since then are ordered. */
  readonly #unattendedSinceMs = new Map<number, number>();
  /** Time from which on this server orders the runs of each shard. */
  readonly #attendedFromMs = new Map<number, number>();
  /** Number of missed runs found since shards were last loaded. */
  #caughtUp = 0;
  #gaps = 0;
  #lastTurnMs = 0;
  #orderedRetries = new Set<string>();
  #nextShard = 0;
  #notifyChange = () => {};
  #notifyPlan = () => {};

  /** `leaseNow` replaces the database clock in tests; `null` uses the database clock. */
  constructor(context: ScheduleContext, holder: string, leaseNow: () => Date | null = () => null) {
    this.#context = context;
    this.#gate = new RunGate(context.load);
    context.load.onCapacity(() => {
      if (this.#gate.isWaiting) this.#notifyPlan();
    });
    this.#leases = new ShardLeases(context.db, holder, leaseNow);
    this.#ofShard = Array.from({ length: shardCount }, () => new Map());
  }

  /** Sets the listener that is called when there are changes to apply. */
  onChange(listener: () => void): void {
    this.#notifyChange = listener;
  }

  /** Sets the listener that is called when a run may have to be ordered earlier than planned. */
  onPlan(listener: () => void): void {
    this.#notifyPlan = listener;
  }

  /** Returns the milliseconds until the next run is due. */
  msUntilDue(): number {
    const { nextDueAtMs: dueAtMs } = this.#queue;
    if (dueAtMs === null) return Number.POSITIVE_INFINITY;
    // Adds one millisecond, because a timer may fire slightly before the run is due.
    return dueAtMs - this.#context.clock.now().getTime() + 1;
  }

  get size(): number {
    return this.#checks.size;
  }

  get heldShards(): number {
    return this.#held.size;
  }

  /** Renews, releases and acquires leases. Loads gained shards and drops lost shards. */
  async holdLeases(others: readonly string[] = []): Promise<void> {
    const { shards, unattendedForMs } = await this.#leases.share(others, (given) => {
      this.#held = this.#held.difference(given);
      for (const shard of given) this.#dropShard(shard);
    });
    const leased = new Set(shards);
    for (const shard of this.#ofShard.keys()) if (!leased.has(shard)) this.#dropShard(shard);
    const gained = new Set(shards.filter((shard) => !this.#held.has(shard)));
    this.#held = leased.difference(gained);
    this.#noteUnattended(gained, unattendedForMs);
    if (gained.size > 0) await this.#readShards(gained);
    this.#context.scheduleMetrics.scheduledChecks.set(this.#checks.size);
    this.#context.scheduleMetrics.heldShards.set(this.#held.size);
  }

  /** Stores when gained shards lost their scheduler. After a failed load, stored times stay. */
  #noteUnattended(gained: ReadonlySet<number>, forMs: ReadonlyMap<number, number>): void {
    const known = new Map(this.#unattendedSinceMs);
    this.#unattendedSinceMs.clear();
    for (const shard of gained) {
      const sinceMs = known.get(shard);
      const ageMs = forMs.get(shard) ?? Number.POSITIVE_INFINITY;
      if (sinceMs !== undefined) this.#unattendedSinceMs.set(shard, sinceMs);
      else if (ageMs <= maxUnattendedMs) {
        this.#unattendedSinceMs.set(shard, this.#context.clock.nowMs() - ageMs);
      }
    }
  }

  /**
   * Loads the checks of gained shards. If the load fails or is outdated, the next round repeats it.
   */
  async #readShards(gained: ReadonlySet<number>): Promise<void> {
    const gaps = this.#gaps;
    const changed = new Set<string>();
    this.#changedMeanwhile = changed;
    const found = await this.#context.watchList.listShards([...gained]);
    const nowMs = this.#context.clock.now().getTime();
    for (const shard of gained) {
      if (!this.#attendedFromMs.has(shard)) this.#attendedFromMs.set(shard, nowMs);
    }
    this.#caughtUp = 0;
    const ids = new Set(found.map((watched) => watched.checkId));
    for (const shard of gained) {
      const known = this.#ofShard[shard]?.keys() ?? [];
      for (const checkId of known) if (!ids.has(checkId)) this.#drop(checkId);
    }
    for (const watched of found) this.#keep(watched);
    this.#changedMeanwhile = null;
    for (const checkId of changed) this.#changed.add(checkId);
    if (changed.size > 0) this.#notifyChange();
    if (gaps === this.#gaps) this.#held = this.#held.union(gained);
  }

  async releaseLeases(): Promise<void> {
    await this.#leases.releaseAll();
  }

  /** Releases all leases. Called if this server makes no progress, so that others take over. */
  async abandonLeases(): Promise<void> {
    this.invalidateShards();
    this.#attendedFromMs.clear();
    for (const checkId of this.#checks.keys()) this.#drop(checkId);
    this.#context.scheduleMetrics.scheduledChecks.set(0);
    this.#context.scheduleMetrics.heldShards.set(0);
    await this.releaseLeases();
  }

  /** Makes the next round load all shards again, because notifications may have been missed. */
  invalidateShards(): void {
    this.#gaps += 1;
    this.#held = new Set();
  }

  noteChange(checkId: string): void {
    this.#changed.add(checkId);
    this.#changedMeanwhile?.add(checkId);
    this.#notifyChange();
  }

  /** Applies changed checks. Edits apply from the next due time; new checks usually run at once. */
  async applyChanges(): Promise<void> {
    const ids = [...this.#changed].filter((id) => this.#held.has(shardOf(id))).slice(0, 1_000);
    if (ids.length === 0) {
      this.#changed.clear();
      return;
    }
    for (const id of ids) this.#changed.delete(id);
    const { runsNewChecks = true } = this.#context;
    const found = await this.#findAgain(ids);
    for (const id of ids) {
      const watched = found.get(id);
      if (watched === undefined) this.#drop(id);
      else this.#keep(watched, runsNewChecks && !this.#checks.has(id));
    }
    if (this.#changed.size > 0) this.#notifyChange();
    this.#context.scheduleMetrics.scheduledChecks.set(this.#checks.size);
  }

  async #findAgain(ids: readonly string[]): Promise<ReadonlyMap<string, Watched>> {
    try {
      return await this.#context.watchList.find(ids);
    } catch (error) {
      for (const id of ids) this.#changed.add(id);
      throw error;
    }
  }

  async orderDue(): Promise<number> {
    const nowMs = this.#context.clock.now().getTime();
    // If the system clock was set back, no run would be due until the clock reached the old time.
    // The due times are therefore computed again.
    if (nowMs < this.#lastTurnMs - clockNudgeMs) {
      for (const [key, { plan }] of this.#checks) this.#queue.add(key, nextDueAtMs(plan, nowMs));
    }
    this.#lastTurnMs = nowMs;
    const orders: Order[] = [];
    for (const { key } of this.#queue.takeDue(nowMs)) {
      const watched = this.#checks.get(key);
      if (watched === undefined) continue;
      const nextMs = nextDueAtMs(watched.plan, nowMs);
      this.#queue.add(key, nextMs);
      // If this process was paused, only the newest of the missed runs is ordered.
      const dueAtMs = this.#firstRuns.take(key) ? nowMs : nextMs - watched.plan.periodMs;
      this.#trySingly(key, () => orders.push(...this.#offer(watched, dueAtMs, nowMs)));
    }
    this.#gate.admit(nowMs, ({ checkId, dueAtMs, locations }) => {
      const watched = this.#checks.get(checkId);
      if (watched === undefined) return;
      for (const order of createRunOrders(watched, dueAtMs, locations)) {
        this.#context.load.open(order);
        orders.push(order);
      }
    });
    await this.#send(orders, nowMs);
    return orders.length;
  }

  /**
   * Queues runs of the built-in probe until it has capacity. Returns the orders of other probes.
   */
  #offer(watched: Watched, dueAtMs: number, nowMs: number): Order[] {
    const { checkId, kind, settings } = watched;
    const locations = chooseRunLocations(watched, dueAtMs);
    this.#context.load.skipped.noteDue(locations.length, nowMs);
    const own = locations.filter((location) =>
      isRunHere(this.#context.directory, watched, location),
    );
    if (own.length > 0) {
      const deadlineAtMs = dueAtMs + kind.deadlineMs(settings);
      const run = { checkId, kind: kind.type, dueAtMs, deadlineAtMs, locations: own };
      this.#gate.offer(run, nowMs);
    }
    const away = own.length === 0 ? locations : locations.filter((one) => !own.includes(one));
    return createRunOrders(watched, dueAtMs, away);
  }

  /** Orders due retries, even if their check was deactivated in the meantime. */
  async orderRetries(): Promise<void> {
    const now = this.#context.clock.now();
    const due = await listDueRetries(this.#context.db, now);
    const mine = due.filter(
      ({ checkId, runId }) => this.#held.has(shardOf(checkId)) && !this.#orderedRetries.has(runId),
    );
    if (this.#orderedRetries.size > maxRememberedRetries) this.#orderedRetries = new Set();
    for (const { runId } of mine) this.#orderedRetries.add(runId);
    await this.#send(mine, now.getTime());
  }

  /** Finds unanswered runs in one shard per call and publishes results for them. */
  async reportUnanswered(): Promise<number> {
    const shard = this.#nextShard;
    this.#nextShard = (shard + 1) % shardCount;
    if (!this.#held.has(shard)) return 0;
    const nowMs = this.#context.clock.now().getTime();
    const watched = [...(this.#ofShard[shard]?.values() ?? [])];
    // Checks that had no due run yet need no query.
    const candidates = watched.filter(
      ({ plan, sinceMs }) => nextDueAtMs(plan, nowMs) - plan.periodMs > sinceMs,
    );
    if (candidates.length === 0) return 0;
    const lastRuns = new Map<string, LastRun>();
    for (const run of await this.#context.listLastRuns(this.#context.db, shard))
      lastRuns.set(run.checkId, run);
    const silent: Result[] = [];
    for (const one of candidates) {
      this.#trySingly(one.checkId, () => {
        for (const order of this.#findUnanswered(one, lastRuns.get(one.checkId), nowMs)) {
          const message = "The probe did not respond in time.";
          silent.push(createNoDataResult(order, { kind: "no-answer", message }, nowMs));
        }
      });
    }
    await publishOwnResults(this.#context, silent);
    return silent.length;
  }

  /** Runs the work for one check, so that an error does not affect other checks. */
  #trySingly(checkId: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#context.log.error({ err: error, checkId }, "could not order a run");
    }
  }

  /** Creates orders of a check's unanswered runs. They are not sent but used to build results. */
  #findUnanswered(watched: Watched, last: LastRun | undefined, nowMs: number): Order[] {
    const { checkId, kind, plan, settings, sinceMs } = watched;
    const { directory, load } = this.#context;
    const graceMs = isRemoteRun(directory, watched) ? remoteGraceMs : 0;
    // Due time of the newest run whose deadline has passed.
    const waitMs = kind.deadlineMs(settings) + graceMs;
    const dueAtMs = nextDueAtMs(plan, nowMs - waitMs) - plan.periodMs;
    // A run due before this server scheduled the shard may be ordered later or not at all. Skipped
    // runs are stored as gaps, because a row per run would cost as much as the run.
    if (dueAtMs <= Math.max(sinceMs, this.#attendedFromMs.get(shardOf(checkId)) ?? 0)) return [];
    if (load.skipped.isSkipped(checkId, dueAtMs)) return [];
    if (this.#gate.isPending(kind.type, checkId, dueAtMs)) return [];
    load.skipped.forgetBefore(checkId, dueAtMs);
    const silent = chooseRunLocations(watched, dueAtMs).filter((location) => {
      const lastDueMs = settings.runParallel ? last?.locations[location]?.atMs : last?.lastDueAtMs;
      return lastDueMs === undefined || lastDueMs < dueAtMs;
    });
    const window = load.windowOf(kind.type);
    const orders = createRunOrders(watched, dueAtMs, silent);
    return orders.filter(({ runId }) => !window.isDelayed(runId, nowMs));
  }

  /** Sends orders. Orders that need values from the database do not delay the others. */
  async #send(orders: readonly Order[], nowMs: number): Promise<void> {
    const incomplete = orders.filter(({ isIncomplete }) => isIncomplete);
    if (incomplete.length > 0) {
      sendOrders(this.#context, incomplete, nowMs).catch((error) =>
        this.#context.log.error({ err: error }, "could not order runs with variables"),
      );
    }
    const plain =
      incomplete.length === 0 ? orders : orders.filter(({ isIncomplete }) => !isIncomplete);
    if (plain.length > 0) await sendOrders(this.#context, plain, nowMs);
  }

  #keep(watched: Watched, isNew = false): void {
    if (!watched.settings.activated || !watched.kind.isOrdered) {
      this.#drop(watched.checkId);
      return;
    }
    const { checkId, plan, sinceMs } = watched;
    const known = this.#checks.get(checkId)?.plan;
    this.#checks.set(checkId, watched);
    this.#ofShard[shardOf(checkId)]?.set(checkId, watched);
    // If the due times are unchanged, the queued run stays, because it may be due now.
    if (known?.periodMs === plan.periodMs && known.splayMs === plan.splayMs) return;
    const nowMs = this.#context.clock.now().getTime();
    const isRecentChange = sinceMs <= nowMs && nowMs - sinceMs <= notificationDelayMs;
    const unattendedMs = this.#unattendedSinceMs.get(shardOf(checkId)) ?? nowMs;
    const fromMs = isRecentChange ? sinceMs : Math.min(nowMs, Math.max(unattendedMs, sinceMs));
    const dueAtMs = nextDueAtMs(plan, fromMs);
    const isOwnTime = dueAtMs > nowMs || isRecentChange;
    // If a run of a new check became due since the change, it serves as the first run.
    const isDue = isRecentChange && dueAtMs <= nowMs;
    const runsNow = isNew && !isDue && this.#firstRuns.offer(watched, nowMs);
    if (runsNow) this.#queue.add(checkId, nowMs);
    else this.#queue.add(checkId, isOwnTime ? dueAtMs : this.#planCatchUp(watched, nowMs));
    this.#notifyPlan();
  }

  /** Returns when to order a missed run. If there are many, the newest runs come first. */
  #planCatchUp({ checkId, plan }: Watched, nowMs: number): number {
    this.#caughtUp += 1;
    if (this.#caughtUp <= maxCatchUp) return nowMs;
    const nextMs = nextDueAtMs(plan, nowMs);
    const dueAtMs = nextMs - plan.periodMs;
    if (2 * nowMs - dueAtMs < nextMs) return 2 * nowMs - dueAtMs;
    // The missed run would be ordered when the next run is already due, so it is skipped.
    this.#context.load.skip({ checkId, dueAtMs, count: 1 }, "late", nowMs);
    return nextMs;
  }

  #dropShard(shard: number): void {
    this.#attendedFromMs.delete(shard);
    for (const checkId of this.#ofShard[shard]?.keys() ?? []) this.#drop(checkId);
  }

  #drop(checkId: string): void {
    this.#checks.delete(checkId);
    this.#ofShard[shardOf(checkId)]?.delete(checkId);
    this.#queue.remove(checkId);
    this.#firstRuns.take(checkId);
    this.#gate.forget(checkId);
  }
}
