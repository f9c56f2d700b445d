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

/** A rule that settings break, and the path of the field. */
export interface Fault {
  readonly key: string;
  readonly rule: string;
}

/** One run as a kind sees it: what was asked, when, and what came of it. */
export interface Run<Request = unknown, Measurement = unknown> {
  readonly request: Request;
  readonly startedAtMs: number;
  readonly outcome: Outcome<Measurement>;
}

/** A certificate that a run was shown. */
export interface SeenCertificate {
  /** Whom it was asked of. */
  readonly host: string;
  /** SHA-256 over the certificate, in hexadecimal digits. */
  readonly fingerprint: string;
  readonly issuer: string;
  readonly expiresAtMs: number;
}

/** The fields of a check that only this kind has, at the wire. */
export interface KindFields {
  /** `request`, or what stands in its place. */
  readonly target: {
    readonly create: TProperties;
    /** What is left out stays as it is. */
    readonly change: TProperties;
    readonly shown: TProperties;
  };
  /** Optional in requests, always shown. */
  readonly settings: TProperties;
  /** Accepted and kept for clients that send them; never shown and never used. */
  readonly unused: { readonly create: TProperties; readonly change: TProperties };
}

/** The response time above which a run of this kind is degraded or failing. */
export interface ResponseTimeLimits {
  /** Milliseconds of a check that names none; null: it has no limit. */
  readonly degradedMs: number | null;
  readonly failingMs: number | null;
  /** The highest limit that a check may name. */
  readonly highestMs: number;
  /** Whether a check shows them. */
  readonly areShown: boolean;
}

/** The certificate for the host that a run connects to, or the one that the check names. */
export type ClientCertificateNeed = { readonly host: string } | { readonly id: string };

/** What checks of this machine itself can be about. */
export interface ExampleMachine {
  readonly hasIpv6: boolean;
  /** Where the service itself answers, without a path. */
  readonly serviceUrl: string;
}

/** How people speak of a kind: in the reference, in sentences, and to the agent. */
export interface KindWords {
  /** With its article: "an ICMP monitor". */
  readonly aMonitor: string;
  /** With its article: "an ICMP check". */
  readonly aCheck: string;
  /** The figures over time that are exact, beside those of a sketch. */
  readonly exactFigures: string;
  /** One run, with its article: "a ping". */
  readonly aRun: string;
  /** What a check does to its target: "pings". */
  readonly verb: string;
  /** What `responseMs` is: "average round trip". */
  readonly responseTime: string;
  /** What people call such a check, in lower case. */
  readonly names: readonly string[];
  /** What the kind's own fields mean, by path, for a model that fills them in. */
  readonly fieldHints: Readonly<Record<string, string>>;
}

/** What the reference says about the operations that a kind has of its own. */
export interface KindOperations {
  /** Begins the names of schemas and operations: `Icmp` in `IcmpCheck` and `createIcmpCheck`. */
  readonly name: string;
  readonly create: string;
  readonly update: string;
  /** Enough to create such a check, beside its name. The reference shows it, and tests use it. */
  readonly example: object;
}

/** One figure of a run: for programs by its name, and for people as "Packet loss: 12 %". */
export interface Fact {
  readonly name: string;
  readonly label: string;
  /** Null: nothing was measured. */
  readonly value: number | null;
  readonly unit: string;
}

/** What the agent's tools show of a kind, beside what they show of every check. */
export interface KindTools<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
> {
  readonly checkFields: TProperties;
  describeCheck(settings: Settings): object;
  /** Of a run in a list; each is null where nothing was measured. */
  readonly resultFields: TProperties;
  describeResult(measurement: Measurement | null): object;
  /** Of a run that is shown alone. */
  readonly runFields: TProperties;
  describeRun(run: Run<Request, Measurement>): object;
  /** Numbers of the kind's own reasons, each optional. */
  readonly reasonFields: TProperties;
  /** Statistics over a window, from the averages of the kind's parts by their names. */
  readonly figureFields: TProperties;
  describeFigures(
    averages: Readonly<Record<string, number | null>>,
  ): Readonly<Record<string, number | null>>;
  readonly hints: {
    /** What one run shows, after "One run of a check in full, ". */
    readonly run: string;
    /** The figures in words: "packet loss". */
    readonly figures: string;
    /** What response times are of: "round trips of single packets". */
    readonly samples: string;
    /** What a model must know to create such a check: a whole sentence. */
    readonly creation: string;
  };
}

/**
 * Everything that is particular to a kind of check. Other code knows kinds through this only.
 *
 * `Settings` are those of the whole check: the common ones and the kind's own. Functions are
 * declared as methods, so that kinds of different settings fit in one map; whoever calls one gives
 * it what belongs to the same kind.
 */
export interface Kind<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
  OwnReason extends Reason = Reason,
> {
  /** `checkType` at the wire. */
  readonly type: string;
  /** `/v1/checks/{path}` */
  readonly path: string;
  /** `/v1/analytics/{analyticsPath}` */
  readonly analyticsPath: string;
  readonly words: KindWords;
  readonly speech: KindSpeech;
  readonly operations: KindOperations;
  /** False: runs come in by themselves, as those of a heartbeat do, and no probe gets an order. */
  readonly isOrdered: boolean;
  /** Of a kind that is not ordered: when its pings are expected, and what each one says. */
  readonly pings?: KindPings<Settings, Measurement>;

  // What is asked.
  readonly fields: KindFields;
  readonly responseTimeLimits: ResponseTimeLimits;
  /** Fields of every check that mean nothing here: accepted, and not shown. */
  readonly hiddenFields?: readonly string[];
  /** The kind's own fields as they are shown, where that is not as they are stored. */
  showSettings?(settings: Settings, service: { readonly publicUrl: string }): object;
  /** Names, or parts of names, that only this kind has: a test forbids them to all other code. */
  readonly ownFieldNames: readonly string[];
  /** Absent: settings of this kind hold no secrets. */
  readonly secrets?: KindSecrets<Settings, Request>;
  /** Absent: a group sets nothing for checks of this kind alone. */
  readonly groupDefaults?: KindGroupDefaults<Settings, unknown>;
  /**
   * The kind's own settings after a creation (before is null) or an update. Secrets are open; a
   * mask that cannot be kept stays one, and is a fault.
   */
  mergeSettings(before: Settings | null, change: object): object;
  findFaults(settings: Settings): readonly Fault[];
  /** What a person would call the target: a host, a URL, `host:port`. */
  target(settings: Settings): string;
  /** How long a run may take, with all that may go wrong in it. */
  deadlineMs(settings: Settings): number;
  /** What a probe needs to know of the settings. */
  toRequest(settings: Settings): Request;
  /** The same as its prober has. */
  readonly texts: KindTexts<Request, Measurement>;
  /**
   * Which client certificate a run may show; null: none. The request is the one that is sent, with
   * its variables filled in. The prober finds the certificate in `Order.clientCertificate`.
   */
  clientCertificateFor?(request: Request): ClientCertificateNeed | null;
  readonly assertionSources: AssertionSources;
  listAssertions(settings: Settings): readonly Assertion[];
  /** The limits of the kind's own that a run is held against, to explain a status. */
  readonly limitFields: TProperties;
  limits(settings: Settings): object;
  /** The same as people say it: "is degraded at 10 % and failing at 20 % packet loss". */
  describeLimits(settings: Settings): string;

  // What came back.
  isMeasurement(value: unknown): value is Measurement;
  /** Pure. Only for runs that say something about the target: use `judgeRun`. */
  judge(settings: Settings, run: Run<Request, Measurement>): Judgement;
  /** The certificate of the server that a run spoke to last; null: it showed none. */
  findCertificate?(run: Run<Request, Measurement>): SeenCertificate | null;
  /** Says a reason of the kind's own: a clause without a full stop. Use `describeReason`. */
  explain(reason: OwnReason): string;

  // Figures for statistics.
  readonly counters: readonly CounterDefinition[];
  readonly parts: readonly PartDefinition[];
  readonly samples: SampleDefinition;
  figures(measurement: Measurement): Figures;

  // How a run is stored.
  /** The request and all that was measured, in few bytes. Trouble is stored beside it. */
  encode(run: Run<Request, Measurement>): Buffer;
  decode(
    detail: Buffer,
    rest: { readonly startedAtMs: number; readonly trouble: object | null },
  ): Run<Request, Measurement>;
  /** In so many bytes a detail has all counters and parts; samples come after them. */
  readonly figureBytes: number;
  /** Reads one detail between two offsets. It may be cut after `figureBytes`. */
  readFigures(bytes: DataView, from: number, to: number, visitor: FigureVisitor): void;

  // How a run is shown.
  /** The name of the document in a whole result: `icmpCheckResult`. */
  readonly documentField: string;
  readonly DocumentSchema: TObject;
  document(run: Run<Request, Measurement>): object;
  /** Figures that explain a verdict beside the response time, where many runs are listed. */
  readonly explainingFields: TProperties;
  /** Of a run that measured nothing each is null. */
  explainingFigures(measurement: Measurement | null): object;
  /** Figures of one run that an alert names, besides the response time. */
  listFacts(measurement: Measurement | null): readonly Fact[];
  /** Checks of this machine itself, with their names, for a first look at the product. */
  listExamples(machine: ExampleMachine): readonly { readonly name: string }[];
  readonly tools: KindTools<Settings, Request, Measurement>;
}
