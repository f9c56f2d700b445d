import { useEffect, useState } from "react";

/** What was typed, once somebody pauses: the server is asked for no half words. */
export function useSettled(text: string, pauseMs = 120): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, pauseMs]);
  return settled;
}
