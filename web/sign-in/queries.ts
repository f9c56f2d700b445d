import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { ApiError } from "../api/api-error.ts";
import { api, type Schemas, send } from "../api/client.ts";
import { fetchSelf } from "../api/session.ts";

export type Challenge = Pick<Schemas["SignInChallenge"], "challengeToken" | "methods">;

/** Fetches the sign-in methods once, because they do not change while a page is open. */
export const waysQuery = queryOptions({
  queryKey: ["sign-in", "ways"],
  queryFn: () => send(api.GET("/v1/sign-in-ways")),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Returns the second-factor challenge of a sign-in, or `null` if the user is already signed in. */
export function findChallenge(answer: object): Challenge | null {
  return "challengeToken" in answer ? (answer as Challenge) : null;
}

/** Returns a function that opens a screen after clearing the cached data of the previous user. */
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

/** Fetches the signed-in user, for screens that require a session. */
export const selfQuery = queryOptions({
  queryKey: ["sign-in", "self"],
  queryFn: fetchSelf,
  retry: false,
});

/** Fetches the signed-in user; `null` if nobody is signed in. */
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
