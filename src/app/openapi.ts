import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { createApiReference, listOperationSections } from "../pages/docs/api-reference.ts";
import { type DocumentedRoute, writeDocument } from "../platform/http/openapi/document.ts";
import { ErrorSchema } from "../platform/http/schema.ts";
import { sendJson } from "../platform/http/send.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { addDocsRoutes, sendDocsPage } from "./docs-routes.ts";
import { version } from "./version.ts";
import { sendMissingPage } from "./web-routes.ts";

/** Sections of the API reference, in the order shown. */
const apiTags = [
  {
    name: "Checks",
    description: "What is monitored, how often, from where, and what counts as a failure.",
  },
  {
    name: "Check lists",
    description: "Filtered and sorted lists of checks with counts, and saved views.",
  },
  {
    name: "Check groups",
    description: "Groups of checks that share locations, alert settings and channels.",
  },
  { name: "Results", description: "Measurements of each run of a check." },
  { name: "Statuses", description: "Current status of each check, with its reason." },
  { name: "Annotations", description: "Notes and deployments on the charts of checks." },
  { name: "Check sessions", description: "Runs on request, outside the schedule." },
  {
    name: "Test sessions",
    description: "Checks that a client runs once, without alerts and statistics.",
  },
  { name: "Analytics", description: "Availability, latency and other metrics over time." },
  { name: "Heartbeats", description: "Pings of jobs, and missed pings." },
  { name: "Alert sources", description: "Alerts of other monitors, such as an Alertmanager." },
  { name: "Imports", description: "Moving in from other monitors." },
  { name: "Badges", description: "The status of a check as an image for a web page." },
  { name: "Alert channels", description: "Where alerts are sent, and which checks send there." },
  {
    name: "Escalation policies",
    description: "Whom alerts are sent to, step by step, while nobody acknowledges them.",
  },
  {
    name: "Contact methods",
    description: "How you are reached when you are on call, and when each method is used.",
  },
  {
    name: "Variables",
    description: "Named values for the requests of checks, such as tokens and hosts.",
  },
  {
    name: "Client certificates",
    description: "Certificates that checks present to servers with mutual TLS.",
  },
  { name: "Snippets", description: "Scripts that several checks refer to; stored, not run." },
  {
    name: "Alert settings",
    description: "Default alert settings of an account's checks.",
  },
  {
    name: "Alerts",
    description: "Alerts of each check, and the delivery of each message.",
  },
  {
    name: "Mutes",
    description: "Mutes of checks, groups, tags or the account, with an end and a reason.",
  },
  {
    name: "Maintenance windows",
    description: "Maintenance windows, during which no alerts are sent.",
  },
  {
    name: "On call",
    description: "Schedules of who is on call, with overrides and swaps.",
  },
  {
    name: "Status page components",
    description:
      "The form in which existing clients describe pages, and rules that open incidents.",
  },
  { name: "Services", description: "Services shown on status pages and affected by incidents." },
  { name: "Status pages", description: "Public or private status pages." },
  { name: "Status page keys", description: "Keys for access to private status pages." },
  {
    name: "Status page subscriptions",
    description: "Recipients of incident and maintenance notifications.",
  },
  { name: "Incidents", description: "Incidents and their updates on status pages." },
  { name: "Incident templates", description: "Reusable texts for incidents and updates." },
  { name: "Dashboards", description: "Live overviews of checks, also for TV screens." },
  { name: "Projects", description: "Monitoring as code: plans and deployments of resources." },
  { name: "Overview", description: "Current problems, recent events and trends." },
  { name: "Events", description: "Stream of change notifications." },
  { name: "Prometheus", description: "States and metrics of checks for a Prometheus server." },
  { name: "Accounts", description: "Accounts that a caller may act for." },
  { name: "Members", description: "Members of an account, and invitations." },
  { name: "Users", description: "The signed-in user." },
  {
    name: "Sessions",
    description: "Sign-in for browsers: passwords, one-time links, password resets.",
  },
  {
    name: "Second factors",
    description: "Authenticator apps, recovery codes and passkeys.",
  },
  { name: "API keys", description: "API keys for programs." },
  { name: "Audit log", description: "Log of changes and who made them." },
  { name: "Locations", description: "Locations where checks run, and their live probes." },
  {
    name: "Private locations",
    description: "Your own locations for checks, and the keys of their probes.",
  },
  { name: "Source addresses", description: "Source addresses of checks, for firewalls." },
  { name: "Runtimes", description: "Runtimes: named sets of packages for scripts." },
  { name: "Agent", description: "Questions in plain English, and tools for models." },
  { name: "Backups", description: "Backups of the whole installation, for admins." },
  {
    name: "Existing clients",
    description: "For the existing command line, Go SDK and Terraform provider of this API.",
  },
  { name: "Service", description: "The server itself, for load balancers and Prometheus." },
] as const;

const frame = {
  info: {
    title: "Vedette API",
    version,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    description:
      "Monitoring by HTTP: checks and their results, alerts, incidents, status pages and " +
      "dashboards. Send an API key as a bearer token; requests and responses are JSON. A method that " +
      "a path does not support yields 405, and `Allow` lists the supported ones.",
  },
  tags: apiTags,
  security: [{ apiKey: [] }, { session: [] }],
  securitySchemes: {
    apiKey: { type: "http", scheme: "bearer", description: "An API key." },
    session: {
      type: "apiKey",
      in: "cookie",
      name: "vedette_session",
      description: "Session cookie, set by signing in; for browsers.",
    },
  },
  parameters: {
    Account: {
      name: "x-service-account",
      in: "header",
      required: false,
      description: "Account to act for; the key's own by default.",
      schema: { type: "string", format: "uuid" },
    },
  },
  errorSchema: ErrorSchema,
} as const;

const ofPage = {
  config: { access: "public" },
  schema: { hide: true, params: Type.Object({ page: Type.String({ maxLength: 100 }) }) },
} as const;

/**
 * Collects the routes for the OpenAPI document and serves the document, which is generated at the
 * first request. Must be called before the routes are added.
 */
export function addOpenApi(server: HttpServer): void {
  const routes: DocumentedRoute[] = [];
  server.addHook("onRoute", ({ method, url, schema, config }) => {
    if (schema === undefined || schema.hide === true || method === "HEAD") return;
    const isPublic = config?.access === "public";
    const isUnlimited = config?.isUnlimited === true;
    routes.push({ method: String(method), url, schema, isPublic, isUnlimited });
  });
  let text: string | null = null;
  let findPage: ((name: string) => string | null) | null = null;
  const write = () => writeDocument(routes, frame);
  const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
  server.get("/openapi.json", hidden, async (_request, reply) => {
    text ??= JSON.stringify(write());
    return sendJson(reply, text);
  });
  const sendReference = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    findPage ??= createApiReference(write());
    const page = findPage(name);
    if (page === null) return sendMissingPage(request, reply);
    return sendDocsPage(request, reply, page);
  };
  server.get("/docs/api", hidden, async (request, reply) => sendReference(request, reply, ""));
  server.get("/docs/api/:page", ofPage, async (request, reply) =>
    sendReference(request, reply, request.params.page),
  );
  addDocsRoutes(server, () => listOperationSections(write()));
}
