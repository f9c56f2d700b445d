import { useEffect, useState } from "react";

/** Returns the text after the user has paused typing, to avoid a request for every key. */
export function useSettled(text: string, pauseMs = 120): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, pauseMs]);
  return settled;
}
