import type {
  ScriptMeasurement,
  ScriptRequest,
  WatchedCertificate,
} from "../../../sandbox/script-run.ts";
import type { ChangeText, KindTexts } from "../secrets.ts";

/**
 * Texts of a script run that may contain secrets. Variables are not replaced in the request,
 * because scripts read variables from their environment. `{{NAME}}` in a script is ordinary text.
 */
export const texts: KindTexts<ScriptRequest, ScriptMeasurement> = {
  mapRequest: (request) => request,
  mapMeasurement: (measurement, change) => {
    const { certificate } = measurement;
    const orNull = (text: string | null) => text && change(text);
    return {
      ...measurement,
      ...(certificate !== undefined && { certificate: mapCertificate(certificate, change) }),
      steps: measurement.steps.map((step) => ({
        ...step,
        title: change(step.title),
        error: orNull(step.error),
      })),
      errors: measurement.errors.map((error) => ({
        ...error,
        message: change(error.message),
        stack: orNull(error.stack),
        file: orNull(error.file),
      })),
      logs: measurement.logs.map((log) => ({ ...log, text: change(log.text) })),
      connections: measurement.connections.map((connection) => ({
        ...connection,
        host: change(connection.host),
        denial: orNull(connection.denial),
      })),
      pages: measurement.pages.map((page) => ({
        ...page,
        url: change(page.url),
        consoleErrors: page.consoleErrors.map(change),
        pageErrors: page.pageErrors.map(change),
        requestErrors: page.requestErrors.map((request) => ({
          ...request,
          url: change(request.url),
          error: orNull(request.error),
        })),
      })),
    };
  },
};

function mapCertificate(one: WatchedCertificate, change: ChangeText): WatchedCertificate {
  const host = change(one.host);
  if ("error" in one) return { host, error: change(one.error) };
  return { ...one, host, issuer: change(one.issuer) };
}
