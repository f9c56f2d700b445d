import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { severities } from "../../incidents/index.ts";
import type { ServiceStatus } from "./actions.ts";

export const ServiceStatusParams = Type.Object({ serviceId: Described(Guid, "The service's id.") });

const Status = Described(
  OneOf(["passing", "degraded", "failing", "unknown"]),
  "State; `unknown` if there is no data.",
);

export const ServiceStatusSchema = Type.Object(
  {
    serviceId: Described(Guid, "The service's id."),
    name: Type.String({ description: "The service's name." }),
    status: Status,
    hasFailures: Type.Boolean({ description: "Whether it is failing." }),
    isDegraded: Type.Boolean({ description: "Whether it is degraded." }),
    hasErrors: Type.Boolean({
      description: "Always false, because a service without data is not failing. See `state`.",
    }),
    isUnderMaintenance: Type.Boolean({
      description: "Whether maintenance is in progress. Independent of the status.",
    }),
    incidentSeverity: Described(
      OrNull(OneOf([...severities])),
      "Worst severity of its open incidents; `null` if there are none.",
    ),
    checks: Described(
      OrNull(
        Type.Object({
          status: Status,
          since: Described(OrNull(DateTime), "Start of this state; `null` if unknown."),
          checkIds: Type.Array(Guid, { description: "Ids of the active followed checks." }),
        }),
      ),
      "State of the followed checks; `null` if it follows none.",
    ),
  },
  { title: "ServiceStatus" },
);
export const ServiceStatusList = Type.Array(ServiceStatusSchema);

export function toWireServiceStatus(status: ServiceStatus) {
  const { service, state, followed } = status;
  return {
    serviceId: service.id,
    name: service.name,
    status: state,
    hasFailures: state === "failing",
    isDegraded: state === "degraded",
    hasErrors: false,
    isUnderMaintenance: status.isUnderMaintenance,
    incidentSeverity: status.severity,
    checks: followed && {
      status: followed.status,
      since: followed.since && formatDateTime(followed.since),
      checkIds: [...followed.checkIds],
    },
  };
}
