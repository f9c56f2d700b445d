import type { TObject, TProperties } from "typebox";
import type { Run } from "./definition.ts";
import type { Reason, VerdictSettings } from "./verdict.ts";

/** Words that describe a kind in the API reference and in sentences. */
export interface KindWords {
  /** With its article: "an ICMP check". By default from the type. */
  readonly aCheck: string;
  /** One run, with its article: "a ping". By default "a run". */
  readonly aRun: string;
  /** What a check does to its target: "pings". By default "checks". */
  readonly verb: string;
  /** What `responseMs` measures: "average round trip". By default "response time". */
  readonly responseTime: string;
  /** Time series figures that are exact rather than estimated. By default "counts of runs". */
  readonly exactFigures: string;
}

/** API reference texts of the kind's own operations. */
export interface KindOperations {
  /**
   * Minimal body, besides the name, that creates such a check. Used by the reference and by tests.
   */
  readonly example: object;
  /** Description of the creation. By default it names the required fields. */
  readonly create?: string;
  /** Description of the update. */
  readonly update?: string;
}

/** One figure of a run, by name for programs and by label for people: "Packet loss: 12 %". */
export interface Fact {
  readonly name: string;
  readonly label: string;
  /** `null` if nothing was measured. */
  readonly value: number | null;
  readonly unit: string;
}

/** Facts about this machine for the example checks. */
interface ExampleMachine {
  readonly hasIpv6: boolean;
  /** Base URL of this service, without a path. */
  readonly serviceUrl: string;
}

/** How checks of this kind and their runs appear in the API, in alerts and on pages. */
export interface KindPresentation<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
  OwnReason extends Reason = Reason,
> {
  readonly words?: Partial<KindWords>;
  readonly operations: KindOperations;
  readonly DocumentSchema: TObject;
  /** Returns the run as a full result shows it. */
  document(run: Run<Request, Measurement>): object;
  /**
   * Formats one of the kind's own reasons as a clause without a full stop. Use `describeReason`. By
   * default the name of the reason.
   */
  explain?(reason: OwnReason): string;
  /** The kind's own limits, used to explain a status. By default none. */
  readonly limitFields?: TProperties;
  limits?(settings: Settings): object;
  /** Completes "is failing when" in the default of `describeLimits`. */
  readonly failsWhen?: string;
  /** All limits as text: "is degraded at 10 % and failing at 20 % packet loss". */
  describeLimits?(settings: Settings): string;
  /** Figures that explain a verdict besides the response time, for lists of runs. */
  readonly explainingFields?: TProperties;
  /** Each figure is `null` if the run measured nothing. */
  explainingFigures?(measurement: Measurement | null): object;
  /**
   * Figures of one run that an alert includes besides the response time. By default the parts that
   * the check summary shows.
   */
  listFacts?(measurement: Measurement | null): readonly Fact[];
  /** Example checks of this machine, with names, for a first look at the product. */
  listExamples?(machine: ExampleMachine): readonly { readonly name: string }[];
}
