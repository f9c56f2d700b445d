/**
 * How people speak of a kind of check: what the agent's planner has to know to read a question
 * about it and to write the answer. Everything is pure: text and tool results in, text out.
 */

/** What a question may mean, as the rules of the planner call it. */
export interface KindLexicon {
  /** Verbs and nouns for one run and its response time: "ping". */
  readonly LATENCY: string;
  /** The kind's own measure of quality: "loss", "lost". */
  readonly MEASURE: string;
  /** What a run consists of: "packets". */
  readonly UNIT: string;
  /** How the units that went wrong are distributed: "bursts", "random". */
  readonly PATTERN: string;
  /** How much the response time varies: "jitter". */
  readonly SPREAD: string;
}

/** What a word means, for "what does … mean?". */
export interface KindGlossary {
  readonly failing: string;
  readonly degraded: string;
  readonly percentiles: string;
  readonly measure: string;
}

/** A figure of quality beside availability and response time. Percent, and zero is best. */
export interface KindMeasure<Result, Run, Figures> {
  /** "packet loss" */
  readonly noun: string;
  ofFigures(figures: Figures): number | null;
  ofResult(result: Result): number | null;
  /** After the name of a check: "lost 4 % of its packets". */
  describe(percent: number): string;
  /** In a ranking, after the name: "4 % lost". */
  describeShortly(percent: number): string;
  /** After "3 of 10 checks": "lost packets". After "None of 10 checks": "lost a packet". */
  readonly happened: string;
  readonly happenedOnce: string;
  /** Where it happens, and what that says about the cause. */
  readonly nowhere: string;
  readonly everywhere: string;
  readonly somewhere: string;
  /** One run in detail, and what several runs have in common. */
  describeRun(run: Run): string;
  summarise(runs: readonly Run[]): string | null;
}

/** How much single figures vary from one run to the next. */
export interface KindSpread<Result> {
  /** "jitter" */
  readonly noun: string;
  ofResult(result: Result): number | null;
}

export interface ReadTarget {
  /** As the check will call it, and as its name if none is given. */
  readonly label: string;
}

export interface RefusedTarget {
  readonly typed: string;
  readonly reason: string;
  /** What to write instead, if that is clear. */
  readonly instead: string | null;
}

export interface SentenceWords {
  /** With the marks that a target may need. */
  readonly words: readonly string[];
  /** Places in `words` that are names, tags or locations. */
  readonly taken: ReadonlySet<number>;
  /** An English word, which is no target by itself. */
  readonly isPlain: (word: string) => boolean;
}

/** How a check of this kind is read from a sentence. */
export interface KindProposal<Target extends ReadTarget, Own extends object> {
  /**
   * How clearly a sentence in lower case speaks of this kind: 0 not at all, 1 by the form of a
   * target, 2 by a word for it, 3 by what is watched. The kind with the highest claim reads it.
   */
  claim(line: string): number;
  /** Such checks have no interval and no locations: the kind's own settings say when. */
  readonly hasOwnSchedule?: true;
  /** "host" */
  readonly noun: string;
  /** Nouns after which a count announces targets: "these five hosts". */
  readonly nouns: readonly string[];
  readonly askForTargets: string;
  readonly noTargetLeft: string;
  readTargets(sentence: SentenceWords): {
    readonly targets: readonly Target[];
    readonly refused: readonly RefusedTarget[];
  };
  /** The kind's own settings; null for what nothing was said about. `line` is in lower case. */
  readSettings(line: string): Own;
  /** Values that a check can have; whatever had to be changed is noted. */
  fitSettings(own: Own, notes: string[]): Own;
  /** The kind's own part of the request body. */
  buildBody(target: Target, fitted: Own): object;
}

/**
 * `Check`, `Result`, `Run` and `Figures` are what the agent's tools show of this kind. Functions
 * are methods, so that kinds of different shapes fit in one map.
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
  /** Questions that "help" offers. */
  readonly examples: readonly string[];

  /** What people call the target, for names in questions. */
  target(check: Check): string;
  /** After the name of a check: "pings `edge.example.net` over IPv4". */
  describeTarget(check: Check): string;
  /** "10 packets a run" */
  describeSize(check: Check): string;
  /** "failing at 20 % loss" */
  describeLimits(check: Check): readonly string[];

  /** One run in few words: "loss 0 %, average 12 ms". */
  describeResult(result: Result): string;
  /** Everything worth saying about one run, the most important first. */
  describeRun(run: Run): readonly string[];
  /** Where the run went: " to 198.51.100.7", or nothing. */
  describeDestination(run: Run): string;
  /** What others on the way reported about the trouble. */
  findEvidence(run: Run): string | null;
  /** Reasons that name the culprit by themselves, and what to say then. */
  readonly culprits: Readonly<Record<string, string>>;
  /** Reasons that are whole sentences of ours, without text from outside. */
  readonly ownReasons: readonly string[];

  /** Over a window: "loss 4 %"; each of these is empty where there is nothing to say. */
  describeFigures(figures: Figures): string;
  describeChange(before: Figures, now: Figures): string;
  describeDifference(change: object): string;
  /** Null: the kind has no figure of its own that questions ask for. */
  readonly measure: KindMeasure<Result, Run, Figures> | null;
  readonly spread: KindSpread<Result> | null;
  /** Null: such checks are not created from a sentence. */
  readonly proposal: KindProposal<Target, Own> | null;
}
