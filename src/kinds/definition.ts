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

/** A validation rule that settings break, and the path of the field. */
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

/** The kind's own fields of a check in the API. */
export interface KindFields {
  /** `request`, or the kind's equivalent. */
  readonly target: {
    readonly create: TProperties;
    /**
     * Every field is optional; a missing field keeps its value. By default the fields of `create`.
     */
    readonly change?: TProperties;
    /** By default the fields of `create`, all present. */
    readonly shown?: TProperties;
  };
  /** Optional in requests, always present in responses. By default none. */
  readonly settings?: TProperties;
  /** Like settings, but code or what belongs to it: the agent cannot write them. */
  readonly scripts?: TProperties;
  /** Accepted and stored for client compatibility; never returned and never used. */
  readonly unused?: { readonly create: TProperties; readonly change: TProperties };
}

/** Response time limits above which a run is degraded or failing. */
interface ResponseTimeLimits {
  /** Default in milliseconds; `null` if there is no default limit. */
  readonly degradedMs: number | null;
  readonly failingMs: number | null;
  /** The highest limit that a check may set. */
  readonly highestMs: number;
  /** Whether the limits are part of the check in the API. */
  readonly areShown: boolean;
}

/** A client certificate, by the host that a run connects to or by its id. */
export type ClientCertificateNeed = { readonly host: string } | { readonly id: string };

/** How requests use snippets, which are scripts of the account. */
export interface KindSnippets<Request> {
  /** Ids of the snippets that a run executes. */
  listIds(request: Request): readonly number[];
  /** Texts that may import snippets by name. */
  listTexts(request: Request): readonly string[];
  /** Returns the request with the snippets to execute, and with files for those to import. */
  add(request: Request, byId: ReadonlyMap<number, string>, files: readonly ScriptFile[]): Request;
}

/** Code and other files that clients upload before they save a check that uses them. */
export interface KindCode<Settings> {
  /** Name of the field with the keys. */
  readonly field: string;
  /** Path of the keys in the stored settings, as SQL/JSON path. */
  readonly path: string;
  keys(settings: Settings): readonly string[];
  /**
   * Returns a rule that stored code breaks, so that a check that cannot run is not saved; `null`
   * for code that may run. By default runs report what is wrong.
   */
  findFault?(key: string, load: () => Promise<Buffer | null>): Promise<string | null>;
}

/** Runs of the kind can measure both IP families; its settings have `request.ipFamily`. */
interface KindFamilies<Measurement> {
  /**
   * A number that is higher for a worse measurement. The worse family provides the figures of a run
   * with both, for statistics and charts. By default the response time.
   */
  weigh?(measurement: Measurement): number;
}

/** What a check of this kind is, and how its runs are judged. */
export interface KindDefinition<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
> {
  /** `checkType` in the API: capital letters and underscores. */
  readonly type: string;
  /** Folder of the kind, and `/v1/checks/{path}`. By default the type in lower case. */
  readonly path?: string;
  /** `/v1/analytics/{analyticsPath}`. By default the path. */
  readonly analyticsPath?: string;
  /**
   * When pings are expected and how they are recorded, if runs are pings that jobs send. No probe
   * receives orders then.
   */
  readonly pings?: KindPings<Settings, Measurement>;
  /**
   * How notifications become runs, if runs are notifications of another monitor. It has decided
   * already: no probe receives orders, the first failing run alerts, and missing runs are normal.
   */
  readonly signals?: KindSignals<Settings, Measurement>;

  // Settings and request.
  readonly fields: KindFields;
  /** By default 3 s for degraded, 5 s for failing and at most 45 s. */
  readonly responseTimeLimits?: ResponseTimeLimits;
  /** Common check fields that this kind does not use: accepted, but not returned. */
  readonly hiddenFields?: readonly string[];
  /** Converts the kind's own fields to their API form, if it differs from the stored form. */
  showSettings?(settings: Settings, service: { readonly publicUrl: string }): object;
  /** Leaves out fields that existing clients reject in the code that they write for a check. */
  writeAsCode?(settings: Settings): object;
  /** Names, or parts of names, that only this kind may use; a test rejects them in other code. */
  readonly ownFieldNames?: readonly string[];
  /**
   * If true, a run receives every variable of account, group and check in `Order.variables`, not
   * only those that its request names. A kind without it receives those between double braces.
   */
  readonly receivesAllVariables?: true;
  /**
   * Returns whether a run of this request executes scripts besides the kind's own work. Such a run
   * receives every variable too.
   */
  runsScripts?(request: Request): boolean;
  /** Absent if requests contain no scripts that may use snippets. */
  readonly snippets?: KindSnippets<Request>;
  /** Absent if checks of this kind run no code that clients upload beforehand. */
  readonly code?: KindCode<Settings>;
  /** Largest body of a request that saves or tries such a check. By default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Absent if settings of this kind contain no secrets. */
  readonly secrets?: KindSecrets<Settings, Request>;
  /** Absent if groups have no settings for checks of this kind. */
  readonly groupDefaults?: KindGroupDefaults<Settings, unknown>;
  /**
   * Returns the kind's own settings after a creation (`before` is null) or an update. Secrets are
   * decrypted. A mask without a stored value remains and is reported by `findFaults`.
   */
  mergeSettings(before: Settings | null, change: object): object;
  findFaults?(settings: Settings): readonly Fault[];
  /** How people refer to the target: a host, a URL, `host:port`. */
  target(settings: Settings): string;
  /** Maximum duration of a run, including timeouts. */
  deadlineMs(settings: Settings): number;
  /** The part of the settings that a probe needs. */
  toRequest(settings: Settings): Request;
  /** The same object as in the kind's prober. By default requests contain no variables. */
  readonly texts?: KindTexts<Request, Measurement>;
  /**
   * Returns the client certificate that a run may present, or null. The request has its variables
   * filled in. The prober receives the certificate in `Order.clientCertificate`.
   */
  clientCertificateFor?(request: Request): ClientCertificateNeed | null;
  /**
   * Returns where a run sends its packets, or null if the request does not contain it. The request
   * has its variables filled in. Absent if runs have no such target.
   */
  pathTarget?(request: Request): PathTarget | null;
  /** Present if a run can measure both IP families; the prober is in `withBothFamilies` then. */
  readonly families?: KindFamilies<Measurement>;
  /** If true, a run that failed may be repeated at once in order to capture its packets. */
  readonly capturesPackets?: true;
  /** By default none. */
  readonly assertionSources?: AssertionSources;
  /** By default those of `settings.request`. */
  listAssertions?(settings: Settings): readonly Assertion[];

  // Measurement and verdict.
  isMeasurement(value: unknown): value is Measurement;
  /** Pure. Only for runs that reached a conclusion about the target: use `judgeRun`. */
  judge(settings: Settings, run: Run<Request, Measurement>): Judgement;
  /** The certificate of the last server that the run connected to; `null` if there was none. */
  findCertificate?(run: Run<Request, Measurement>): SeenCertificate | null;
}
