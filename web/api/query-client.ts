import { QueryClient } from "@tanstack/query-core";
import { ApiError } from "./api-error.ts";
import { canFetch } from "./deletion.ts";

const retries = 2;
const maxWriteWaitSeconds = 5;

/**
 * Returns whether to retry a query. A rejection is final, unless the rate limit caused it. A
 * timeout is not retried either, because the user has already waited.
 */
function shouldRetry(count: number, error: Error): boolean {
  if (!(error instanceof ApiError) || count >= retries) return false;
  if (error.kind === "tooSlow") return false;
  return error.kind !== "rejected" || error.status === 429;
}

function retryDelayMs(count: number, error: Error): number {
  const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : null;
  return Math.min(10_000, retryAfter === null ? 500 * 2 ** count : retryAfter * 1000);
}

/**
 * Returns whether to retry a write: only if the rate limit rejected it and the required wait is
 * short.
 */
function shouldRetryWrite(count: number, error: Error): boolean {
  if (!(error instanceof ApiError) || count >= retries || error.status !== 429) return false;
  return error.retryAfterSeconds !== null && error.retryAfterSeconds <= maxWriteWaitSeconds;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        enabled: canFetch,
        retry: shouldRetry,
        retryDelay: retryDelayMs,
        // Most changes arrive through the event stream, which invalidates the queries regardless of
        // the stale time.
        staleTime: 10_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        // Requests are sent even while the browser is offline: the server may be on this device.
        networkMode: "always",
        refetchOnReconnect: true,
      },
      mutations: { networkMode: "always", retry: shouldRetryWrite, retryDelay: retryDelayMs },
    },
  });
}
