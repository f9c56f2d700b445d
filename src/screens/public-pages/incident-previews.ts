import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { fixColorScheme } from "../../pages/mails/layout.ts";
import { renderFeed, renderFeedEntry } from "../../pages/status-page/feed.ts";
import { renderHomePage } from "../../pages/status-page/home.ts";
import { type PageLook, pageSecurityPolicy } from "../../pages/status-page/shell.ts";
import { renderNoticeMail, spellStatus } from "../../pages/status-page/subscriber-notice.ts";
import { conflict, invalid } from "../../platform/errors.ts";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import {
  composeIncident,
  fromWireIncident,
  IncidentBody,
  type UnsavedIncident,
  type UnsavedRequest,
} from "../../response/incidents/index.ts";
import {
  createPreview,
  type Preview,
  PreviewSchema,
  toWirePreview,
} from "../../sites/previews/index.ts";
import { formatPageUrl, type StatusPage } from "../../sites/status-pages/index.ts";
import type { PublicPagesContext } from "./context.ts";
import { listPagesThatShow } from "./incident-audience.ts";
import { toIncidentView } from "./page-view.ts";
import { loadView, placePage } from "./rendering.ts";

/** Content security policy of mail and feed previews: inline styles, and nothing else. */
const documentPolicy = "default-src 'none'; style-src 'unsafe-inline'";
const maxLineLength = 300;

const { name, severity, services, incidentUpdates, lastUpdateStatus, templateId, variables } =
  IncidentBody.properties;

const IncidentPreviewBody = Type.Object(
  {
    incidentId: Described(
      Type.Optional(Guid),
      "The incident to add the updates to. Omit it to preview a new incident.",
    ),
    statusPageId: Described(
      Type.Optional(Guid),
      "The page to render. Default: the first page that shows one of the services.",
    ),
    name,
    severity,
    services,
    incidentUpdates,
    lastUpdateStatus,
    templateId,
    variables,
  },
  {
    title: "IncidentPreviewInput",
    examples: [
      {
        name: "Payments fail",
        severity: "MAJOR",
        services: [{ id: "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10" }],
        incidentUpdates: [{ description: "Cards are declined." }],
      },
    ],
  },
);
type IncidentPreviewBody = Type.Static<typeof IncidentPreviewBody>;

const IncidentPreviewSchema = Type.Object(
  {
    statusPageId: Described(Guid, "The rendered page."),
    page: Described(PreviewSchema, "The page."),
    mail: Type.Object(
      {
        subject: Type.String({ description: "The mail's subject." }),
        text: Type.String({ description: "The mail as plain text." }),
        preview: Described(PreviewSchema, "The mail as HTML."),
      },
      { description: "The mail to a subscriber. The real links differ for each subscriber." },
    ),
    feed: Type.Object(
      {
        title: Type.String({ description: "Title of the entry." }),
        preview: Described(PreviewSchema, "The entry, approximately as a feed reader shows it."),
      },
      { description: "The entry in the page's feeds." },
    ),
  },
  { title: "IncidentPreview" },
);

function fromWirePreview({ incidentId, statusPageId, ...body }: IncidentPreviewBody) {
  return { ...fromWireIncident(body), incidentId, statusPageId };
}

function toWireIncidentPreview({ page, home, mail, feed }: IncidentPreview) {
  return {
    statusPageId: page.id,
    page: toWirePreview(home),
    mail: { subject: mail.subject, text: mail.text, preview: toWirePreview(mail.preview) },
    feed: { title: feed.title, preview: toWirePreview(feed.preview) },
  };
}

interface IncidentPreview {
  readonly page: StatusPage;
  readonly home: Preview;
  readonly mail: { readonly subject: string; readonly text: string; readonly preview: Preview };
  readonly feed: { readonly title: string; readonly preview: Preview };
}

async function previewHome(
  context: PublicPagesContext,
  page: StatusPage,
  { incident }: UnsavedIncident,
): Promise<Preview> {
  const { look } = await placePage(context, page, `/status/${page.url}/`);
  const view = await loadView(context, page, incident);
  // The preview has no version, so that the page's script does not replace it with the live page.
  const render = (defaultTheme: PageLook["defaultTheme"]) =>
    renderHomePage({ ...look, defaultTheme }, view).text;
  return createPreview(context, page.accountId, {
    html: render("LIGHT"),
    darkHtml: render("DARK"),
    contentSecurityPolicy: pageSecurityPolicy,
  });
}

async function previewMail(
  context: PublicPagesContext,
  page: StatusPage,
  { incident, announcedUpdate }: UnsavedIncident,
): Promise<IncidentPreview["mail"]> {
  const pageUrl = formatPageUrl(context.publicUrl(), page);
  const shorten = (text: string) => toShortLine(text, maxLineLength);
  const notice = {
    pageName: shorten(page.name),
    kind: "incident",
    title: shorten(incident.name),
    status: spellStatus(announcedUpdate.status),
    severity: incident.severity,
    body: announcedUpdate.description,
    services: toIncidentView(page, incident).services.map(({ name }) => shorten(name)),
    at: announcedUpdate.createdAt,
    url: `${pageUrl}incidents/${incident.id}`,
  } as const;
  // The links of the preview lead to the page. In real mails, they differ for each subscriber.
  const links = { manageUrl: pageUrl, unsubscribeUrl: pageUrl };
  const { subject, text, html } = renderNoticeMail(notice, links);
  const preview = await createPreview(context, page.accountId, {
    html: fixColorScheme(html, "light"),
    darkHtml: fixColorScheme(html, "dark"),
    contentSecurityPolicy: documentPolicy,
  });
  return { subject, text, preview };
}

async function previewFeed(
  context: PublicPagesContext,
  page: StatusPage,
  { incident, announcedUpdate }: UnsavedIncident,
): Promise<IncidentPreview["feed"]> {
  const source = {
    name: page.name,
    description: page.settings.description,
    url: formatPageUrl(context.publicUrl(), page),
    updatedAt: announcedUpdate.createdAt,
    incidents: [toIncidentView(page, incident)],
    outages: [],
  };
  const [entry] = JSON.parse(renderFeed(source, "json")).items;
  const render = (scheme: "light" | "dark") => renderFeedEntry(entry, page.name, scheme).text;
  const preview = await createPreview(context, page.accountId, {
    html: render("light"),
    darkHtml: render("dark"),
    contentSecurityPolicy: documentPolicy,
  });
  return { title: String(entry.title), preview };
}

/** Renders the page, mail and feed as they would be with the incident. Posts nothing. */
async function previewIncident(
  context: PublicPagesContext,
  caller: Caller,
  request: UnsavedRequest & { readonly statusPageId?: string | undefined },
): Promise<IncidentPreview> {
  const { statusPageId, ...rest } = request;
  const unsaved = await composeIncident(context, caller, rest);
  const serviceIds = unsaved.incident.services.map(({ id }) => id);
  const pages = await listPagesThatShow(context, caller.accountId, serviceIds);
  if (pages.length === 0) throw conflict("no status page shows one of these services");
  const requestedId = statusPageId?.toLowerCase();
  const page = requestedId === undefined ? pages[0] : pages.find(({ id }) => id === requestedId);
  if (page === undefined) throw invalid("statusPageId", "shows none of these services");
  return {
    page,
    home: await previewHome(context, page, unsaved),
    mail: await previewMail(context, page, unsaved),
    feed: await previewFeed(context, page, unsaved),
  };
}

export function addIncidentPreviewRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.post(
    "/v1/status-pages/incidents/preview",
    {
      config: { access: "write" },
      schema: {
        tags: ["Incidents"],
        operationId: "previewIncident",
        summary: "Preview the page, the mail and the feed of an incident",
        description:
          "Applies the same validation as posting. Only the previews are stored; they are " +
          "deleted after ten minutes.",
        body: IncidentPreviewBody,
        response: answers({ 200: IncidentPreviewSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }) =>
      toWireIncidentPreview(await previewIncident(context, caller, fromWirePreview(body))),
  );
}
