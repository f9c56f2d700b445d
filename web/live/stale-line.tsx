import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { formatClock, useNow } from "../parts/time.tsx";
import { LiveUpdates } from "./live-updates.ts";
import styles from "./stale-line.module.css";

const words = {
  staleSince: (time: string) => `No live updates since ${time}.`,
  polling: "Refreshing every 10 seconds instead.",
  retrying: "The data shown is from that time. Reconnecting.",
} as const;

/** Minimum duration of an interruption before it is shown. */
const quietMs = 3_000;

/** Starts live updates, and shows a line while the event stream is interrupted. */
export function StaleLine() {
  const queryClient = useQueryClient();
  const updates = useMemo(() => new LiveUpdates(queryClient), [queryClient]);
  useEffect(() => updates.start(), [updates]);
  const { cutSinceMs, isPolling } = useSyncExternalStore(updates.subscribe, updates.read);
  const nowMs = useNow();
  const isShown = cutSinceMs !== null && nowMs - cutSinceMs >= quietMs;
  return (
    <div role="status" aria-live="polite">
      {isShown && (
        <p className={styles.line}>
          {words.staleSince(formatClock(cutSinceMs))} {isPolling ? words.polling : words.retrying}
        </p>
      )}
    </div>
  );
}
