import { Type } from "typebox";
import { IdempotencyHeaders } from "../../access/accounts/index.ts";
import {
  answers,
  CursorPage,
  CursorQuery,
  Nothing,
  toCursorPage,
} from "../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  changePolicy,
  createPolicy,
  getPolicy,
  listOwnPolicies,
  type PoliciesContext,
  removePolicy,
} from "./actions.ts";
import {
  fromWirePolicy,
  PolicyBody,
  PolicyParams,
  PolicySchema,
  tagPolicy,
  toWirePolicy,
} from "./schema.ts";

const tags = ["Escalation policies"];
const path = "/v1/escalation-policies";

function addReadRoutes(server: HttpServer, context: PoliciesContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listEscalationPolicies",
        summary: "List escalation policies",
        description: "Paginated: pass `nextId` of the response to fetch the next page.",
        querystring: Type.Object(CursorQuery),
        response: answers({ 200: CursorPage(PolicySchema) }),
      },
    },
    async ({ caller, query }) => {
      const page = { ...query, limit: query.limit + 1 };
      const policies = await listOwnPolicies(context, caller, page);
      return toCursorPage(policies.map(toWirePolicy), query.limit);
    },
  );
  server.get(
    `${path}/:policyId`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getEscalationPolicy",
        summary: "Get an escalation policy",
        description: "Deleted schedules, members and channels stay in the steps and are skipped.",
        params: PolicyParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: PolicySchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const policy = await getPolicy(context, caller, params.policyId);
      return sendTagged(reply, tagPolicy(policy), toWirePolicy(policy));
    },
  );
}

export function addPolicyRoutes(server: HttpServer, context: PoliciesContext): void {
  addReadRoutes(server, context);
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createEscalationPolicy",
        summary: "Create an escalation policy",
        description:
          "Applies to checks once alert settings of a check, a group or the account name it.",
        headers: IdempotencyHeaders,
        body: PolicyBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: PolicySchema }, "conflict"),
      },
    },
    async ({ caller, headers, body }, reply) => {
      const create = { input: fromWirePolicy(body), idempotencyKey: headers["idempotency-key"] };
      const policy = await createPolicy(context, caller, create);
      return reply.code(201).send(sendTagged(reply, tagPolicy(policy), toWirePolicy(policy)));
    },
  );
  server.put(
    `${path}/:policyId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "replaceEscalationPolicy",
        summary: "Replace an escalation policy",
        description:
          "Open alerts continue with the new steps. With `If-Match`, fails if the policy was " +
          "changed since.",
        params: PolicyParams,
        headers: IfMatchHeaders,
        body: PolicyBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: PolicySchema }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, params, headers, body }, reply) => {
      const policy = await changePolicy(context, caller, {
        id: params.policyId,
        input: fromWirePolicy(body),
        ifMatch: headers["if-match"],
      });
      return sendTagged(reply, tagPolicy(policy), toWirePolicy(policy));
    },
  );
  server.delete(
    `${path}/:policyId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteEscalationPolicy",
        summary: "Delete an escalation policy",
        description: "A policy in use cannot be deleted; the response lists where it is used.",
        params: PolicyParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await removePolicy(context, caller, params.policyId);
      return reply.code(204).send(null);
    },
  );
}
