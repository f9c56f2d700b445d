import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from "@tanstack/query-core";
import { ApiError } from "./api-error.ts";
import { mayAsk } from "./deletion.ts";

const retries = 2;
const maxWriteWaitSeconds = 5;

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

/** A write rejected by the rate limit was not executed: it is repeated if the wait is short. */
function shouldRetryWrite(count: number, error: Error): boolean {
  if (!(error instanceof ApiError) || count >= retries || error.status !== 429) return false;
  return error.retryAfterSeconds !== null && error.retryAfterSeconds <= maxWriteWaitSeconds;
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
      mutations: { retry: shouldRetryWrite, retryDelay: retryDelayMs },
    },
  });
}
