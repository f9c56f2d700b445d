import type { QueryClient } from "@tanstack/react-query";
import { onSecondFactorNeeded, onSessionEnd } from "../api/client.ts";
import { isSigningOut } from "../api/sign-out.ts";
import type { AppRouter } from "./router.tsx";

/**
 * A session that ended leads to the sign-in, and from there back to the same screen. Who must set
 * up a second factor is led there, as nothing else works for them.
 */
export function returnAfterSignIn(router: AppRouter, queryClient: QueryClient): void {
  let isLeaving = false;
  const leave = async () => {
    const { pathname, href } = router.state.location;
    if (pathname === "/sign-in" || !queryClient.getQueryData(["session"])) return;
    isLeaving = true;
    try {
      await router.navigate({ to: "/sign-in", search: { return: href }, replace: true });
    } finally {
      isLeaving = false;
      // Not before: the screen that is left still shows whose it is.
      queryClient.removeQueries({ queryKey: ["session"] });
    }
  };
  onSessionEnd(() => {
    if (!isLeaving && !isSigningOut()) void leave();
  });
  onSecondFactorNeeded(() => {
    if (router.state.location.pathname === "/settings/security") return;
    void router.navigate({ to: "/settings/security", replace: true });
  });
}
