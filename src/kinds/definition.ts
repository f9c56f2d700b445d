import type { TProperties } from "typebox";
import type { Outcome } from "../contract/result.ts";
import type { Assertion, AssertionSources } from "./assertions/assertion.ts";
import type { PathTarget } from "./paths/path.ts";
import type { KindPings } from "./pings.ts";
import type { ScriptFile } from "./scripts/script-run.ts";
import type { KindGroupDefaults, KindSecrets, KindTexts } from "./secrets.ts";
import type { KindSignals } from "./signals.ts";
import type { SeenCertificate } from "./tls/tls-facts.ts";
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
     * the fields of `create`.
     */
    readonly change?: TProperties;
    /** Schema for responses. By default the fields of `create`, all of them present. */
    readonly shown?: TProperties;
  };
  /** Schemas of further settings: optional in requests, always in responses. By default none. */
  readonly settings?: TProperties;
  /** Schemas of settings that are code or belong to code. The agent must not write them. */
  readonly scripts?: TProperties;
  /** Schemas of fields that are stored for client compatibility, but never returned or used. */
  readonly unused?: { readonly create: TProperties; readonly change: TProperties };
}

/** Response time limits above which a run is degraded or failing. */
interface ResponseTimeLimits {
  /** Default limit for degraded in milliseconds; `null` if there is no default limit. */
  readonly degradedMs: number | null;
  readonly failingMs: number | null;
  /** Maximum value of a limit that a check may set, in milliseconds. */
  readonly highestMs: number;
  /** Whether the API shows the limits as fields of the check. */
  readonly areShown: boolean;
}

/** Selects a client certificate by the host that a run connects to, or by the certificate's id. */
export type ClientCertificateNeed = { readonly host: string } | { readonly id: string };

/** How requests use snippets, which are scripts of the account. */
export interface KindSnippets<Request> {
  /** Returns the ids of the snippets that a run executes. */
  listIds(request: Request): readonly number[];
  /** Returns the texts in a request that may import snippets by name. */
  listTexts(request: Request): readonly string[];
  /** Returns the request with the text of executed snippets, and with files for imported ones. */
  add(request: Request, byId: ReadonlyMap<number, string>, files: readonly ScriptFile[]): Request;
}

/** Code and other files that clients upload before they save a check that uses them. */
export interface KindCode<Settings> {
  /** Name of the settings field that contains the keys of uploaded files. */
  readonly field: string;
  /** SQL/JSON path of the keys in the stored settings. */
  readonly path: string;
  keys(settings: Settings): readonly string[];
  /**
   * Returns the rule that uploaded code breaks, so that a check that cannot run is not saved;
   * `null` if the code may run. By default errors in the code appear only in runs.
   */
  findFault?(key: string, load: () => Promise<Buffer | null>): Promise<string | null>;
}

/** Present if runs can measure IPv4 and IPv6. Settings then contain `request.ipFamily`. */
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
  /** Name of the kind's folder, and `/v1/checks/{path}`. By default the type in lower case. */
  readonly path?: string;
  /** Path segment of `/v1/analytics/{analyticsPath}`. By default `path`. */
  readonly analyticsPath?: string;
  /**
   * Defines when pings are expected and how pings are recorded. Present if the runs of the kind are
   * pings that jobs send, so that no probe receives orders.
   */
  readonly pings?: KindPings<Settings, Measurement>;
  /**
   * Defines how notifications become runs. Present if the runs of the kind are notifications of
   * another monitor.
   *
   * The other monitor has already decided: no probe receives orders, the first failing run alerts,
   * and missing runs are normal.
   */
  readonly signals?: KindSignals<Settings, Measurement>;

  // API schemas of the kind's own fields.
  readonly fields: KindFields;
  /** Limits of the response time. By default 3 s for degraded, 5 s for failing and at most 45 s. */
  readonly responseTimeLimits?: ResponseTimeLimits;
  /** Names of common check fields that this kind does not use: accepted, but not returned. */
  readonly hiddenFields?: readonly string[];
  /** Converts the kind's own fields to their API form, if that differs from the stored form. */
  showSettings?(settings: Settings, service: { readonly publicUrl: string }): object;
  /** Converts all settings for checks as code, without the fields that existing clients reject. */
  writeAsCode?(settings: Settings): object;
  /** Names, or parts of names, that only this kind may use. A test checks the other kinds. */
  readonly ownFieldNames?: readonly string[];
  /**
   * If true, a run receives all variables of account, group and check in `Order.variables`. A run
   * of any other kind receives only the variables that its request names in double braces.
   */
  readonly receivesAllVariables?: true;
  /**
   * Returns whether a run of this request executes scripts besides the kind's own work. A run with
   * scripts receives all variables of account, group and check.
   */
  runsScripts?(request: Request): boolean;
  /** How requests use snippets. Absent if requests contain no scripts that may use snippets. */
  readonly snippets?: KindSnippets<Request>;
  /** Absent if checks of this kind run no code that clients upload beforehand. */
  readonly code?: KindCode<Settings>;
  /** Maximum body size of a request that saves or tries such a check. By default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Finds the secrets in the settings. Absent if the settings of this kind contain no secrets. */
  readonly secrets?: KindSecrets<Settings, Request>;
  /** Settings of groups for checks of this kind. Absent if groups have no such settings. */
  readonly groupDefaults?: KindGroupDefaults<Settings, unknown>;
  /**
   * Returns the kind's own settings after a creation (`before` is null) or an update. The secrets
   * in `before` are decrypted. A mask without a stored value remains, and `findFaults` reports it.
   */
  mergeSettings(before: Settings | null, change: object): object;
  findFaults?(settings: Settings): readonly Fault[];
  /** Returns the text by which people refer to the target: a host, a URL or `host:port`. */
  target(settings: Settings): string;
  /** Returns the maximum duration of a run, including timeouts. */
  deadlineMs(settings: Settings): number;
  /** Returns the request, which is the part of the settings that a probe needs. */
  toRequest(settings: Settings): Request;
  /**
   * Finds the texts of requests and measurements. Must be the object that the kind's prober uses.
   * By default requests contain no variables.
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
  /** Present if a run can measure IPv4 and IPv6. `withBothFamilies` must wrap the prober then. */
  readonly families?: KindFamilies<Measurement>;
  /** If true, a failed run may be repeated immediately in order to capture its packets. */
  readonly capturesPackets?: true;
  /** Sources that assertions can read. By default none. */
  readonly assertionSources?: AssertionSources;
  /** Returns the assertions of a check. By default the assertions in `settings.request`. */
  listAssertions?(settings: Settings): readonly Assertion[];

  // Returns whether a value is a valid measurement of this kind.
  isMeasurement(value: unknown): value is Measurement;
  /** Pure function for runs with a conclusion about the target. `judgeRun` covers all runs. */
  judge(settings: Settings, run: Run<Request, Measurement>): Judgement;
  /** Returns the certificate that expiry alerts are about; `null` if the run read none. */
  findCertificate?(run: Run<Request, Measurement>): SeenCertificate | null;
}
