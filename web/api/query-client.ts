import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  type QueryKey,
} from "@tanstack/query-core";
import { ApiError } from "./api-error.ts";
import { mayAsk } from "./deletion.ts";

const retries = 2;

/** A refusal stays one, and who has waited for an answer in vain should not wait twice more. */
function shouldRetry(count: number, error: Error): boolean {
  if (!(error instanceof ApiError) || count >= retries) return false;
  if (error.trouble === "tooSlow") return false;
  return error.trouble !== "refused" || error.status === 429;
}

function retryDelayMs(count: number, error: Error): number {
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null;
  return Math.min(10_000, asked === null ? 500 * 2 ** count : asked * 1000);
}

/**
 * Whoever changes something before the first answer of a list has come would keep that answer,
 * which may be older than the change: the library only asks again where it has an answer already.
 */
class FreshQueryClient extends QueryClient {
  override invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    if (filters?.refetchType !== "none") {
      const firsts = this.getQueryCache().findAll({ ...filters, type: "active" });
      for (const query of firsts) {
        // Silent: who waits for it gets the next answer, which is asked for at once.
        const isAskedAgain = !query.isDisabled() && !query.isStatic();
        if (query.state.data === undefined && isAskedAgain) void query.cancel({ silent: true });
      }
    }
    return super.invalidateQueries(filters, options);
  }
}

const askedAfterFirst = new WeakSet<Query>();

/** Once more when its first answer is there, which may be older than the news. */
async function askAfterFirst(client: QueryClient, query: Query): Promise<void> {
  if (askedAfterFirst.has(query)) return;
  askedAfterFirst.add(query);
  const only = { queryKey: query.queryKey, exact: true, type: "active" } as const;
  await client.refetchQueries(only);
  askedAfterFirst.delete(query);
  await client.refetchQueries(only);
}

/** For news that come during a first load. It goes on, however many there are. */
export function askAfterFirstLoads(client: QueryClient, isMeant: (query: Query) => boolean): void {
  const active = client.getQueryCache().findAll({ predicate: isMeant, type: "active" });
  for (const query of active) {
    const { data, fetchStatus } = query.state;
    if (data === undefined && fetchStatus === "fetching") void askAfterFirst(client, query);
  }
}

export function createQueryClient(): QueryClient {
  return new FreshQueryClient({
    defaultOptions: {
      queries: {
        enabled: mayAsk,
        retry: shouldRetry,
        retryDelay: retryDelayMs,
        // The event stream says what changed; this is for when it is cut.
        staleTime: 10_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
}
