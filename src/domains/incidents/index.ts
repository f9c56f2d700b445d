/**
 * What we tell the public, *update* by update. An *incident* names the *services* it affects and
 * appears on every status page that shows one of them. A person writes it, or a check's alert
 * opens it and resolves it until a person *takes it over*. The *state* of a service is the worse of
 * its open incidents and of the checks it follows.
 * Tables: incidents, incident_services, incident_updates, incident_templates.
 */
export { createIncident, getIncident, listActiveIncidents } from "./actions.ts";
export { openAutomaticIncident, resolveAutomaticIncident } from "./automatic.ts";
export type { IncidentsContext } from "./context.ts";
export { mapFollowed } from "./followed-store.ts";
export {
  type Incident,
  type IncidentRecord,
  type IncidentStatus,
  type IncidentUpdate,
  incidentStatuses,
  measureDuration,
  type OpenSpan,
  type Severity,
  severities,
} from "./incident.ts";
export {
  findPublicIncident,
  listOngoingIncidents,
  listPublicIncidents,
  mapOngoingSeverities,
} from "./public-store.ts";
export { addIncidentRoutes } from "./routes.ts";
export { IncidentSchema, toWireIncident, toWireUpdate, UpdateSchema } from "./schema.ts";
export {
  decideServiceState,
  type Followed,
  type FollowedState,
  type FollowedTrouble,
  stateOfSeverity,
} from "./service-state.ts";
export {
  addServiceTimes,
  computeServiceAvailability,
  isFailing,
  listServiceDays,
  type ServiceDay,
  type ServiceHistory,
  type ServiceTime,
} from "./service-uptime.ts";
export { getStatistics } from "./statistics/actions.ts";
export { listOwnUpdates, postUpdate } from "./updates/actions.ts";
export { loadServiceRecords, type ServiceRecords } from "./uptime-store.ts";
