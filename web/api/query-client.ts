import { QueryClient } from "@tanstack/query-core";
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

export function createQueryClient(): QueryClient {
  return new QueryClient({
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
