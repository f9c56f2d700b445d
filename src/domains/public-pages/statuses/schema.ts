import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { severities } from "../../incidents/index.ts";
import type { ServiceStatus } from "./actions.ts";

export const ServiceStatusParams = Type.Object({ serviceId: Described(Guid, "The service's id.") });

const Status = Described(
  OneOf(["passing", "degraded", "failing", "unknown"]),
  "The state; unknown is no data.",
);

export const ServiceStatusSchema = Type.Object(
  {
    serviceId: Described(Guid, "The service's id."),
    name: Type.String({ description: "The service's name." }),
    status: Status,
    hasFailures: Type.Boolean({ description: "Whether it is failing." }),
    isDegraded: Type.Boolean({ description: "Whether it is degraded." }),
    hasErrors: Type.Boolean({
      description: "Always false: a service without data is not failing. See `state`.",
    }),
    isUnderMaintenance: Type.Boolean({ description: "Beside the status, which it never hides." }),
    incidentSeverity: Described(
      OrNull(OneOf([...severities])),
      "The worst of its open incidents; null without one.",
    ),
    checks: Described(
      OrNull(
        Type.Object({
          status: Status,
          since: Described(OrNull(DateTime), "Since when; null where it is not known."),
          checkIds: Type.Array(Guid, { description: "The checks that count: those that run." }),
        }),
      ),
      "What the checks say that it follows; null where it follows none.",
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
