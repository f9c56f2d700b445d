import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { ApiError } from "../api/api-error.ts";
import { sessionQuery } from "../api/session.ts";
import { claimDrafts } from "../parts/claim-drafts.ts";
import { NotFound, NotFoundScreen } from "../parts/empty-state.tsx";
import { Shell } from "../shell/shell.tsx";

interface RouterContext {
  readonly queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundScreen,
});

/** Parent of all routes that require a session. The route's shell loads the signed-in user. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      const { user } = await context.queryClient.ensureQueryData(sessionQuery);
      claimDrafts(user.id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      throw redirect({ to: "/sign-in", search: { return: location.href } });
    }
  },
});

/** Any other address, which shows signed-in users the navigation. */
export const unknownRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "$",
  component: NotFound,
});
