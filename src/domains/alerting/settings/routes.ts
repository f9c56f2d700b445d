import { IfMatchHeaders, sendTagged } from "../../../platform/http/entity-tag.ts";
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
        summary: "Get the account's alert settings",
        description: "Apply to every check with `useGlobalAlertSettings`.",
        answerHeaders: ["ETag"],
        response: answers({ 200: AccountSettingsSchema }),
      },
    },
    async ({ caller }, reply) => {
      const { settings, tag } = await readSettings(context, caller);
      return sendTagged(reply, tag, toWireSettings(settings));
    },
  );
  server.put(
    "/v1/alert-settings",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "updateAlertSettings",
        summary: "Replace the account's alert settings; omitted fields get their defaults",
        description:
          "Apply from the next run of each check. With `If-Match`, fails if the settings were " +
          "changed since.",
        headers: IfMatchHeaders,
        body: AccountSettingsSchema,
        answerHeaders: ["ETag"],
        response: answers({ 200: AccountSettingsSchema }, "preconditionFailed"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const change = { settings: fromWireSettings(body), ifMatch: headers["if-match"] };
      const { settings, tag } = await changeSettings(context, caller, change);
      return sendTagged(reply, tag, toWireSettings(settings));
    },
  );
}
