import { useEffect, useRef, useState } from "react";

interface Typed {
  readonly text: string;
  /** Last text read from the address. */
  readonly told: string;
  /** Text that was submitted but is not in the address yet. */
  readonly asked: string | null;
}

/**
 * State of a search field that updates the address when the user pauses typing. An external change
 * of the address replaces the text; the field's own update does not, because the user may have
 * typed more.
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
