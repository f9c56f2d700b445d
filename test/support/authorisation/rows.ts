import { accountRows } from "./account-rows.ts";
import { agentRows } from "./agent-rows.ts";
import { alertSourceRows } from "./alert-source-rows.ts";
import { alertingRows } from "./alerting-rows.ts";
import { annotationRows } from "./annotation-rows.ts";
import type { Row } from "./authorisation-row.ts";
import { certificateRows } from "./certificate-rows.ts";
import { checkRows } from "./check-rows.ts";
import { clientRows } from "./client-rows.ts";
import { contactRows } from "./contact-rows.ts";
import { dashboardRows } from "./dashboard-rows.ts";
import { deviceLoginRows } from "./device-login-rows.ts";
import { eventRows } from "./event-rows.ts";
import { heartbeatRows } from "./heartbeat-rows.ts";
import { importRows } from "./import-rows.ts";
import { incidentRows } from "./incident-rows.ts";
import { locationRows } from "./location-rows.ts";
import { muteRows } from "./mute-rows.ts";
import { notificationRows } from "./notification-rows.ts";
import { onCallRows } from "./on-call-rows.ts";
import { operationRows } from "./operation-rows.ts";
import { projectRows } from "./project-rows.ts";
import { prometheusRows } from "./prometheus-rows.ts";
import { publicPageRows } from "./public-page-rows.ts";
import { pushRows } from "./push-rows.ts";
import { secondFactorRows } from "./second-factor-rows.ts";
import { statusPageRows } from "./status-page-rows.ts";
import { subscriberRows } from "./subscriber-rows.ts";
import { testSessionRows } from "./test-session-rows.ts";
import { variableRows } from "./variable-rows.ts";
import { webRows } from "./web-rows.ts";

/** What the authorisation tests know about every route. */
export const rows: readonly Row[] = [
  ...accountRows,
  ...deviceLoginRows,
  ...secondFactorRows,
  ...checkRows,
  ...heartbeatRows,
  ...alertingRows,
  ...onCallRows,
  ...operationRows,
  ...annotationRows,
  ...variableRows,
  ...certificateRows,
  ...importRows,
  ...locationRows,
  ...alertSourceRows,
  ...muteRows,
  ...notificationRows,
  ...pushRows,
  ...contactRows,
  ...incidentRows,
  ...statusPageRows,
  ...subscriberRows,
  ...prometheusRows,
  ...publicPageRows,
  ...dashboardRows,
  ...eventRows,
  ...agentRows,
  ...clientRows,
  ...projectRows,
  ...testSessionRows,
  ...webRows,
];
