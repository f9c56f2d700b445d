import type { TProperties } from "typebox";
import type { Outcome } from "../../contract/result.ts";
import type { SeenCertificate } from "../../contract/seen-certificate.ts";
import type { ScriptFile } from "../../sandbox/script-run.ts";
import type { Assertion, AssertionSources } from "./assertions/assertion.ts";
import type { PathTarget } from "./paths/path.ts";
import type { KindPings } from "./pings.ts";
import type { KindGroupDefaults, KindSecrets, KindTexts } from "./secrets.ts";
import type { KindSignals } from "./signals.ts";
import type { Judgement, VerdictSettings } from "./verdict.ts";

/** A validation error: the rule that settings break, and the path of the field. */
export interface Fault {
  readonly key: string;
  readonly rule: string;
}

/** One run: the request, its start time and its outcome. */
export interface Run<Request = unknown, Measurement = unknown> {
  readonly request: Request;
  readonly startedAtMs: number;
  readonly outcome: Outcome<Measurement>;
}

/** API schemas of the kind's own fields of a check. */
export interface KindFields {
  /** Field that describes the target: `request`, or the kind's equivalent. */
  readonly target: {
    readonly create: TProperties;
    /**
     * Schema for updates. Every field is optional, and an omitted field keeps its value. By default
     * derived from `create`.
     */
    readonly change?: TProperties;
    /** Schema for responses. Every field is present. By default derived from `create`. */
    readonly shown?: TProperties;
  };
  /**
   * Schemas of further settings: optional in requests, always present in responses. By default
   * none.
   */
  readonly settings?: TProperties;
  /**
   * Schemas of the settings for scripts that run in addition to the request. These settings contain
   * the code, the ids of snippets, or the paths and files of the code. The AI agent must not set
   * them.
   */
  readonly scripts?: TProperties;
  /**
   * Schemas of fields that are accepted and stored for client compatibility, but have no effect.
   */
  readonly unused?: { readonly create: TProperties; readonly change: TProperties };
}

/** Response time limits above which a run is degraded or failing. */
interface ResponseTimeLimits {
  /** Default response time above which a run is degraded; `null` for no default. */
  readonly degradedMs: number | null;
  readonly failingMs: number | null;
  /** Maximum value of a limit that a check may set, in milliseconds. */
  readonly highestMs: number;
  /** Whether the API shows the limits as fields of the check. */
  readonly areShown: boolean;
}

/** Selects a client certificate by the host that a run connects to, or by the certificate's id. */
export type ClientCertificateNeed = { readonly host: string } | { readonly id: string };

/**
 * Functions for the snippets in requests. Snippets are scripts that the checks of an account share.
 */
export interface KindSnippets<Request> {
  /** Returns the ids of the snippets that a run executes. */
  listIds(request: Request): readonly number[];
  /** Returns the texts in a request that may import snippets by name. */
  listTexts(request: Request): readonly string[];
  /**
   * Returns the request with the text of the executed snippets and with the files of the imported
   * ones.
   */
  add(request: Request, byId: ReadonlyMap<number, string>, files: readonly ScriptFile[]): Request;
}

/**
 * Describes uploaded files, such as code. Clients upload them before they save a check that uses
 * them.
 */
export interface KindCode<Settings> {
  /** Name of the settings field that contains the keys of uploaded files. */
  readonly field: string;
  /** SQL/JSON path of the keys in the stored settings. */
  readonly path: string;
  keys(settings: Settings): readonly string[];
  /**
   * Validates uploaded code. Returns the rule that the code violates, so that the check is not
   * saved; `null` if the code is valid. Without this function, errors in the code appear only in
   * runs.
   */
  findFault?(key: string, load: () => Promise<Buffer | null>): Promise<string | null>;
}

/**
 * Options of a kind whose runs can measure IPv4 and IPv6 at the same time. The settings of such a
 * kind contain `request.ipFamily`.
 */
interface KindFamilies<Measurement> {
  /**
   * Returns a number that is higher for a worse measurement. In a run with both IP families, the
   * worse family provides the figures for statistics and charts. By default the response time.
   */
  weigh?(measurement: Measurement): number;
}

/** Defines what a check of this kind is, and how its runs are judged. */
export interface KindDefinition<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
> {
  /** Value of `checkType` in the API, in capital letters and underscores. */
  readonly type: string;
  /**
   * Name of the kind's folder and path segment of `/v1/checks/{path}`. By default the type in lower
   * case, with hyphens.
   */
  readonly path?: string;
  /** Path segment of `/v1/analytics/{analyticsPath}`. By default `path`. */
  readonly analyticsPath?: string;
  /**
   * Defines when pings are expected and how they are recorded. Present if the runs of the kind are
   * pings that jobs send. Probes receive no run orders for such checks.
   */
  readonly pings?: KindPings<Settings, Measurement>;
  /**
   * Defines how notifications become runs. Present if the runs of the kind are notifications of
   * another monitor.
   *
   * The other monitor has already judged its target. Therefore probes receive no run orders, the
   * first failing run triggers an alert, and missing runs are normal.
   */
  readonly signals?: KindSignals<Settings, Measurement>;

  readonly fields: KindFields;
  /** Limits of the response time. By default 3 s for degraded, 5 s for failing and at most 45 s. */
  readonly responseTimeLimits?: ResponseTimeLimits;
  /**
   * Names of common check fields that this kind does not use. Requests may contain these fields,
   * but responses omit them.
   */
  readonly hiddenFields?: readonly string[];
  /** Converts the kind's own fields to their API form, if that differs from the stored form. */
  showSettings?(settings: Settings, service: { readonly publicUrl: string }): object;
  /** Converts the settings for checks as code. Leaves out fields that existing clients reject. */
  writeAsCode?(settings: Settings): object;
  /**
   * Texts, such as field names, by which a test recognizes code that depends on this kind. The test
   * fails if code outside the folders of the kinds contains one of these texts.
   */
  readonly ownFieldNames?: readonly string[];
  /**
   * If true, a run receives all variables of account, group and check in `Order.variables`.
   * Otherwise, a run without scripts receives only the variables that its request names in double
   * braces.
   */
  readonly receivesAllVariables?: true;
  /**
   * Returns whether a run of this request executes scripts in addition to the request itself. A run
   * with scripts receives all variables of account, group and check.
   */
  runsScripts?(request: Request): boolean;
  /**
   * Functions for the snippets in requests. Absent if requests contain no scripts that may use
   * snippets.
   */
  readonly snippets?: KindSnippets<Request>;
  /**
   * Describes the uploaded files of checks. Absent if checks of this kind use no uploaded files.
   */
  readonly code?: KindCode<Settings>;
  /**
   * Maximum body size of an API request that saves or tries a check of this kind. By default 1 MiB.
   */
  readonly maxBodyBytes?: number;
  /**
   * Functions for the secrets in the settings. Absent if the settings of this kind contain no
   * secrets.
   */
  readonly secrets?: KindSecrets<Settings, Request>;
  /** Settings of groups for checks of this kind. Absent if groups have no such settings. */
  readonly groupDefaults?: KindGroupDefaults<Settings, unknown>;
  /**
   * Returns the kind's own settings after a creation (`before` is null) or an update. The secrets
   * in `before` are decrypted. A mask that stands for no stored secret remains in the result, and
   * `findFaults` reports it.
   */
  mergeSettings(before: Settings | null, change: object): object;
  findFaults?(settings: Settings): readonly Fault[];
  /** Returns the text by which people refer to the target: a host, a URL or `host:port`. */
  target(settings: Settings): string;
  /** Returns the maximum time from the scheduled start of a run to its result. */
  deadlineMs(settings: Settings): number;
  /** Returns the request, which is the part of the settings that a probe needs. */
  toRequest(settings: Settings): Request;
  /**
   * Functions that change the texts in requests and measurements, for example to fill in variables.
   * The prober of this kind must have the same object as its `texts`. By default, requests contain
   * no variables.
   */
  readonly texts?: KindTexts<Request, Measurement>;
  /**
   * Returns which client certificate a run may present, or null. The variables in the request are
   * already filled in. The prober receives the certificate in `Order.clientCertificate`.
   */
  clientCertificateFor?(request: Request): ClientCertificateNeed | null;
  /**
   * Returns where a run sends its packets, or null if the request does not contain the destination.
   * The variables in the request are already filled in. Absent if runs have no network target.
   */
  pathTarget?(request: Request): PathTarget | null;
  /**
   * Present if a run can measure IPv4 and IPv6. The kind's prober must then be wrapped in
   * `withBothFamilies`.
   */
  readonly families?: KindFamilies<Measurement>;
  /** If true, a failed run may be repeated immediately in order to capture its packets. */
  readonly capturesPackets?: true;
  /** Sources that assertions can read. By default none. */
  readonly assertionSources?: AssertionSources;
  /** Returns the assertions of a check. By default the assertions in `settings.request`. */
  listAssertions?(settings: Settings): readonly Assertion[];

  // Returns whether a value is a valid measurement of this kind.
  isMeasurement(value: unknown): value is Measurement;
  /**
   * Judges a run that reached a conclusion about its target. Must be a pure function. Callers use
   * `judgeRun`, which judges all runs.
   */
  judge(settings: Settings, run: Run<Request, Measurement>): Judgement;
  /** Returns the certificate whose expiry is monitored; `null` if the run read none. */
  findCertificate?(run: Run<Request, Measurement>): SeenCertificate | null;
}
