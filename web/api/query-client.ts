import { QueryClient } from "@tanstack/query-core";
import { ApiError } from "./api-error.ts";
import { canFetch } from "./deletion.ts";

const retries = 2;
const maxWriteWaitSeconds = 5;

/**
 * Returns whether to retry a query. A rejection is final, unless the rate limit caused the
 * rejection. A timeout is not retried either, because the user has already waited.
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
 * Returns whether to retry a write. A write that the rate limit rejected was not executed, so it is
 * retried if the delay is short.
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
        // The stale time matters only while the event stream is interrupted, because otherwise
        // changes invalidate queries.
        staleTime: 10_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        // Requests are sent even if the browser reports that the device is offline, because the
        // server may run on this device or in the local network.
        networkMode: "always",
        refetchOnReconnect: true,
      },
      mutations: { networkMode: "always", retry: shouldRetryWrite, retryDelay: retryDelayMs },
    },
  });
}
