import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import { changeSettings, readSettings } from "./actions.ts";
import { AccountSettingsSchema, fromWireSettings, toWireSettings } from "./schema.ts";

const tags = ["Alert settings"];

export function addAlertSettingsRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/alert-settings",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getAlertSettings",
        summary: "Read the account's alert settings",
        description: "They apply to every check with `useGlobalAlertSettings`.",
        response: answers({ 200: AccountSettingsSchema }),
      },
    },
    async ({ caller }) => toWireSettings(await readSettings(context, caller)),
  );
  server.put(
    "/v1/alert-settings",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "updateAlertSettings",
        summary: "Replace the account's alert settings; what is left out gets its default",
        description: "They apply from the next run of each check.",
        body: AccountSettingsSchema,
        response: answers({ 200: AccountSettingsSchema }),
      },
    },
    async ({ caller, body }) =>
      toWireSettings(await changeSettings(context, caller, fromWireSettings(body))),
  );
}
