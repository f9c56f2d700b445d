import { useEffect, useRef, useState } from "react";

interface Typed {
  readonly text: string;
  /** What the address said last. */
  readonly told: string;
  /** What was asked for and is not in the address yet. */
  readonly asked: string | null;
}

/**
 * The text of a search whose address is changed when somebody stops typing. An address that
 * changes for another reason replaces the text; our own does not, as somebody may be typing on.
 */
export function useTypedText(
  told: string,
  pauseMs: number,
  onPause: (text: string) => void,
): readonly [text: string, setText: (text: string) => void] {
  const [typed, setTyped] = useState<Typed>({ text: told, told, asked: null });
  if (typed.told !== told) {
    setTyped({ text: typed.asked === told ? typed.text : told, told, asked: null });
  }
  const newest = useRef(onPause);
  newest.current = onPause;
  const wanted = typed.text.trim();
  useEffect(() => {
    if (wanted === told) return;
    const timer = setTimeout(() => {
      setTyped((before) => ({ ...before, asked: wanted }));
      newest.current(wanted);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [wanted, told, pauseMs]);
  return [typed.text, (next) => setTyped((before) => ({ ...before, text: next }))];
}
