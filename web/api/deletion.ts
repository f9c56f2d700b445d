/**
 * Deletes an object while its screen is still mounted. Until the screen is unmounted, events,
 * timers and other changes must not fetch the object again, because the response would be a 404.
 */
import { partialMatchKey, type Query, type QueryClient, type QueryKey } from "@tanstack/query-core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { renewQueries } from "./renew-queries.ts";

export interface Deletion {
  /** Prefixes of the query keys that belong to the deleted object. */
  readonly of: readonly QueryKey[];
  readonly send: () => Promise<unknown>;
  /** Navigates away from the object's screen, after the server has confirmed the deletion. */
  readonly leave: () => unknown;
  /** Keys of other queries that show the deleted object and must be fetched again. */
  readonly renew: readonly QueryKey[];
}

const going = new Set<readonly QueryKey[]>();

const isOf = (things: readonly QueryKey[], key: QueryKey) =>
  things.some((start) => partialMatchKey(key, start));

/** Returns false for queries of an object that this window is deleting. */
export function canFetch({ queryKey }: Pick<Query, "queryKey">): boolean {
  for (const things of going) if (isOf(things, queryKey)) return false;
  return true;
}

/**
 * Resolves when no component uses the queries. The old screen may stay mounted for a short time.
 */
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

/**
 * Deletes an object and leaves its screen. If the server rejects the deletion, the object's queries
 * are enabled again.
 */
export async function deleteObject(client: QueryClient, deletion: Deletion): Promise<void> {
  const { of: things, send, leave, renew } = deletion;
  const filter = { predicate: ({ queryKey }: Query) => isOf(things, queryKey) };
  going.add(things);
  // A running request would fail with a 404, so it is cancelled. `canFetch` disables the queries,
  // but refetch timers that already run do not check it. Marking the queries as invalid makes
  // TanStack Query start the timers again, and it starts none for disabled queries.
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
  for (const queryKey of renew) void renewQueries(client, queryKey);
}

interface DeletionOfScreen extends Deletion {
  readonly onError?: (error: Error) => void;
}

export function useDeletion({ onError, ...deletion }: DeletionOfScreen) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => deleteObject(client, deletion),
    ...(onError && { onError }),
  });
}
