import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { api, type Schemas, send } from "../api/client.ts";

export type Challenge = Pick<Schemas["SignInChallenge"], "challengeToken" | "methods">;

/** What the server offers depends on its settings, which do not change while a page is open. */
export const waysQuery = queryOptions({
  queryKey: ["sign-in", "ways"],
  queryFn: () => send(api.GET("/v1/sign-in-ways")),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Null: a session was opened. Else what is still to be proven. */
export function findChallenge(answer: object): Challenge | null {
  return "challengeToken" in answer ? (answer as Challenge) : null;
}

/** Leaves for a screen of ours, with nothing in memory of who was there before. */
export function useEnter(): (href: string) => Promise<void> {
  const router = useRouter();
  const queryClient = useQueryClient();
  return async (href) => {
    queryClient.clear();
    await router.navigate({ href, replace: true });
  };
}
