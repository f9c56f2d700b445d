/**
 * Informs the public about outages. An *incident* names the affected *services* and appears with
 * its *updates* on every status page that shows one of the services. A person, the alert of a
 * check, or an automation rule for several checks opens an incident. The recovery resolves an
 * automatic incident, unless a person has *taken it over*. The *state* of a service is the worse of
 * its open incidents and the *troubles* of the checks that it follows, which alerting confirms.
 * Tables: incidents, incident_services, incident_updates, incident_templates, incident_notes,
 * incident_post_mortems, check_troubles.
 */
export { getIncident, listActiveIncidents } from "./actions.ts";
export { draftIncident } from "./drafts.ts";
export {
  type Incident,
  incidentStatuses,
  type Severity,
  severities,
} from "./incident.ts";
export { findPostMortem } from "./notes-store.ts";
export { addIncidentRoutes } from "./routes.ts";
export { fromWireIncident, IncidentBody } from "./schema.ts";
export {
  addServiceTimes,
  computeServiceAvailability,
  decideServiceState,
  type Followed,
  type FollowedState,
  type FollowedTrouble,
  type ServiceDay,
  type ServiceTime,
} from "./service-state.ts";
export {
  type CheckTrouble,
  deleteTroublesBefore,
  listFailingCheckIds,
  listTroubles,
  mapOpenTroubles,
  saveTroubles,
  type TroubleChange,
  type TroubleStatus,
} from "./trouble-store.ts";
export {
  composeIncident,
  openAutomaticIncident,
  openRuleIncident,
  resolveAutomaticIncident,
  resolveRuleIncident,
  type UnsavedIncident,
  type UnsavedRequest,
} from "./unsaved-incident.ts";
export { postUpdate } from "./updates/updates.ts";
export {
  type CheckIncident,
  findPublicIncident,
  listIncidentsOfCheck,
  listOngoingIncidents,
  listPublicIncidents,
  loadServiceRecords,
  mapFollowed,
  mapOngoingCounts,
  mapOngoingSeverities,
} from "./uptime-store.ts";
