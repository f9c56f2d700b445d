import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import type { RunsContext } from "./context.ts";
import { DueQueue } from "./due-queue.ts";
import { leaseMs } from "./lease-store.ts";
import { createNoDataResult } from "./orders.ts";
import { RunGate } from "./overload/run-gate.ts";
import { listDueRetries } from "./retry-store.ts";
import { shardCount, shardOf } from "./run-id.ts";
import { nextDueAtMs } from "./schedule.ts";
import { chooseRunLocations, createRunOrders, isRemoteRun, isRunHere } from "./scheduled-orders.ts";
import { publishOwnResults, sendOrders } from "./send-orders.ts";
import { ShardLeases } from "./shard-leases.ts";
import { type LastRun, listLastRuns } from "./state-store.ts";
import type { Watched } from "./watch-list.ts";

/** A retry's order is sent once; its row goes with its result. This bounds what is remembered. */
const maxRememberedRetries = 50_000;
/** A clock is nudged by less; what moves it back further has set it. */
const clockNudgeMs = 1_000;
/** A probe whose link was cut for a minute still answers for what it ran meanwhile. */
const remoteGraceMs = 75_000;
/** A change is heard of a moment after it was made; what was due in between is still ordered. */
const newsDelayMs = 5_000;
/** What was due while nobody held a shard is made up for, unless that has lasted for long. */
const maxUnattendedMs = 3 * leaseMs;
/** More runs than this are not made up for at once, but at the pace at which they were missed. */
const maxCatchUp = 1_000;

interface Attendance {
  /** Of the runs due from here until the shard was read, only the newest of a check is ordered. */
  readonly missedFromMs: number;
  readonly readAtMs: number;
}

const unattended: Attendance = { missedFromMs: 0, readAtMs: 0 };

/**
 * Turns time into orders. It holds a lease on some of the shards, keeps their checks in memory by
 * the time they are due next, and orders what is due. It knows nothing of where orders go.
 */
export class Scheduler {
  readonly #context: RunsContext;
  readonly #leases: ShardLeases;
  readonly #checks = new Map<string, Watched>();
  /** The same checks, shard by shard: some work is done on one of them at a time. */
  readonly #ofShard: readonly Map<string, Watched>[];
  readonly #queue = new DueQueue();
  readonly #gate: RunGate;
  readonly #changed = new Set<string>();
  /** What changed while shards are being read: what is read may be older than that. */
  #changedMeanwhile: Set<string> | null = null;
  /** The shards whose checks are known; a lease alone does not make it so. */
  #held: ReadonlySet<number> = new Set();
  /** Of shards whose checks are being read: what was due since then is still to be ordered. */
  readonly #unattendedSinceMs = new Map<number, number>();
  /** Since when this server orders the runs of a shard. */
  readonly #attendance = new Map<number, Attendance>();
  /** Runs that are made up for at once since shards were last read. */
  #caughtUp = 0;
  #gaps = 0;
  #lastTurnMs = 0;
  #orderedRetries = new Set<string>();
  #nextShard = 0;
  #tellChange = () => {};
  #tellPlan = () => {};

  /** Leases count by the clock of the database, unless a test has one in its hand. */
  constructor(context: RunsContext, holder: string, leaseNow: () => Date | null = () => null) {
    this.#context = context;
    this.#gate = new RunGate(context.load);
    context.load.onRoom(() => {
      if (this.#gate.isWaiting) this.#tellPlan();
    });
    this.#leases = new ShardLeases(context.db, holder, leaseNow);
    this.#ofShard = Array.from({ length: shardCount }, () => new Map());
  }

  /** Hears when there are changes to apply. */
  onChange(listener: () => void): void {
    this.#tellChange = listener;
  }

  /** Hears when a run was planned that may be due before all others. */
  onPlan(listener: () => void): void {
    this.#tellPlan = listener;
  }

  /** How long nothing is due. */
  msUntilDue(): number {
    const { nextDueAtMs: dueAtMs } = this.#queue;
    if (dueAtMs === null) return Number.POSITIVE_INFINITY;
    // A timer may be a fraction of a millisecond early, and the look would be for nothing.
    return dueAtMs - this.#context.clock.now().getTime() + 1;
  }

  get size(): number {
    return this.#checks.size;
  }

  get heldShards(): number {
    return this.#held.size;
  }

  /**
   * Renews leases, gives back what is too much for so many servers, takes what is free; reads the
   * checks of shards that are new, drops those of lost ones.
   */
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
    this.#context.metrics.scheduledChecks.set(this.#checks.size);
    this.#context.metrics.heldShards.set(this.#held.size);
  }

  /** A shard whose checks could not be read yet has been unattended all the while. */
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

  /** When the reading fails, or news is missed during it, the shards are read again next time. */
  async #readShards(gained: ReadonlySet<number>): Promise<void> {
    const gaps = this.#gaps;
    const changed = new Set<string>();
    this.#changedMeanwhile = changed;
    const found = await this.#context.watchList.listShards([...gained]);
    const nowMs = this.#context.clock.now().getTime();
    for (const shard of gained) {
      if (this.#attendance.has(shard)) continue;
      const missedFromMs = this.#unattendedSinceMs.get(shard) ?? nowMs;
      this.#attendance.set(shard, { missedFromMs, readAtMs: nowMs });
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
    if (changed.size > 0) this.#tellChange();
    if (gaps === this.#gaps) this.#held = this.#held.union(gained);
  }

  async releaseLeases(): Promise<void> {
    await this.#leases.giveBackAll();
  }

  /** Whoever does not get on makes room for a server that does. */
  async giveUpLeases(): Promise<void> {
    this.forgetLeases();
    this.#attendance.clear();
    for (const checkId of this.#checks.keys()) this.#drop(checkId);
    this.#context.metrics.scheduledChecks.set(0);
    this.#context.metrics.heldShards.set(0);
    await this.releaseLeases();
  }

  /** Everything may have changed while nobody listened. */
  forgetLeases(): void {
    this.#gaps += 1;
    this.#held = new Set();
  }

  noteChange(checkId: string): void {
    this.#changed.add(checkId);
    this.#changedMeanwhile?.add(checkId);
    this.#tellChange();
  }

  /** Edits, activations and deletions count from the next due time on. */
  async applyChanges(): Promise<void> {
    const ids = [...this.#changed].filter((id) => this.#held.has(shardOf(id))).slice(0, 1_000);
    if (ids.length === 0) {
      this.#changed.clear();
      return;
    }
    for (const id of ids) this.#changed.delete(id);
    const found = await this.#findAgain(ids);
    for (const id of ids) {
      const watched = found.get(id);
      if (watched === undefined) this.#drop(id);
      else this.#keep(watched);
    }
    if (this.#changed.size > 0) this.#tellChange();
    this.#context.metrics.scheduledChecks.set(this.#checks.size);
  }

  async #findAgain(ids: readonly string[]): Promise<ReadonlyMap<string, Watched>> {
    try {
      return await this.#context.watchList.find(ids);
    } catch (error) {
      for (const id of ids) this.#changed.add(id);
      throw error;
    }
  }

  /** Orders what is due by now. */
  async orderDue(): Promise<number> {
    const nowMs = this.#context.clock.now().getTime();
    // Nothing would be due until a clock that was set back has caught up.
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
      // After a pause of this process only the newest of the runs that were missed is made up for.
      const dueAtMs = nextMs - watched.plan.periodMs;
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

  /** Runs at this server's own probe wait for room; the orders for others are returned. */
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

  /** Orders the retries whose time has come, also of checks that were switched off meanwhile. */
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

  /** Looks through one shard for runs that nobody answered for, and says so. */
  async reportSilence(): Promise<number> {
    const shard = this.#nextShard;
    this.#nextShard = (shard + 1) % shardCount;
    if (!this.#held.has(shard)) return 0;
    const nowMs = this.#context.clock.now().getTime();
    const watched = [...(this.#ofShard[shard]?.values() ?? [])];
    // Where no run has been due yet, nothing need be read.
    const asked = watched.filter(
      ({ plan, sinceMs }) => nextDueAtMs(plan, nowMs) - plan.periodMs > sinceMs,
    );
    if (asked.length === 0) return 0;
    const lastRuns = new Map<string, LastRun>();
    for (const run of await listLastRuns(this.#context.db, shard)) lastRuns.set(run.checkId, run);
    const silent: Result[] = [];
    for (const one of asked) {
      this.#trySingly(one.checkId, () => {
        for (const order of this.#findUnanswered(one, lastRuns.get(one.checkId), nowMs)) {
          const message = "The probe did not answer in time.";
          silent.push(createNoDataResult(order, { kind: "no-answer", message }, nowMs));
        }
      });
    }
    await publishOwnResults(this.#context, silent);
    return silent.length;
  }

  /** One check that cannot be ordered must not take along those that are due with it. */
  #trySingly(checkId: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#context.log.error({ err: error, checkId }, "a run could not be ordered");
    }
  }

  /** It is asked of every check in turn, so that orders are made for silent runs only. */
  #findUnanswered(watched: Watched, last: LastRun | undefined, nowMs: number): Order[] {
    const { checkId, kind, plan, settings, sinceMs } = watched;
    const { directory, load } = this.#context;
    const graceMs = isRemoteRun(directory, watched) ? remoteGraceMs : 0;
    // The newest run whose deadline has passed.
    const patienceMs = kind.deadlineMs(settings) + graceMs;
    const dueAtMs = nextDueAtMs(plan, nowMs - patienceMs) - plan.periodMs;
    // Runs that were never ordered are gaps: a row for each would cost as much as making them.
    const { missedFromMs, readAtMs } = this.#attendance.get(shardOf(checkId)) ?? unattended;
    const isOrderedHere = dueAtMs > missedFromMs && dueAtMs + plan.periodMs > readAtMs;
    if (dueAtMs <= sinceMs || !isOrderedHere) return [];
    if (load.skipped.isSkipped(checkId, dueAtMs)) return [];
    if (this.#gate.isPending(kind.type, checkId, dueAtMs)) return [];
    load.skipped.forgetBefore(checkId, dueAtMs);
    const silent = chooseRunLocations(watched, dueAtMs).filter((location) => {
      const heardMs = settings.runParallel ? last?.locations[location]?.atMs : last?.lastDueAtMs;
      return heardMs === undefined || heardMs < dueAtMs;
    });
    const window = load.windowOf(kind.type);
    const orders = createRunOrders(watched, dueAtMs, silent);
    return orders.filter(({ runId }) => !window.isDelayed(runId, nowMs));
  }

  /** Orders that need nothing do not wait for those that need something of the database. */
  async #send(orders: readonly Order[], nowMs: number): Promise<void> {
    const incomplete = orders.filter(({ isIncomplete }) => isIncomplete);
    if (incomplete.length > 0) {
      sendOrders(this.#context, incomplete, nowMs).catch((error) =>
        this.#context.log.error({ err: error }, "runs with variables could not be ordered"),
      );
    }
    const plain =
      incomplete.length === 0 ? orders : orders.filter(({ isIncomplete }) => !isIncomplete);
    if (plain.length > 0) await sendOrders(this.#context, plain, nowMs);
  }

  #keep(watched: Watched): void {
    if (!watched.settings.activated || !watched.kind.isOrdered) {
      this.#drop(watched.checkId);
      return;
    }
    const { checkId, plan, sinceMs } = watched;
    const known = this.#checks.get(checkId)?.plan;
    this.#checks.set(checkId, watched);
    this.#ofShard[shardOf(checkId)]?.set(checkId, watched);
    // A run that is due at this very moment is still to be ordered.
    if (known?.periodMs === plan.periodMs && known.splayMs === plan.splayMs) return;
    const nowMs = this.#context.clock.now().getTime();
    const isNews = sinceMs <= nowMs && nowMs - sinceMs <= newsDelayMs;
    const unattendedMs = this.#unattendedSinceMs.get(shardOf(checkId)) ?? nowMs;
    const fromMs = isNews ? sinceMs : Math.min(nowMs, Math.max(unattendedMs, sinceMs));
    const dueAtMs = nextDueAtMs(plan, fromMs);
    this.#queue.add(
      checkId,
      dueAtMs > nowMs || isNews ? dueAtMs : this.#planCatchUp(watched, nowMs),
    );
    this.#tellPlan();
  }

  /** When to make up for the newest missed run: the newest first, at the pace of the schedule. */
  #planCatchUp({ checkId, plan }: Watched, nowMs: number): number {
    this.#caughtUp += 1;
    if (this.#caughtUp <= maxCatchUp) return nowMs;
    const nextMs = nextDueAtMs(plan, nowMs);
    const dueAtMs = nextMs - plan.periodMs;
    if (2 * nowMs - dueAtMs < nextMs) return 2 * nowMs - dueAtMs;
    // Its next run comes first: nobody orders it, so that nobody can answer for it.
    this.#context.load.skip({ checkId, dueAtMs, count: 1 }, "late", nowMs);
    return nextMs;
  }

  #dropShard(shard: number): void {
    this.#attendance.delete(shard);
    for (const checkId of this.#ofShard[shard]?.keys() ?? []) this.#drop(checkId);
  }

  #drop(checkId: string): void {
    this.#checks.delete(checkId);
    this.#ofShard[shardOf(checkId)]?.delete(checkId);
    this.#queue.remove(checkId);
    this.#gate.forget(checkId);
  }
}
