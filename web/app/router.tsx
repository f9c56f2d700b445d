import type { QueryClient } from "@tanstack/react-query";
import { createRoute, createRouter } from "@tanstack/react-router";
import { publicScreens, screens } from "../../src/pages/screens.ts";
import { parseAlertSearch, parseChannelSearch, parseKindSearch } from "../alerts/alert-search.ts";
import { parseSearch } from "../checks/check-page/search.ts";
import { parseNewCheckSearch } from "../checks/editor/search.ts";
import { parseListSearch } from "../checks/list/search.ts";
import { checkKindsQuery } from "../kinds/queries.ts";
import { parseCalendarSearch, parseNewWindowSearch } from "../maintenance/search.ts";
import { parseNowSearch } from "../now/queries.ts";
import { parseReportSearch } from "../on-call/report-search.ts";
import { ErrorScreen } from "../parts/error-panel.tsx";
import { LoadingScreen } from "../parts/loading.tsx";
import { parseSignInSearch } from "../sign-in/search.ts";
import { publishingRoutes } from "./publishing-routes.ts";
import { rootRoute, signedInRoute, unknownRoute } from "./root-routes.ts";
import { readSearch, writeSearch } from "./search-text.ts";
import { deviceRoute, settingsRoutes } from "./settings-routes.ts";

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: publicScreens.signIn,
  validateSearch: parseSignInSearch,
}).lazy(() => import("../sign-in/sign-in-screen.tsx").then(({ route }) => route));

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: publicScreens.resetPassword,
}).lazy(() => import("../sign-in/reset-password-screen.tsx").then(({ route }) => route));

const confirmEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: publicScreens.confirmEmail,
}).lazy(() => import("../sign-in/confirm-email-screen.tsx").then(({ route }) => route));

const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: publicScreens.invite,
}).lazy(() => import("../sign-in/invite-screen.tsx").then(({ route }) => route));

const nowRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.now,
  validateSearch: parseNowSearch,
}).lazy(() => import("../now/now-screen.tsx").then(({ route }) => route));

const checksRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.checks,
  validateSearch: parseListSearch,
}).lazy(() => import("../checks/list/list-screen.tsx").then(({ route }) => route));

const groupsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.groups,
  loader: ({ context: { queryClient } }) =>
    import("../groups/queries.ts").then(({ groupsQuery }) =>
      queryClient.ensureQueryData(groupsQuery),
    ),
}).lazy(() => import("../groups/groups-screen.tsx").then(({ route }) => route));

const groupRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.group,
  loader: ({ context: { queryClient }, params }) =>
    import("../groups/queries.ts").then(({ groupQuery }) =>
      params.groupId === "new"
        ? null
        : queryClient.ensureQueryData(groupQuery(Number(params.groupId))),
    ),
}).lazy(() => import("../groups/group-screen.tsx").then(({ route }) => route));

const newCheckRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.newCheck,
  validateSearch: parseNewCheckSearch,
  loader: ({ context: { queryClient } }) => queryClient.ensureQueryData(checkKindsQuery),
}).lazy(() => import("../checks/editor/new-check-screen.tsx").then(({ route }) => route));

const editCheckRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.editCheck,
  loader: ({ context: { queryClient }, params }) =>
    import("../checks/editor/queries.ts").then(({ storedCheckQuery }) =>
      Promise.all([
        queryClient.ensureQueryData(checkKindsQuery),
        queryClient.ensureQueryData(storedCheckQuery(params.checkId)),
      ]),
    ),
}).lazy(() => import("../checks/editor/edit-check-screen.tsx").then(({ route }) => route));

const checkRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.check,
  validateSearch: parseSearch,
  loader: ({ context: { queryClient }, params }) =>
    import("../checks/check-page/queries.ts").then(({ checkQuery }) =>
      queryClient.ensureQueryData(checkQuery(params.checkId)),
    ),
}).lazy(() => import("../checks/check-page/check-screen.tsx").then(({ route }) => route));

const testSessionRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.testSession,
  loader: ({ context: { queryClient }, params }) =>
    import("../checks/check-page/queries.ts").then(({ testSessionQuery }) =>
      queryClient.ensureQueryData(testSessionQuery(params.testSessionId)),
    ),
}).lazy(() => import("../checks/test-session-screen.tsx").then(({ route }) => route));

const alertsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.alerts,
  validateSearch: parseAlertSearch,
}).lazy(() => import("../alerts/alerts-screen.tsx").then(({ route }) => route));

const channelsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.channels,
  loader: ({ context: { queryClient } }) =>
    import("../alerts/queries.ts").then(({ channelsQuery }) =>
      queryClient.ensureQueryData(channelsQuery),
    ),
}).lazy(() => import("../alerts/channels-screen.tsx").then(({ route }) => route));

const newChannelRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.newChannel,
  validateSearch: parseKindSearch,
  loader: ({ context: { queryClient } }) =>
    import("../alerts/queries.ts").then(({ channelKindsQuery }) =>
      queryClient.ensureQueryData(channelKindsQuery),
    ),
}).lazy(() => import("../alerts/new-channel-screen.tsx").then(({ route }) => route));

const channelRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.channel,
  validateSearch: parseChannelSearch,
  loader: ({ context: { queryClient }, params }) =>
    import("../alerts/queries.ts").then(({ channelKindsQuery, channelQuery }) =>
      Promise.all([
        queryClient.ensureQueryData(channelQuery(Number(params.channelId))),
        queryClient.ensureQueryData(channelKindsQuery),
      ]),
    ),
}).lazy(() => import("../alerts/channel-screen.tsx").then(({ route }) => route));

const mutesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.mutes,
  loader: ({ context: { queryClient } }) =>
    import("../alerts/queries.ts").then(({ mutesQuery }) =>
      queryClient.ensureQueryData(mutesQuery()),
    ),
}).lazy(() => import("../alerts/mutes-screen.tsx").then(({ route }) => route));

const alertSourcesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.alertSources,
}).lazy(() => import("../alerts/sources/sources-screen.tsx").then(({ route }) => route));

const alertStoryRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.alertStory,
  loader: ({ context: { queryClient }, params }) =>
    import("../alerts/queries.ts").then(({ storyQuery }) =>
      queryClient.ensureQueryData(storyQuery(params.alertId)),
    ),
}).lazy(() => import("../alerts/story-screen.tsx").then(({ route }) => route));

const maintenanceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.maintenance,
  validateSearch: parseCalendarSearch,
}).lazy(() => import("../maintenance/maintenance-screen.tsx").then(({ route }) => route));

const maintenanceWindowRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.maintenanceWindow,
  validateSearch: parseNewWindowSearch,
  loader: ({ context: { queryClient }, params }) =>
    import("../maintenance/queries.ts").then(({ windowQuery }) =>
      params.windowId === "new"
        ? null
        : queryClient.ensureQueryData(windowQuery(Number(params.windowId))),
    ),
}).lazy(() => import("../maintenance/window-screen.tsx").then(({ route }) => route));

const onCallRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.onCall,
  loader: ({ context: { queryClient } }) =>
    import("../on-call/queries.ts").then(({ nowQuery }) => queryClient.ensureQueryData(nowQuery)),
}).lazy(() => import("../on-call/on-call-screen.tsx").then(({ route }) => route));

const policiesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.policies,
}).lazy(() => import("../on-call/policies-screen.tsx").then(({ route }) => route));

const policyRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.policy,
}).lazy(() => import("../on-call/policy-screen.tsx").then(({ route }) => route));

const onCallReportRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.onCallReport,
  validateSearch: parseReportSearch,
}).lazy(() => import("../on-call/report-screen.tsx").then(({ route }) => route));

const onCallScheduleRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.onCallSchedule,
}).lazy(() => import("../on-call/schedule-screen.tsx").then(({ route }) => route));

const locationsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.locations,
  loader: ({ context: { queryClient } }) =>
    import("../locations/queries.ts").then(({ checkCountsQuery, liveLocationsQuery }) =>
      Promise.all([
        queryClient.ensureQueryData(liveLocationsQuery),
        // `checkCountsQuery` fetches the number of checks per location. The screen can open without
        // these numbers, so a failure of this query is ignored.
        queryClient.prefetchQuery(checkCountsQuery),
      ]),
    ),
}).lazy(() => import("../locations/locations-screen.tsx").then(({ route }) => route));

const locationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.location,
  loader: ({ context: { queryClient } }) =>
    import("../locations/queries.ts").then(({ liveLocationsQuery, privateLocationsQuery }) =>
      Promise.all([
        queryClient.ensureQueryData(liveLocationsQuery),
        // If this prefetch fails, the screen still opens, because only private locations need this
        // data.
        queryClient.prefetchQuery(privateLocationsQuery),
      ]),
    ),
}).lazy(() => import("../locations/location-screen.tsx").then(({ route }) => route));

const routeTree = rootRoute.addChildren([
  signInRoute,
  resetPasswordRoute,
  confirmEmailRoute,
  inviteRoute,
  signedInRoute.addChildren([
    nowRoute,
    checksRoute,
    newCheckRoute,
    editCheckRoute,
    checkRoute,
    testSessionRoute,
    groupsRoute,
    groupRoute,
    alertsRoute,
    mutesRoute,
    alertSourcesRoute,
    alertStoryRoute,
    channelsRoute,
    newChannelRoute,
    channelRoute,
    maintenanceRoute,
    maintenanceWindowRoute,
    onCallRoute,
    policiesRoute,
    policyRoute,
    onCallReportRoute,
    onCallScheduleRoute,
    locationsRoute,
    locationRoute,
    ...publishingRoutes,
    settingsRoutes,
    deviceRoute,
    unknownRoute,
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    defaultPendingComponent: LoadingScreen,
    defaultErrorComponent: ErrorScreen,
    scrollRestoration: true,
    parseSearch: readSearch,
    stringifySearch: writeSearch,
  });
}

export type AppRouter = ReturnType<typeof createAppRouter>;

declare module "@tanstack/react-router" {
  interface Register {
    router: AppRouter;
  }
}
