import { QueryClient } from "@tanstack/query-core";
import { ApiError } from "./api-error.ts";
import { canFetch } from "./deletion.ts";

const retries = 2;
const maxWriteWaitSeconds = 5;

/** Rejections are final, and a user who has waited for a timeout should not wait twice more. */
function shouldRetry(count: number, error: Error): boolean {
  if (!(error instanceof ApiError) || count >= retries) return false;
  if (error.kind === "tooSlow") return false;
  return error.kind !== "rejected" || error.status === 429;
}

function retryDelayMs(count: number, error: Error): number {
  const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : null;
  return Math.min(10_000, retryAfter === null ? 500 * 2 ** count : retryAfter * 1000);
}

/** A write rejected by the rate limit was not executed. It is retried if the wait is short. */
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
        // Only relevant while the event stream is interrupted; otherwise changes invalidate
        // queries.
        staleTime: 10_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        // The server may run on this device or in its network, whatever the browser reports.
        networkMode: "always",
        refetchOnReconnect: true,
      },
      mutations: { networkMode: "always", retry: shouldRetryWrite, retryDelay: retryDelayMs },
    },
  });
}
