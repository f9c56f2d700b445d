import { useEffect, useRef, useState } from "react";

/** Returns the text after the user has paused typing, so that not every key causes a request. */
export function useSettled(text: string, pauseMs = 120): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, pauseMs]);
  return settled;
}

interface Typed {
  readonly text: string;
  /** Text that was last read from the URL. */
  readonly current: string;
  /** Text that was submitted but is not in the URL yet; `null` if there is none. */
  readonly submitted: string | null;
}

/**
 * Returns the text of a search field, which is written to the URL when the user pauses typing. If
 * the URL changes for another reason, the text is replaced. A change of the URL by this field does
 * not replace the text, because the user may have typed more.
 */
export function useTypedText(
  current: string,
  pauseMs: number,
  onPause: (text: string) => void,
): readonly [text: string, setText: (text: string) => void] {
  const [typed, setTyped] = useState<Typed>({ text: current, current, submitted: null });
  if (typed.current !== current) {
    setTyped({
      text: typed.submitted === current ? typed.text : current,
      current,
      submitted: null,
    });
  }
  const newest = useRef(onPause);
  newest.current = onPause;
  const trimmed = typed.text.trim();
  useEffect(() => {
    if (trimmed === current) return;
    const timer = setTimeout(() => {
      setTyped((before) => ({ ...before, submitted: trimmed }));
      newest.current(trimmed);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [trimmed, current, pauseMs]);
  return [typed.text, (next) => setTyped((before) => ({ ...before, text: next }))];
}
