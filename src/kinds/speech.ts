/**
 * What the agent's planner needs to understand questions about a kind of check and to answer them.
 * Everything is pure: text and tool results in, text out.
 */

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
export interface KindSpread<Result> {
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

/**
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
  readonly lexicon: KindLexicon;
  readonly glossary: KindGlossary;
  /** Example questions that "help" lists. */
  readonly examples: readonly string[];

  /** How people refer to the target in questions. */
  target(check: Check): string;
  /** Follows the name of a check: "pings `edge.example.net` over IPv4". */
  describeTarget(check: Check): string;
  /** "10 packets a run" */
  describeSize(check: Check): string;
  /** "failing at 20 % loss" */
  describeLimits(check: Check): readonly string[];

  /** One run in few words: "loss 0 %, average 12 ms". */
  describeResult(result: Result): string;
  /** All findings about one run, the most important first. */
  describeRun(run: Run): readonly string[];
  /** The destination of a run, such as " to 198.51.100.7", or an empty string. */
  describeDestination(run: Run): string;
  /** Errors that other hosts on the path reported. */
  findEvidence(run: Run): string | null;
  /** Explanations for reasons that identify the cause by themselves. */
  readonly culprits: Readonly<Record<string, string>>;
  /** Names of reasons whose text is a full sentence written by this service. */
  readonly ownReasons: readonly string[];

  /** Figures over a time range, such as "loss 4 %"; empty if there is nothing to report. */
  describeFigures(figures: Figures): string;
  describeChange(before: Figures, now: Figures): string;
  describeDifference(change: object): string;
  /** `null` if the kind has no quality figure. */
  readonly measure: KindMeasure<Result, Run, Figures> | null;
  readonly spread: KindSpread<Result> | null;
  /** `null` if such checks cannot be created from a sentence. */
  readonly proposal: KindProposal<Target, Own> | null;
}
