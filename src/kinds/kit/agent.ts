import type { TProperties } from "typebox";
import type { Run } from "./definition.ts";
import type { ToolFields } from "./tool-fields.ts";
import type { VerdictSettings } from "./verdict.ts";

/** Phrases that complete the descriptions of the agent's tools. */
interface KindHints {
  /** Text after "One run of a check in full, " in a tool description. */
  readonly run: string;
  /** Names of the kind's figures, such as "packet loss". */
  readonly figures: string;
  /** What the kind's response times measure, such as "round trips of single packets". */
  readonly samples: string;
  /** Sentence that a language model needs to create checks of this kind, or an empty string. */
  readonly creation: string;
}

/**
 * Averages of figures over a time range. Each key is the name of a figure (`PartDefinition.name`).
 */
type Averages = Readonly<Record<string, number | null>>;

/**
 * Defines how the agent and MCP clients describe a kind. Members that a kind does not
 * provide are derived from its other parts, see `default-agent.ts`.
 */
export interface KindAgent<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
> {
  /**
   * Names that people use for checks of this kind, in lower case. By default the type of the kind.
   */
  readonly names: readonly string[];
  /** Field descriptions for a language model, by field path. By default the API descriptions. */
  readonly fieldHints: Readonly<Record<string, string>>;
  readonly hints: KindHints;
  /** Fields of a check. They include the response time limits if the API shows these limits. */
  readonly checkFields: ToolFields<Settings>;
  /** Fields of a run in a list of runs. Each value is `null` if nothing was measured. */
  readonly resultFields: ToolFields<Measurement>;
  /** Additional fields that are returned only with a single run. */
  readonly runFields: ToolFields<Run<Request, Measurement>>;
  /**
   * Schemas of the fields that this kind adds to the reason of a verdict, such as `daysLeft`. Every
   * field is optional.
   */
  readonly reasonFields: TProperties;
  /** Fields for averages over a time range. */
  readonly figureFields: ToolFields<Averages>;
  readonly speech: KindSpeech;
}

/**
 * The members of `KindAgent` as a kind defines them. Every member is optional; a missing member
 * gets its default value.
 */
export type OwnAgent<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
> = Partial<Omit<KindAgent<Settings, Request, Measurement>, "speech">> & {
  readonly speech?: OwnSpeech;
};

/** A quality figure besides availability and response time, in percent. Zero is best. */
export interface KindMeasure<Result, Run, Figures> {
  /** Noun for the quality figure, such as "packet loss". */
  readonly noun: string;
  ofFigures(figures: Figures): number | null;
  ofResult(result: Result): number | null;
  /** Formats the figure as a phrase after a check's name, such as "lost 4 % of its packets". */
  describe(percent: number): string;
  /** Formats the figure for a ranking of checks, such as "4 % lost". */
  describeShortly(percent: number): string;
  /**
   * Phrase for affected checks, such as "lost packets" in "3 of 10 checks lost packets".
   * `happenedOnce` is the form after "None", such as "lost a packet" in "None of 10 checks lost a
   * packet".
   */
  readonly happened: string;
  readonly happenedOnce: string;
  /**
   * Clause used if no location is affected, such as "No location loses any". `everywhere` is used
   * if all locations are affected. `somewhere` follows the list of affected locations if only some
   * are.
   */
  readonly nowhere: string;
  readonly everywhere: string;
  readonly somewhere: string;
  /**
   * Describes one run in detail. `summarise` describes what several runs have in common, or returns
   * `null` if they have nothing in common.
   */
  describeRun(run: Run): string;
  summarise(runs: readonly Run[]): string | null;
}

export interface ReadTarget {
  /** Label of the target, which is also the default name of the check. */
  readonly label: string;
}

export interface RejectedTarget {
  readonly typed: string;
  readonly reason: string;
  /** The corrected input; `null` if there is no obvious correction. */
  readonly instead: string | null;
}

export interface SentenceWords {
  /** The words of the sentence. They keep punctuation that a target may contain. */
  readonly words: readonly string[];
  /** Indexes of words that are names, tags or locations and therefore no targets. */
  readonly taken: ReadonlySet<number>;
  /** Returns whether a word is plain English and therefore not a target by itself. */
  readonly isPlain: (word: string) => boolean;
}

/** Rules for creating a check of this kind from a sentence. */
export interface KindProposal<Target extends ReadTarget, Own extends object> {
  /**
   * Rates how clearly a lower-case sentence refers to this kind. The kind with the highest rating
   * interprets the sentence.
   *
   *     0  The sentence does not refer to this kind.
   *     1  The sentence contains a target of this kind, such as a URL.
   *     2  The sentence contains a general word for this kind, such as "website".
   *     3  The sentence contains a word that outweighs general words, such as "certificate" in "the
   *        certificate of this website".
   */
  claim(line: string): number;
  /** Present if checks of this kind have neither an interval nor locations. */
  readonly hasOwnSchedule?: true;
  /** Noun for one target, such as "host". */
  readonly noun: string;
  /** Nouns that can follow a count of targets, such as "hosts" in "these five hosts". */
  readonly nouns: readonly string[];
  readonly askForTargets: string;
  readonly noTargetLeft: string;
  readTargets(sentence: SentenceWords): {
    readonly targets: readonly Target[];
    readonly refused: readonly RejectedTarget[];
  };
  /**
   * Reads the kind's own settings from a lower-case line. A setting that the line does not mention
   * is `null`.
   */
  readSettings(line: string): Own;
  /** Adjusts settings to allowed values and adds a note for each change. */
  fitSettings(own: Own, notes: string[]): Own;
  /** Builds the kind's own part of the request body for a new check. */
  buildBody(target: Target, fitted: Own): object;
}

/** Words for one figure over a time range. */
export interface SpokenFigure {
  /** Name of the figure's field in the results of the agent's tools. */
  readonly name: string;
  /** Noun for the figure, such as "connecting". */
  readonly noun: string;
  /**
   * Phrase before a single value, such as "first byte after" in "first byte after 12 ms". By
   * default, the noun is used.
   */
  readonly before?: string;
  readonly unit: "ms" | "%" | "days" | "";
}

/**
 * Defines what the agent says about checks of a kind without a model. The functions convert tool
 * results to text.
 *
 * `Check`, `Result`, `Run` and `Figures` are the types of the data that the agent's tools return
 * for this kind. Functions are declared as methods so that kinds with different types fit into one
 * map.
 */
export interface KindSpeech<
  Check = object,
  Result = object,
  Run = object,
  Figures = object,
  Target extends ReadTarget = ReadTarget,
  Own extends object = object,
> {
  /** Returns what the check does, to follow its name: "pings `edge.example.net` over IPv4". */
  describeTarget(check: Check): string;
  /** Describes the size of a run, such as "10 packets a run". */
  describeSize(check: Check): string;
  /** Describes limits such as "failing at 20 % loss", except limits of the response time. */
  describeLimits(check: Check): readonly string[];

  /** Describes one run in few words, such as "loss 0 %, average 12 ms". */
  describeResult(result: Result): string;
  /** Returns all findings about one run, the most important first. */
  describeRun(run: Run): readonly string[];
  /** Returns the destination of a run, such as " to 198.51.100.7", or an empty string. */
  describeDestination(run: Run): string;
  /** Describes errors that other hosts on the path reported; `null` if there are none. */
  findEvidence(run: Run): string | null;
  /** Explanations by reason name, for reasons that identify the cause without further evidence. */
  readonly culprits: Readonly<Record<string, string>>;
  /**
   * Names of the kind's reasons whose text was written entirely by this service. The texts of the
   * kind's other reasons may contain text from a target or a probe, so answers quote these texts.
   */
  readonly ownReasons: readonly string[];

  /** Describes figures over a time range, such as "loss 4 %", or returns an empty string. */
  describeFigures(figures: Figures): string;
  describeChange(before: Figures, now: Figures): string;
  describeDifference(change: Figures): string;
  /** The kind's quality figure; `null` if the kind has none. */
  readonly measure: KindMeasure<Result, Run, Figures> | null;
  /** Rules for creating checks from a sentence; `null` if the kind does not support it. */
  readonly proposal: KindProposal<Target, Own> | null;
}

/**
 * The members of `KindSpeech` as a kind defines them. Every member is optional.
 *
 * `OwnSpeech` also has additional members, such as `figures`. The default functions use these
 * members, so that a kind often does not have to define the functions itself.
 */
export interface OwnSpeech<
  Check = object,
  Result = object,
  Run = object,
  Figures = object,
  Target extends ReadTarget = ReadTarget,
  Own extends object = object,
> extends Partial<KindSpeech<Check, Result, Run, Figures, Target, Own>> {
  /**
   * Lists findings about a run that measured something. The default `describeRun` adds them to the
   * text of `describeResult`.
   */
  listFindings?(run: Run): readonly string[];
  /** Text before the error of a run that measured nothing. By default "nothing was measured". */
  readonly unmeasured?: string;
  /** Figures for the default `describeFigures`, `describeChange` and `describeDifference`. */
  readonly figures?: readonly SpokenFigure[];
}
