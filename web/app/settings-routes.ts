import { createRoute } from "@tanstack/react-router";
import { screens, settingsSections } from "../../src/pages/screens.ts";
import { parseAuditSearch } from "../settings/audit-search.ts";
import { signedInRoute } from "./root-routes.ts";

const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.settings,
}).lazy(() => import("../settings/settings-screen.tsx").then(({ route }) => route));

export const deviceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: screens.device,
  validateSearch: ({ code }: Record<string, unknown>) =>
    typeof code === "string" && code !== "" ? { code } : {},
}).lazy(() => import("../settings/device-login-screen.tsx").then(({ route }) => route));

const securityRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.security,
}).lazy(() => import("../settings/security/security-screen.tsx").then(({ route }) => route));

const profileRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.profile,
}).lazy(() => import("../settings/profile-screen.tsx").then(({ route }) => route));

const apiKeysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.apiKeys,
  loader: ({ context: { queryClient } }) =>
    import("../settings/queries.ts").then(({ apiKeysQuery }) =>
      queryClient.ensureInfiniteQueryData(apiKeysQuery),
    ),
}).lazy(() => import("../settings/api-keys-screen.tsx").then(({ route }) => route));

const membersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.members,
  loader: ({ context: { queryClient } }) =>
    import("../settings/queries.ts").then(({ membersQuery }) =>
      queryClient.ensureInfiniteQueryData(membersQuery),
    ),
}).lazy(() => import("../settings/members-screen.tsx").then(({ route }) => route));

const variablesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.variables,
  loader: ({ context: { queryClient } }) =>
    import("../variables/queries.ts").then(({ variablesQuery }) =>
      queryClient.ensureInfiniteQueryData(variablesQuery),
    ),
}).lazy(() => import("../variables/variables-screen.tsx").then(({ route }) => route));

const snippetsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.snippets,
  loader: ({ context: { queryClient } }) =>
    import("../kinds/scripts/queries.ts").then(({ snippetsQuery }) =>
      queryClient.ensureQueryData(snippetsQuery),
    ),
}).lazy(() => import("../settings/snippets-screen.tsx").then(({ route }) => route));

const certificatesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.clientCertificates,
  loader: ({ context: { queryClient } }) =>
    import("../client-certificates/queries.ts").then(({ certificatesQuery }) =>
      queryClient.ensureQueryData(certificatesQuery),
    ),
}).lazy(() => import("../client-certificates/certificates-screen.tsx").then(({ route }) => route));

const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.audit,
  validateSearch: parseAuditSearch,
}).lazy(() => import("../settings/audit-screen.tsx").then(({ route }) => route));

const alertSettingsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.alerts,
  loader: ({ context: { queryClient } }) =>
    import("../alerts/queries.ts").then(({ alertSettingsQuery }) =>
      queryClient.ensureQueryData(alertSettingsQuery),
    ),
}).lazy(() => import("../settings/alert-settings-screen.tsx").then(({ route }) => route));

const devicesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.devices,
}).lazy(() => import("../settings/devices-screen.tsx").then(({ route }) => route));

const contactMethodsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.contactMethods,
  loader: ({ context: { queryClient } }) =>
    import("../alerts/contacts/queries.ts").then(({ contactMethodsQuery }) =>
      queryClient.ensureQueryData(contactMethodsQuery),
    ),
}).lazy(() => import("../alerts/contacts/contact-methods-screen.tsx").then(({ route }) => route));

const agentRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.agent,
}).lazy(() => import("../settings/agent-screen.tsx").then(({ route }) => route));

const serversRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.servers,
  loader: ({ context: { queryClient } }) =>
    import("../settings/queries.ts").then(({ serversQuery }) =>
      queryClient.ensureQueryData(serversQuery),
    ),
}).lazy(() => import("../settings/servers-screen.tsx").then(({ route }) => route));

const runtimesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.runtimes,
  loader: ({ context: { queryClient } }) =>
    import("../kinds/scripts/queries.ts").then(({ runtimesQuery }) =>
      queryClient.ensureQueryData(runtimesQuery),
    ),
}).lazy(() => import("../settings/runtimes-screen.tsx").then(({ route }) => route));

const importRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.import,
  loader: ({ context: { queryClient } }) =>
    import("../settings/import/queries.ts").then(({ importsQuery, addressesQuery }) =>
      Promise.all([
        queryClient.ensureQueryData(importsQuery),
        queryClient.ensureQueryData(addressesQuery),
      ]),
    ),
}).lazy(() => import("../settings/import/import-screen.tsx").then(({ route }) => route));

const backupsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.backups,
}).lazy(() => import("../settings/backups-screen.tsx").then(({ route }) => route));

const doctorRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.doctor,
}).lazy(() => import("../settings/doctor-screen.tsx").then(({ route }) => route));

const aboutRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: settingsSections.about,
  loader: ({ context: { queryClient } }) =>
    import("../api/about.ts").then(({ aboutQuery }) => queryClient.ensureQueryData(aboutQuery)),
}).lazy(() => import("../settings/about-screen.tsx").then(({ route }) => route));

export const settingsRoutes = settingsRoute.addChildren([
  profileRoute,
  securityRoute,
  apiKeysRoute,
  membersRoute,
  variablesRoute,
  snippetsRoute,
  certificatesRoute,
  auditRoute,
  alertSettingsRoute,
  devicesRoute,
  contactMethodsRoute,
  agentRoute,
  serversRoute,
  runtimesRoute,
  importRoute,
  backupsRoute,
  doctorRoute,
  aboutRoute,
]);
