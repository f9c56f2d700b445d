import styles from "./state-mark.module.css";

/** The four states of a check, plus muted and inactive. */
export type ShownState = "passing" | "degraded" | "failing" | "unknown" | "muted" | "inactive";

export const stateWords: Readonly<Record<ShownState, string>> = {
  passing: "Passing",
  degraded: "Degraded",
  failing: "Failing",
  unknown: "No data",
  muted: "Muted",
  inactive: "Inactive",
};

/** Shapes of the states, all different, so that colour is never the only difference. */
const shapes = {
  passing: (
    <>
      <circle className={styles.ground} cx="12" cy="12" r="11" />
      <path className={styles.sign} d="m7 12.5 3.5 3.5L17 8.5" />
    </>
  ),
  degraded: (
    <>
      <path className={styles.ground} d="M12 1.5 23.5 22H.5z" />
      <path className={styles.sign} d="M12 9v6M12 18.4v.2" />
    </>
  ),
  failing: (
    <>
      <path className={styles.ground} d="M8 1h8l7 7v8l-7 7H8l-7-7V8z" />
      <path className={styles.sign} d="M8 8l8 8M16 8l-8 8" />
    </>
  ),
  unknown: <circle className={styles.ring} cx="12" cy="12" r="9.5" />,
  muted: (
    <>
      <circle className={styles.quiet} cx="12" cy="12" r="9.5" />
      <path className={styles.quiet} d="M6 18 18 6" />
    </>
  ),
  inactive: (
    <>
      <circle className={styles.quiet} cx="12" cy="12" r="9.5" />
      <path className={styles.quiet} d="M9.5 8.5v7M14.5 8.5v7" />
    </>
  ),
} as const satisfies Readonly<Record<ShownState, unknown>>;

interface StateMarkProps {
  readonly state: ShownState;
  readonly size?: number;
  /**
   * Whether to show the state as text. Otherwise, only screen readers and a tooltip contain the
   * text.
   */
  readonly hasWord?: boolean;
  /** Text for the state of an object that is not a check; by default the name of the state. */
  readonly word?: string;
}

/** Shows a state by colour, shape and text. */
export function StateMark(props: StateMarkProps) {
  const { state, size = 16, hasWord = false, word = stateWords[props.state] } = props;
  return (
    <span className={styles.mark} data-state={state} title={hasWord ? undefined : word}>
      <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
        {shapes[state]}
      </svg>
      <span className={hasWord ? styles.word : "unseen"}>{word}</span>
    </span>
  );
}
