import type { QueryClient } from "@tanstack/react-query";
import { onSecondFactorNeeded, onSessionEnd } from "../api/client.ts";
import { isSigningOut } from "../api/session.ts";
import type { AppRouter } from "./router.tsx";

/**
 * When the session ends, redirects to the sign-in screen and afterwards back to the same screen. A
 * user who must set up a second factor is redirected to that screen. Returns a function that stops
 * this.
 */
export function returnAfterSignIn(router: AppRouter, queryClient: QueryClient): () => void {
  let isLeaving = false;
  const leave = async () => {
    const { pathname, href } = router.state.location;
    if (pathname === "/sign-in" || !queryClient.getQueryData(["session"])) return;
    isLeaving = true;
    try {
      await router.navigate({ to: "/sign-in", search: { return: href }, replace: true });
    } finally {
      isLeaving = false;
      // Removed only now, because the previous screen still uses the session.
      queryClient.removeQueries({ queryKey: ["session"] });
    }
  };
  const stopSession = onSessionEnd(() => {
    if (!isLeaving && !isSigningOut()) void leave();
  });
  const stopFactor = onSecondFactorNeeded(() => {
    if (router.state.location.pathname === "/settings/security") return;
    void router.navigate({ to: "/settings/security", replace: true });
  });
  return () => {
    stopSession();
    stopFactor();
  };
}
