import type { TSchema } from "typebox";
import type { Trouble } from "../../contract/result.ts";

export type ChangeText = (text: string) => string;

/** Functions that change the texts in the requests, measurements and errors of a kind. */
export interface KindTexts<Request = unknown, Measurement = unknown> {
  /** Returns the request with `change` applied to texts that may contain `{{NAME}}` variables. */
  mapRequest(request: Request, change: ChangeText): Request;
  /**
   * Returns the measurement with `change` applied to each text that may contain a secret: texts
   * from the target or the system, and texts that repeat part of the request.
   *
   * A changed text is never longer than the original. Constants of the code, such as `"received"`,
   * stay unchanged.
   */
  mapMeasurement(measurement: Measurement, change: ChangeText): Measurement;
  /**
   * Returns the error of a run with `change` applied to its texts. By default, it is applied to all
   * texts.
   */
  mapTrouble?(trouble: Trouble, change: ChangeText): Trouble;
}

/** Functions for a kind whose requests contain no variables. They change nothing. */
export const noTexts = {
  mapRequest: <Request>(request: Request) => request,
  mapMeasurement: <Measurement>(measurement: Measurement) => measurement,
};

/** Text that replaces a secret in every response. In a request, the mask means "unchanged". */
export const secretMask = "********";

/**
 * Functions that change the secrets in the settings of a check. Secrets are encrypted in the
 * database, masked in every response and decrypted for the probe only. An empty string is not a
 * secret.
 */
export interface KindSecrets<Settings, Request> {
  /** Returns the settings with `change` applied to each secret. */
  mapSettings(settings: Settings, change: ChangeText): Settings;
  /**
   * Returns the request with `change` applied to its secrets, which are encrypted in run orders.
   */
  mapRequest(request: Request, change: ChangeText): Request;
}

/** Settings of a group that apply to its checks of one kind. */
export interface KindGroupDefaults<Settings, Defaults> {
  /** Name of the group field that contains the settings. */
  readonly field: string;
  readonly input: TSchema;
  readonly shown: TSchema;
  /**
   * Merges a change with the settings `before`, whose secrets are decrypted. If `before` is `null`,
   * merges the change with the default settings.
   */
  merge(before: Defaults | null, change: unknown): Defaults;
  findFaults(defaults: Defaults): readonly { readonly key: string; readonly rule: string }[];
  mapSecrets(defaults: Defaults, change: ChangeText): Defaults;
  /**
   * Returns the settings `shown` with the real password in place of the mask. `stored` contains the
   * encrypted password, and `open` decrypts the password.
   */
  withPassword(shown: Defaults, stored: Defaults, open: ChangeText): Defaults;
  /**
   * Returns a check's settings for a run, with the settings of its group applied. `scripts` is
   * absent if the group has no scripts.
   */
  apply(settings: Settings, defaults: Defaults, scripts?: GroupScripts): Settings;
}

/** Scripts of a group, which run around the requests of its checks. */
export interface GroupScripts {
  readonly setupSnippetId?: number | null;
  readonly tearDownSnippetId?: number | null;
  readonly localSetupScript?: string | null;
  readonly localTearDownScript?: string | null;
  /**
   * Base URL of the group, which the scripts can read as `GROUP_BASE_URL`. The function
   * `KindGroupDefaults.apply` sets this field.
   */
  readonly baseUrl?: string;
}
