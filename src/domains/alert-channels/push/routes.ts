import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { ChannelsContext } from "../actions.ts";
import { addDevice, listOwnDevices, readPublicKey, removeDevice } from "./actions.ts";
import {
  DeviceBody,
  DeviceList,
  DeviceParams,
  DeviceSchema,
  PublicKeySchema,
  toWireDevice,
} from "./schema.ts";

const tags = ["Alert channels"];
const path = "/v1/users/me/push-subscriptions";

export function addPushRoutes(server: HttpServer, context: ChannelsContext): void {
  server.get(
    "/v1/push-key",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getPushKey",
        summary: "Get the public key that a browser needs to subscribe to push messages",
        description: "The key does not change.",
        response: answers({ 200: PublicKeySchema }, "conflict"),
      },
    },
    async () => ({ publicKey: await readPublicKey(context) }),
  );
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listPushSubscriptions",
        summary: "List your devices that receive push messages",
        description: "At most twenty, oldest first. A channel of type WEBPUSH sends to them.",
        response: answers({ 200: DeviceList }, "notFound"),
      },
    },
    async ({ caller }) => (await listOwnDevices(context, caller)).map(toWireDevice),
  );
  server.post(
    path,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "createPushSubscription",
        summary: "Register a device for push messages of this account",
        description:
          "Takes the result of the browser's `PushManager.subscribe`. Subscribing again updates the " +
          "same device. The endpoint and the keys are encrypted and never shown.",
        body: DeviceBody,
        response: answers({ 201: DeviceSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const { name, endpoint, keys } = body;
      const target = { endpoint, p256dh: keys.p256dh, auth: keys.auth };
      const device = await addDevice(context, caller, { name, target });
      return reply.code(201).send(toWireDevice(device));
    },
  );
  server.delete(
    `${path}/:id`,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "deletePushSubscription",
        summary: "Remove one of your devices from push messages",
        description: "A device whose subscription has ended is removed automatically.",
        params: DeviceParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeDevice(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
