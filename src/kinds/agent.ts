import type { TProperties } from "typebox";
import type { Run } from "./definition.ts";
import type { ToolFields } from "./tool-fields.ts";
import type { VerdictSettings } from "./verdict.ts";

/** Phrases that complete the descriptions of the agent's tools. */
interface KindHints {
  /** Completes "One run of a check in full, ". */
  readonly run: string;
  /** The figures in words: "packet loss". */
  readonly figures: string;
  /** What the response times measure: "round trips of single packets". */
  readonly samples: string;
  /** One sentence with what a language model must know to create such a check, or empty. */
  readonly creation: string;
}

/** The averages of the kind's parts over a time range, by name. */
type Averages = Readonly<Record<string, number | null>>;

/**
 * What the agent and MCP clients see of a kind, and how the planner talks about it. A kind without
 * these parts gets them from its definition and presentation: see `default-agent.ts`.
 */
export interface KindAgent<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
> {
  /** What people call such a check, in lower case. By default its type. */
  readonly names: readonly string[];
  /**
   * Descriptions of the kind's own fields by path, for a language model that fills them in. By
   * default those of the API.
   */
  readonly fieldHints: Readonly<Record<string, string>>;
  readonly hints: KindHints;
  /** Fields of a check; limits of the response time are added if the kind shows them. */
  readonly checkFields: ToolFields<Settings>;
  /** Fields of a run in a list; each is `null` if nothing was measured. */
  readonly resultFields: ToolFields<Measurement>;
  /** Additional fields of a single run. */
  readonly runFields: ToolFields<Run<Request, Measurement>>;
  /** Numbers of the kind's own reasons, all optional. */
  readonly reasonFields: TProperties;
  /** Statistics over a time range. */
  readonly figureFields: ToolFields<Averages>;
  readonly speech: KindSpeech;
}

/** The part of `KindAgent` that a kind provides itself. */
export type OwnAgent<
  Settings extends VerdictSettings = VerdictSettings,
  Request = unknown,
  Measurement = unknown,
> = Partial<Omit<KindAgent<Settings, Request, Measurement>, "speech">> & {
  readonly speech?: OwnSpeech;
};

/** Words of the kind by the meaning that the planner's rules use. */
export interface KindLexicon {
  /** Verbs and nouns for one run and its response time: "ping". */
  readonly LATENCY: string;
  /** The kind's own measure of quality: "loss", "lost". */
  readonly MEASURE: string;
  /** What a run consists of: "packets". */
  readonly UNIT: string;
  /** How failed units are distributed: "bursts", "random". */
  readonly PATTERN: string;
  /** Variation of the response time: "jitter". */
  readonly SPREAD: string;
}

/** Answers to "what does … mean?". */
export interface KindGlossary {
  readonly failing: string;
  readonly degraded: string;
  readonly percentiles: string;
  readonly measure: string;
}

/** A quality figure besides availability and response time. Percent; zero is best. */
export interface KindMeasure<Result, Run, Figures> {
  /** "packet loss" */
  readonly noun: string;
  ofFigures(figures: Figures): number | null;
  ofResult(result: Result): number | null;
  /** Follows the name of a check: "lost 4 % of its packets". */
  describe(percent: number): string;
  /** Follows the name in a ranking: "4 % lost". */
  describeShortly(percent: number): string;
  /** Follows "3 of 10 checks": "lost packets". Follows "None of 10 checks": "lost a packet". */
  readonly happened: string;
  readonly happenedOnce: string;
  /** Where the loss occurs, and what that implies about the cause. */
  readonly nowhere: string;
  readonly everywhere: string;
  readonly somewhere: string;
  /** One run in detail, and what several runs have in common. */
  describeRun(run: Run): string;
  summarise(runs: readonly Run[]): string | null;
}

/** How much a figure varies from one run to the next. */
interface KindSpread<Result> {
  /** "jitter" */
  readonly noun: string;
  ofResult(result: Result): number | null;
}

export interface ReadTarget {
  /** Label of the check, and its default name. */
  readonly label: string;
}

export interface RejectedTarget {
  readonly typed: string;
  readonly reason: string;
  /** The corrected input, if there is an obvious one. */
  readonly instead: string | null;
}

export interface SentenceWords {
  /** Including punctuation that a target may need. */
  readonly words: readonly string[];
  /** Indexes in `words` that are names, tags or locations. */
  readonly taken: ReadonlySet<number>;
  /** Whether a word is plain English and therefore not a target by itself. */
  readonly isPlain: (word: string) => boolean;
}

/** Rules for reading a check of this kind from a sentence. */
export interface KindProposal<Target extends ReadTarget, Own extends object> {
  /**
   * How clearly a lower-case sentence refers to this kind: 0 not at all, 1 by the form of a target,
   * 2 by a word for the kind, 3 by what is monitored. The kind with the highest claim reads it.
   */
  claim(line: string): number;
  /** Present if checks of this kind have no interval and no locations. */
  readonly hasOwnSchedule?: true;
  /** "host" */
  readonly noun: string;
  /** Nouns that can follow a count of targets: "these five hosts". */
  readonly nouns: readonly string[];
  readonly askForTargets: string;
  readonly noTargetLeft: string;
  readTargets(sentence: SentenceWords): {
    readonly targets: readonly Target[];
    readonly refused: readonly RejectedTarget[];
  };
  /**
   * Reads the kind's own settings from a lower-case line; a setting that is not mentioned is
   * `null`.
   */
  readSettings(line: string): Own;
  /** Adjusts settings to allowed values and adds a note for each change. */
  fitSettings(own: Own, notes: string[]): Own;
  /** Builds the kind's own part of the request body. */
  buildBody(target: Target, fitted: Own): object;
}

/** Words for one of the figures over a time range. */
export interface SpokenFigure {
  /** Name of the tool field. */
  readonly name: string;
  /** "connecting" */
  readonly noun: string;
  /** Replaces the noun before a single value: "first byte after". */
  readonly before?: string;
  readonly unit: "ms" | "%" | "days" | "";
}

/**
 * How the planner understands questions about a kind and answers them: text and tool results in,
 * text out.
 *
 * `Check`, `Result`, `Run` and `Figures` are what the agent's tools return for this kind. Functions
 * are declared as methods so that kinds with different shapes fit into one map.
 */
export interface KindSpeech<
  Check = object,
  Result = object,
  Run = object,
  Figures = object,
  Target extends ReadTarget = ReadTarget,
  Own extends object = object,
> {
  /** By default the kind adds no words. */
  readonly lexicon: Partial<KindLexicon>;
  readonly glossary: KindGlossary;
  /** Example questions that "help" lists. */
  readonly examples: readonly string[];

  /** Follows the name of a check: "pings `edge.example.net` over IPv4". */
  describeTarget(check: Check): string;
  /** "10 packets a run" */
  describeSize(check: Check): string;
  /** "failing at 20 % loss"; limits of the response time are described for every check already. */
  describeLimits(check: Check): readonly string[];

  /** One run in few words: "loss 0 %, average 12 ms". */
  describeResult(result: Result): string;
  /** All findings about one run, the most important first. */
  describeRun(run: Run): readonly string[];
  /** The destination of a run, such as " to 198.51.100.7", or an empty string. */
  describeDestination(run: Run): string;
  /** Errors that other hosts on the path reported. */
  findEvidence(run: Run): string | null;
  /** Explanations for reasons that identify the cause by themselves, besides the shared ones. */
  readonly culprits: Readonly<Record<string, string>>;
  /** Names of reasons whose text is a full sentence written by this service. */
  readonly ownReasons: readonly string[];

  /** Figures over a time range, such as "loss 4 %"; empty if there is nothing to report. */
  describeFigures(figures: Figures): string;
  describeChange(before: Figures, now: Figures): string;
  describeDifference(change: Figures): string;
  /** `null` if the kind has no quality figure. */
  readonly measure: KindMeasure<Result, Run, Figures> | null;
  readonly spread: KindSpread<Result> | null;
  /** `null` if such checks cannot be created from a sentence. */
  readonly proposal: KindProposal<Target, Own> | null;
}

/** The part of `KindSpeech` that a kind provides itself, and short forms of some members. */
export interface OwnSpeech<
  Check = object,
  Result = object,
  Run = object,
  Figures = object,
  Target extends ReadTarget = ReadTarget,
  Own extends object = object,
> extends Partial<Omit<KindSpeech<Check, Result, Run, Figures, Target, Own>, "glossary">> {
  readonly glossary?: Partial<KindGlossary>;
  /** What `describeRun` adds to `describeResult` for a run that measured something. */
  listFindings?(run: Run): readonly string[];
  /** Introduces the error of a run that measured nothing. By default "nothing was measured". */
  readonly unmeasured?: string;
  /** Figures that `describeFigures`, `describeChange` and `describeDifference` report. */
  readonly figures?: readonly SpokenFigure[];
}
