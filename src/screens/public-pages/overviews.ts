import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { findWorst, type State } from "../../pages/states.ts";
import { answers, Described, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { mapOngoingCounts } from "../../response/incidents/index.ts";
import { listPublicMaintenance, type PublicMaintenance } from "../../response/maintenance/index.ts";
import {
  formatPageUrl,
  listServicesOf,
  listStatusPagesOf,
  type StatusPage,
} from "../../sites/status-pages/index.ts";
import { mapSubscriberCounts } from "../../sites/subscribers/index.ts";
import type { PublicPagesContext } from "./context.ts";
import { decideIndicator, formatHeadline, isOnPage, isOpen } from "./page-view.ts";
import { listServiceStatuses, type ServiceStatus } from "./statuses.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

const StatusPageOverviewSchema = Type.Object(
  {
    statusPageId: Described(Guid, "The status page's id."),
    address: Type.String({
      description: "Public URL of the page.",
      examples: ["https://status.example.com/"],
    }),
    state: Described(
      OrNull(OneOf(["passing", "degraded", "failing", "unknown"])),
      "Worst state of its services; `null` if it shows none.",
    ),
    sentence: Type.String({
      description: "Headline of the page.",
      examples: ["All systems operational"],
    }),
    isUnderMaintenance: Type.Boolean({
      description: "Whether maintenance is in progress. Independent of the state.",
    }),
    serviceCount: count("Number of services on the page."),
    openIncidentCount: count("Number of open incidents that affect its services."),
    subscriberCount: count("Number of confirmed subscribers."),
  },
  { title: "StatusPageOverview" },
);
const StatusPageOverviewList = Type.Array(StatusPageOverviewSchema);

function toWireOverview(overview: StatusPageOverview) {
  return { ...overview };
}

interface StatusPageOverview {
  readonly statusPageId: string;
  readonly address: string;
  readonly state: State | null;
  readonly sentence: string;
  readonly isUnderMaintenance: boolean;
  readonly serviceCount: number;
  readonly openIncidentCount: number;
  readonly subscriberCount: number;
}

interface Facts {
  readonly statuses: ReadonlyMap<string, ServiceStatus>;
  readonly incidentCounts: ReadonlyMap<string, number>;
  readonly maintenance: readonly PublicMaintenance[];
  readonly subscribers: ReadonlyMap<string, number>;
  readonly publicUrl: string;
}

function toOverview(page: StatusPage, facts: Facts): StatusPageOverview {
  const services = listServicesOf(page).flatMap(({ id }) => facts.statuses.get(id) ?? []);
  const isUnderMaintenance = facts.maintenance.some(
    (window) => isOnPage(page, window) && isOpen(window),
  );
  const troubles = services.flatMap(({ severity }) => severity ?? []);
  const indicator = decideIndicator(services, troubles, isUnderMaintenance);
  return {
    statusPageId: page.id,
    address: formatPageUrl(facts.publicUrl, page),
    state: findWorst(services.map(({ state }) => state)),
    sentence: formatHeadline(indicator, services),
    isUnderMaintenance,
    serviceCount: services.length,
    openIncidentCount: facts.incidentCounts.get(page.id) ?? 0,
    subscriberCount: facts.subscribers.get(page.id) ?? 0,
  };
}

async function listStatusPageOverviews(
  context: PublicPagesContext,
  caller: Caller,
): Promise<StatusPageOverview[]> {
  const { db } = context;
  const { accountId } = caller;
  const now = context.clock.now();
  const to = new Date(now.getTime() + 1);
  const [pages, statuses, maintenance, subscribers] = await Promise.all([
    listStatusPagesOf(db, accountId),
    listServiceStatuses(context, caller),
    listPublicMaintenance(db, accountId, { from: now, to }),
    mapSubscriberCounts(db, accountId),
  ]);
  const shown = pages.flatMap((page) =>
    listServicesOf(page).map(({ id: serviceId }) => ({ pageId: page.id, serviceId })),
  );
  const incidentCounts = await mapOngoingCounts(db, accountId, { shown, to });
  const facts = {
    statuses: new Map(statuses.map((status) => [status.service.id, status])),
    incidentCounts,
    maintenance,
    subscribers,
    publicUrl: context.publicUrl(),
  };
  return pages.map((page) => toOverview(page, facts));
}

export function addPageOverviewRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.get(
    "/v1/status-page-overviews",
    {
      config: { access: "read" },
      schema: {
        tags: ["Status pages"],
        operationId: "listStatusPageOverviews",
        summary: "List the current state of every status page",
        description: "All pages of the account, oldest first, with state, address and counts.",
        response: answers({ 200: StatusPageOverviewList }),
      },
    },
    async ({ caller }) => (await listStatusPageOverviews(context, caller)).map(toWireOverview),
  );
}
