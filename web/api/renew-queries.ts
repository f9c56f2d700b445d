import type { QueryClient, QueryKey } from "@tanstack/query-core";

/**
 * Invalidates the queries whose keys start with `queryKey`, or all queries by default, and
 * re-fetches those that are in use. Call it after every change. TanStack Query does not restart a
 * first load that is still running, and the result of such a load may be older than the change.
 * This function therefore restarts it.
 */
export function renewQueries(client: QueryClient, queryKey: QueryKey = []): Promise<void> {
  for (const query of client.getQueryCache().findAll({ queryKey, type: "active" })) {
    const isFetched = !query.isDisabled() && !query.isStatic();
    // The first load is cancelled without an error. Its callers receive the result of the next
    // fetch.
    if (query.state.data === undefined && isFetched) void query.cancel({ silent: true });
  }
  return client.invalidateQueries({ queryKey });
}
