import { answers, Nothing } from "../../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { RateLimit } from "../../../platform/rate-limit.ts";
import type { ChannelsContext } from "../actions.ts";
import {
  type ContactsContext,
  changeMethod,
  changeRules,
  createMethod,
  getMethod,
  listOwnMethods,
  maxTestsPerHour,
  readRules,
  removeMethod,
  tagMethod,
  testMethod,
  verifyMethod,
} from "./actions.ts";
import { maxMethods } from "./contact-method.ts";
import {
  CodeBody,
  fromWireRules,
  MethodBody,
  MethodChange,
  MethodList,
  MethodParams,
  MethodSchema,
  MethodTestSchema,
  RulesSchema,
  toWireMethod,
  toWireMethodTest,
  toWireRules,
} from "./schema.ts";

const tags = ["Contact methods"];
const path = "/v1/users/me/contact-methods";

export function addContactRoutes(server: HttpServer, channels: ChannelsContext): void {
  const { clock, servers } = channels;
  const limit = { limit: maxTestsPerHour, windowMs: 3_600_000 };
  const context = { ...channels, contactLimit: new RateLimit({ ...limit, clock, servers }) };
  addMethodRoutes(server, context);
  addVerificationRoutes(server, context);
  addRulesRoutes(server, context);
}

function addMethodRoutes(server: HttpServer, context: ContactsContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listContactMethods",
        summary: "List the ways in which you are reached when you are on call",
        description:
          `The built-in methods \`push\` and \`email\`, then up to ${maxMethods} of your own, ` +
          "oldest first, with masked secrets. They belong to your membership of the account.",
        response: answers({ 200: MethodList }, "notFound"),
      },
    },
    async ({ caller }) => (await listOwnMethods(context, caller)).map(toWireMethod),
  );
  server.post(
    path,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createContactMethod",
        summary: "Add a contact method",
        description:
          "It is used once it is verified: send a test, and confirm the code in its message. " +
          "Secrets are encrypted at rest and masked in every response.",
        body: MethodBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: MethodSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const method = await createMethod(context, caller, {
        type: body.type,
        config: { ...body.config },
      });
      return reply.code(201).send(sendTagged(reply, tagMethod(method), toWireMethod(method)));
    },
  );
  server.get(
    `${path}/:id`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getContactMethod",
        summary: "Get one of your contact methods with masked secrets",
        description: "`email` is your email address, and `push` all of your devices.",
        params: MethodParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: MethodSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const method = await getMethod(context, caller, params.id);
      return sendTagged(reply, tagMethod(method), toWireMethod(method));
    },
  );
  server.put(
    `${path}/:id`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateContactMethod",
        summary: "Change the settings of a contact method; a mask keeps the stored secret",
        description:
          "Changed settings must be verified again. With `If-Match`, fails if the method was " +
          "changed since. 409 if it is built in.",
        params: MethodParams,
        headers: IfMatchHeaders,
        body: MethodChange,
        answerHeaders: ["ETag"],
        response: answers({ 200: MethodSchema }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const change = { id: params.id, config: { ...body.config }, ifMatch: headers["if-match"] };
      const method = await changeMethod(context, caller, change);
      return sendTagged(reply, tagMethod(method), toWireMethod(method));
    },
  );
  server.delete(
    `${path}/:id`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deleteContactMethod",
        summary: "Delete a contact method",
        description: "Its steps are removed from your notification rules. 409 if it is built in.",
        params: MethodParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeMethod(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}

function addVerificationRoutes(server: HttpServer, context: ContactsContext): void {
  server.post(
    `${path}/:id/test`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "testContactMethod",
        summary: "Send a test message, with a code if the method is not verified",
        description: `Waits for the recipient. At most ${maxTestsPerHour} tests per hour.`,
        params: MethodParams,
        response: answers({ 200: MethodTestSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireMethodTest(await testMethod(context, caller, params.id)),
  );
  server.post(
    `${path}/:id/verify`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "verifyContactMethod",
        summary: "Confirm the code of the newest test message",
        description:
          "Returns 409 if no code is pending, or after five wrong codes. A verified method stays verified.",
        params: MethodParams,
        body: CodeBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: MethodSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }, reply) => {
      const given = { id: params.id, code: body.code };
      const method = await verifyMethod(context, caller, given);
      return sendTagged(reply, tagMethod(method), toWireMethod(method));
    },
  );
}

const rulesPath = "/v1/users/me/notification-rules";

function addRulesRoutes(server: HttpServer, context: ContactsContext): void {
  server.get(
    rulesPath,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getNotificationRules",
        summary: "Get when each of your contact methods is used",
        description:
          "By default, push, email and every verified method at once; text messages after 5 minutes.",
        answerHeaders: ["ETag"],
        response: answers({ 200: RulesSchema }, "notFound"),
      },
    },
    async ({ caller }, reply) => {
      const { rules, tag } = await readRules(context, caller);
      return sendTagged(reply, tag, toWireRules(rules));
    },
  );
  server.put(
    rulesPath,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateNotificationRules",
        summary: "Replace your notification rules",
        description:
          "Each step names a verified contact method. Acknowledgement and recovery cancel later " +
          "steps. With `If-Match`, fails if the rules were changed since.",
        headers: IfMatchHeaders,
        body: RulesSchema,
        answerHeaders: ["ETag"],
        response: answers({ 200: RulesSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const change = { rules: fromWireRules(body), ifMatch: headers["if-match"] };
      const { rules, tag } = await changeRules(context, caller, change);
      return sendTagged(reply, tag, toWireRules(rules));
    },
  );
}
