import type { Database } from "../../platform/database.ts";
import { isUuid } from "../../platform/text/patterns.ts";
import {
  acquireLeases,
  type LeaseRow,
  type LeaseTurn,
  leaseMs,
  releaseLeases,
  renewLeases,
  shardCount,
} from "./schedule-store.ts";

/** Returns the shard of a check. In SQL: `get_byte(uuid_send(id), 15) & 63`. */
export function shardOf(checkId: string): number {
  if (!isUuid(checkId)) throw new RangeError("check id must be a UUID");
  return Number.parseInt(checkId.slice(-2), 16) & (shardCount - 1);
}

/** State of a shard from the view of one server. */
export interface Shard {
  /** Id of the server that holds a valid lease, or `null`. */
  readonly holder: string | null;
  /** Whether the lease never existed or expired more than one lease duration ago. */
  readonly isOverdue: boolean;
}

interface ShardPlan {
  readonly acquire: readonly number[];
  readonly release: readonly number[];
}

interface Counts {
  readonly own: number;
  readonly least: number;
  readonly most: number;
  /** Number of shards that each server holds, in the order of the server ids. */
  readonly byServer: ReadonlyMap<string, number>;
}

/**
 * Counts the shards of each server. The holder of a lease counts as active even if it reports no
 * presence, for example because it runs an older version.
 */
function countShards(me: string, others: readonly string[], shards: readonly Shard[]): Counts {
  const holders = shards.flatMap(({ holder }) => holder ?? []);
  const ids = [...new Set([me, ...others, ...holders])].sort();
  const byServer = new Map(ids.map((id) => [id, 0]));
  for (const id of holders) byServer.set(id, (byServer.get(id) ?? 0) + 1);
  const least = Math.floor(shards.length / ids.length);
  const most = Math.ceil(shards.length / ids.length);
  return { own: byServer.get(me) ?? 0, least, most, byServer };
}

/**
 * Returns how many free shards to acquire. Each server may acquire shards until it has the minimum,
 * which is the even share rounded down. It acquires a further shard only if enough free shards
 * remain for the other servers below the minimum.
 */
function countToAcquire(free: number, claimed: number, { own, least, most }: Counts): number {
  const lacking = Math.max(0, least - own);
  const spare = Math.max(0, most - Math.max(own, least));
  return Math.min(free, lacking) + Math.min(spare, Math.max(0, free - lacking - claimed));
}

/**
 * Returns how many shards to release. The minimum and the maximum per server are the even share,
 * rounded down and up. A server above the maximum releases the excess. Servers below the minimum
 * may need more shards than are free or will be released as excess. Then servers at the maximum
 * release one shard each, in the order of their ids, until the need is met.
 */
function countToRelease(me: string, free: number, counts: Counts): number {
  const { own, least, most, byServer } = counts;
  if (own > most) return own - most;
  if (own < most || most === least) return 0;
  let lacking = 0;
  let coming = free;
  const atMost: string[] = [];
  for (const [id, count] of byServer) {
    lacking += Math.max(0, least - count);
    coming += Math.max(0, count - most);
    if (count >= most) atMost.push(id);
  }
  return atMost.indexOf(me) < lacking - coming ? 1 : 0;
}

/**
 * Decides which shards this server acquires and releases. Each server decides independently with
 * this function. The result is an even distribution, plus or minus one shard. Wrong information
 * about a server only delays the result. A shard is overdue if its lease never existed or expired
 * more than one lease duration ago. Every server acquires overdue shards, so that a failing server
 * cannot leave a shard without a scheduler.
 */
export function planShards(
  me: string,
  others: readonly string[],
  shards: readonly Shard[],
): ShardPlan {
  const counts = countShards(me, others, shards);
  const held = shards.flatMap(({ holder }, shard) => (holder === me ? [shard] : []));
  const overdue = shards.flatMap(({ holder, isOverdue }, shard) =>
    holder === null && isOverdue ? [shard] : [],
  );
  const free = shards.flatMap(({ holder, isOverdue }, shard) =>
    holder === null && !isOverdue ? [shard] : [],
  );
  let claimed = 0;
  for (const id of others) {
    if (id !== me) claimed += Math.max(0, counts.least - (counts.byServer.get(id) ?? 0));
  }
  const afterOverdue = { ...counts, own: counts.own + overdue.length };
  const count = countToAcquire(free.length, claimed, afterOverdue);
  // Servers start at different offsets, so that concurrent decisions choose different shards.
  const rank = [...counts.byServer.keys()].indexOf(me);
  const first = Math.floor((free.length * rank) / counts.byServer.size);
  const spread = [...free.slice(first), ...free.slice(0, first)];
  const tooMany = countToRelease(me, free.length + overdue.length, counts);
  return {
    acquire: [...overdue, ...spread.slice(0, count)],
    release: tooMany === 0 ? [] : held.slice(-tooMany),
  };
}

function describeShards(me: string, rows: readonly LeaseRow[]): Shard[] {
  const byShard = new Map(rows.map((row) => [row.shard, row]));
  return Array.from({ length: shardCount }, (_, shard) => {
    const row = byShard.get(shard);
    if (row === undefined) return { holder: null, isOverdue: true };
    if (row.isRenewed) return { holder: me, isOverdue: false };
    const isFree = row.holder === "" || row.expiredForMs > 0;
    return { holder: isFree ? null : row.holder, isOverdue: row.expiredForMs > leaseMs };
  });
}

/**
 * Returns the maximum time that the shard can have had no scheduler. If a lease expired, its holder
 * may have failed directly after the last renewal.
 */
function findUnattendedMs({ holder, expiredForMs }: LeaseRow): number {
  return Math.max(0, holder === "" ? expiredForMs : expiredForMs + leaseMs);
}

interface SharedShards {
  readonly shards: readonly number[];
  /** Maximum time that each shard had no scheduler. Shards that were never leased are absent. */
  readonly unattendedForMs: ReadonlyMap<number, number>;
}

/** Leases of one server on shards. The servers of an installation share all shards. */
export class ShardLeases {
  readonly #db: Database;
  readonly #holder: string;
  readonly #now: () => Date | null;

  constructor(db: Database, holder: string, now: () => Date | null) {
    this.#db = db;
    this.#holder = holder;
    this.#now = now;
  }

  /**
   * Renews, releases and acquires leases. Calls `onRelease` before shards are released, so that two
   * servers never order the runs of the same shard.
   */
  async share(
    others: readonly string[],
    onRelease: (given: ReadonlySet<number>) => void,
  ): Promise<SharedShards> {
    const turn = this.#turn();
    const rows = await renewLeases(this.#db, turn);
    const { acquire, release } = planShards(
      this.#holder,
      others,
      describeShards(this.#holder, rows),
    );
    const given = new Set(release);
    if (given.size > 0) {
      onRelease(given);
      await releaseLeases(this.#db, turn, release);
    }
    const taken = acquire.length === 0 ? [] : await acquireLeases(this.#db, turn, acquire);
    const renewed = rows.filter(({ isRenewed }) => isRenewed).map(({ shard }) => shard);
    return {
      shards: [...new Set([...renewed, ...taken]).difference(given)],
      unattendedForMs: new Map(rows.map((row) => [row.shard, findUnattendedMs(row)])),
    };
  }

  async releaseAll(): Promise<void> {
    await releaseLeases(this.#db, this.#turn(), null);
  }

  #turn(): LeaseTurn {
    return { holder: this.#holder, now: this.#now() };
  }
}
