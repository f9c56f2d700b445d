export type ChangeText = (text: string) => string;

/** Where a kind has text that people write and text that comes back. */
export interface KindTexts<Request = unknown, Measurement = unknown> {
  /** The same request, with each text changed in which `{{NAME}}` stands for a variable. */
  mapRequest(request: Request, change: ChangeText): Request;
  /**
   * The same measurement, with each text changed that the target or the system wrote, and each
   * that repeats part of the request: the value of a secret may be in it. A changed text is never
   * longer than before. Names that only this code gives (`"received"`) are left alone.
   */
  mapMeasurement(measurement: Measurement, change: ChangeText): Measurement;
}

/** Of a kind whose requests hold no variables. */
export const noTexts = {
  mapRequest: <Request>(request: Request) => request,
  mapMeasurement: <Measurement>(measurement: Measurement) => measurement,
};
