import { useCallback, useEffect, useRef, useState } from "react";
import {
  type TrialEvent,
  type TrialResult,
  type TrialStep,
  tryCheck,
} from "../../api/try-check.ts";

export interface Trial {
  readonly state: "running" | "done" | "timed-out" | "stopped";
  readonly location: string;
  readonly isStarted: boolean;
  readonly steps: readonly TrialStep[];
  readonly result: TrialResult | null;
}

const ordered: Trial = {
  state: "running",
  location: "",
  isStarted: false,
  steps: [],
  result: null,
};

function follow(trial: Trial, event: TrialEvent): Trial {
  switch (event.event) {
    case "ordered":
      return { ...trial, location: event.location };
    case "started":
      return { ...trial, isStarted: true };
    case "progress":
      return { ...trial, steps: [...trial.steps, event] };
    case "result":
      return { ...trial, result: event };
    case "end":
      return { ...trial, state: event.reason === "complete" ? "done" : "timed-out" };
    case "waiting":
      return trial;
  }
}

/** Runs one test at a time. A new run, or unmounting, aborts the previous one. */
export function useTrial(onRefusal: (error: unknown) => void) {
  const [trial, setTrial] = useState<Trial | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const start = useCallback(
    async (body: object, checkId: string | null) => {
      controller.current?.abort();
      const own = new AbortController();
      controller.current = own;
      setTrial(ordered);
      try {
        for await (const event of tryCheck(body, { checkId, signal: own.signal })) {
          if (controller.current !== own) return;
          setTrial((before) => follow(before ?? ordered, event));
        }
        setTrial((before) => before && { ...before, state: endOf(before) });
      } catch (error) {
        if (controller.current !== own) return;
        setTrial(null);
        onRefusal(error);
      }
    },
    [onRefusal],
  );
  const stop = useCallback(() => {
    controller.current?.abort();
    controller.current = null;
    setTrial((before) => before && { ...before, state: "stopped" });
  }, []);
  return { trial, start, stop };
}

/** An interrupted stream has no final event. */
function endOf({ state }: Trial): Trial["state"] {
  return state === "running" ? "stopped" : state;
}
