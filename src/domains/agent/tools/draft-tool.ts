import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import { draftIncident } from "../../incidents/index.ts";
import { defineReadTool } from "../tool.ts";
import { DraftIncidentSchema } from "../tool-shapes/event-data.ts";
import { IncidentReference, ServiceReference } from "./inputs.ts";
import { incidentSource } from "./sources.ts";

export const draftIncidentTool = defineReadTool({
  name: "draft_incident",
  title: "Draft an incident",
  description:
    "Text for a new incident of a service, or for the next update of an incident, from the state " +
    "of its checks. Nothing is posted. Give one of the two.",
  InputSchema: Type.Object(
    {
      serviceId: Type.Optional({
        ...ServiceReference,
        description: "The service of the new incident: its id or name.",
      }),
      incidentId: Type.Optional(IncidentReference),
    },
    { additionalProperties: false },
  ),
  DataSchema: DraftIncidentSchema,
  run: async (context, caller, { serviceId, incidentId }) => {
    if ((serviceId === undefined) === (incidentId === undefined)) {
      throw invalid("serviceId", "or incidentId must be given, but not both");
    }
    const serviceIds = serviceId === undefined ? undefined : [serviceId];
    const request = { incidentId, serviceIds, variables: new Map() };
    const { name, severity, status, description, startedAt, services } = await draftIncident(
      context,
      caller,
      request,
    );
    const data = {
      name,
      severity,
      status,
      description,
      startedAt: startedAt && formatDateTime(startedAt),
      services: services.map(({ service }) => service.name),
    };
    const sources = incidentId === undefined ? [] : [incidentSource(context, incidentId, name)];
    return { data, sources };
  },
});
