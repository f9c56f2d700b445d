import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { ApiError } from "../api/api-error.ts";
import { api, type Schemas, send } from "../api/client.ts";
import { fetchSelf } from "../api/session.ts";

export type Challenge = Pick<Schemas["SignInChallenge"], "challengeToken" | "methods">;

/** The server's settings do not change while a page is open. */
export const waysQuery = queryOptions({
  queryKey: ["sign-in", "ways"],
  queryFn: () => send(api.GET("/v1/sign-in-ways")),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Returns the remaining challenge, or `null` if a session was created. */
export function findChallenge(answer: object): Challenge | null {
  return "challengeToken" in answer ? (answer as Challenge) : null;
}

/** Navigates to a screen after clearing all cached data of a previous user. */
export function useEnter(): (href: string) => Promise<void> {
  const router = useRouter();
  const queryClient = useQueryClient();
  return async (href) => {
    queryClient.clear();
    await router.navigate({ href, replace: true });
  };
}

export function inviteQuery(token: string) {
  return queryOptions({
    queryKey: ["sign-in", "invite", token],
    queryFn: () => send(api.POST("/v1/invites/view", { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The signed-in user, on a screen that needs one. */
export const selfQuery = queryOptions({
  queryKey: ["sign-in", "self"],
  queryFn: fetchSelf,
  retry: false,
});

/** The signed-in user; `null` if nobody is signed in. */
export const selfOrNobodyQuery = queryOptions({
  queryKey: ["sign-in", "self-or-nobody"],
  queryFn: async () => {
    try {
      return await fetchSelf();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
});
