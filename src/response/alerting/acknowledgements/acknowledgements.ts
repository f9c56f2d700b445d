import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import type { Markup } from "../../../pages/html.ts";
import {
  renderAcknowledged,
  renderAcknowledgePage,
  renderEscalatePage,
  renderResponded,
  renderSnoozePage,
} from "../../../pages/plain-page.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  exampleId,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import { addScope, type HttpServer } from "../../../platform/http/server.ts";
import {
  type Acknowledgement,
  acknowledgeByLink,
  acknowledgeCheck,
  acknowledgeMany,
  listOpenAlerts,
  type ManyAcknowledged,
  previewAcknowledgement,
} from "./actions.ts";
import { addCallRoutes } from "./calls.ts";
import { escalateByLink, previewLink, snoozeByLink } from "./link-actions.ts";
import type { ResponsesContext } from "./responses.ts";
import type { OpenAlertState } from "./store.ts";

const CheckParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
const TokenParams = Type.Object({
  token: Type.String({ description: "The token of the link.", minLength: 20, maxLength: 500 }),
});

const AcknowledgementSchema = Type.Object(
  {
    checkId: Described(Guid, "The check's id."),
    name: Type.String({ description: "The check's name.", examples: ["Router"] }),
    alertNumber: Type.Integer({
      description: "Sequence number of the alert within its check.",
      examples: [3],
    }),
    acknowledgedAt: Described(DateTime, "When it was acknowledged."),
  },
  { title: "Acknowledgement" },
);

const ManyAcknowledgedBody = Type.Object(
  {
    checkIds: Type.Array(Guid, {
      description: "The checks whose open alerts are acknowledged.",
      minItems: 1,
      maxItems: 1_000,
      examples: [[exampleId]],
    }),
  },
  { title: "AcknowledgeManyInput" },
);

const ManyAcknowledgedSchema = Type.Object(
  {
    acknowledged: Type.Integer({
      description: "Number of alerts acknowledged by this request.",
      examples: [54],
    }),
    checks: Type.Array(
      Type.Object({
        checkId: Described(Guid, "The check's id."),
        outcome: Described(
          OneOf(["acknowledged", "unchanged", "notOpen"]),
          "`unchanged` if it was already acknowledged; `notOpen` if the check has no open alert.",
        ),
      }),
      { description: "The outcome of each check." },
    ),
  },
  { title: "AcknowledgedAlerts" },
);

function toWireManyAcknowledged(checks: readonly ManyAcknowledged[]) {
  const acknowledged = checks.filter(({ outcome }) => outcome === "acknowledged").length;
  return { acknowledged, checks: [...checks] };
}

const OpenAlertQuery = Type.Object({
  limit: Type.Integer({
    description: "Maximum number of alerts to return.",
    minimum: 1,
    maximum: 1_000,
    default: 100,
  }),
});
const OpenAlertList = Type.Array(
  Type.Object(
    {
      checkId: Described(Guid, "The check's id."),
      alertId: Described(
        OrNull(Guid),
        "Id of the first alert, for reading its history; `null` if it is no longer stored.",
      ),
      name: Type.String({ description: "The check's name.", examples: ["Router"] }),
      alertNumber: Type.Integer({
        description: "Sequence number of the alert within its check.",
        examples: [3],
      }),
      alertType: Type.String({
        description: "Kind of the newest alert.",
        examples: ["ALERT_FAILURE"],
      }),
      openedAt: Described(DateTime, "When the first alert was sent."),
      remindersSent: Type.Integer({ description: "Number of reminders sent.", examples: [0] }),
      acknowledgedAt: Described(
        OrNull(DateTime),
        "When it was acknowledged; `null` if it was not.",
        null,
      ),
    },
    { title: "OpenAlert" },
  ),
);

function toWireOpenAlert({ checkId, alertId, checkName, state }: OpenAlertState) {
  const { acknowledgedAtMs, openedAtMs } = state;
  return {
    checkId,
    alertId,
    name: checkName,
    alertNumber: state.alertNumber,
    alertType: state.alertedKind ?? "",
    openedAt: formatDateTime(new Date(openedAtMs ?? state.sinceMs)),
    remindersSent: state.remindersSent,
    acknowledgedAt: acknowledgedAtMs === null ? null : formatDateTime(new Date(acknowledgedAtMs)),
  };
}

function toWireAcknowledgement(done: Acknowledgement) {
  return {
    checkId: done.checkId,
    name: done.checkName,
    alertNumber: done.alertNumber,
    acknowledgedAt: formatDateTime(done.acknowledgedAt),
  };
}

const StageQuery = Type.Object({
  stage: Type.Integer({ description: "The step to send.", minimum: 1, maximum: 1_000 }),
});

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

export function addAcknowledgementRoutes(server: HttpServer, context: ResponsesContext): void {
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
  addScope(server, (scope) => addCallRoutes(scope, context));
}

/** Registers the acknowledge pages in a separate Fastify scope, which accepts empty forms. */
function addPages(scope: HttpServer, context: ResponsesContext): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer", bodyLimit: 1_024 },
    (_request, _body, done) => done(null, undefined),
  );
  const options = {
    config: { access: "public" },
    schema: { hide: true, params: TokenParams },
  } as const;
  // Mail scanners follow links, so GET only shows a page. Its button sends a POST.
  scope.get("/acknowledge/:token", options, async ({ params }, reply) =>
    sendPage(reply, renderAcknowledgePage(await previewAcknowledgement(context, params.token))),
  );
  scope.get("/acknowledge/:token/snooze", options, async ({ params }, reply) =>
    sendPage(reply, renderSnoozePage(await previewLink(context, params.token))),
  );
  scope.post("/acknowledge/:token/snooze", options, async (request, reply) => {
    const { params, ip: address, id: requestId } = request;
    const done = await snoozeByLink(context, params.token, { address, requestId });
    return sendPage(reply, renderResponded("Snoozed for 1 hour", done));
  });
  scope.get("/acknowledge/:token/escalate", options, async ({ params }, reply) =>
    sendPage(reply, renderEscalatePage(await previewLink(context, params.token))),
  );
  scope.post(
    "/acknowledge/:token/escalate",
    { ...options, schema: { ...options.schema, querystring: StageQuery } },
    async (request, reply) => {
      const { params, query, ip: address, id: requestId } = request;
      const escalation = { stage: query.stage, origin: { address, requestId } };
      const done = await escalateByLink(context, params.token, escalation);
      return sendPage(reply, renderResponded("Escalated", done));
    },
  );
  scope.post("/acknowledge/:token", options, async (request, reply) => {
    const { params, ip: address, id: requestId } = request;
    const done = await acknowledgeByLink(context, params.token, { address, requestId });
    return sendPage(reply, renderAcknowledged(done));
  });
}
