import type { Caller } from "../access/accounts/index.ts";
import type { AgentName, Focus } from "./agents.ts";
import type { AnswerEnd, AnswerEvent } from "./answer-event.ts";
import type { AgentContext } from "./context.ts";
import type { Message } from "./exchanges.ts";
import type { BeltLimits, ToolBelt } from "./run-tool.ts";

export interface Question {
  readonly agent: AgentName;
  readonly messages: readonly Message[];
  /** Object on the user's screen, if any. */
  readonly focus?: Focus | null;
  /** Time zone of the user. If it is absent, times are read as UTC. */
  readonly timeZone?: string | null;
}

export interface AnswerLimits extends BeltLimits {
  readonly steps: number;
  readonly answerMs: number;
  /**
   * Maximum time between two model events. It is shorter than the server's timeout for idle
   * connections.
   */
  readonly silenceMs: number;
  readonly answerChars: number;
}

export interface AnswerRun {
  readonly context: AgentContext;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly limits: AnswerLimits;
  readonly belt: ToolBelt;
}

/** Event of an answer, or how a model ended it. */
export type AnswerPart = AnswerEvent | AnswerEnd;
