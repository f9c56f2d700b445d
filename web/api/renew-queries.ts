import type { QueryClient, QueryKey } from "@tanstack/query-core";

/**
 * Invalidates the queries whose keys start with `queryKey`, by default all, and re-fetches those on
 * the screen. Call it after every change. TanStack Query re-fetches only queries that already have
 * data, so a first load is restarted here: its result could be older than the change.
 */
export function renewQueries(client: QueryClient, queryKey: QueryKey = []): Promise<void> {
  for (const query of client.getQueryCache().findAll({ queryKey, type: "active" })) {
    const isFetched = !query.isDisabled() && !query.isStatic();
    // Cancelled silently: its callers get the result of the fetch that follows.
    if (query.state.data === undefined && isFetched) void query.cancel({ silent: true });
  }
  return client.invalidateQueries({ queryKey });
}
