import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged, tagVersion } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { RateLimit } from "../../platform/rate-limit.ts";
import {
  type ChannelsContext,
  type ChannelTestContext,
  changeChannel,
  createChannel,
  getChannel,
  listOwnChannels,
  removeChannel,
} from "./actions.ts";
import { testChannel, testUnsavedChannel } from "./channel-test.ts";
import { addContactRoutes } from "./contacts/routes.ts";
import { addPushRoutes } from "./push/push.ts";
import {
  ChannelBody,
  ChannelKindList,
  ChannelList,
  ChannelParams,
  ChannelQuery,
  ChannelSchema,
  ChannelTestBody,
  fromWireChannel,
  listWireKinds,
  TestOutcome,
  toWireChannel,
  toWireTest,
} from "./schema.ts";

const tags = ["Alert channels"];

export function addChannelRoutes(server: HttpServer, context: ChannelsContext): void {
  server.post(
    "/v1/alert-channels",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createAlertChannel",
        summary: "Create an alert channel",
        description:
          "`type` determines the schema of `config`. Secrets are encrypted at rest and " +
          "masked in every response.",
        body: ChannelBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: ChannelSchema }),
      },
    },
    async ({ caller, body }, reply) => {
      const channel = await createChannel(context, caller, fromWireChannel(body));
      return reply
        .code(201)
        .send(sendTagged(reply, tagVersion(channel.version), toWireChannel(channel, [])));
    },
  );
  server.get(
    "/v1/alert-channels",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAlertChannels",
        summary: "List alert channels with masked secrets",
        description: "Paginated by `limit`; the total is in `Content-Range`.",
        querystring: ChannelQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: ChannelList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { channels, total } = await listOwnChannels(context, caller, query);
      sendTotal(reply, query, total);
      return channels.map((channel) => toWireChannel(channel, channel.subscriptions));
    },
  );
  server.get(
    "/v1/alert-channels/kinds",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAlertChannelKinds",
        summary: "List the kinds of channels and their settings",
        description: "For generating forms: the schema and the secret fields of each `config`.",
        response: answers({ 200: ChannelKindList }),
      },
    },
    async () => listWireKinds(),
  );
  server.get(
    "/v1/alert-channels/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getAlertChannel",
        summary: "Get one alert channel with masked secrets",
        description: "Includes the checks and groups subscribed to it.",
        params: ChannelParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: ChannelSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const channel = await getChannel(context, caller, params.id);
      const answer = toWireChannel(channel, channel.subscriptions);
      return sendTagged(reply, tagVersion(channel.version), answer);
    },
  );
  server.put(
    "/v1/alert-channels/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateAlertChannel",
        summary: "Update an alert channel; a mask keeps the stored secret",
        description:
          "Replaces the whole channel; omitted fields get their defaults. With `If-Match`, fails " +
          "if the channel was changed since.",
        params: ChannelParams,
        headers: IfMatchHeaders,
        body: ChannelBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: ChannelSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const change = { input: fromWireChannel(body), ifMatch: headers["if-match"] };
      await changeChannel(context, caller, { ...change, id: params.id });
      const channel = await getChannel(context, caller, params.id);
      const answer = toWireChannel(channel, channel.subscriptions);
      return sendTagged(reply, tagVersion(channel.version), answer);
    },
  );
  server.delete(
    "/v1/alert-channels/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteAlertChannel",
        summary: "Delete an alert channel",
        description: "Its subscriptions are deleted too. Pending messages are not sent.",
        params: ChannelParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeChannel(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
  const { clock, servers } = context;
  const testLimit = new RateLimit<string>({ limit: 60, windowMs: 60_000, clock, servers });
  addTestRoutes(server, { ...context, testLimit });
  addPushRoutes(server, context);
  addContactRoutes(server, context);
}

function addTestRoutes(server: HttpServer, context: ChannelTestContext): void {
  server.post(
    "/v1/alert-channels/:id/test",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "testAlertChannel",
        summary: "Send a test message now and return the outcome",
        description:
          "Waits for the recipient. `outcome` is `failed` if it rejected the message or did not " +
          "respond. At most 60 tests per minute and account.",
        params: ChannelParams,
        response: answers({ 200: TestOutcome }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireTest(await testChannel(context, caller, params.id)),
  );
  server.post(
    "/v1/alert-channels/test",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "testUnsavedAlertChannel",
        summary: "Send a test message with settings that are not saved",
        description:
          "The settings are validated as on saving. Nothing is stored except the entry in the audit " +
          "log. At most 60 tests per minute and account.",
        body: ChannelTestBody,
        response: answers({ 200: TestOutcome }, "notFound"),
      },
    },
    async ({ caller, body: { id = null, ...body } }) => {
      const request = { id, input: fromWireChannel(body) };
      return toWireTest(await testUnsavedChannel(context, caller, request));
    },
  );
}
