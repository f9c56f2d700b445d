/**
 * Informs the public about outages. An *incident* names the affected *services* and appears with
 * its *updates* on every status page that shows one of the services. A person, the alert of a
 * check, or an automation rule for several checks opens an incident. An automatic incident is
 * resolved on recovery, unless a person has *taken it over*. A *trouble* is a problem of a check
 * that its alert rules have confirmed. The *state* of a service is the worse of two states: that of
 * its open incidents and that of the checks that it follows. Tables: incidents, incident_services,
 * incident_updates, incident_templates, incident_notes, incident_post_mortems, check_troubles.
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
