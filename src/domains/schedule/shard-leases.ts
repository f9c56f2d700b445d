import type { Database } from "../../platform/database.ts";
import {
  acquireLeases,
  type LeaseRow,
  type LeaseTurn,
  leaseMs,
  releaseLeases,
  renewLeases,
} from "./schedule-store.ts";
import { planShards, type Shard, shardCount } from "./shard-plan.ts";

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

export interface SharedShards {
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
