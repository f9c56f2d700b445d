import type { HttpServer } from "../../platform/http/server.ts";
import { addAcknowledgementRoutes } from "./acknowledgements/acknowledgements.ts";
import { addResponseRoutes } from "./acknowledgements/responses.ts";
import { addStoryRoutes } from "./alert-history/alert-history.ts";
import { addBackTestRoutes } from "./back-tests/back-tests.ts";
import type { AlertingContext } from "./context.ts";
import { addPreferenceRoutes } from "./duty/preferences.ts";
import { addReportRoutes } from "./duty/report.ts";
import { addUsesRoutes } from "./duty/uses.ts";
import { addWarningRoutes } from "./duty/warnings.ts";
import { addMuteRoutes } from "./mutes/mutes.ts";
import { addNotificationRoutes } from "./notifications/notifications.ts";
import { addManualPageRoutes, type ManualPagesContext } from "./pages/manual-pages.ts";
import { addRehearsalRoutes } from "./pages/rehearsal-routes.ts";
import { addParentRoutes } from "./parents/parents.ts";
import { addAlertSettingsRoutes } from "./settings/settings.ts";

export function addAlertingRoutes(
  server: HttpServer,
  context: AlertingContext & ManualPagesContext,
): void {
  addNotificationRoutes(server, context);
  addStoryRoutes(server, context);
  addAcknowledgementRoutes(server, context);
  addResponseRoutes(server, context);
  addMuteRoutes(server, context);
  addManualPageRoutes(server, context);
  addRehearsalRoutes(server, context);
  addReportRoutes(server, context);
  addPreferenceRoutes(server, context);
  addWarningRoutes(server, context);
  addUsesRoutes(server, context);
  addAlertSettingsRoutes(server, context);
  addParentRoutes(server, context);
  addBackTestRoutes(server, context);
}
