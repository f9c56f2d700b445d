import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  changeChannel,
  createChannel,
  getChannel,
  listOwnChannels,
  removeChannel,
  testChannel,
} from "./actions.ts";
import type { ChannelsContext } from "./context.ts";
import {
  ChannelBody,
  ChannelList,
  ChannelParams,
  ChannelQuery,
  ChannelSchema,
  fromWireChannel,
  TestOutcome,
  toWireChannel,
  toWireOutcome,
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
          "`type` decides which `config` is meant. Secrets are encrypted at rest and " +
          "masked in every answer.",
        body: ChannelBody,
        response: answers({ 201: ChannelSchema }),
      },
    },
    async ({ caller, body }, reply) => {
      const channel = await createChannel(context, caller, fromWireChannel(body));
      return reply.code(201).send(toWireChannel(channel, []));
    },
  );
  server.get(
    "/v1/alert-channels",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAlertChannels",
        summary: "List alert channels, secrets masked",
        description: "In pages of `limit`; the total is in `Content-Range`.",
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
    "/v1/alert-channels/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getAlertChannel",
        summary: "Read one alert channel, secrets masked",
        description: "With the checks and groups that send there.",
        params: ChannelParams,
        response: answers({ 200: ChannelSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const channel = await getChannel(context, caller, params.id);
      return toWireChannel(channel, channel.subscriptions);
    },
  );
  server.put(
    "/v1/alert-channels/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateAlertChannel",
        summary: "Update an alert channel; a mask keeps the secret it stands for",
        description: "Replaces the whole channel: what is left out gets its default.",
        params: ChannelParams,
        body: ChannelBody,
        response: answers({ 200: ChannelSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const input = fromWireChannel(body);
      await changeChannel(context, caller, { id: params.id, input });
      const channel = await getChannel(context, caller, params.id);
      return toWireChannel(channel, channel.subscriptions);
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
  server.post(
    "/v1/alert-channels/:id/test",
    {
      config: { access: "run" },
      schema: {
        tags,
        operationId: "testAlertChannel",
        summary: "Send a test message now and return the outcome",
        description:
          "Waits for the receiver. `outcome` is `failed` if it refused or did not " + "answer.",
        params: ChannelParams,
        response: answers({ 200: TestOutcome }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireOutcome(await testChannel(context, caller, params.id)),
  );
}
