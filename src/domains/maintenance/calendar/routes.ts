import { parseBounds } from "../../../platform/http/parse-timestamp.ts";
import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { MaintenanceContext } from "../context.ts";
import { fromWireWindow, WindowBody } from "../schema.ts";
import { previewWindow, readCalendar } from "./actions.ts";
import {
  CalendarQuery,
  CalendarSchema,
  PreviewSchema,
  toWireCalendar,
  toWirePreview,
} from "./schema.ts";

const tags = ["Maintenance windows"];

export function addMaintenanceCalendarRoutes(
  server: HttpServer,
  context: MaintenanceContext,
): void {
  server.get(
    "/v1/maintenance-calendar",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getMaintenanceCalendar",
        summary: "List the occurrences of all maintenance windows in a range",
        description:
          "For a calendar: every window with the checks that it silences, and its occurrences in " +
          "the range. Daylight saving time is taken into account.",
        querystring: CalendarQuery,
        response: answers({ 200: CalendarSchema }),
      },
    },
    async ({ caller, query }) =>
      toWireCalendar(await readCalendar(context, caller, parseBounds(query))),
  );
  server.post(
    "/v1/maintenance-windows/preview",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "previewMaintenanceWindow",
        summary: "Preview a maintenance window without saving it",
        description:
          "Returns the next occurrences and the checks that the window would silence. Invalid " +
          "input is rejected as when the window is created.",
        body: WindowBody,
        response: answers({ 200: PreviewSchema }),
      },
    },
    async ({ caller, body }) =>
      toWirePreview(await previewWindow(context, caller, fromWireWindow(body))),
  );
}
