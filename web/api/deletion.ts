/**
 * Whoever deletes a thing still has it on the screen for a moment, while events, timers and other
 * changes renew what is shown. None of them may ask for it again: it is gone.
 */
import { partialMatchKey, type Query, type QueryClient, type QueryKey } from "@tanstack/query-core";

export interface Deletion {
  /** How the keys of the thing's own queries begin. */
  readonly of: readonly QueryKey[];
  readonly send: () => Promise<unknown>;
  /** Away from what shows it, when the server said that it is gone. */
  readonly leave: () => unknown;
  /** What else showed it. */
  readonly renew: readonly QueryKey[];
}

const going = new Set<readonly QueryKey[]>();

const isOf = (things: readonly QueryKey[], key: QueryKey) =>
  things.some((start) => partialMatchKey(key, start));

/** No query is asked for a thing that this window is deleting. */
export function mayAsk({ queryKey }: Pick<Query, "queryKey">): boolean {
  for (const things of going) if (isOf(things, queryKey)) return false;
  return true;
}

/** The old screen may stay for a moment after the address has changed. */
function whenUnwatched(client: QueryClient, isWatched: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (!isWatched()) return resolve();
    const stop = client.getQueryCache().subscribe(() => {
      if (isWatched()) return;
      stop();
      resolve();
    });
  });
}

async function forget(client: QueryClient, things: readonly QueryKey[]): Promise<void> {
  const filter = { predicate: ({ queryKey }: Query) => isOf(things, queryKey) };
  const isWatched = () =>
    client
      .getQueryCache()
      .findAll(filter)
      .some((query) => query.getObserversCount() > 0);
  await whenUnwatched(client, isWatched);
  client.removeQueries(filter);
  going.delete(things);
}

/** Refused by the server, it is shown and asked for as before. */
export async function deleteThing(client: QueryClient, deletion: Deletion): Promise<void> {
  const { of: things, send, leave, renew } = deletion;
  const filter = { predicate: ({ queryKey }: Query) => isOf(things, queryKey) };
  going.add(things);
  // What is on its way would come back as "not found". The second line stops the timers.
  void client.cancelQueries(filter);
  void client.invalidateQueries({ ...filter, refetchType: "none" });
  try {
    await send();
  } catch (error) {
    going.delete(things);
    void client.invalidateQueries(filter);
    throw error;
  }
  await leave();
  void forget(client, things);
  for (const queryKey of renew) void client.invalidateQueries({ queryKey });
}
