import type { ImportReport } from "./reading.ts";
import type { ImportSource } from "./sources.ts";

/** Choices of a run. */
export interface RunOptions {
  /** Origins that are not imported. */
  readonly exclude: readonly string[];
  /** Whether all checks are imported muted. */
  readonly muted: boolean;
  /** Whether old push addresses stay valid. */
  readonly keepAddresses: boolean;
  readonly withHistory: boolean;
}

/** What a run did. */
export interface RunOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly addresses: number;
  /** Checks with imported history. */
  readonly histories: number;
  /** What a run could not do, such as an address that is in use elsewhere. */
  readonly notes: readonly string[];
}

/** An uploaded file and its report; `finishedAt` is null until it is run. */
export interface Import {
  readonly id: string;
  readonly source: ImportSource;
  readonly fileName: string;
  readonly report: ImportReport;
  readonly addresses: number;
  readonly historyChecks: number;
  /** Start of the history; `null` if there is none. */
  readonly historyFrom: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly outcome: RunOutcome | null;
}
