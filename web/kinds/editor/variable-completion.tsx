import {
  createContext,
  type ReactNode,
  type SyntheticEvent,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import textStyles from "../../parts/text.module.css";
import { completeName, findOpenName, offerNames } from "../form-values.ts";
import styles from "./fields.module.css";
import { words } from "./words.ts";

/** Names of variables to complete after `{{`; `null` if the check type has no variables. */
export const VariableNames = createContext<readonly string[] | null>(null);

type TextElement = HTMLInputElement | HTMLTextAreaElement;

interface KeyPress {
  readonly key: string;
  preventDefault(): void;
}

interface InputProps {
  readonly ref: (element: TextElement | null) => void;
  readonly value: string;
  readonly "aria-autocomplete": "list";
  readonly "aria-controls": string | undefined;
  readonly "aria-activedescendant": string | undefined;
  onChange(event: SyntheticEvent<TextElement>): void;
  onSelect(event: SyntheticEvent<TextElement>): void;
  onBlur(): void;
  onKeyDown(event: KeyPress): void;
}

interface CompletedProps {
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly children: (input: InputProps) => ReactNode;
}

/** Completes names of variables after `{{` in a text field. */
export function Completed({ value, onText, children }: CompletedProps) {
  const names = useContext(VariableNames) ?? [];
  const id = useId();
  const input = useRef<TextElement>(null);
  const nextCaret = useRef<number | null>(null);
  const [caret, setCaret] = useState<number | null>(null);
  const [place, setPlace] = useState(0);
  const open = caret === null ? null : findOpenName(value, caret);
  const offered = open === null ? [] : offerNames(names, open.typed);
  const marked = offered.length === 0 ? -1 : Math.min(place, offered.length - 1);

  // Restores the caret, because React moves it to the end when the value is replaced.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret follows the value
  useLayoutEffect(() => {
    if (nextCaret.current === null) return;
    input.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  }, [value]);

  const take = (name: string | undefined) => {
    if (open === null || name === undefined) return;
    const completed = completeName(value, open, name);
    nextCaret.current = completed.caret;
    setCaret(null);
    onText(completed.text);
  };
  const press = (event: KeyPress) => {
    if (marked < 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setPlace((marked + step + offered.length) % offered.length);
    else if (event.key === "Enter" || event.key === "Tab") take(offered[marked]);
    else if (event.key === "Escape") setCaret(null);
    else return;
    event.preventDefault();
  };
  const follow = ({ currentTarget }: SyntheticEvent<TextElement>) => {
    if (nextCaret.current === null) setCaret(currentTarget.selectionStart);
  };
  return (
    <div className={styles.completed}>
      {children({
        ref: (element) => {
          input.current = element;
        },
        value,
        "aria-autocomplete": "list",
        "aria-controls": marked < 0 ? undefined : id,
        "aria-activedescendant": marked < 0 ? undefined : `${id}-${marked}`,
        onChange: (event) => {
          setPlace(0);
          follow(event);
          onText(event.currentTarget.value);
        },
        onSelect: follow,
        onBlur: () => setCaret(null),
        onKeyDown: press,
      })}
      {marked >= 0 && <NameList id={id} names={offered} marked={marked} onTake={take} />}
    </div>
  );
}

interface NameListProps {
  readonly id: string;
  readonly names: readonly string[];
  readonly marked: number;
  readonly onTake: (name: string) => void;
}

/** Shows suggested names. The focus stays in the text field, which refers to the active option. */
function NameList({ id, names, marked, onTake }: NameListProps) {
  return (
    <div className={styles.names} id={id} role="listbox" aria-label={words.variableNames}>
      {names.map((name, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles keys
        // biome-ignore lint/a11y/useFocusableInteractive: the text field has the focus
        <div
          key={name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === marked}
          className={`${styles.nameOption} ${textStyles.mono} ${textStyles.small}`}
          // Keeps the focus in the text field, because the list closes when the focus leaves it.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(name)}
        >
          {name}
        </div>
      ))}
    </div>
  );
}
