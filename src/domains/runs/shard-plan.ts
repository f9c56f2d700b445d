/** A shard as one server sees it at one moment. */
export interface Shard {
  /** Null: nobody holds it, or its lease has run out. */
  readonly holder: string | null;
  /** Nobody has held it for longer than a lease lasts. */
  readonly isOverdue: boolean;
}

export interface ShardPlan {
  readonly take: readonly number[];
  readonly giveBack: readonly number[];
}

interface Counts {
  readonly own: number;
  readonly least: number;
  readonly most: number;
  /** Of each server that may hold shards, in the order of their ids. */
  readonly byServer: ReadonlyMap<string, number>;
}

/** Whoever holds a lease is alive too, be it a version that does not tell of itself. */
function countShards(me: string, others: readonly string[], shards: readonly Shard[]): Counts {
  const holders = shards.flatMap(({ holder }) => holder ?? []);
  const ids = [...new Set([me, ...others, ...holders])].sort();
  const byServer = new Map(ids.map((id) => [id, 0]));
  for (const id of holders) byServer.set(id, (byServer.get(id) ?? 0) + 1);
  const least = Math.floor(shards.length / ids.length);
  const most = Math.ceil(shards.length / ids.length);
  return { own: byServer.get(me) ?? 0, least, most, byServer };
}

/** Those that lack shards have the first claim on what is free. */
function countToTake(free: number, claimed: number, { own, least, most }: Counts): number {
  const lacking = Math.max(0, least - own);
  const room = Math.max(0, most - Math.max(own, least));
  return Math.min(free, lacking) + Math.min(room, Math.max(0, free - lacking - claimed));
}

/**
 * Above the most, all that is too much. At the most, one each, of the first so many servers, where
 * others lack shards that will not come free otherwise.
 */
function countToGiveBack(me: string, free: number, counts: Counts): number {
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
 * Which shards a server takes and gives back, by what it sees. Every server that lives decides by
 * this for itself; they end up with the same number each, give or take one, and whoever is wrong
 * about another for a moment only waits a turn longer. Nothing stays free because somebody who is
 * counted does not take it: what is overdue, anybody takes.
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
  const wanted = countToTake(free.length, claimed, afterOverdue);
  // Servers that look at the same moment begin at different places, to want different shards.
  const rank = [...counts.byServer.keys()].indexOf(me);
  const first = Math.floor((free.length * rank) / counts.byServer.size);
  const spread = [...free.slice(first), ...free.slice(0, first)];
  const tooMany = countToGiveBack(me, free.length + overdue.length, counts);
  return {
    take: [...overdue, ...spread.slice(0, wanted)],
    giveBack: tooMany === 0 ? [] : held.slice(-tooMany),
  };
}
