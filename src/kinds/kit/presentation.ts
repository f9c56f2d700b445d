import type { TObject, TProperties } from "typebox";
import type { Run } from "./definition.ts";
import type { Reason, VerdictSettings } from "./verdict.ts";

/** Words that describe a kind in the API reference and in sentences. */
export interface KindWords {
  /**
   * Noun for a check with its article, such as "an ICMP check". By default derived from the type.
   */
  readonly aCheck: string;
  /** Noun for one run with its article, such as "a ping". By default "a run". */
  readonly aRun: string;
  /** Verb for what a check does to its target, such as "pings". By default "checks". */
  readonly verb: string;
  /** What `responseMs` measures, such as "average round trip". By default "response time". */
  readonly responseTime: string;
  /** Figures of a time series that are exact rather than estimated. By default "counts of runs". */
  readonly exactFigures: string;
}

/** API reference texts for the kind's own operations. */
export interface KindOperations {
  /**
   * Minimal body of a request that creates a check, without the name. Used by the API reference and
   * by tests.
   */
  readonly example: object;
  /** Description of the operation that creates a check. The default lists the required fields. */
  readonly create?: string;
  /** Description of the operation that updates a check. */
  readonly update?: string;
}

/** One figure of a run with a name for programs and a label for people ("Packet loss: 12 %"). */
export interface Fact {
  readonly name: string;
  readonly label: string;
  /** Value of the figure; `null` if nothing was measured. */
  readonly value: number | null;
  readonly unit: string;
}

/** Facts about this machine that the example checks depend on. */
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
  /** Returns the document of a run, which full results contain. */
  document(run: Run<Request, Measurement>): object;
  /**
   * Formats one of the kind's own reasons as a clause without a full stop. By default the name of
   * the reason. Callers use `describeReason`, which covers all reasons.
   */
  explain?(reason: OwnReason): string;
  /**
   * Schemas of the kind's own limits, such as the maximum packet loss. The details of a check's
   * status contain the values of these limits, which `limits` returns. By default none.
   */
  readonly limitFields?: TProperties;
  limits?(settings: Settings): object;
  /**
   * When a run is failing, as a clause such as "it does not connect". If a kind does not define
   * `describeLimits`, the default description of its limits contains this clause after "failing
   * when".
   */
  readonly failsWhen?: string;
  /** Formats all limits as text, such as "is degraded at 10 % and failing at 20 % packet loss". */
  describeLimits?(settings: Settings): string;
  /** Schemas of figures, other than the response time, that explain a verdict in lists of runs. */
  readonly explainingFields?: TProperties;
  /** Returns the values of `explainingFields`. Each value is `null` if the run measured nothing. */
  explainingFigures?(measurement: Measurement | null): object;
  /**
   * Returns figures, other than the response time, for alerts. By default the parts that the check
   * summary shows.
   */
  listFacts?(measurement: Measurement | null): readonly Fact[];
  /**
   * Returns checks that monitor this machine, each with a name. They are part of the example data
   * of a new installation.
   */
  listExamples?(machine: ExampleMachine): readonly { readonly name: string }[];
}
