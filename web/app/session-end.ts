import type { QueryClient } from "@tanstack/react-query";
import { onSecondFactorNeeded, onSessionEnd } from "../api/client.ts";
import type { AppRouter } from "./router.tsx";

/**
 * A session that ended leads to the sign-in, and from there back to the same screen. Who must set
 * up a second factor is led there, as nothing else works for them.
 */
export function returnAfterSignIn(router: AppRouter, queryClient: QueryClient): void {
  onSessionEnd(() => {
    const { pathname, href } = router.state.location;
    if (pathname === "/sign-in" || !queryClient.getQueryData(["session"])) return;
    queryClient.removeQueries({ queryKey: ["session"] });
    void router.navigate({ to: "/sign-in", search: { return: href }, replace: true });
  });
  onSecondFactorNeeded(() => {
    if (router.state.location.pathname === "/settings/security") return;
    void router.navigate({ to: "/settings/security", replace: true });
  });
}
