import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { notFound } from "../../platform/errors.ts";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  formatPageUrl,
  listServicesByIds,
  listServicesOf,
  listStatusPagesOf,
  type StatusPage,
} from "../../sites/status-pages/index.ts";
import { type Audience, mapAudiences } from "../../sites/subscribers/index.ts";
import type { PublicPagesContext } from "./context.ts";

/** Maximum number of services per incident. */
const maxServices = 100;

const AudienceQuery = Type.Object({
  serviceId: Type.Array(Guid, {
    description: "Ids of the affected services; repeat the parameter for each.",
    minItems: 1,
    maxItems: maxServices,
  }),
});

const Count = Type.Integer();

const AudienceSchema = Type.Object(
  {
    subscribers: Described(
      Count,
      "Number of confirmed subscribers that an update with `notifySubscribers` would notify now.",
      42,
    ),
    pages: Type.Array(
      Type.Object({
        statusPageId: Described(Guid, "The page's id."),
        name: Type.String({ description: "The page's name.", examples: ["Acme status"] }),
        url: Type.String({
          description: "Full URL of the page; it ends with a slash.",
          examples: ["https://status.example.com/"],
        }),
        isPrivate: Type.Boolean({ description: "Whether a key is needed to view the page." }),
        EMAIL: Described(Count, "Number of subscribers notified by mail."),
        WEBHOOK: Described(Count, "Number of subscribers notified by webhook."),
        SLACK: Described(Count, "Number of subscribers notified in Slack."),
      }),
      { description: "The pages that show one of the services." },
    ),
  },
  { title: "IncidentAudience" },
);

function toWireAudience(pages: readonly PageAudience[]) {
  const entries = pages.map(({ page, pageUrl, subscribers }) => ({
    statusPageId: page.id,
    name: page.name,
    url: pageUrl,
    isPrivate: page.isPrivate,
    ...subscribers,
  }));
  const total = entries.reduce((sum, page) => sum + page.EMAIL + page.WEBHOOK + page.SLACK, 0);
  return { subscribers: total, pages: entries };
}

interface PageAudience {
  readonly page: StatusPage;
  readonly pageUrl: string;
  readonly subscribers: Audience;
}

/** Lists the account's pages that show at least one of the given services. */
export async function listPagesThatShow(
  { db }: Pick<PublicPagesContext, "db">,
  accountId: string,
  serviceIds: readonly string[],
): Promise<StatusPage[]> {
  const requested = new Set(serviceIds);
  const pages = await listStatusPagesOf(db, accountId);
  return pages.filter((page) => listServicesOf(page).some(({ id }) => requested.has(id)));
}

/**
 * Returns the pages that would show an incident, with the number of subscribers to notify per page.
 */
async function findAudience(
  context: Pick<PublicPagesContext, "db" | "publicUrl">,
  { accountId }: Pick<Caller, "accountId">,
  ids: readonly string[],
): Promise<PageAudience[]> {
  const { db } = context;
  const serviceIds = [...new Set(ids.map((id) => id.toLowerCase()))];
  const services = await listServicesByIds(db, accountId, serviceIds);
  if (services.length < serviceIds.length) throw notFound();
  const [pages, audiences] = await Promise.all([
    listPagesThatShow(context, accountId, serviceIds),
    mapAudiences(db, accountId, serviceIds),
  ]);
  const nobody: Audience = { EMAIL: 0, WEBHOOK: 0, SLACK: 0 };
  return pages.map((page) => ({
    page,
    pageUrl: formatPageUrl(context.publicUrl(), page),
    subscribers: audiences.get(page.id) ?? nobody,
  }));
}

export function addAudienceRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.get(
    "/v1/status-pages/incidents/audience",
    {
      config: { access: "read" },
      schema: {
        tags: ["Incidents"],
        operationId: "getIncidentAudience",
        summary: "Count the subscribers that an incident would notify",
        description:
          "Counts confirmed subscribers of the pages that show one of the services, if they " +
          "chose all services or one of these. Use it before setting `notifySubscribers`.",
        querystring: AudienceQuery,
        response: answers({ 200: AudienceSchema }, "notFound"),
      },
    },
    async ({ caller, query }) =>
      toWireAudience(await findAudience(context, caller, query.serviceId)),
  );
}
