import type { QueryClient, QueryKey } from "@tanstack/query-core";

/**
 * Invalidates the queries whose keys start with `queryKey`, or all queries by default, and fetches
 * those on the screen again. Every change must call this function. TanStack Query would not repeat
 * a first load that is still running, whose result may be older than the change, so such a load is
 * restarted here.
 */
export function renewQueries(client: QueryClient, queryKey: QueryKey = []): Promise<void> {
  for (const query of client.getQueryCache().findAll({ queryKey, type: "active" })) {
    const isFetched = !query.isDisabled() && !query.isStatic();
    // The first load is cancelled silently. Its callers receive the result of the next fetch.
    if (query.state.data === undefined && isFetched) void query.cancel({ silent: true });
  }
  return client.invalidateQueries({ queryKey });
}
