/**
 * Public communication about outages. An *incident* names the affected *services* and appears,
 * *update* by update, on every status page that shows one of them. It is opened by a person, or by
 * a check's alert and resolved by the recovery, until a person *takes it over*. The *state* of a
 * service is the worse of its open incidents and of the *troubles* of the checks it follows, which
 * alerting confirms. An automation rule of a page opens incidents too, for several checks at once.
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
  mapOngoingSeverities,
} from "./uptime-store.ts";
