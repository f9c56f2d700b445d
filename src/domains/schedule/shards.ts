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

/** Equals `get_byte(uuid_send(id), 15) & 63` in SQL. */
export function shardOf(checkId: string): number {
  if (!isUuid(checkId)) throw new RangeError("check id must be a UUID");
  return Number.parseInt(checkId.slice(-2), 16) & (shardCount - 1);
}

/** A shard as one server sees it at one time. */
export interface Shard {
  /** `null` if nobody holds it or its lease has expired. */
  readonly holder: string | null;
  /** True if nobody has held it for longer than the duration of a lease. */
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
  /** Number of shards of each server that may hold some, in id order. */
  readonly byServer: ReadonlyMap<string, number>;
}

/** The holder of a lease counts as alive, even if its version does not announce itself. */
function countShards(me: string, others: readonly string[], shards: readonly Shard[]): Counts {
  const holders = shards.flatMap(({ holder }) => holder ?? []);
  const ids = [...new Set([me, ...others, ...holders])].sort();
  const byServer = new Map(ids.map((id) => [id, 0]));
  for (const id of holders) byServer.set(id, (byServer.get(id) ?? 0) + 1);
  const least = Math.floor(shards.length / ids.length);
  const most = Math.ceil(shards.length / ids.length);
  return { own: byServer.get(me) ?? 0, least, most, byServer };
}

/** Servers with too few shards have priority for free ones. */
function countToAcquire(free: number, claimed: number, { own, least, most }: Counts): number {
  const lacking = Math.max(0, least - own);
  const spare = Math.max(0, most - Math.max(own, least));
  return Math.min(free, lacking) + Math.min(spare, Math.max(0, free - lacking - claimed));
}

/**
 * A server above the maximum releases the excess. At the maximum, the first servers release one
 * each if other servers have too few and no shard becomes free otherwise.
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
 * Decides which shards a server acquires and releases. Every server decides independently with this
 * function. The result is an even distribution, give or take one; a wrong assumption about another
 * server only delays it. No shard stays free because a server does not acquire its share: an
 * overdue shard is acquired by any server.
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
  // Servers that decide at the same time start at different offsets, so that they choose different
  // shards.
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
 * Returns how long a shard may have been unattended: its holder may have died right after renewing.
 */
function findUnattendedMs({ holder, expiredForMs }: LeaseRow): number {
  return Math.max(0, holder === "" ? expiredForMs : expiredForMs + leaseMs);
}

interface SharedShards {
  readonly shards: readonly number[];
  /** For shards with a previous holder: how long they may have been unattended. */
  readonly unattendedForMs: ReadonlyMap<number, number>;
}

/** The leases of one server on the shards that all servers share. */
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
   * Renews, releases and acquires leases. `onRelease` is called before shards are released, so that no
   * two servers order their runs at the same time.
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
