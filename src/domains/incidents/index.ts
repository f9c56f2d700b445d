/**
 * What we tell the public, *update* by update. An *incident* names the *services* it affects and
 * appears on every status page that shows one of them. A person writes it, or a check's alert
 * opens it and resolves it until a person *takes it over*.
 * Tables: incidents, incident_services, incident_updates, incident_templates.
 */
export {
  type Incident,
  type IncidentStatus,
  type IncidentUpdate,
  incidentStatuses,
  type Severity,
  severities,
} from "./incident.ts";
