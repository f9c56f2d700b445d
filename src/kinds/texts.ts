export type ChangeText = (text: string) => string;

/** Finds the user-written and the received texts of a kind. */
export interface KindTexts<Request = unknown, Measurement = unknown> {
  /**
   * Returns the request with `change` applied to each text that may contain `{{NAME}}` variables.
   */
  mapRequest(request: Request, change: ChangeText): Request;
  /**
   * Returns the measurement with `change` applied to each text that came from the target or the
   * system, and to each that repeats part of the request, because these may contain a secret. A
   * changed text is never longer than the original. Constants of this code (`"received"`) stay
   * unchanged.
   */
  mapMeasurement(measurement: Measurement, change: ChangeText): Measurement;
}

/** For kinds whose requests contain no variables. */
export const noTexts = {
  mapRequest: <Request>(request: Request) => request,
  mapMeasurement: <Measurement>(measurement: Measurement) => measurement,
};
