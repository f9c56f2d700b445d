import { addAccountRoutes } from "../domains/accounts/index.ts";
import { addAgentRoutes } from "../domains/agent/index.ts";
import { addChannelRoutes } from "../domains/alert-channels/index.ts";
import { addSourceRoutes } from "../domains/alert-sources/index.ts";
import { addAlertingRoutes } from "../domains/alerting/index.ts";
import { addAssetRoutes } from "../domains/assets/index.ts";
import { addBackupRoutes } from "../domains/backups/index.ts";
import {
  addCheckRoutes,
  checksOfPlaces,
  findCheckThatTriggers,
  holdChecks,
} from "../domains/checks/index.ts";
import { addCertificateRoutes } from "../domains/client-certificates/index.ts";
import { addClientRoutes } from "../domains/clients/index.ts";
import { addDashboardRoutes } from "../domains/dashboards/index.ts";
import { addPolicyRoutes } from "../domains/escalation-policies/index.ts";
import { addEventRoutes } from "../domains/events/index.ts";
import { addHeartbeatRoutes } from "../domains/heartbeats/index.ts";
import { addImportRoutes, ReadingSlots } from "../domains/imports/index.ts";
import { addIncidentRoutes } from "../domains/incidents/index.ts";
import { addLocationRoutes } from "../domains/locations/index.ts";
import {
  addMaintenanceCalendarRoutes,
  addOccurrenceRoutes,
  addWindowRoutes,
} from "../domains/maintenance/index.ts";
import { addOnCallImportRoute, addOnCallRoutes } from "../domains/on-call/index.ts";
import { addOverviewRoutes } from "../domains/overview/index.ts";
import { addPathRoutes } from "../domains/paths/index.ts";
import { addPreviewRoutes } from "../domains/previews/index.ts";
import { addProbeRoutes } from "../domains/probes/index.ts";
import { addProjectRoutes, type ResourcesContext } from "../domains/projects/index.ts";
import { addPrometheusRoutes } from "../domains/prometheus/index.ts";
import { addPublicPageRoutes } from "../domains/public-pages/index.ts";
import { addResultRoutes } from "../domains/results/index.ts";
import { addRuntimeRoutes } from "../domains/runtimes/index.ts";
import { addScheduleRoutes } from "../domains/schedule/index.ts";
import { addSnippetRoutes } from "../domains/snippets/index.ts";
import { addStateRoutes, listSilentChecks } from "../domains/states/index.ts";
import { addStatisticsRoutes } from "../domains/statistics/index.ts";
import { addStatusPageRoutes } from "../domains/status-pages/index.ts";
import { addSubscriberRoutes } from "../domains/subscribers/index.ts";
import { addAnnotationRoutes, addTimelineRoutes } from "../domains/timelines/index.ts";
import { addVariableRoutes } from "../domains/variables/index.ts";
import type { HttpServer } from "../platform/http/server.ts";
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
