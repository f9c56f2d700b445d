import type { State } from "../../../pages/states.ts";
import { notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import {
  decideServiceState,
  type FollowedState,
  mapFollowed,
  mapOngoingSeverities,
  type Severity,
} from "../../incidents/index.ts";
import { listPublicMaintenance } from "../../maintenance/index.ts";
import { getService, listServices, type Service } from "../../status-pages/index.ts";
import type { PublicPagesContext } from "../context.ts";
import { affects, isOpen } from "../maintenance.ts";

/** Maximum number of services per account. */
const maxServices = 1_000;

export interface ServiceStatus {
  readonly service: Service;
  readonly state: State;
  /** Worst severity of its open incidents; `null` if there are none. */
  readonly severity: Severity | null;
  /** `null` for a service that follows nothing. */
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

export async function getServiceStatus(
  context: PublicPagesContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceStatus> {
  const service = await getService(context, caller, serviceId);
  const [status] = await decideStatuses(context, caller.accountId, [service]);
  if (status === undefined) throw notFound();
  return status;
}
