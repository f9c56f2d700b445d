import { addAccountRoutes } from "../access/accounts/index.ts";
import { addAgentRoutes } from "../agent/index.ts";
import { addBackupRoutes } from "../as-code/backups/index.ts";
import { addClientRoutes } from "../as-code/clients/index.ts";
import { addImportRoutes, ReadingSlots } from "../as-code/imports/index.ts";
import { addProjectRoutes, type ResourcesContext } from "../as-code/projects/index.ts";
import { addChannelRoutes } from "../channels/alert-channels/index.ts";
import { addPolicyRoutes } from "../channels/escalation-policies/index.ts";
import {
  addCheckRoutes,
  checksOfPlaces,
  findCheckThatTriggers,
  holdChecks,
} from "../checks/checks/index.ts";
import { addCertificateRoutes } from "../checks/client-certificates/index.ts";
import { addLocationRoutes } from "../checks/locations/index.ts";
import { addRuntimeRoutes } from "../checks/runtimes/index.ts";
import { addSnippetRoutes } from "../checks/snippets/index.ts";
import { addVariableRoutes } from "../checks/variables/index.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { addSourceRoutes } from "../response/alert-sources/index.ts";
import { addAlertingRoutes } from "../response/alerting/index.ts";
import { addIncidentRoutes } from "../response/incidents/index.ts";
import {
  addMaintenanceCalendarRoutes,
  addOccurrenceRoutes,
  addWindowRoutes,
} from "../response/maintenance/index.ts";
import { addOnCallImportRoute, addOnCallRoutes } from "../response/on-call/index.ts";
import { addAssetRoutes } from "../runs/assets/index.ts";
import { addPathRoutes } from "../runs/failure-paths/index.ts";
import { addHeartbeatRoutes } from "../runs/heartbeats/index.ts";
import { addProbeRoutes } from "../runs/probe-links/index.ts";
import { addResultRoutes } from "../runs/results/index.ts";
import { addScheduleRoutes } from "../runs/scheduling/index.ts";
import { addStateRoutes, listSilentChecks } from "../runs/states/index.ts";
import { addStatisticsRoutes } from "../runs/statistics/index.ts";
import { addEventRoutes } from "../screens/change-stream/index.ts";
import { addDashboardRoutes } from "../screens/dashboards/index.ts";
import { addOverviewRoutes } from "../screens/overview/index.ts";
import { addPrometheusRoutes } from "../screens/prometheus/index.ts";
import { addPublicPageRoutes } from "../screens/public-pages/index.ts";
import { addAnnotationRoutes, addTimelineRoutes } from "../screens/timelines/index.ts";
import { addPreviewRoutes } from "../sites/previews/index.ts";
import { addStatusPageRoutes } from "../sites/status-pages/index.ts";
import { addSubscriberRoutes } from "../sites/subscribers/index.ts";
import type { ModuleContexts } from "./contexts.ts";
import { version } from "./version.ts";

/** Adds the routes of all modules to the server. */
export function addRoutes(server: HttpServer, contexts: ModuleContexts): void {
  addAccountRoutes(server, contexts.accounts);
  addLocationRoutes(server, {
    ...contexts.states,
    checksOfPlaces,
    defaultLocation: contexts.states.watchList.defaultLocation,
    serverVersion: version,
  });
  addRuntimeRoutes(server, contexts.runtimes);
  addChannelRoutes(server, contexts.channels);
  addPolicyRoutes(server, contexts.channels);
  addVariableRoutes(server, contexts.variables);
  addCertificateRoutes(server, contexts.certificates);
  addSnippetRoutes(server, contexts.variables);
  addPreviewRoutes(server, contexts.maintenance);
  addStatusPageRoutes(server, {
    ...contexts.statusPages,
    checksOfServices: { hold: holdChecks, findThatTriggers: findCheckThatTriggers },
  });
  addSubscriberRoutes(server, contexts.subscribers);
  addCheckRoutes(server, {
    ...contexts.checks,
    defaultLocation: contexts.states.watchList.defaultLocation,
    listSilentIds: async (accountId) =>
      (await listSilentChecks(contexts.states, accountId)).map(({ checkId }) => checkId),
  });
  addResultRoutes(server, contexts.states);
  addAssetRoutes(server, contexts.assets);
  addProbeRoutes(server, { ...contexts.schedule, assets: contexts.assets.keeper });
  addStateRoutes(server, contexts.states);
  addScheduleRoutes(server, { ...contexts.schedule, publicUrl: contexts.checks.publicUrl });
  addPathRoutes(server, contexts.paths.context);
  addStatisticsRoutes(server, contexts.statistics);
  addHeartbeatRoutes(server, contexts.heartbeats);
  addSourceRoutes(server, contexts.alertSources);
  addIncidentRoutes(server, contexts.maintenance);
  addWindowRoutes(server, contexts.maintenance);
  addOccurrenceRoutes(server, contexts.maintenance);
  addMaintenanceCalendarRoutes(server, contexts.maintenance);
  addOnCallRoutes(server, contexts.checks);
  addOnCallImportRoute(server, contexts.channels);
  addAlertingRoutes(server, contexts.alerting);
  addAnnotationRoutes(server, contexts.maintenance);
  addTimelineRoutes(server, contexts.alerting);
  addOverviewRoutes(server, contexts.states);
  addPrometheusRoutes(server, contexts.prometheus);
  addPublicPageRoutes(server, contexts.publicPages);
  addDashboardRoutes(server, contexts.dashboards);
  const resources: ResourcesContext = {
    ...contexts.dashboards,
    ...contexts.channels,
    ...contexts.variables,
    ...contexts.certificates,
    ...contexts.checks,
    checksOfServices: { hold: holdChecks, findThatTriggers: findCheckThatTriggers },
    checksOfPlaces,
    defaultLocation: contexts.states.watchList.defaultLocation,
    serverVersion: version,
  };
  addProjectRoutes(server, { ...resources, schedule: contexts.schedule });
  addEventRoutes(server, contexts.events);
  addImportRoutes(server, {
    ...resources,
    states: contexts.states,
    readingSlots: new ReadingSlots(2),
  });
  addAgentRoutes(server, contexts.agent);
  addBackupRoutes(server, contexts.backups);
  addClientRoutes(server, {
    accounts: contexts.accounts,
    assets: contexts.assets,
    testSessions: { ...contexts.schedule, publicUrl: contexts.checks.publicUrl },
  });
}
