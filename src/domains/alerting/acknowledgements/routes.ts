import type { FastifyReply } from "fastify";
import type { Markup } from "../../../pages/html.ts";
import { renderAcknowledged, renderAcknowledgePage } from "../../../pages/plain-page.ts";
import { answers } from "../../../platform/http/schema.ts";
import { addScope, type HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import {
  acknowledgeByLink,
  acknowledgeCheck,
  acknowledgeMany,
  listOpenAlerts,
  previewAcknowledgement,
} from "./actions.ts";
import {
  AcknowledgementSchema,
  CheckParams,
  ManyAcknowledgedBody,
  ManyAcknowledgedSchema,
  OpenAlertList,
  OpenAlertQuery,
  TokenParams,
  toWireAcknowledgement,
  toWireManyAcknowledged,
  toWireOpenAlert,
} from "./schema.ts";

/** Forbids framing: a click on another site must not acknowledge an alert. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

function sendPage(reply: FastifyReply, page: Markup): FastifyReply {
  return reply
    .header("content-security-policy", pagePolicy)
    .header("referrer-policy", "no-referrer")
    .type("text/html; charset=utf-8")
    .send(page.text);
}

export function addAcknowledgementRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/check-alerts/open",
    {
      config: { access: "read" },
      schema: {
        tags: ["Alerts"],
        operationId: "listOpenAlerts",
        summary: "List open alerts, oldest first",
        description: "At most one alert per check, with its acknowledgement if there is one.",
        querystring: OpenAlertQuery,
        response: answers({ 200: OpenAlertList }),
      },
    },
    async ({ caller, query }) =>
      (await listOpenAlerts(context, caller, query)).map(toWireOpenAlert),
  );
  server.post(
    "/v1/check-alerts/:checkId/acknowledge",
    {
      config: { access: "run" },
      schema: {
        tags: ["Alerts"],
        operationId: "acknowledgeCheckAlert",
        summary: "Acknowledge a check's open alert to stop reminders and escalation",
        description:
          "The acknowledgement lasts until the check recovers. Returns 409 if no alert is open.",
        params: CheckParams,
        response: answers({ 200: AcknowledgementSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }) =>
      toWireAcknowledgement(await acknowledgeCheck(context, caller, params.checkId)),
  );
  server.post(
    "/v1/check-alerts/acknowledge",
    {
      config: { access: "run" },
      schema: {
        tags: ["Alerts"],
        operationId: "acknowledgeAlerts",
        summary: "Acknowledge the open alerts of many checks",
        description: "Runs in one transaction. The response contains the outcome of each check.",
        body: ManyAcknowledgedBody,
        response: answers({ 200: ManyAcknowledgedSchema }),
      },
    },
    async ({ caller, body }) =>
      toWireManyAcknowledged(await acknowledgeMany(context, caller, body.checkIds)),
  );
  addScope(server, (scope) => addPages(scope, context));
}

/** Registers the pages in a separate scope that accepts an HTML form without fields. */
function addPages(scope: HttpServer, context: AlertingContext): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer", bodyLimit: 1_024 },
    (_request, _body, done) => done(null, undefined),
  );
  const options = {
    config: { access: "public" },
    schema: { hide: true, params: TokenParams },
  } as const;
  // Mail scanners follow links, so GET must not acknowledge; only the button does.
  scope.get("/acknowledge/:token", options, async ({ params }, reply) =>
    sendPage(reply, renderAcknowledgePage(await previewAcknowledgement(context, params.token))),
  );
  scope.post("/acknowledge/:token", options, async (request, reply) => {
    const { params, ip: address, id: requestId } = request;
    const done = await acknowledgeByLink(context, params.token, { address, requestId });
    return sendPage(reply, renderAcknowledged(done));
  });
}
