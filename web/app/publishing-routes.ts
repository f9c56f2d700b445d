import { createRoute, redirect } from "@tanstack/react-router";
import { screens, statusPageTabs } from "../../src/pages/screens.ts";
import {
  parseIncidentSearch,
  parseNewIncidentSearch,
  parseOneIncidentSearch,
  parseStatisticsSearch,
} from "../incidents/search.ts";
import { parseAudienceSearch } from "../status-pages/audience/audience-search.ts";
import { signedInRoute } from "./root-routes.ts";

const incidentsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.incidents,
  validateSearch: parseIncidentSearch,
}).lazy(() => import("../incidents/list-screen.tsx").then(({ route }) => route));

const newIncidentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.newIncident,
  validateSearch: parseNewIncidentSearch,
}).lazy(() => import("../incidents/composer/new-incident-screen.tsx").then(({ route }) => route));

const incidentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.incident,
  validateSearch: parseOneIncidentSearch,
  loader: ({ context: { queryClient }, params }) =>
    import("../incidents/queries.ts").then(({ incidentQuery }) =>
      queryClient.ensureQueryData(incidentQuery(params.incidentId)),
    ),
}).lazy(() => import("../incidents/incident-screen.tsx").then(({ route }) => route));

const incidentTemplatesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.incidentTemplates,
  loader: ({ context: { queryClient } }) =>
    import("../incidents/queries.ts").then(({ templatesQuery }) =>
      queryClient.ensureQueryData(templatesQuery),
    ),
}).lazy(() => import("../incidents/templates-screen.tsx").then(({ route }) => route));

const incidentTemplateRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.incidentTemplate,
  loader: ({ context: { queryClient }, params }) =>
    import("../incidents/queries.ts").then(({ templateQuery }) =>
      params.templateId === "new"
        ? null
        : queryClient.ensureQueryData(templateQuery(params.templateId)),
    ),
}).lazy(() => import("../incidents/template-screen.tsx").then(({ route }) => route));

const incidentStatisticsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.incidentStatistics,
  validateSearch: parseStatisticsSearch,
}).lazy(() => import("../incidents/statistics-screen.tsx").then(({ route }) => route));

const statusPagesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.statusPages,
  loader: ({ context: { queryClient } }) =>
    import("../status-pages/queries.ts").then(({ pagesQuery }) =>
      queryClient.ensureQueryData(pagesQuery),
    ),
}).lazy(() => import("../status-pages/pages-screen.tsx").then(({ route }) => route));

const newStatusPageRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.newStatusPage,
}).lazy(() => import("../status-pages/new-page-screen.tsx").then(({ route }) => route));

const statusPageRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.statusPage,
  loader: ({ context: { queryClient }, params }) =>
    import("../status-pages/queries.ts").then(({ pageQuery }) =>
      queryClient.ensureQueryData(pageQuery(params.statusPageId)),
    ),
}).lazy(() => import("../status-pages/page-frame.tsx").then(({ route }) => route));

const statusPageStartRoute = createRoute({
  getParentRoute: () => statusPageRoute,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/status-pages/$statusPageId/editor", params, replace: true });
  },
});

const statusPageEditorRoute = createRoute({
  getParentRoute: () => statusPageRoute,
  path: statusPageTabs.editor,
}).lazy(() => import("../status-pages/editor/editor-screen.tsx").then(({ route }) => route));

const statusPageAccessRoute = createRoute({
  getParentRoute: () => statusPageRoute,
  path: statusPageTabs.access,
}).lazy(() => import("../status-pages/audience/access-screen.tsx").then(({ route }) => route));

const statusPageDomainRoute = createRoute({
  getParentRoute: () => statusPageRoute,
  path: statusPageTabs.domain,
}).lazy(() => import("../status-pages/audience/domain-screen.tsx").then(({ route }) => route));

const statusPageSubscribersRoute = createRoute({
  getParentRoute: () => statusPageRoute,
  path: statusPageTabs.subscribers,
  validateSearch: parseAudienceSearch,
}).lazy(() => import("../status-pages/audience/subscribers-screen.tsx").then(({ route }) => route));

const statusPageSnapshotsRoute = createRoute({
  getParentRoute: () => statusPageRoute,
  path: statusPageTabs.snapshots,
}).lazy(() => import("../status-pages/audience/snapshots-screen.tsx").then(({ route }) => route));

const dashboardsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.dashboards,
  loader: ({ context: { queryClient } }) =>
    import("../dashboards/queries.ts").then(({ dashboardsQuery }) =>
      queryClient.ensureQueryData(dashboardsQuery),
    ),
}).lazy(() => import("../dashboards/dashboards-screen.tsx").then(({ route }) => route));

const editDashboardRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.editDashboard,
  loader: ({ context: { queryClient }, params }) =>
    import("../dashboards/queries.ts").then(({ dashboardQuery }) =>
      queryClient.ensureQueryData(dashboardQuery(params.dashboardId)),
    ),
}).lazy(() => import("../dashboards/editor/editor-screen.tsx").then(({ route }) => route));

/** Routes of the modules that publish information: incidents, status pages and dashboards. */
export const publishingRoutes = [
  incidentsRoute,
  newIncidentRoute,
  incidentRoute,
  incidentTemplatesRoute,
  incidentTemplateRoute,
  incidentStatisticsRoute,
  statusPagesRoute,
  newStatusPageRoute,
  statusPageRoute.addChildren([
    statusPageStartRoute,
    statusPageEditorRoute,
    statusPageAccessRoute,
    statusPageDomainRoute,
    statusPageSubscribersRoute,
    statusPageSnapshotsRoute,
  ]),
  dashboardsRoute,
  editDashboardRoute,
] as const;
