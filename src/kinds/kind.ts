import type { TObject, TProperties } from "typebox";
import type { Outcome } from "../contract/result.ts";
import type { Assertion, AssertionSources } from "./assertions/assertion.ts";
import type {
  CounterDefinition,
  Figures,
  FigureVisitor,
  PartDefinition,
  SampleDefinition,
} from "./figures.ts";
import type { KindPings } from "./pings.ts";
import type { KindGroupDefaults, KindSecrets } from "./secrets.ts";
import type { KindSpeech } from "./speech.ts";
import type { KindTexts } from "./texts.ts";
import type { Judgement, Reason, VerdictSettings } from "./verdict.ts";

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

/** A server certificate that a run received. */
export interface SeenCertificate {
  /** The host that presented it. */
  readonly host: string;
  /** SHA-256 of the certificate in hexadecimal. */
  readonly fingerprint: string;
  readonly issuer: string;
  readonly expiresAtMs: number;
}

/** The kind's own fields of a check in the API. */
export interface KindFields {
  /** `request`, or the kind's equivalent. */
  readonly target: {
    readonly create: TProperties;
    /** Every field is optional; a missing field keeps its value. */
    readonly change: TProperties;
    readonly shown: TProperties;
  };
  /** Optional in requests, always present in responses. */
  readonly settings: TProperties;
  /** Accepted and stored for client compatibility; never returned and never used. */
  readonly unused: { readonly create: TProperties; readonly change: TProperties };
}

/** Response time limits above which a run is degraded or failing. */
export interface ResponseTimeLimits {
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

/** Facts about this machine for the example checks. */
export interface ExampleMachine {
  readonly hasIpv6: boolean;
  /** Base URL of this service, without a path. */
  readonly serviceUrl: string;
}

/** Words that describe a kind in the API reference, in sentences and to the agent. */
export interface KindWords {
  /** With its article: "an ICMP check". */
  readonly aCheck: string;
  /** Time series figures that are exact rather than estimated by a sketch. */
  readonly exactFigures: string;
  /** One run, with its article: "a ping". */
  readonly aRun: string;
  /** What a check does to its target: "pings". */
  readonly verb: string;
  /** What `responseMs` measures: "average round trip". */
  readonly responseTime: string;
  /** What people call such a check, in lower case. */
  readonly names: readonly string[];
  /** Descriptions of the kind's own fields by path, for a language model that fills them in. */
  readonly fieldHints: Readonly<Record<string, string>>;
}

/** API reference texts of the kind's own operations. */
export interface KindOperations {
  /** Prefix of schema and operation names: `Icmp` in `IcmpCheck` and `createIcmpCheck`. */
  readonly name: string;
  readonly create: string;
  readonly update: string;
  /**
   * Minimal body, besides the name, that creates such a check. Used by the reference and by tests.
   */
  readonly example: object;
}

/** One figure of a run, by name for programs and by label for people: "Packet loss: 12 %". */
export interface Fact {
  readonly name: string;
  readonly label: string;
  /** `null` if nothing was measured. */
  readonly value: number | null;
  readonly unit: string;
}

/** What the agent's tools return for a kind, in addition to the fields of every check. */
export interface KindTools<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
> {
  readonly checkFields: TProperties;
  describeCheck(settings: Settings): object;
  /** Fields of a run in a list; each is `null` if nothing was measured. */
  readonly resultFields: TProperties;
  describeResult(measurement: Measurement | null): object;
  /** Fields of a single run. */
  readonly runFields: TProperties;
  describeRun(run: Run<Request, Measurement>): object;
  /** Numbers of the kind's own reasons, all optional. */
  readonly reasonFields: TProperties;
  /** Statistics over a time range, from the averages of the kind's parts by name. */
  readonly figureFields: TProperties;
  describeFigures(
    averages: Readonly<Record<string, number | null>>,
  ): Readonly<Record<string, number | null>>;
  readonly hints: {
    /** Completes "One run of a check in full, ". */
    readonly run: string;
    /** The figures in words: "packet loss". */
    readonly figures: string;
    /** What the response times measure: "round trips of single packets". */
    readonly samples: string;
    /** One sentence with what a language model must know to create such a check. */
    readonly creation: string;
  };
}

/**
 * Everything specific to a kind of check. Other code depends on this interface only.
 *
 * `Settings` is the whole check: the common settings and the kind's own. Functions are declared as
 * methods so that kinds with different settings fit into one map; the caller must pass values of
 * the same kind.
 */
export interface Kind<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
  OwnReason extends Reason = Reason,
> {
  /** `checkType` in the API. */
  readonly type: string;
  /** `/v1/checks/{path}` */
  readonly path: string;
  /** `/v1/analytics/{analyticsPath}` */
  readonly analyticsPath: string;
  readonly words: KindWords;
  readonly speech: KindSpeech;
  readonly operations: KindOperations;
  /** False if runs are pings that jobs send, as for heartbeats; no probe receives orders then. */
  readonly isOrdered: boolean;
  /** Present if `isOrdered` is false: when pings are expected and how they are recorded. */
  readonly pings?: KindPings<Settings, Measurement>;

  // Settings and request.
  readonly fields: KindFields;
  readonly responseTimeLimits: ResponseTimeLimits;
  /** Common check fields that this kind does not use: accepted, but not returned. */
  readonly hiddenFields?: readonly string[];
  /** Converts the kind's own fields to their API form, if it differs from the stored form. */
  showSettings?(settings: Settings, service: { readonly publicUrl: string }): object;
  /** Names, or parts of names, that only this kind may use; a test rejects them in other code. */
  readonly ownFieldNames: readonly string[];
  /** Absent if settings of this kind contain no secrets. */
  readonly secrets?: KindSecrets<Settings, Request>;
  /** Absent if groups have no settings for checks of this kind. */
  readonly groupDefaults?: KindGroupDefaults<Settings, unknown>;
  /**
   * Returns the kind's own settings after a creation (`before` is null) or an update. Secrets are
   * decrypted. A mask without a stored value remains and is reported by `findFaults`.
   */
  mergeSettings(before: Settings | null, change: object): object;
  findFaults(settings: Settings): readonly Fault[];
  /** How people refer to the target: a host, a URL, `host:port`. */
  target(settings: Settings): string;
  /** Maximum duration of a run, including timeouts. */
  deadlineMs(settings: Settings): number;
  /** The part of the settings that a probe needs. */
  toRequest(settings: Settings): Request;
  /** The same object as in the kind's prober. */
  readonly texts: KindTexts<Request, Measurement>;
  /**
   * Returns the client certificate that a run may present, or null. The request has its variables
   * filled in. The prober receives the certificate in `Order.clientCertificate`.
   */
  clientCertificateFor?(request: Request): ClientCertificateNeed | null;
  readonly assertionSources: AssertionSources;
  listAssertions(settings: Settings): readonly Assertion[];
  /** The kind's own limits, used to explain a status. */
  readonly limitFields: TProperties;
  limits(settings: Settings): object;
  /** The same limits as text: "is degraded at 10 % and failing at 20 % packet loss". */
  describeLimits(settings: Settings): string;

  // Measurement and verdict.
  isMeasurement(value: unknown): value is Measurement;
  /** Pure. Only for runs that reached a conclusion about the target: use `judgeRun`. */
  judge(settings: Settings, run: Run<Request, Measurement>): Judgement;
  /** The certificate of the last server that the run connected to; `null` if there was none. */
  findCertificate?(run: Run<Request, Measurement>): SeenCertificate | null;
  /**
   * Formats one of the kind's own reasons as a clause without a full stop. Use `describeReason`.
   */
  explain(reason: OwnReason): string;

  // Figures for statistics.
  readonly counters: readonly CounterDefinition[];
  readonly parts: readonly PartDefinition[];
  readonly samples: SampleDefinition;
  figures(measurement: Measurement): Figures;

  // Storage.
  /** Encodes the request and the measurement compactly. Errors are stored separately. */
  encode(run: Run<Request, Measurement>): Buffer;
  decode(
    detail: Buffer,
    rest: { readonly startedAtMs: number; readonly trouble: object | null },
  ): Run<Request, Measurement>;
  /** Number of leading bytes of a detail that contain all counters and parts; samples follow. */
  readonly figureBytes: number;
  /** Reads the detail between two offsets. It may be truncated after `figureBytes`. */
  readFigures(bytes: DataView, from: number, to: number, visitor: FigureVisitor): void;

  // Presentation.
  /** Field of the document in a full result: `icmpCheckResult`. */
  readonly documentField: string;
  readonly DocumentSchema: TObject;
  document(run: Run<Request, Measurement>): object;
  /** Figures that explain a verdict besides the response time, for lists of runs. */
  readonly explainingFields: TProperties;
  /** Each figure is `null` if the run measured nothing. */
  explainingFigures(measurement: Measurement | null): object;
  /** Figures of one run that an alert includes besides the response time. */
  listFacts(measurement: Measurement | null): readonly Fact[];
  /** Example checks of this machine, with names, for a first look at the product. */
  listExamples(machine: ExampleMachine): readonly { readonly name: string }[];
  readonly tools: KindTools<Settings, Request, Measurement>;
}
