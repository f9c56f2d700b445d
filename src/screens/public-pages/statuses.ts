import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import type { State } from "../../pages/states.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { notFound } from "../../platform/errors.ts";
import { answers, DateTime, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  decideServiceState,
  type FollowedState,
  mapFollowed,
  mapOngoingSeverities,
  type Severity,
  severities,
} from "../../response/incidents/index.ts";
import { listPublicMaintenance } from "../../response/maintenance/index.ts";
import { getService, listServices, type Service } from "../../sites/status-pages/index.ts";
import type { PublicPagesContext } from "./context.ts";
import { affects, isOpen } from "./page-view.ts";

/** Maximum number of services per account. */
const maxServices = 1_000;

const tags = ["Statuses"];

const ServiceStatusParams = Type.Object({ serviceId: Described(Guid, "The service's id.") });

const Status = Described(
  OneOf(["passing", "degraded", "failing", "unknown"]),
  "State; `unknown` if there is no data.",
);

const ServiceStatusSchema = Type.Object(
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
const ServiceStatusList = Type.Array(ServiceStatusSchema);

function toWireServiceStatus(status: ServiceStatus) {
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

export interface ServiceStatus {
  readonly service: Service;
  readonly state: State;
  /** Worst severity of the open incidents of the service; `null` if there are none. */
  readonly severity: Severity | null;
  /** State of the followed checks; `null` if the service follows nothing. */
  readonly followed: FollowedState | null;
  readonly isUnderMaintenance: boolean;
}

async function decideStatuses(
  { db, clock }: PublicPagesContext,
  accountId: string,
  services: readonly Service[],
): Promise<ServiceStatus[]> {
  const now = clock.now();
  const to = new Date(now.getTime() + 1);
  const serviceIds = services.map(({ id }) => id);
  const [severities, followed, maintenance] = await Promise.all([
    mapOngoingSeverities(db, accountId, { serviceIds, to }),
    mapFollowed(db, accountId, { services, from: now, to }),
    listPublicMaintenance(db, accountId, { from: now, to }),
  ]);
  return services.map((service) => {
    const severity = severities.get(service.id);
    const checks = followed.get(service.id)?.state ?? null;
    return {
      service,
      state: decideServiceState(severity, checks),
      severity: severity ?? null,
      followed: checks,
      isUnderMaintenance: maintenance.some(
        (window) => isOpen(window) && affects(window, service.id),
      ),
    };
  });
}

export async function listServiceStatuses(
  context: PublicPagesContext,
  { accountId }: Caller,
): Promise<ServiceStatus[]> {
  const services = await listServices(context.db, accountId, { limit: maxServices });
  return decideStatuses(context, accountId, services);
}

async function getServiceStatus(
  context: PublicPagesContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceStatus> {
  const service = await getService(context, caller, serviceId);
  const [status] = await decideStatuses(context, caller.accountId, [service]);
  if (status === undefined) throw notFound();
  return status;
}

export function addServiceStatusRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.get(
    "/v1/service-statuses",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listServiceStatuses",
        summary: "List the status of every service",
        description: "The status is the worse of the open incidents and the followed checks.",
        response: answers({ 200: ServiceStatusList }),
      },
    },
    async ({ caller }) => (await listServiceStatuses(context, caller)).map(toWireServiceStatus),
  );
  server.get(
    "/v1/service-statuses/:serviceId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getServiceStatus",
        summary: "Get the status of a service",
        description: "The status shown on status pages, with its causes.",
        params: ServiceStatusParams,
        response: answers({ 200: ServiceStatusSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireServiceStatus(await getServiceStatus(context, caller, params.serviceId)),
  );
}
